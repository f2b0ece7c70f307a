//! The signal that the server is about to stop.

use tokio::sync::watch;

/// Tells a handler that the server is about to stop, as an extension of every request. A long answer, such as a watch,
/// should end then, so that its client asks elsewhere; requests that still run after [`Limits::grace`] are abandoned.
///
/// [`Limits::grace`]: crate::Limits::grace
#[derive(Clone, Debug)]
pub struct Drain(watch::Receiver<bool>);

/// Begins the drain.
pub(crate) struct Stop(watch::Sender<bool>);

impl Stop {
    pub(crate) fn new() -> (Self, Drain) {
        let (sender, receiver) = watch::channel(false);
        (Self(sender), Drain(receiver))
    }

    pub(crate) fn begin(&self) {
        self.0.send_replace(true);
    }
}

impl Drain {
    /// Whether the server is about to stop.
    pub fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the server is about to stop.
    pub async fn begun(&mut self) {
        // If the server is gone, it has stopped.
        let _ = self.0.wait_for(|begun| *begun).await;
    }
}
