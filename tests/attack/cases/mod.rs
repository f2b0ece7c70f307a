//! The cases, by what they attack.

pub mod bodies;
pub mod connections;
pub mod heads;
pub mod lists;
pub mod queries;
pub mod shapes;

use std::net::SocketAddr;

use super::wire::{self, Tally};

/// The largest body that the server takes, less some room for what is around a shape.
const LARGE: usize = (3 << 20) - 4096;

/// Sends requests one after the other, each on a connection of its own.
fn each(address: SocketAddr, requests: impl IntoIterator<Item = Vec<u8>>) -> Result<Tally, String> {
    requests.into_iter().map(|request| wire::send(address, &request)).collect()
}

/// Runs the same in several threads.
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

/// A text over and over, up to a size.
fn fill(piece: &str, size: usize) -> String {
    piece.repeat(size / piece.len())
}
