//! A running door.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hubgen_serve::{Door, Limits, Tls, service};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::handler::{Shared, answer};

/// A deadline that a test wants to be exceeded.
pub const SHORT: Duration = Duration::from_millis(300);
/// A deadline that fails the test.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A server of a thread. It stops when it is dropped, after its running requests.
pub struct Running {
    pub address: SocketAddr,
    pub shared: Shared,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn start(limits: Limits, tls: Option<Tls>) -> Self {
        Self::start_with(Shared::default(), limits, tls)
    }

    pub fn start_with(shared: Shared, limits: Limits, tls: Option<Tls>) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let of_handler = shared.clone();
        let thread = thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let door = Door::new(service(move |request| answer(of_handler.clone(), request)));
                let door = door.limits(limits);
                let door = match tls {
                    Some(tls) => door.tls(tls),
                    None => door,
                };
                door.serve_on(listener, async { drop(stopped.await) }).await;
            });
            runtime.shutdown_background();
        });
        Self { address: told.recv().unwrap(), shared, stop: Some(stop), thread: Some(thread) }
    }

    /// Asks the server to stop.
    pub fn begin_to_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until the server has stopped.
    pub fn wait(&mut self) {
        self.begin_to_stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    /// Waits until this many stuck requests are there.
    pub fn wait_for_stuck(&self, count: usize) {
        let start = Instant::now();
        while self.shared.stuck.available_permits() < count {
            assert!(start.elapsed() < PATIENCE, "waited for {count} requests");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.gate.add_permits(1000);
        self.wait();
    }
}
