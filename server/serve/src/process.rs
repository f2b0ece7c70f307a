//! Runs a server as the only task of a process, and ends it when the process is asked to stop.

use std::io;
use std::time::Duration;

use tokio::runtime;

/// How long threads may keep running after the server has ended. Together with the default of
/// [`Limits::grace`](crate::Limits::grace) this is less than the usual 10 seconds between SIGTERM and SIGKILL.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs a future on a new multi-threaded runtime, with one thread per core.
///
/// Work that still runs when the future is done, such as a request that keeps a thread busy, gets another second. After
/// that the process ends without it. What such work has not made durable by then must have no effect.
///
/// # Errors
/// If the runtime cannot be started.
pub fn run<T>(future: impl Future<Output = T>) -> io::Result<T> {
    let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(future);
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(done)
}

/// Returns a future that is ready when the process receives SIGINT (Ctrl-C) or SIGTERM, which Kubernetes sends. Signals
/// are recorded from this call on. Where there are no signals, it is Ctrl-C alone, recorded when the future is polled.
///
/// # Errors
/// If the signal handlers cannot be installed.
pub fn asked_to_stop() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    #[cfg(unix)]
    {
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
    #[cfg(not(unix))]
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
