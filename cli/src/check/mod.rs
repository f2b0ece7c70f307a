//! `hubgen check`: does what is claimed hold?
//!
//! Every check ends with one line `N of N …` and succeeds only if all held and
//! there was something to check.

mod compare;
mod conformance;
mod golden;
mod laws;
mod wire;

use std::process::ExitCode;

/// Arguments of `hubgen check`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Compare conversions and defaults with another implementation's.
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
