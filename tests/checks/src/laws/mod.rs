//! `cargo xtask check laws`: checks the laws of conversions on objects generated from types.

mod answered;
mod caught;
mod law;
pub mod mutations;
mod recorded;
mod schemas;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use hubgen_kubernetes::machinery::convert::laws;

use self::law::Law;
use self::schemas::{Objects, Schemas};
use super::generating::{self, Found};
use super::{Failure, Report};
use crate::family::{self, Family};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    generated: generating::Args,
    /// Compare the compiled conversions also with the rules in this folder, which are interpreted
    #[arg(long, value_name = "DIR")]
    schemas: Option<PathBuf>,
    /// Instead, mutate each rule of `--schemas` and check that the generator, a law or a recorded
    /// answer notices it
    #[arg(long, requires = "schemas")]
    mutations: bool,
    /// Instead, check that every field that a conversion does not simply copy has a recorded answer
    #[arg(long, conflicts_with_all = ["schemas", "mutations"])]
    answered: bool,
    /// With `--answered`, write requests for the fields without an answer
    #[arg(long, requires = "answered")]
    requests: bool,
    /// The folder of recorded answers, for `--mutations` and `--answered`
    #[arg(long, value_name = "DIR", default_value_os_t = crate::root().join("tests/whole/recorded/rules"))]
    answers: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks the laws, and prints the result.
///
/// # Errors
/// If the kind does not exist, or schemas or recorded answers cannot be read.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let schemas = args.schemas.as_deref().map(Schemas::read).transpose()?;
    let plans = schemas.as_ref().map(|schemas| &*schemas.plans).unwrap_or_default();
    let mut families = if args.answered { family::of_kubernetes() } else { family::compiled() };
    if schemas.is_some() {
        // Only these have rules to compare with.
        let titles: BTreeSet<String> = plans.iter().map(|plan| schemas::title(plan)).collect();
        families.retain(|title, _| titles.contains(title));
    }
    if let Some(name) = &args.generated.kind
        && !families.contains_key(name)
    {
        let known: Vec<&str> = families.keys().map(String::as_str).collect();
        return Err(format!(
            "--kind {name}: no such kind has conversions; choose one of {}",
            known.join(", ")
        ));
    }
    if args.answered {
        return answered::run(&families, args);
    }
    if let (Some(schemas), true) = (&schemas, args.mutations) {
        return caught::run(schemas, &families, args);
    }
    for plan in plans {
        let written = schemas::interpreted(plan, Objects::of(plan)).map_err(|error| error.to_string())?;
        if let Some(family) = families.get_mut(&written.title) {
            family.written = written.versions;
        }
    }
    let wanted: Vec<&Family<'_>> =
        families.values().filter(|family| args.generated.wants(&family.title)).collect();
    let laws = |family: &Family<'_>| {
        let json = family.is_exact.then_some(Law::Json);
        Law::all().chain(json).chain(schemas.as_ref().map(|_| Law::AsWritten))
    };
    let jobs: Vec<(&Family<'_>, usize, Law)> = wanted
        .iter()
        .flat_map(|family| (0..family.versions.len()).map(move |index| (*family, index)))
        .flat_map(|(family, index)| laws(family).map(move |law| (family, index, law)))
        .collect();
    let found = super::on_all_processors(jobs.len(), |at| {
        let (family, index, law) = jobs[at];
        check(family, index, law, &args.generated)
    });
    let passed = found.iter().map(|found| found.passed).sum();
    let failures: Vec<Failure> = found.into_iter().filter_map(|found| found.failure).collect();
    let report = Report {
        what: "cases",
        passed,
        total: jobs.len() * args.generated.count(),
        details: vec![
            ("families", wanted.len()),
            ("versions", wanted.iter().map(|family| family.versions.len()).sum()),
            ("laws", wanted.iter().map(|family| laws(family).count()).max().unwrap_or_default()),
            ("failed", failures.len()),
        ],
        failures,
        notes: Vec::new(),
    };
    Ok(report.print(args.json))
}

fn check(family: &Family<'_>, index: usize, law: Law, args: &generating::Args) -> Found {
    Found::of(
        args,
        laws::bytes,
        |bytes| law.check(family, index, bytes).is_ok(),
        |seed, bytes| failure(family, index, law, seed, bytes),
    )
}

fn failure(family: &Family<'_>, index: usize, law: Law, seed: u64, bytes: &[u8]) -> Failure {
    let entry = family.versions[index].entry;
    let fails = |bytes: &[u8]| law.check(family, index, bytes).is_err();
    let small = laws::shrink(bytes, fails);
    let message = law.check(family, index, &small).err().unwrap_or_default();
    Failure {
        file: entry.to_string(),
        path: law.name().to_owned(),
        message: format!(
            "{message}\n  again: cargo xtask check laws --kind {} --seed {seed} --iterations 1",
            family.title
        ),
    }
}
