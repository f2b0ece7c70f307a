//! `hubgen check laws`: the laws of conversions, on objects drawn from types.

mod family;
mod law;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_kubernetes::machinery::convert::laws;

use self::family::Family;
use self::law::{LAWS, Law};
use super::{Failure, Outcome};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// Only this kind, as `apps/Deployment`; `core` is the empty group.
    #[arg(long, value_name = "GROUP/KIND")]
    kind: Option<String>,
    /// How many objects to draw for each law at each version.
    #[arg(long, default_value_t = 100)]
    iterations: u64,
    /// Where drawing begins; a failure says which one shows it again.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the laws.
pub fn run(args: &Args) -> ExitCode {
    let families = family::compiled();
    let wanted: Vec<&Family<'_>> = match &args.kind {
        None => families.values().collect(),
        Some(name) => match families.get(name) {
            Some(family) => vec![family],
            None => {
                let known: Vec<&str> = families.keys().map(String::as_str).collect();
                eprintln!("--kind {name}: no such kind converts; there are {}", known.join(", "));
                return ExitCode::FAILURE;
            }
        },
    };
    let jobs: Vec<(&Family<'_>, usize, &Law)> = wanted
        .iter()
        .flat_map(|family| (0..family.versions.len()).map(move |index| (*family, index)))
        .flat_map(|(family, index)| LAWS.iter().map(move |law| (family, index, law)))
        .collect();
    let (next, held) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(BTreeMap::new());
    // A law that panics is a law that fails, and says so once.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((family, index, law)) = jobs.get(at) else { return };
                    let found = check(family, *index, law, args);
                    held.fetch_add(found.held, Ordering::Relaxed);
                    if let Some(failure) = found.failure {
                        failures.lock().expect("no thread panics").insert(at, failure);
                    }
                }
            });
        }
    });
    std::panic::set_hook(hook);
    let failures: Vec<Failure> = failures.into_inner().expect("no thread panics").into_values().collect();
    Outcome {
        what: "cases",
        held: held.into_inner(),
        total: jobs.len() * usize::try_from(args.iterations).unwrap_or(usize::MAX),
        details: vec![
            ("families", wanted.len()),
            ("versions", wanted.iter().map(|family| family.versions.len()).sum()),
            ("laws", LAWS.len()),
            ("failed", failures.len()),
        ],
    }
    .finish(&failures, &[], args.json)
}

/// What became of the cases of a law at a version.
#[derive(Default)]
struct Found {
    held: usize,
    /// The first that did not hold.
    failure: Option<Failure>,
}

fn check(family: &Family<'_>, index: usize, law: &Law, args: &Args) -> Found {
    let mut found = Found::default();
    for seed in (args.seed..).take(usize::try_from(args.iterations).unwrap_or(usize::MAX)) {
        let bytes = laws::bytes(seed);
        match law.holds(family, index, &bytes) {
            Ok(()) => found.held += 1,
            Err(_) if found.failure.is_none() => {
                found.failure = Some(failure(family, index, law, seed, &bytes));
            }
            Err(_) => {}
        }
    }
    found
}

fn failure(family: &Family<'_>, index: usize, law: &Law, seed: u64, bytes: &[u8]) -> Failure {
    let entry = family.versions[index].entry;
    let fails = |bytes: &[u8]| law.holds(family, index, bytes).is_err();
    let small = laws::shrink(bytes, fails);
    let message = law.holds(family, index, &small).err().unwrap_or_default();
    Failure {
        file: entry.to_string(),
        path: law.name.to_owned(),
        message: format!(
            "{message}\n  again: hubgen check laws --kind {} --seed {seed} --iterations 1",
            family.title
        ),
    }
}
