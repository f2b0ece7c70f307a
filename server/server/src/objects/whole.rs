//! Collections whose lists are made whole before they are answered.
//!
//! The answer of a long list begins before all of its objects are read. If one of those that follow cannot be shown, all
//! that is left is to break the answer off. Clients try again then, and have to be told what is wrong: so the next lists
//! of the same objects are made whole first, until one can be.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Those collections, by the prefix of their keys and the version at which they are listed.
#[derive(Debug, Default)]
pub(crate) struct Whole(Mutex<HashSet<(String, String)>>);

impl Whole {
    pub(super) fn contains(&self, prefix: &str, api_version: &str) -> bool {
        let all = self.all();
        !all.is_empty() && all.contains(&(prefix.to_owned(), api_version.to_owned()))
    }

    pub(super) fn insert(&self, prefix: &str, api_version: &str) {
        self.all().insert((prefix.to_owned(), api_version.to_owned()));
    }

    pub(super) fn remove(&self, prefix: &str, api_version: &str) {
        let mut all = self.all();
        if !all.is_empty() {
            all.remove(&(prefix.to_owned(), api_version.to_owned()));
        }
    }

    fn all(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
