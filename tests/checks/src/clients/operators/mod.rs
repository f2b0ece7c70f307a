//! `cargo xtask check clients operators`: the suites of published operators, which start the programs of `hubgen envtest install`
//! because KUBEBUILDER_ASSETS names them.

mod known;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::known::{OPERATORS, Operator, UNFIT, Unfit};
use super::envtest::{Suite, install};
use super::judge::{Spec, count, judge};
use super::scratch;
use super::tally::Tally;
use crate::{Report, go_module};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// The program `hubgen`
    #[arg(long, value_name = "FILE")]
    hubgen: PathBuf,
    /// An operator; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = OPERATORS.map(|operator| operator.name))]
    operator: Vec<String>,
    /// A package of the operators, such as controllers/ray; may be given several times [default: all with a suite]
    #[arg(long, value_name = "FOLDER")]
    package: Vec<String>,
    /// A folder with the programs of a real control plane, on which the same suites run, too
    #[arg(long, value_name = "DIR")]
    beside: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the suites.
///
/// # Errors
/// If Go or a module is missing, or the programs cannot be installed.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    Ok(scratch(|folder| all(args, folder))?.print(args.json))
}

fn all(args: &Args, folder: &Path) -> Result<Report, String> {
    let assets = install(&args.hubgen, folder)?;
    let chosen = |names: &[String], name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let mut tally = Tally::default();
    let (mut suites, mut left_out) = (0, 0);
    for Operator { name, module, packages } in OPERATORS {
        if !chosen(&args.operator, name) {
            continue;
        }
        let module = go_module::find(module)?;
        let (mut here, mut there) = (0.0, 0.0);
        for package in packages.iter().filter(|package| chosen(&args.package, package)) {
            let suite = Suite::build(&module, package, folder)?;
            let mut ours = suite.run(&assets)?;
            let mut theirs = args.beside.as_ref().map(|assets| suite.run(assets)).transpose()?;
            let suite = format!("{name} {package}");
            let out = unfit(&suite, theirs.as_ref().map_or(&[][..], |run| &*run.specs));
            left_out += out.len();
            let known = UNFIT.iter().filter(|unfit| unfit.suite == suite);
            tally
                .notes
                .extend(known.map(|Unfit { spec, why, .. }| format!("left out: {suite}: {spec}: {why}")));
            let is_fit = |spec: &Spec| !out.contains(&spec.name);
            ours.specs.retain(is_fit);
            if let Some(theirs) = &mut theirs {
                theirs.specs.retain(is_fit);
            }
            let beside = theirs.as_ref().map(|run| &*run.specs);
            count(&suite, judge(&[], &suite, &ours.specs, beside), &mut tally);
            suites += 1;
            here += ours.seconds();
            there += theirs.map_or(0.0, |run| run.seconds());
        }
        tally.notes.push(match &args.beside {
            None => format!("{name}: {here:.0} s"),
            Some(_) => format!(
                "{name}: {here:.0} s, on the real programs {there:.0} s: {:.2} of the time",
                here / there
            ),
        });
    }
    Ok(Report { what: "specs", ..tally.report(vec![("suites", suites), ("left out", left_out)]) })
}

/// The specs of a suite that the real programs cannot pass, and those that Ginkgo skips there after one of these.
fn unfit(suite: &str, theirs: &[Spec]) -> Vec<String> {
    let known =
        UNFIT.iter().filter(|unfit| unfit.suite == suite).map(|Unfit { spec, .. }| (*spec).to_owned());
    let is_skipped = |spec: &&Spec| spec.failure.as_ref().is_some_and(|why| why.starts_with("skipped: "));
    let skipped = theirs.iter().filter(is_skipped).map(|spec| spec.name.clone());
    known.chain(skipped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_real_programs_cannot_do_is_left_out() {
        let Unfit { suite, spec, .. } = UNFIT[0];
        let theirs = ["skipped: an earlier one failed", "failed: no"]
            .map(|why| Spec { name: why.to_owned(), failure: Some(why.to_owned()) });
        let out = unfit(suite, &theirs);
        assert!(
            out.iter().any(|name| name == spec) && out.iter().any(|name| *name == theirs[0].name),
            "{out:?}"
        );
        // A failure is one.
        assert!(!out.contains(&theirs[1].name));
        assert!(unfit("none", &[]).is_empty());
    }
}
