//! The cases, by the part of a request that they attack.

pub mod applies;
pub mod bodies;
pub mod connections;
pub mod credentials;
pub mod definitions;
pub mod heads;
pub mod lists;
pub mod queries;
pub mod roles;
pub mod shapes;

use std::net::SocketAddr;

use super::wire::{self, Tally};

/// The maximum size of a body, minus some bytes for the JSON around a container.
const LARGE: usize = (3 << 20) - 4096;

/// Sends requests one after the other, each on a new connection.
fn each(address: SocketAddr, requests: impl IntoIterator<Item = Vec<u8>>) -> Result<Tally, String> {
    requests.into_iter().map(|request| wire::send(address, &request)).collect()
}

/// Runs the same work on several threads.
fn at_once(threads: usize, work: impl Fn(usize) -> Result<Tally, String> + Sync) -> Result<Tally, String> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        let mut all = Tally::default();
        for thread in running {
            all.extend(&thread.join().map_err(|_| "a client panicked".to_owned())??);
        }
        Ok(all)
    })
}

/// Repeats a text up to a size.
fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}
