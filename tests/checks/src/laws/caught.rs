//! Checks that mutations of rules are noticed.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hubgen_laws::objects;
use hubgen_model::GroupVersion;
use hubgen_model::rules::Form;
use hubgen_plan::{FamilyPlan, How, Hubs, Mapping, Member, Value};

use super::Args;
use super::law::Law;
use super::mutations::{Mutation, mutations};
use super::recorded::{self, Answers};
use super::schemas::{Objects, Schemas, interpreted};
use crate::family::Family;
use crate::{Failure, Report, caught};

/// What notices a mutation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By {
    /// The generator refuses the rules, so they never convert anything.
    Generator,
    /// A law of round trips fails.
    Law(&'static str),
    /// A recorded answer differs.
    Answer,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Generator => "refused by the generator",
            Self::Law(name) => name,
            Self::Answer => "changes a recorded answer",
        }
    }
}

/// The result for a mutation.
enum Fate {
    /// Noticed, and by what.
    Caught(By),
    /// The conversions are unchanged, so the mutation has no effect.
    Same,
    /// Not noticed.
    Missed,
    /// The interpreter panicked, or cannot call a function that a rule names, so the result is unknown.
    Unknown(String),
}

/// Mutates every rule, and counts what notices the mutations.
///
/// # Errors
/// If the recorded answers cannot be read.
pub fn run(
    schemas: &Schemas,
    compiled: &BTreeMap<String, Family<'_>>,
    args: &Args,
) -> Result<ExitCode, String> {
    let answers = recorded::read(&args.answers, compiled)?;
    let all: Vec<(String, Mutation)> = schemas
        .rules
        .rules
        .iter()
        .map(|rules| (format!("{}/{}", rules.hub.value.group_or_core(), rules.kind.value), rules))
        .filter(|(title, _)| args.generated.wants(title))
        .flat_map(|(title, rules)| mutations(rules).into_iter().map(move |mutated| (title.clone(), mutated)))
        .collect();
    let next = AtomicUsize::new(0);
    let fates = Mutex::new(BTreeMap::new());
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((title, mutated)) = all.get(at) else { return };
                    let fate = fate(schemas, &answers, title, mutated, args.generated.iterations);
                    fates.lock().expect("no thread panics").insert(at, fate);
                }
            });
        }
    });
    std::panic::set_hook(hook);
    let fates = fates.into_inner().expect("no thread panics");
    Ok(report(&all, &fates).print(args.json))
}

fn report(all: &[(String, Mutation)], fates: &BTreeMap<usize, Fate>) -> Report {
    let mut table: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let (mut refused, mut failed_laws, mut answers, mut same, mut missed) = (0, 0, 0, 0, 0);
    let mut failures = Vec::new();
    for (at, (title, mutated)) in all.iter().enumerate() {
        let failure =
            |message: String| Failure { file: title.clone(), path: mutated.operator.to_owned(), message };
        let by = match &fates[&at] {
            Fate::Caught(by) => {
                match by {
                    By::Generator => refused += 1,
                    By::Law(_) => failed_laws += 1,
                    By::Answer => answers += 1,
                }
                by.name()
            }
            Fate::Same => {
                same += 1;
                "changes nothing"
            }
            Fate::Missed => {
                missed += 1;
                failures.push(failure(format!("{}: not noticed", mutated.what)));
                continue;
            }
            Fate::Unknown(why) => {
                failures.push(failure(format!("{}: the interpreter {why}", mutated.what)));
                continue;
            }
        };
        *table.entry((mutated.operator, by)).or_default() += 1;
    }
    let notes: Vec<String> =
        table.iter().map(|((operator, by), count)| format!("{operator:<16}{by:<34}{count:>5}")).collect();
    Report {
        what: "mutations are noticed",
        passed: refused + failed_laws + answers,
        total: all.len() - same,
        details: vec![
            ("refused by the generator", refused),
            ("fail a law", failed_laws),
            ("change a recorded answer", answers),
            ("missed", missed),
            ("not interpreted", failures.len() - missed),
            ("change nothing", same),
        ],
        failures,
        notes,
    }
}

fn fate(schemas: &Schemas, answers: &Answers, title: &str, mutated: &Mutation, iterations: u64) -> Fate {
    let Ok((plan, hubs)) = schemas.plan(&mutated.rules) else { return Fate::Caught(By::Generator) };
    let plan = Arc::new(plan);
    let old = schemas
        .plans
        .iter()
        .find(|old| old.family.kind == plan.family.kind && old.family.hub == plan.family.hub);
    let old = old.expect("every rules file belongs to a family");
    let changed = changed(old, &plan, &schemas.hubs, &hubs);
    if changed.is_empty() {
        return Fate::Same;
    }
    let answers = answers.get(title).map(Vec::as_slice).unwrap_or_default();
    let objects = Objects::of(&plan);
    let needed = plan.members.iter().map(|member| &member.root).chain([&plan.hub]);
    if !needed.clone().all(|id| objects.has(id)) {
        return Fate::Missed;
    }
    let family = match interpreted(&plan, objects) {
        Ok(family) => family,
        Err(error) => return Fate::Unknown(format!("refuses it: {error}")),
    };
    let tries = (0..iterations).map(objects::bytes).collect::<Vec<_>>();
    let judge = || -> Option<By> {
        for law in Law::all() {
            for (index, member) in family.versions.iter().enumerate() {
                if changed.contains(&member.entry.api_version())
                    && tries.iter().any(|bytes| law.check_uncaught(&family, index, bytes).is_err())
                {
                    return Some(By::Law(law.name()));
                }
            }
        }
        recorded::are_kept(answers, &family, &changed).is_err().then_some(By::Answer)
    };
    judged(judge)
}

/// Runs `judge` for a mutation. A panic does not count as noticed, since it is a bug in the
/// interpreter.
fn judged(judge: impl FnOnce() -> Option<By>) -> Fate {
    match caught(judge) {
        Ok(Some(by)) => Fate::Caught(by),
        Ok(None) => Fate::Missed,
        Err(panic) => Fate::Unknown(panic),
    }
}

/// The versions whose conversions changed.
fn changed(old: &FamilyPlan, new: &FamilyPlan, old_hubs: &Hubs, new_hubs: &Hubs) -> Vec<String> {
    let all = old.hub != new.hub
        || old.reserved != new.reserved
        || old_hubs.find(&new.hub) != new_hubs.find(&new.hub);
    let is_same = |member: &Member| {
        let other = new.members.iter().find(|other| other.group_version == member.group_version);
        other.is_some_and(|other| match (&member.how, &other.how) {
            (How::Convert(old), How::Convert(new)) => canonical(old) == canonical(new),
            (How::NotConvertible(old), How::NotConvertible(new)) => old == new,
            _ => false,
        })
    };
    let changed = old.members.iter().filter(|member| all || !is_same(member));
    changed.map(|member| member.group_version.api_version()).collect()
}

/// The mapping, with annotations in the form of the hub where the version that the rule names has
/// the same type.
fn canonical(mapping: &Mapping) -> Mapping {
    let mut mapping = mapping.clone();
    for kept in &mut mapping.kept {
        if let Some((version, ty, Value::Same)) = &mut kept.via {
            *version = GroupVersion::default();
            ty.clone_from(&kept.path.0[kept.path.0.len() - 1].ty);
            kept.annotation.form = Form::Version(version.clone());
        }
    }
    mapping
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(fate: Fate) -> bool {
        let schemas = Schemas::read(std::path::Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../schemas/kubernetes"
        )));
        let rules = schemas.unwrap().rules.rules[0].clone();
        let all = [("a/B".to_owned(), Mutation { operator: "move", what: "dropped".to_owned(), rules })];
        report(&all, &BTreeMap::from([(0, fate)])).is_success()
    }

    /// An interpreter that panics has not noticed the wrong rule.
    #[test]
    fn a_panic_is_a_failure_of_the_check() {
        let fate = judged(|| panic!("no such field"));
        assert!(matches!(&fate, Fate::Unknown(panic) if panic == "panicked: no such field"));
        assert!(!passes(fate));
        assert!(!passes(judged(|| None)));
        assert!(passes(judged(|| Some(By::Answer))));
    }
}
