//! A server as the whole work of a process: it ends when it is asked to, whatever is running.

use std::io;
use std::time::Duration;

use tokio::runtime;

/// How long threads may go on once the server has ended. Together with the default of
/// [`Limits::grace`](crate::Limits::grace) this is less than the 10 seconds that are usual between
/// SIGTERM and SIGKILL.
const LAST_WORK: Duration = Duration::from_secs(1);

/// Runs a future on a runtime of its own, with a thread per core.
///
/// Work that still goes on when the future is done, such as a request with which a thread is busy,
/// gets another second and is then left behind: it ends with the process. The store is whole all the
/// same, since what is not committed by then never was.
///
/// # Errors
/// When the runtime cannot be made.
pub fn run<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(future);
    runtime.shutdown_timeout(LAST_WORK);
    Ok(done)
}

/// Ready when the process is asked to stop, by SIGINT or SIGTERM. Signals count from the call on.
///
/// # Errors
/// When the system does not let signals be awaited.
#[cfg(unix)]
pub fn asked_to_stop() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
