//! A running webhook.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use hubgen_webhook::Server;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A server of a thread. It stops when it is dropped, after its running requests.
pub struct Running {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a server on the loopback interface, at a port or at any free one.
pub fn start(server: Server, port: Option<u16>) -> Running {
    let address = SocketAddr::from(([127, 0, 0, 1], port.unwrap_or(0)));
    let (stop, stopped) = oneshot::channel();
    let (tell, told) = mpsc::channel();
    let thread = thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind(address).await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            server.serve_on(listener, async { drop(stopped.await) }).await;
        });
    });
    Running { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.thread.take().unwrap().join().unwrap();
    }
}
