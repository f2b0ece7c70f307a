//! Runs tests, two at a time, as `cargo test` does on two processors.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bench_server::Error;
use hubgen_test_server::TestServer;

use crate::test::{Place, test};

/// How many tests run at a time.
const AT_A_TIME: usize = 2;

/// What tests have in common.
#[derive(Clone, Copy)]
pub enum Way {
    /// Nothing: each has a server of its own.
    Fresh,
    /// Those that run one after the other have a server, whose objects a snapshot brings back.
    Snapshots,
    /// All have this kube-apiserver, and clean up themselves.
    Shared(SocketAddr),
}

/// Runs tests, and returns how many per second.
pub async fn run(way: Way, tests: usize) -> Result<f64, Error> {
    let next = Arc::new(AtomicUsize::new(0));
    let begin = Instant::now();
    let workers: Vec<_> = (0..AT_A_TIME).map(|_| tokio::spawn(work(way, Arc::clone(&next), tests))).collect();
    for worker in workers {
        worker.await??;
    }
    Ok(tests as f64 / begin.elapsed().as_secs_f64())
}

async fn work(way: Way, next: Arc<AtomicUsize>, tests: usize) -> Result<(), Error> {
    let shared = match way {
        Way::Snapshots => {
            let server = TestServer::start().await?;
            let snapshot = server.snapshot().await?;
            Some((server, snapshot))
        }
        _ => None,
    };
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= tests {
            return Ok(());
        }
        match (way, &shared) {
            (Way::Shared(address), _) => test(&Place::Kube(address), number).await?,
            (_, Some((server, snapshot))) => {
                test(&address(server)?, number).await?;
                server.restore(snapshot).await?;
            }
            _ => {
                let server = TestServer::start().await?;
                test(&address(&server)?, number).await?;
            }
        }
    }
}

/// Where a server of ours is.
pub fn address(server: &TestServer) -> Result<Place, Error> {
    Ok(Place::Ours(server.url().trim_start_matches("http://").parse()?))
}

/// The resident memory of this process, in MB: of the servers in it, and of the clients that measure.
pub fn memory() -> Result<f64, Error> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? * 1024.0 / 1e6)
}
