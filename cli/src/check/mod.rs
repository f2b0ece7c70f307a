//! `hubgen check`: does what is claimed hold?
//!
//! Every check ends with one line `N of N …` and succeeds only if all held and
//! there was something to check.

mod codecs;
mod compare;
mod conformance;
mod drawing;
mod golden;
mod laws;
mod objects;
mod wire;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_kubernetes::machinery::scheme::KindEntry;

/// Arguments of `hubgen check`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Take drawn objects from JSON to protobuf and back, and the other way
    /// round, and see that the bytes are the same.
    Codecs(codecs::Args),
    /// Compare conversions, defaults and protobuf with another
    /// implementation's.
    Conformance(conformance::Args),
    /// Decode and encode golden objects, and compare.
    Golden(golden::Args),
    /// Convert drawn objects to every version and back, edit them on the way,
    /// and see that nothing is lost.
    Laws(laws::Args),
}

/// Runs the check.
pub fn run(args: &Args) -> ExitCode {
    match &args.what {
        What::Codecs(args) => codecs::run(args),
        What::Conformance(args) => conformance::run(args),
        What::Golden(args) => golden::run(args),
        What::Laws(args) => laws::run(args),
    }
}

/// What a check found.
struct Outcome {
    /// What was checked, in the plural: `golden objects`.
    what: &'static str,
    held: usize,
    total: usize,
    /// What else to say in the last line.
    details: Vec<(&'static str, usize)>,
}

impl Outcome {
    /// Prints the last line, or the object, and says whether all held.
    fn finish(&self, failures: &[Failure], notes: &[String], json: bool) -> ExitCode {
        let ok = self.held == self.total && self.total > 0;
        if json {
            let mut out = serde_json::json!({
                "checked": self.what,
                "held": self.held,
                "total": self.total,
                "ok": ok,
                "failures": failures.iter().map(|failure| serde_json::json!({
                    "file": failure.file, "path": failure.path, "message": failure.message,
                })).collect::<Vec<_>>(),
                "notes": notes,
            });
            for (name, count) in &self.details {
                out[name.replace(' ', "_")] = (*count).into();
            }
            println!("{out}");
        } else {
            for failure in failures {
                let path = if failure.path.is_empty() { String::new() } else { format!(" {}", failure.path) };
                println!("{}:{path}: {}", failure.file, failure.message);
            }
            for note in notes {
                println!("{note}");
            }
            let details: Vec<String> =
                self.details.iter().map(|(name, count)| format!("{count} {name}")).collect();
            println!("{} of {} {}: {}", self.held, self.total, self.what, details.join(", "));
        }
        if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// One thing that did not hold.
struct Failure {
    file: String,
    /// Where in the object; empty for the whole.
    path: String,
    message: String,
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
