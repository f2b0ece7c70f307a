//! A clock that tests set.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hubgen_machinery::scalar::Time;
use hubgen_server::environment::{Environment, System};

/// The clock of a server. At first it shows the time of the machine; once it is set, it stands still until it is
/// [advanced](Self::advance), set again, or [released](Self::release). Clones are the same clock.
///
/// Whatever a server writes and decides by the time follows it: when objects were created and are to be deleted, when fields were
/// written, when conditions of definitions have changed, how long tokens of service accounts are valid. How long requests may take,
/// watches last and connections stay open does not.
///
/// ```
/// use std::time::Duration;
///
/// use hubgen_test_server::Clock;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = Clock::default();
/// clock.set("2030-01-01T00:00:00Z".parse()?);
/// clock.advance(Duration::from_secs(90));
/// assert_eq!(clock.now().to_string(), "2030-01-01T00:01:30Z");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Clock(Arc<Mutex<Option<Time>>>);

impl Clock {
    /// The time that it shows.
    pub fn now(&self) -> Time {
        self.set_time().unwrap_or_else(|| System.now())
    }

    /// Sets it to a time, at which it stands still.
    pub fn set(&self, time: Time) {
        *self.set_time() = Some(time);
    }

    /// Moves it forward from the time that it shows, where it stands still.
    ///
    /// # Panics
    /// After the year 9999.
    pub fn advance(&self, duration: Duration) {
        let mut set = self.set_time();
        let now = set.unwrap_or_else(|| System.now());
        *set = Some(Time(now.0 + duration));
    }

    /// Lets it show the time of the machine again.
    pub fn release(&self) {
        *self.set_time() = None;
    }

    fn set_time(&self) -> MutexGuard<'_, Option<Time>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Environment for Clock {
    fn now(&self) -> Time {
        Self::now(self)
    }

    fn uid(&self) -> String {
        System.uid()
    }

    fn name_suffix(&self) -> String {
        System.name_suffix()
    }
}
