//! Which keys the newest commits have written, so that a watch on others need not read the database to find nothing.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Of how many writes the keys are kept.
const KEPT: usize = 1_024;

/// The keys of the newest writes, each with its revision. There is no gap between the revisions.
#[derive(Debug, Default)]
pub(super) struct Touched(Mutex<VecDeque<(u64, Vec<u8>)>>);

impl Touched {
    /// Adds writes that are committed. It must be called before anybody is told of their revisions.
    pub(super) fn add<'k>(&self, writes: impl Iterator<Item = (u64, &'k [u8])>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (revision, key) in writes {
            // After a failure it is not known which writes took effect.
            if kept.back().is_some_and(|(last, _)| last + 1 != revision) {
                kept.clear();
            }
            if kept.len() == KEPT {
                kept.pop_front();
            }
            kept.push_back((revision, key.to_vec()));
        }
    }

    /// Whether it is certain that no write after `seen`, up to `revision`, was on a key with the prefix.
    pub(super) fn is_untouched(&self, prefix: &[u8], seen: u64, revision: u64) -> bool {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some((first, _)), Some((last, _))) = (kept.front(), kept.back()) else { return false };
        let is_known = *first <= seen + 1 && revision <= *last;
        let mut asked = kept.iter().rev().take_while(|(write, _)| *write > seen);
        is_known && !asked.any(|(_, key)| key.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_untouched() {
        let touched = Touched::default();
        assert!(!touched.is_untouched(b"a/", 0, 1), "nothing is known");
        touched.add([(5, &b"a/x"[..]), (6, b"b/x")].into_iter());
        assert!(touched.is_untouched(b"a/", 5, 6));
        assert!(!touched.is_untouched(b"a/", 4, 6), "a/x was written");
        assert!(!touched.is_untouched(b"c/", 3, 6), "the write 4 is not known");
        assert!(!touched.is_untouched(b"c/", 5, 7), "the write 7 is not known");
        assert!(touched.is_untouched(b"c/", 4, 6));
        // A gap: what is before it does not count any more.
        touched.add([(9, &b"b/y"[..])].into_iter());
        assert!(!touched.is_untouched(b"c/", 4, 9));
        assert!(touched.is_untouched(b"c/", 8, 9));
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let touched = Touched::default();
        touched.add((1..=2 * KEPT as u64).map(|revision| (revision, &b"a"[..])));
        let last = 2 * KEPT as u64;
        assert!(!touched.is_untouched(b"b", last - KEPT as u64 - 1, last));
        assert!(touched.is_untouched(b"b", last - KEPT as u64, last));
    }
}
