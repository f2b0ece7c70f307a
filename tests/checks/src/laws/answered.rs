//! Checks that recorded answers of another implementation cover everything that conversions change.

use std::collections::BTreeMap;
use std::process::ExitCode;

use hubgen_kubernetes::machinery::json;
use serde_json::{Value, json};

use super::Args;
use super::recorded::{self, Source};
use crate::family::{Family, Member};
use crate::single::{self, Leaves, Single};
use crate::{Failure, Report};

/// One leaf that is set at a version, and the versions at which it is not simply copied.
struct Change {
    /// The leaf; without leaves that an empty object has too.
    leaves: Leaves,
    object: Value,
    to: Vec<String>,
}

/// Counts the changes of single leaves that have a recorded answer, and reports the others; or
/// writes requests for these.
///
/// # Errors
/// If the recorded answers cannot be read, or one of them differs from ours.
pub fn run(families: &BTreeMap<String, Family<'_>>, args: &Args) -> Result<ExitCode, String> {
    let answers = recorded::read(&args.answers, families)?;
    let wanted: Vec<_> = families.values().filter(|family| args.generated.wants(&family.title)).collect();
    let found = crate::on_all_processors(wanted.len(), |at| changes(wanted[at]));
    let (mut total, mut outside, mut by_hand) = (0, 0, 0);
    let mut missing = Vec::new();
    for (family, changes) in wanted.iter().zip(&found) {
        let of = answers.get(&family.title).map(Vec::as_slice).unwrap_or_default();
        for change in changes {
            let (from, mut open) = (change.object["apiVersion"].as_str().unwrap_or_default(), Vec::new());
            for to in &change.to {
                total += 1;
                match recorded::source(of, from, to, &change.leaves) {
                    Some(Source::Implementation) => outside += 1,
                    Some(Source::Hand) => by_hand += 1,
                    None => open.push(to.clone()),
                }
            }
            if !open.is_empty() {
                missing.push((family.title.clone(), change, open));
            }
        }
    }
    if args.requests {
        for (_, change, to) in &missing {
            println!("{}", json!({"default": false, "to": to, "object": change.object}));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let failure = |(title, change, to): &(String, &Change, Vec<String>)| Failure {
        file: title.clone(),
        path: change
            .leaves
            .iter()
            .map(|(path, value)| format!("{path} {value}"))
            .collect::<Vec<_>>()
            .join(", "),
        message: format!(
            "{} → {}: no answer is recorded; `--requests` writes a request for it",
            change.object["apiVersion"].as_str().unwrap_or_default(),
            to.join(", ")
        ),
    };
    let failures: Vec<Failure> = missing.iter().map(failure).collect();
    let report = Report {
        what: "changes of one field have an answer",
        passed: outside + by_hand,
        total,
        details: vec![
            ("families", found.iter().filter(|changes| !changes.is_empty()).count()),
            ("by another implementation", outside),
            ("checked by hand", by_hand),
            ("missing", total - outside - by_hand),
        ],
        failures,
        notes: Vec::new(),
    };
    Ok(report.print(args.json))
}

/// Everything that is changed on the way from one version of a family to another.
fn changes(family: &Family<'_>) -> Vec<Change> {
    let empty = single::empty(family);
    let changed = |mut single: Single| {
        let to = single::changed_at(family, &mut single, &empty);
        if to.is_empty() {
            return None;
        }
        let leaves = single::leaves(&mut *single.object);
        let leaves = leaves.difference(&empty[single.version][&single.version]).cloned().collect();
        let name = |version: &usize| family.versions[*version].entry.api_version();
        let object = object(&family.versions[single.version], single);
        Some(Change { leaves, object, to: to.iter().map(name).collect() })
    };
    single::singles(family).into_iter().filter_map(changed).collect()
}

fn object(member: &Member<'_>, mut single: Single) -> Value {
    crate::annotations::without_ours(&mut *single.object);
    let mut text = Vec::new();
    json::encode_into(&*single.object, member.entry.type_meta(), &mut text).expect("every value fits JSON");
    serde_json::from_slice(&text).expect("we write JSON")
}
