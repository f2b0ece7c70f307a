//! Runs random rules over random schemas, and prints what the planner or the interpreter gets wrong.
//!
//! What fails is made smaller before it is printed. `cargo xtask fuzz tables` starts this program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::Parser;
use hubgen_laws::objects::{bytes, shrink};
use hubgen_model::Api;

use hubgen_tables::check::{self, How, Kept, check};
use hubgen_tables::edits::Edit;
use hubgen_tables::faults::Fault;
use hubgen_tables::table::Table;
use hubgen_tables::written;

/// Check the laws of conversions with random rules over random schemas
#[derive(Parser)]
#[command(name = "hubgen-tables", bin_name = "cargo xtask fuzz tables", max_term_width = 100)]
#[command(after_long_help = "\
Examples:
  Check random tables for ten minutes:
    cargo xtask fuzz tables --seconds 600
  Compile a thousand tables, and compare them with the interpreter:
    cargo xtask fuzz tables --compiled --count 1000
  Check one table again:
    cargo xtask fuzz tables --seed 17 --count 1

Exit codes:
  0  each table was refused with file and line, or kept all laws
  1  a table did neither
  2  wrong arguments")]
struct Args {
    /// How long to go on
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// How many tables at most
    #[arg(long, value_name = "N", default_value_t = u64::MAX)]
    count: u64,
    /// The first table
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many objects each law is checked with, for each version
    #[arg(long, value_name = "N", default_value_t = 4)]
    objects: u64,
    /// After how many tables that fail to stop
    #[arg(long, value_name = "N", default_value_t = 5)]
    failures: usize,
    /// Print tables that fail as they are: to make one smaller takes seconds
    #[arg(long)]
    whole: bool,
    /// Put a fault into each plan, which tables must find
    #[arg(long, value_enum, value_name = "NAME")]
    fault: Option<Fault>,
    /// Which differences the versions of a table have
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME", default_values_t = Edit::FITTING)]
    edits: Vec<Edit>,
    /// Generate Rust for the tables, compile it, and compare how it converts with the interpreter
    ///
    /// Needs --count. Builds crates below target/tables.
    #[arg(long, requires = "count")]
    compiled: bool,
    /// Print the table of the first seed, and check nothing
    #[arg(long)]
    show: bool,
}

impl Args {
    fn how(&self, shrinks: bool) -> How {
        How { objects: self.objects, shrinks, fault: self.fault }
    }
}

#[derive(Default)]
struct Counts {
    refused: AtomicU64,
    kept: AtomicU64,
    undecoded: AtomicU64,
}

impl Counts {
    fn add(&self, kept: Kept) {
        let counts: &[&AtomicU64] = match kept {
            Kept::Refused => &[&self.refused],
            Kept::Laws { undecoded: false } => &[&self.kept],
            Kept::Laws { undecoded: true } => &[&self.kept, &self.undecoded],
        };
        counts.iter().for_each(|count| {
            count.fetch_add(1, Ordering::Relaxed);
        });
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.show {
        println!("{}", described(&Table::new(&bytes(args.seed), &args.edits)));
        return ExitCode::SUCCESS;
    }
    if args.compiled {
        return written::run(args.seed..args.seed.saturating_add(args.count), args.objects);
    }
    let kubernetes = check::kubernetes();
    let (next, counts, failures) = (AtomicU64::new(0), Counts::default(), Mutex::new(Vec::new()));
    let start = Instant::now();
    let is_over =
        || start.elapsed() >= Duration::from_secs(args.seconds) || held(&failures).len() >= args.failures;
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while !is_over() {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= args.count {
                        return;
                    }
                    let seed = args.seed.wrapping_add(at);
                    match check(&Table::new(&bytes(seed), &args.edits), &kubernetes, args.how(false)) {
                        Ok(kept) => counts.add(kept),
                        Err(error) => {
                            let text = if args.whole {
                                failure(seed, &error, &Table::new(&bytes(seed), &args.edits))
                            } else {
                                smaller(seed, &error, &kubernetes, &args)
                            };
                            eprintln!("{text}");
                            held(&failures).push(seed);
                        }
                    }
                }
            });
        }
    });
    let failures = held(&failures).len();
    let [refused, kept, undecoded] =
        [&counts.refused, &counts.kept, &counts.undecoded].map(|count| count.load(Ordering::Relaxed));
    let (good, seconds) = (refused + kept, start.elapsed().as_secs_f64());
    let rate = good as f64 / seconds.max(0.001);
    println!(
        "{good} of {} tables keep all laws or are refused: {kept} keep them, {undecoded} of these also without decoding \
         JSON, and {refused} are refused; {seconds:.0} s, {rate:.0} tables a second",
        good + failures as u64
    );
    if failures == 0 && good > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn held<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A smaller table that fails by the same law.
fn smaller(seed: u64, error: &str, kubernetes: &Api, args: &Args) -> String {
    let same = |other: &str| law(other) == law(error);
    let made = |bytes: &[u8]| Table::new(bytes, &args.edits);
    let fails = |bytes: &[u8]| {
        check(&made(bytes), kubernetes, args.how(false)).err().is_some_and(|other| same(&other))
    };
    let small = made(&shrink(&bytes(seed), fails));
    let error = check(&small, kubernetes, args.how(true)).err().unwrap_or_else(|| error.to_owned());
    failure(seed, &error, &small)
}

fn failure(seed: u64, error: &str, table: &Table) -> String {
    format!("seed {seed}: {error}\n{}", described(table))
}

/// The name of the law that an error begins with.
fn law(error: &str) -> &str {
    let end = error.find(": ").unwrap_or(error.len());
    let start = error.find(", ").filter(|start| *start < end).unwrap_or(0);
    &error[start..end]
}

/// A table as text.
fn described(table: &Table) -> String {
    let mut out = String::new();
    for ty in &table.types {
        let fields: Vec<String> = ty
            .fields()
            .iter()
            .map(|field| format!("{}: {} {:?} {:?}", field.name, field.ty, field.presence, field.omit))
            .collect();
        out.push_str(&format!("{} {{ {} }}\n", ty.id, fields.join(", ")));
    }
    out + &table.rules
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    const HOW: How = How { objects: 3, shrinks: false, fault: None };

    #[test]
    fn faults_of_the_planner_are_found() {
        let kubernetes = check::kubernetes();
        let is_found = |fault: &Fault| {
            let how = How { fault: Some(*fault), objects: 4, ..HOW };
            (0..400).any(|seed| check(&Table::new(&bytes(seed), &Edit::FITTING), &kubernetes, how).is_err())
        };
        // Some faults make conversions panic, which counts as found.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let missed: Vec<&Fault> = Fault::value_variants().iter().filter(|fault| !is_found(fault)).collect();
        std::panic::set_hook(hook);
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn the_first_tables_are_refused_or_keep_all_laws() {
        let (kubernetes, mut refused, mut kept) = (check::kubernetes(), 0, 0);
        for seed in 0..300 {
            match check(&Table::new(&bytes(seed), &Edit::FITTING), &kubernetes, HOW) {
                Ok(Kept::Refused) => refused += 1,
                Ok(Kept::Laws { .. }) => kept += 1,
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
        // Neither the rules nor the laws are so strict that nothing is checked.
        assert!(refused > 10 && kept > 50, "{refused} are refused, {kept} keep all laws");
    }
}
