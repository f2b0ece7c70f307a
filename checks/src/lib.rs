//! The developers' checks: does what is claimed hold?
//!
//! [`golden`] reads and writes objects of the reference implementation, [`codecs`] and [`laws`] generate objects
//! and take them through codecs and conversions, [`differential`] compares with what another implementation
//! answered. `cargo xtask check` starts the program. What the laws are is in the library of run-time types,
//! [`hubgen_kubernetes::machinery::convert::laws`], so that tests of other types need nothing of this crate.
//!
//! Every check gives a [`Report`]. It ends with one line `N of N …` and succeeds only if all held and there was
//! something to check.

mod annotations;
pub mod codecs;
mod compare;
pub mod differential;
mod generating;
pub mod golden;
pub mod laws;
mod objects;
mod report;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::{Parser, Subcommand};
use hubgen_kubernetes::machinery::scheme::KindEntry;

pub use self::report::{Failure, Report};

/// Check that what is claimed holds.
#[derive(Parser)]
#[command(name = "hubgen-checks", bin_name = "cargo xtask check")]
struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Take generated objects from JSON to protobuf and back, and the other way
    /// round, and see that the bytes are the same.
    Codecs(codecs::Args),
    /// Compare conversions, defaults, protobuf, errors and what is stored with another
    /// implementation's answers.
    Differential(Box<differential::Args>),
    /// Decode and encode golden objects, and compare.
    Golden(golden::Args),
    /// Convert generated objects to every version and back, edit them on the way,
    /// and see that nothing is lost.
    Laws(laws::Args),
}

/// Runs the check that the arguments of the process name.
pub fn main() -> ExitCode {
    let done = match Args::parse().what {
        What::Codecs(args) => codecs::run(&args),
        What::Differential(args) => differential::run(&args),
        What::Golden(args) => golden::run(&args),
        What::Laws(args) => laws::run(&args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

/// The repository's root, whatever folder the program was started in.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_path_buf()
}

/// `apps/Deployment`: the kind as the member of its family that names it in
/// storage is called; `core` is the empty group.
fn title(entry: &KindEntry) -> String {
    let (group, _, kind) = entry.storage();
    format!("{}/{kind}", if group.is_empty() { "core" } else { group })
}

/// What `work` gives for each number below `count`, on all processors. Panics
/// that it catches print nothing.
fn on_all_processors<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return;
                    }
                    let found = work(at);
                    done.lock().expect("no thread panics").push((at, found));
                }
            });
        }
    });
    std::panic::set_hook(hook);
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, found)| found).collect()
}

/// What a check gives; an error says how it panicked.
fn caught<T>(check: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(check)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        format!("panicked: {}", said.or(panic.downcast_ref().copied()).unwrap_or("without a word"))
    })
}
