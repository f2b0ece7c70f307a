//! `cargo xtask attack`: attacks `hubgen serve`, and reports what it withstood.
//!
//! The cases are in `tests/whole/attack/`, because tests run a sample of them.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hubgen_documents::schema;

use crate::programs::{self, Result};
use crate::report::stopped;

#[path = "../../tests/whole/attack/mod.rs"]
mod attacks;

use self::attacks::cases::{
    applies, bodies, connections, credentials, definitions, heads, lists, queries, roles, shapes,
};
use self::attacks::target::Target;
use self::attacks::{Case, Outcome};

/// Attack the server, and check that it goes on.
///
/// Starts `hubgen serve` and sends requests that try to stop it or to use up its memory. After each attack
/// it must answer, and give the memory back. Results are in docs/performance.md.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Run all attacks:
    cargo xtask attack
  Run the attacks on lists, against a server with fewer objects:
    cargo xtask attack list --objects 5000

Exit codes:
  0  the server withstood every attack
  1  the server failed an attack, or could not be built or started
  2  wrong arguments")]
pub struct Args {
    /// Only attacks whose names contain one of these texts
    #[arg(value_name = "TEXT")]
    only: Vec<String>,
    /// The program to attack; without it, `hubgen` is built in release with the feature `jemalloc`
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// How many objects the long lists have
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    objects: usize,
}

/// Attacks and prints.
pub fn run(args: &Args) -> ExitCode {
    match all(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => stopped(false, error),
    }
}

/// Whether the server withstood every attack.
fn all(args: &Args) -> Result<bool> {
    let program = match &args.program {
        Some(program) => program.clone(),
        None => build()?,
    };
    let api = schema::read_dir(&programs::root().join("schemas/kubernetes"))
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let (shapes, fields) = shapes::cases(&api);
    let wanted =
        |case: &Case| args.only.is_empty() || args.only.iter().any(|text| case.name.contains(text.as_str()));
    let mut first = [
        connections::cases(),
        heads::cases(),
        credentials::cases(),
        bodies::cases(),
        applies::cases(),
        definitions::cases(),
        queries::cases(),
        shapes,
    ]
    .into_iter()
    .flatten()
    .filter(wanted)
    .peekable();
    let mut guarded = roles::cases().into_iter().filter(wanted).peekable();
    let mut second = lists::cases(args.objects).into_iter().filter(wanted).peekable();
    println!("the API has {fields} lists and maps; each is sent very long, in two ways");
    let mut report = Report::default();
    if first.peek().is_some() {
        let directory = Scratch::new("attack-empty")?;
        let target = Target::start(&program, &directory.0, true)?;
        report.begin(&target, "one object");
        first.for_each(|case| report.add(&case, &target));
    }
    if guarded.peek().is_some() {
        let directory = Scratch::new("attack-guarded")?;
        let target = roles::guarded(&program, &directory.0, true)?;
        report.begin(&target, "roles and bindings");
        guarded.for_each(|case| report.add(&case, &target));
    }
    if second.peek().is_some() {
        let directory = Scratch::new("attack-full")?;
        let mut target = Target::start(&program, &directory.0, true)?;
        lists::populate(target.address(), args.objects)?;
        target.settle()?;
        report.begin(&target, &format!("{} objects", args.objects));
        second.for_each(|case| report.add(&case, &target));
    }
    Ok(report.end())
}

fn build() -> Result<PathBuf> {
    programs::run(programs::cargo().args([
        "build",
        "--release",
        "--package",
        "hubgen",
        "--features",
        "jemalloc",
    ]))?;
    Ok(programs::root().join("target/release/hubgen"))
}

/// A folder that is deleted when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Self> {
        let path = programs::scratch().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).map_err(|error| format!("cannot make {}: {error}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The table of results.
#[derive(Default)]
struct Report {
    held: usize,
    failed: Vec<String>,
}

impl Report {
    fn begin(&self, target: &Target, state: &str) {
        println!("\na server with {state}: idle at {} MiB", target.idle_memory() >> 10);
        println!(
            "{:>8} {:>9} {:>8} {:>9} {:>9} {:>9}  case",
            "attack s", "GET max", "GET ms", "back ms", "most MiB", "then MiB"
        );
    }

    fn add(&mut self, case: &Case, target: &Target) {
        let start = Instant::now();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        match attacks::run(case, target) {
            Ok(Outcome { tally, attack, slowest_get, get, memory_back, most_memory, memory }) => {
                self.held += 1;
                println!(
                    "{:>8.1} {:>9.1} {:>8.1} {:>9.0} {:>9} {:>9}  {}: {tally}",
                    attack.as_secs_f64(),
                    ms(slowest_get),
                    ms(get),
                    ms(memory_back),
                    most_memory >> 10,
                    memory >> 10,
                    case.name
                );
            }
            Err(error) => {
                println!("{:>8.1} FAILED {}: {error}", start.elapsed().as_secs_f64(), case.name);
                self.failed.push(case.name.clone());
            }
        }
    }

    fn end(self) -> bool {
        let Self { held, failed } = self;
        println!("\n{held} of {} cases passed", held + failed.len());
        for name in &failed {
            println!("failed: {name}");
        }
        failed.is_empty() && held > 0
    }
}
