//! A clock that tests set.

use std::sync::Arc;
use std::time::Duration;

use hubgen_machinery::scalar::Time;
use hubgen_server::environment::{Environment, System};
use tokio::sync::watch;

/// The clock of a server. At first it shows the time of the machine; once it is set, it stands still until it is
/// [advanced](Self::advance), set again, or [released](Self::release). Clones are the same clock.
///
/// Whatever a server writes and decides by the time follows it: when objects were created and are to be deleted, when fields were
/// written, when conditions of definitions have changed, how long tokens of service accounts are valid, when Events expire. What is due
/// at a time to which the clock is set is done at once, and [`settled`](crate::TestServer::settled) waits for it. How long requests may
/// take, watches last and connections stay open does not follow it.
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
pub struct Clock(Arc<watch::Sender<Option<Time>>>);

impl Clock {
    /// The time that it shows.
    pub fn now(&self) -> Time {
        self.0.borrow().unwrap_or_else(|| System.now())
    }

    /// Sets it to a time, at which it stands still.
    pub fn set(&self, time: Time) {
        self.0.send_replace(Some(time));
    }

    /// Moves it forward from the time that it shows, where it stands still.
    ///
    /// # Panics
    /// After the year 9999.
    pub fn advance(&self, duration: Duration) {
        self.0.send_modify(|set| {
            let now = set.unwrap_or_else(|| System.now());
            *set = Some(Time(now.0 + duration));
        });
    }

    /// Lets it show the time of the machine again.
    pub fn release(&self) {
        self.0.send_replace(None);
    }
}

impl Environment for Clock {
    fn now(&self) -> Time {
        Self::now(self)
    }

    fn stopped_at(&self) -> Option<watch::Receiver<Option<Time>>> {
        Some(self.0.subscribe())
    }

    fn uid(&self) -> String {
        System.uid()
    }

    fn name_suffix(&self) -> String {
        System.name_suffix()
    }
}
