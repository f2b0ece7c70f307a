//! The answers of a webhook, as long as they count.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::review::Status;

/// The most answers that are kept.
const MOST: usize = 8192;

#[derive(Default)]
pub(super) struct Cache(Mutex<HashMap<String, (Instant, Status)>>);

impl Cache {
    pub(super) fn get(&self, key: &str) -> Option<Status> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(key).filter(|(until, _)| Instant::now() < *until).map(|(_, status)| status.clone())
    }

    pub(super) fn put(&self, key: String, status: &Status, ttl: Duration) {
        if ttl.is_zero() {
            return;
        }
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST {
            let now = Instant::now();
            answers.retain(|_, (until, _)| now < *until);
            if answers.len() >= MOST {
                answers.clear();
            }
        }
        answers.insert(key, (Instant::now() + ttl, status.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_bounded_in_time_and_number() {
        let cache = Cache::default();
        let status = Status { allowed: true, ..Status::default() };
        cache.put("a".to_owned(), &status, Duration::ZERO);
        assert_eq!(cache.get("a"), None);
        for number in 0..=MOST {
            cache.put(number.to_string(), &status, Duration::from_secs(600));
        }
        assert_eq!(cache.get(&MOST.to_string()), Some(status));
        assert_eq!(cache.0.lock().unwrap().len(), 1);
    }
}
