//! `cargo xtask features`: checks that crates build with each of their features alone, with none and with all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::programs::{self, Result};
use crate::report::stopped;

/// Check that crates build with each of their features alone, with none and with all.
#[derive(clap::Args)]
#[command(after_long_help = "\
Examples:
  Check one combination in twelve, as CI does:
    cargo xtask features --sample
  Check every combination of one crate:
    cargo xtask features hubgen-apps

JSON (--json):
  {\"built\": N, \"checked\": N, \"combinations\": [{\"package\", \"features\", \"seconds\", \"error\"}]}
  With an error: {\"ok\": false, \"diagnostics\": [{\"severity\", \"message\"}]}

Exit codes:
  0  every combination builds without warnings
  1  a combination does not build, or there is no such crate
  2  wrong arguments")]
pub struct Args {
    /// Names of crates, such as hubgen-apps; without any, every crate of the workspace that has features
    #[arg(value_name = "CRATE")]
    packages: Vec<String>,
    /// Check one combination in twelve, the same ones each time
    #[arg(long)]
    sample: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How many combinations `--sample` has one of.
const SAMPLE: usize = 12;

/// Checks and prints.
pub fn run(args: &Args) -> ExitCode {
    match check(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => stopped(args.json, error),
    }
}

/// Whether everything that was chosen builds.
fn check(args: &Args) -> Result<bool> {
    let mut chosen = combinations(&metadata()?, &args.packages)?;
    if args.sample {
        chosen = sample(chosen);
    }
    let mut results = Vec::new();
    for combination in &chosen {
        let seconds = combination.check();
        if !args.json {
            match &seconds {
                Ok(seconds) => println!("{combination}: {seconds:.1} s"),
                Err(error) => println!("{combination}: failed\n{error}"),
            }
        }
        results.push((combination, seconds));
    }
    let built = results.iter().filter(|(_, result)| result.is_ok()).count();
    if args.json {
        let rows = results.iter().map(|(combination, result)| {
            let (seconds, error) = (result.as_ref().ok(), result.as_ref().err());
            json!({
                "package": combination.package,
                "features": combination.features.to_string(),
                "seconds": seconds,
                "error": error,
            })
        });
        let rows: Vec<Value> = rows.collect();
        println!("{}", json!({"built": built, "checked": results.len(), "combinations": rows}));
    } else {
        println!("{built} of {} combinations of features build without warnings", results.len());
    }
    Ok(built == results.len() && built > 0)
}

/// The middle one of every twelve: the first one of all would be the command line, which uses all crates.
fn sample(combinations: Vec<Combination>) -> Vec<Combination> {
    combinations.into_iter().skip(SAMPLE / 2).step_by(SAMPLE).collect()
}

/// One way to build a crate.
#[derive(Debug, PartialEq, Eq)]
struct Combination {
    package: String,
    features: Features,
}

#[derive(Debug, PartialEq, Eq)]
enum Features {
    None,
    One(String),
    All,
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::One(name) => f.write_str(name),
            Self::All => f.write_str("all features"),
        }
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.package, self.features)
    }
}

impl Combination {
    /// The seconds that it took; the compiler's messages where there are any, warnings included.
    fn check(&self) -> Result<f64> {
        let mut command = programs::cargo();
        command.args(["check", "--quiet", "--locked", "--package", &self.package]);
        command.current_dir(programs::root());
        match &self.features {
            Features::None => command.arg("--no-default-features"),
            Features::One(name) => command.args(["--no-default-features", "--features", name]),
            // Here tests as well.
            Features::All => command.args(["--all-features", "--all-targets"]),
        };
        let start = std::time::Instant::now();
        let (_, messages) = programs::run(&mut command)?;
        if messages.is_empty() { Ok(start.elapsed().as_secs_f64()) } else { Err(messages) }
    }
}

/// What `cargo metadata` prints of the workspace.
fn metadata() -> Result<Value> {
    let mut command = programs::cargo();
    command.args(["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let (metadata, _) = programs::run(command.current_dir(programs::root()))?;
    serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))
}

/// The combinations of every crate that has features, or of those that are named.
fn combinations(metadata: &Value, wanted: &[String]) -> Result<Vec<Combination>> {
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        found.insert(name, of_package(name, &features(package)));
    }
    found.retain(|_, combinations| !combinations.is_empty());
    if let Some(strange) = wanted.iter().find(|name| !found.contains_key(name.as_str())) {
        let known: Vec<&str> = found.into_keys().collect();
        return Err(format!("expected a crate with features ({}), found {strange}", known.join(", ")));
    }
    found.retain(|name, _| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name));
    Ok(found.into_values().flatten().collect())
}

/// The features of a crate, and what each enables directly.
fn features(package: &Value) -> BTreeMap<&str, Vec<&str>> {
    let features = package["features"].as_object().into_iter().flatten();
    features
        .map(|(name, on)| {
            (name.as_str(), on.as_array().into_iter().flatten().filter_map(Value::as_str).collect())
        })
        .collect()
}

/// The combinations of one crate. Features that enable the same are one.
fn of_package(package: &str, features: &BTreeMap<&str, Vec<&str>>) -> Vec<Combination> {
    if features.is_empty() {
        return Vec::new();
    }
    let mut seen = BTreeSet::from([BTreeSet::new()]);
    // Last, because it is another name for what a feature of its own often is.
    let (default, others): (Vec<&str>, Vec<&str>) = features.keys().partition(|name| **name == "default");
    let alone = others.into_iter().chain(default).filter(|name| seen.insert(closure(features, name)));
    let alone = alone.map(|name| Features::One(name.to_owned()));
    let ways = [Features::None].into_iter().chain(alone).chain([Features::All]);
    ways.map(|features| Combination { package: package.to_owned(), features }).collect()
}

/// Everything that a feature enables, itself included. `default` is only a name for others.
fn closure<'a>(features: &BTreeMap<&'a str, Vec<&'a str>>, feature: &'a str) -> BTreeSet<&'a str> {
    let mut on = BTreeSet::new();
    let mut open = vec![feature];
    while let Some(feature) = open.pop() {
        if on.insert(feature) {
            open.extend(features.get(feature).into_iter().flatten());
        }
    }
    on.remove("default");
    on
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_checked_alone_and_together() {
        let metadata = json!({"packages": [
            {"name": "plain", "features": {}},
            {"name": "versions", "features": {
                "all": ["v1", "v2"], "default": ["v1", "v2"], "hub": ["v1"], "v1": ["hub", "dep:meta", "meta/v1"], "v2": [],
            }},
        ]});
        let text = |wanted: &[String]| -> Result<Vec<String>> {
            Ok(combinations(&metadata, wanted)?.iter().map(ToString::to_string).collect())
        };
        // `v1` and `hub` enable each other.
        let expected = [
            "versions with none",
            "versions with all",
            "versions with hub",
            "versions with v2",
            "versions with default",
            "versions with all features",
        ];
        assert_eq!(text(&[]).unwrap(), expected);
        assert_eq!(text(&["versions".to_owned()]).unwrap(), expected);
        assert_eq!(
            text(&["plain".to_owned()]).unwrap_err(),
            "expected a crate with features (versions), found plain"
        );
    }

    #[test]
    fn crates_of_the_workspace_have_combinations() {
        let all = combinations(&metadata().unwrap(), &[]).unwrap();
        let apps = Features::One("v1beta1".to_owned());
        assert!(all.contains(&Combination { package: "hubgen-apps".to_owned(), features: apps }));
        assert!(sample(all).len() > 5);
    }
}
