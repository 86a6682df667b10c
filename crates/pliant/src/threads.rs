//! Threads that all loops share.

use crate::failure::Failure;

/// Takes as many threads as asked for, or as there are. This one is the first of them: short steps would otherwise wait for
/// another to wake up each time they have something to share.
pub(crate) fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let pool = rayon::ThreadPoolBuilder::new().use_current_thread().num_threads(threads.unwrap_or(0).into());
    pool.build_global().map_err(|error| {
        let asked = threads.map_or("threads".into(), |threads| format!("{threads} threads"));
        Failure::Usage(format!("{asked} cannot be had ({error}); ask for fewer with --threads or RAYON_NUM_THREADS"))
    })
}
