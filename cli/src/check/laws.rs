//! `hubgen check laws`: the laws of conversions, on objects drawn from types.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_kubernetes::machinery::convert::laws::{self, Source, Version};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry};

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

/// Words that the rules look for, by the field that holds them.
const WORDS: &[(&str, &str)] = &[
    ("type", "Resource"),
    ("type", "Utilization"),
    ("type", "AverageValue"),
    ("name", "cpu"),
    ("subresource", "scale"),
];

/// What does not hold and cannot: a kind, what is then in the object, and why.
/// Such cases are counted by themselves.
const EXCEPT: &[(&str, &str)] = &[
    // A number that the hub had beside a port's name comes back when a client
    // writes the port 0, which is how no number is written. There is no port 0.
    ("Ingress", r#""servicePort":0"#),
    // Nor has a group a slash in its name, which v1alpha1 could not say.
    ("RoleBinding", r#""apiGroup":{"is":"x.y/z""#),
    ("ClusterRoleBinding", r#""apiGroup":{"is":"x.y/z""#),
];

/// The versions of a kind.
type Family = Vec<(&'static KindEntry, Version)>;

/// A law; its errors tell the objects.
struct Law {
    name: &'static str,
    holds: fn(&Family, usize, &[u8]) -> Result<(), String>,
}

const LAWS: &[Law] = &[
    Law { name: "hub → version → hub", holds: hub_survives },
    Law { name: "hub → A → B → hub", holds: hub_survives_two },
    Law { name: "version → hub → version", holds: normalises_once },
    Law { name: "an edit at the version wins", holds: an_edit_wins },
    Law { name: "bad annotations change nothing", holds: bad_annotations },
];

fn source(bytes: &[u8]) -> Source<'_> {
    Source::new(bytes, WORDS)
}

fn hub_survives(family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = family[index].1;
    laws::hub_survives(&[version], &*version.draw_hub(&mut source(bytes)))
}

fn hub_survives_two(family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = family[index].1;
    let hub = version.draw_hub(&mut source(bytes));
    family.iter().try_for_each(|(_, other)| laws::hub_survives(&[version, *other], &*hub))
}

fn normalises_once(family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = family[index].1;
    laws::normalises_once(&version, &*version.draw(&mut source(bytes))).map(drop)
}

fn an_edit_wins(family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = family[index].1;
    // The edit is drawn first, so that a small object still has one.
    let (choices, rest) = bytes.split_at(bytes.len().min(16));
    laws::an_edit_wins(&version, &*version.draw_hub(&mut source(rest)), &mut source(choices))
}

fn bad_annotations(family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = family[index].1;
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let object = version.draw(&mut source(one));
    // Of another object of the kind, whole, cut, and in an annotation that is
    // too large to be written.
    let stale = laws::kept(&*version.show(&*version.draw_hub(&mut source(other)))?).unwrap_or_default();
    let cut = &stale[..stale.floor_char_boundary(stale.len() / 2)];
    let enormous = format!("{stale}{}", " ".repeat(300 * 1024));
    let deep = "[".repeat(20_000);
    [&*stale, cut, "", "null", "{}", "5", &enormous, &deep]
        .into_iter()
        .try_for_each(|text| laws::a_bad_annotation_changes_nothing(&version, &*object, text))
}

/// Runs the laws.
pub fn run(args: &Args) -> ExitCode {
    let families = families();
    let wanted: Vec<&Family> = match &args.kind {
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
    let jobs: Vec<(&Family, usize, &Law)> = wanted
        .iter()
        .flat_map(|family| (0..family.len()).map(move |index| (*family, index)))
        .flat_map(|(family, index)| LAWS.iter().map(move |law| (family, index, law)))
        .collect();
    let (next, held, excepted) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
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
                    excepted.fetch_add(found.excepted, Ordering::Relaxed);
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
        total: jobs.len() * usize::try_from(args.iterations).unwrap_or(usize::MAX)
            - excepted.load(Ordering::Relaxed),
        details: vec![
            ("families", wanted.len()),
            ("versions", wanted.iter().map(|family| family.len()).sum()),
            ("laws", LAWS.len()),
            ("excepted", excepted.load(Ordering::Relaxed)),
            ("failed", failures.len()),
        ],
    }
    .finish(&failures, &[], args.json)
}

/// Every convertible family, its versions as the Scheme has them.
fn families() -> BTreeMap<String, Family> {
    let mut out: BTreeMap<String, Family> = BTreeMap::new();
    for entry in hubgen_kubernetes::scheme().kinds() {
        let Conversion::Hub { to_hub, from_hub } = entry.conversion else { continue };
        let (group, _, kind) = entry.storage();
        let group = if group.is_empty() { "core" } else { group };
        let version = Version { new: entry.new, to_hub, from_hub };
        out.entry(format!("{group}/{kind}")).or_default().push((entry, version));
    }
    out
}

/// What became of the cases of a law at a version.
#[derive(Default)]
struct Found {
    held: usize,
    excepted: usize,
    /// The first that did not hold.
    failure: Option<Failure>,
}

fn check(family: &Family, index: usize, law: &Law, args: &Args) -> Found {
    let mut found = Found::default();
    for seed in (args.seed..).take(usize::try_from(args.iterations).unwrap_or(usize::MAX)) {
        let bytes = laws::bytes(seed);
        match holds(law, family, index, &bytes) {
            Ok(()) => found.held += 1,
            Err(error) if is_excepted(family[index].0, &error) => found.excepted += 1,
            Err(_) if found.failure.is_none() => {
                found.failure = Some(failure(family, index, law, seed, &bytes));
            }
            Err(_) => {}
        }
    }
    found
}

fn is_excepted(entry: &KindEntry, error: &str) -> bool {
    // Annotations are JSON in JSON.
    let error = error.replace('\\', "");
    EXCEPT.iter().any(|(kind, text)| entry.kind == *kind && error.contains(text))
}

fn holds(law: &Law, family: &Family, index: usize, bytes: &[u8]) -> Result<(), String> {
    let run = AssertUnwindSafe(|| (law.holds)(family, index, bytes));
    catch_unwind(run).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panicked: {}", said.or(panic.downcast_ref().copied()).unwrap_or("without a word")))
    })
}

fn failure(family: &Family, index: usize, law: &Law, seed: u64, bytes: &[u8]) -> Failure {
    let (entry, _) = &family[index];
    let fails =
        |bytes: &[u8]| holds(law, family, index, bytes).is_err_and(|error| !is_excepted(entry, &error));
    let small = laws::shrink(bytes, fails);
    let message = holds(law, family, index, &small).err().unwrap_or_default();
    let (group, _, kind) = entry.storage();
    let group = if group.is_empty() { "core" } else { group };
    Failure {
        file: entry.to_string(),
        path: law.name.to_owned(),
        message: format!(
            "{message}\n  again: hubgen check laws --kind {group}/{kind} --seed {seed} --iterations 1"
        ),
    }
}
