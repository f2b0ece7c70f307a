//! The clock and the random numbers of the server. Tests replace both with fixed ones.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::scalar::Time;
use jiff::Timestamp;
use tokio::sync::watch;

/// The clock and the source of uids and name suffixes.
pub trait Environment: Send + Sync {
    /// The current time.
    fn now(&self) -> Time;

    /// The time at which somebody has stopped the clock, while it stands still, with all changes of that. By default the clock
    /// only runs.
    fn stopped_at(&self) -> Option<watch::Receiver<Option<Time>>> {
        None
    }

    /// A new uid, unique among all past and future objects.
    fn uid(&self) -> String;

    /// Five characters that complete a `generateName` prefix to a name. They never form words.
    fn name_suffix(&self) -> String;
}

/// Waits for times of a clock.
pub(crate) struct Alarm {
    environment: Arc<dyn Environment>,
    stopped_at: Option<watch::Receiver<Option<Time>>>,
}

impl Alarm {
    pub(crate) fn new(environment: &Arc<dyn Environment>) -> Self {
        Self { environment: Arc::clone(environment), stopped_at: environment.stopped_at() }
    }

    /// After how long the clock shows a time, at the latest; `None` if it stands still before it.
    pub(crate) fn until(&self, time: Time) -> Option<Duration> {
        let left = Duration::try_from(time.0.duration_since(self.environment.now().0)).unwrap_or_default();
        let stands = self.stopped_at.as_ref().is_some_and(|at| at.borrow().is_some());
        (!stands || left.is_zero()).then_some(left)
    }

    /// Waits until the clock is set, stopped or released.
    pub(crate) async fn set(&mut self) {
        let Some(stopped_at) = &mut self.stopped_at else { return pending().await };
        if stopped_at.changed().await.is_err() {
            pending().await
        }
    }
}

/// The clock and the random number generator of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Environment for System {
    fn now(&self) -> Time {
        Time(Timestamp::now())
    }

    /// A random UUID, version 4 of RFC 9562.
    fn uid(&self) -> String {
        let mut bytes = random::<16>();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let mut text = String::with_capacity(36);
        for (index, byte) in bytes.iter().enumerate() {
            if matches!(index, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            text.push_str(&format!("{byte:02x}"));
        }
        text
    }

    fn name_suffix(&self) -> String {
        /// No vowels, and no digits that look like letters. There are 27 characters; the bias of a
        /// byte modulo 27 does not matter for a name.
        const LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
        random::<5>().iter().map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()])).collect()
    }
}

/// A random number from 0 to 1, for what should not happen everywhere at once.
pub(crate) fn random_fraction() -> f64 {
    f64::from(u32::from_ne_bytes(random())) / f64::from(u32::MAX)
}

/// Random bytes from the operating system.
///
/// # Panics
/// If the system provides none: a uid could then not be guaranteed to be unique.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system provides random bytes");
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Environment, System};

    #[test]
    fn uids_are_random_uuids() {
        let (a, b) = (System.uid(), System.uid());
        assert_ne!(a, b);
        let parts: Vec<usize> = a.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&a[14..15], "4");
        assert!("89ab".contains(&a[19..20]), "{a}");
    }

    #[test]
    fn name_suffixes_fit_into_names() {
        let suffix = System.name_suffix();
        assert_eq!(suffix.len(), 5);
        assert!(suffix.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()), "{suffix}");
    }
}
