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
        // If the server is gone, it has stopped.
        *self.0.borrow() || self.0.has_changed().is_err()
    }

    /// Waits until the server is about to stop.
    pub async fn begun(&mut self) {
        // The error is that the server is gone.
        let _ = self.0.wait_for(|begun| *begun).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who is woken asks then whether it has begun.
    #[tokio::test]
    async fn a_server_that_is_gone_has_begun_to_stop() {
        let (stop, drain) = Stop::new();
        assert!(!drain.has_begun());
        drop(stop);
        drain.clone().begun().await;
        assert!(drain.has_begun());
        let (stop, drain) = Stop::new();
        stop.begin();
        drain.clone().begun().await;
        assert!(drain.has_begun());
    }
}
