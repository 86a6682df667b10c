//! Memory bandwidth: the limit of products and triangular solves with matrices larger than caches.

use super::super::time;
use super::Findings;
use numerics::vectors::sum;
use rayon::prelude::*;
use serde_json::json;
use std::hint::black_box;

/// Larger than a core's own cache, and larger than the one cores share [MiB].
const SIZES: [(&str, usize); 2] = [("64_mib", 64), ("1_gib", 1024)];
/// Passes; the fastest counts.
const PASSES: usize = 5;

/// Reads arrays on one thread and on all.
pub(super) fn measure(findings: &mut Findings) {
    let threads = rayon::current_num_threads();
    let mut rows = serde_json::Map::new();
    for (name, mib) in SIZES {
        let numbers = vec![1.0; mib << 17];
        let share = numbers.len().div_ceil(threads);
        let mut fastest = [f64::INFINITY; 2];
        for _ in 0..PASSES {
            let (_, one) = time(|| black_box(sum(black_box(&numbers))));
            let (_, all) = time(|| black_box(numbers.par_chunks(share).map(sum).sum::<f64>()));
            fastest = [fastest[0].min(one), fastest[1].min(all)];
        }
        let [one, all] = fastest.map(|ms| 8e-6 * numbers.len() as f64 / ms);
        findings.say(&format!("{mib} MiB are read at {one:.1} GB/s by one thread, {all:.1} GB/s by {threads}"));
        rows.insert(name.into(), json!({ "one_thread": one, "all_threads": all }));
    }
    findings.json.insert("read_gb_per_s".into(), rows.into());
}
