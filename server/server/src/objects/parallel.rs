//! Work on many values at once, on all processors.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;

/// Below this many values, other threads cost more than they save.
const FEW: usize = 64;

/// Does some work with each value, and returns the results in the order of the values.
pub(super) fn map<T: Sync, R: Send>(values: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    if values.len() < FEW || threads == 1 {
        return values.iter().map(work).collect();
    }
    let work = &work;
    let mut parts = values.chunks(values.len().div_ceil(threads));
    let first = parts.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>())).collect();
        let mut results: Vec<R> = first.iter().map(work).collect();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        for count in [0, 1, FEW - 1, FEW, 1000] {
            let values: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = values.iter().map(|value| value * 2).collect();
            assert_eq!(map(&values, |value| value * 2), doubled, "{count}");
        }
    }

    #[test]
    #[should_panic(expected = "the last one")]
    fn a_panic_of_any_thread_is_one() {
        let values: Vec<usize> = (0..1000).collect();
        map(&values, |value| assert!(*value < 999, "the last one"));
    }
}
