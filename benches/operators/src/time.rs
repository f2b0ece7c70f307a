//! Processor time.

use std::fs;

/// The processor time of all threads of a process so far, in nanoseconds: `self` or the number of a process.
///
/// # Panics
/// Where the system does not tell, as others than Linux do not.
pub fn processor(process: &str) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).expect("the threads of the process");
    tasks
        // A thread may end meanwhile.
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
        .map(|text| -> u64 {
            let first = text.split_whitespace().next();
            first.and_then(|number| number.parse().ok()).expect("nanoseconds on a processor")
        })
        .sum()
}
