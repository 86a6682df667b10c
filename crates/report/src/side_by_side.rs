//! Independent work on several threads, and the size of bodies for which it pays.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Limit of nodes of bodies that run side by side. Larger ones keep all cores busy alone, and their factors fill the
/// memory.
pub(crate) const MOST_NODES: usize = 20_000;

/// Calls `work` for every number below `count`, on as many threads as there are cores: each takes the next one, and
/// loops inside it stay on that thread. Results are in order, and by the contract of all loops the same as one by one.
pub(crate) fn side_by_side<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let worker = || {
        while let i = next.fetch_add(1, Ordering::Relaxed)
            && let Some(slot) = results.get(i)
        {
            let result = work(i);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(count) {
            // Without its own pool a worker shares the common one: slower, with the same results.
            let own = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            scope.spawn(|| match own {
                Ok(pool) => pool.install(worker),
                Err(_) => worker(),
            });
        }
    });
    results.into_iter().filter_map(|slot| slot.into_inner().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_done_once_and_stays_in_order() {
        let calls = AtomicUsize::new(0);
        let found = side_by_side(100, |i| {
            calls.fetch_add(1, Ordering::Relaxed);
            assert_eq!(rayon::current_num_threads(), 1);
            i * i
        });
        assert_eq!(found, (0..100).map(|i| i * i).collect::<Vec<_>>());
        assert_eq!(calls.into_inner(), 100);
        assert!(side_by_side(0, |i| i).is_empty());
    }
}
