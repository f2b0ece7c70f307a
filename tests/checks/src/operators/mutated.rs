//! Whether the comparison with an operator's own functions notices rules that are wrong: each rule is mutated in all
//! ways that a mistake might.

use std::collections::BTreeMap;
use std::sync::Arc;

use hubgen_codegen::{Kinds, Target};
use hubgen_documents::project::Project;
use hubgen_documents::rules;
use hubgen_documents::schema::Carried;
use hubgen_interpret::runtime::{Model, entries};
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Scheme};
use hubgen_laws::check_kinds_with;
use hubgen_model::rules::Rules;
use hubgen_plan::{Family, Plan};
use serde_json::Value;

use super::mismatch::mismatches;
use super::objects::Objects;
use super::path::Path;
use super::program::{Answer, Program, Request};
use super::side::Case;
use super::{Check, Compared, Readable, UNREADABLE, compared, convert, functions};
use crate::laws::mutations::{Mutation, mutations};
use crate::{Failure, Report};

/// What notices a mutation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// The generator refuses the rules.
    Refused,
    /// An object converts in another way than by the operator's own functions.
    Different,
    /// A law is violated.
    Law,
    /// The conversions are the same.
    Same,
    /// Nothing.
    Missed,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Self::Refused => "refused by the generator",
            Self::Different => "differs from the operator",
            Self::Law => "violates a law",
            Self::Same => "changes nothing",
            Self::Missed => "not noticed",
        }
    }
}

/// Mutates the rules of all kinds of the operator.
///
/// # Errors
/// If the rules cannot be read, or the Go program ends.
pub(super) fn run(check: &Check<'_>) -> Result<Report, String> {
    let rules = Source::read(check)?;
    let mut program = Program::start(&check.args.answers)?;
    let mut table: BTreeMap<(&str, Fate), usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for family in check.families() {
        let cases = cases(check, &family, &mut program)?;
        let Some(at) = rules.position(family[0]) else { continue };
        for mutation in mutations(&rules.all[at]) {
            let fate = rules.fate(at, &mutation, family[0], &cases, &mut program)?;
            *table.entry((mutation.operator, fate)).or_default() += 1;
            if fate == Fate::Missed {
                failures.push(Failure {
                    file: family[0].kind.to_string(),
                    path: mutation.operator.to_owned(),
                    message: format!("{}: not noticed", mutation.what),
                });
            }
        }
    }
    let count = |fate: Fate| table.iter().filter(|((_, of), _)| *of == fate).map(|(_, count)| count).sum();
    let [refused, different, law, same, missed]: [usize; 5] =
        [Fate::Refused, Fate::Different, Fate::Law, Fate::Same, Fate::Missed].map(count);
    Ok(Report {
        what: "mutations are noticed",
        passed: refused + different + law,
        total: refused + different + law + missed,
        details: vec![
            ("refused by the generator", refused),
            ("differ from the operator", different),
            ("violate a law", law),
            ("missed", missed),
            ("change nothing", same),
        ],
        failures,
        notes: table
            .iter()
            .map(|((operator, fate), count)| format!("{operator:<16}{:<34}{count:>5}", fate.name()))
            .collect(),
    })
}

/// An object, and what both make of it.
struct Asked {
    from: Arc<KindEntry>,
    to: Arc<KindEntry>,
    /// As the operator's types write it.
    object: Value,
    /// What hubgen converts: the object, or what it was generated as, which may have what these types leave out.
    converted: Value,
    /// What hubgen makes of that by the rules without a mistake.
    ours: Answer,
    theirs: Answer,
    /// If the versions are one: what comes back from the operator's own functions.
    returned: Option<Value>,
}

impl Asked {
    fn case(&self) -> Case<'_> {
        let Self { from, to, object, returned, .. } = self;
        Case { kind: &from.kind, from, to, asked: object, returned: returned.as_ref() }
    }
}

/// Objects of each version for each other one.
fn cases(check: &Check<'_>, family: &[&Arc<KindEntry>], program: &mut Program) -> Result<Vec<Asked>, String> {
    let mut out = Vec::new();
    for (from, to) in compared(family) {
        let mut objects = Objects::new(&check.definitions, from, &check.listed, check.args.seed);
        let found = check.readable(from, &mut objects, check.args.count, program)?;
        let asked: Vec<&Value> = found.iter().map(|case| &case.object).collect();
        let theirs = convert::theirs(program, from, to, &asked)?;
        let returned = check.returned(program, from, to, &asked)?;
        for ((Readable { generated, object, .. }, theirs), returned) in
            found.into_iter().zip(theirs).zip(returned)
        {
            let asked = |converted: Value| Asked {
                from: Arc::clone(from),
                to: Arc::clone(to),
                object: object.clone(),
                ours: convert::ours(&check.known.scheme, from, to, &converted),
                converted,
                theirs: theirs.clone(),
                returned: returned.clone(),
            };
            if generated != object {
                let asked = asked(generated);
                // The list is about objects as the operator's types write them.
                if !differs(check, &asked, &asked.ours, program)? {
                    out.push(asked);
                }
            }
            out.push(asked(object.clone()));
        }
    }
    Ok(out)
}

/// Whether what hubgen makes of an object differs from what the operator makes of it, by more than check.toml allows.
fn differs(check: &Check<'_>, asked: &Asked, ours: &Answer, program: &mut Program) -> Result<bool, String> {
    let ours = match ours {
        Err(error) => Err(error.clone()),
        Ok(object) => {
            let to = &asked.to;
            let read = program.ask(vec![Request::new(&to.kind, to, to, object)])?.remove(0);
            read.map_err(|error| format!("{UNREADABLE}: {error}"))
        }
    };
    Ok(matches!(check.compare(&asked.case(), asked.theirs.clone(), ours), Compared::Different(_)))
}

/// Whether an answer has another value than the operator's at a place where the answer without a mistake has the same.
/// The operator's types may read both values as one, such as an empty and an absent one.
fn is_farther(asked: &Asked, ours: &Answer) -> bool {
    let (Ok(theirs), Ok(right), Ok(ours)) = (&asked.theirs, &asked.ours, ours) else { return false };
    let right: Vec<Path> = mismatches(theirs, right).into_iter().map(|mismatch| mismatch.path).collect();
    mismatches(theirs, ours).iter().any(|mismatch| !right.contains(&mismatch.path))
}

/// The schemas and rules of an operator.
struct Source<'a> {
    check: &'a Check<'a>,
    kinds: Kinds,
    all: Vec<Rules>,
    functions: Functions,
}

impl<'a> Source<'a> {
    fn read(check: &'a Check<'a>) -> Result<Self, String> {
        let first = |errors: Vec<hubgen_terminal::Diagnostic>| errors[0].to_string();
        let project = Project::named(&check.args.folder.join("hubgen.toml")).map_err(first)?;
        let folder = project.root.join(&project.schemas);
        let kubernetes = Carried::new(hubgen_schemas::kubernetes().iter().copied());
        let kinds = hubgen_codegen::kinds(&folder, &kubernetes, &Target::project(&project)).map_err(first)?;
        let all = rules::read_dir(&folder.join("rules")).map_err(first)?.rules;
        Ok(Self { check, kinds, all, functions: functions::of(&check.args.folder) })
    }

    fn position(&self, entry: &KindEntry) -> Option<usize> {
        let is_it = |rules: &Rules| {
            rules.kind.value == *entry.kind && *rules.hub.value.group_or_core() == *entry.group
        };
        self.all.iter().position(is_it)
    }

    fn fate(
        &self,
        at: usize,
        mutation: &Mutation,
        entry: &KindEntry,
        cases: &[Asked],
        program: &mut Program,
    ) -> Result<Fate, String> {
        let mut all = self.all.clone();
        all[at] = mutation.rules.clone();
        let Ok(plan) = hubgen_plan::build(&self.kinds.api, &all) else { return Ok(Fate::Refused) };
        let is_it =
            |family: &&Family| family.kind == *entry.kind && *family.hub.group_or_core() == *entry.group;
        let Some(family) = plan.families.iter().find(is_it) else { return Ok(Fate::Refused) };
        let of = |plan: &Plan| plan.conversions.iter().find(|plan| plan.family == *family).cloned();
        if of(&plan) == of(&self.kinds.plan) {
            return Ok(Fate::Same);
        }
        let Some(scheme) = self.scheme(&plan, family) else { return Ok(Fate::Refused) };
        if self.differs(&scheme, cases, program)? {
            return Ok(Fate::Different);
        }
        let laws =
            check_kinds_with(&scheme, &self.check.definitions, &[&*entry.kind], self.check.args.laws.max(20));
        Ok(if laws.is_err() { Fate::Law } else { Fate::Missed })
    }

    /// The kind, as these rules convert it.
    fn scheme(&self, plan: &Plan, family: &Family) -> Option<Scheme> {
        let Kinds { api, defaults, canonical, behaviours, .. } = &self.kinds;
        let functions = &self.functions;
        let model = Model { api, plan, defaults, canonical, behaviours, functions, over_json: true };
        let mut scheme = hubgen_kubernetes::scheme();
        for entry in entries(model, family).ok()? {
            scheme.add(entry).ok()?;
        }
        Some(scheme)
    }

    /// Whether an object converts otherwise than check.toml allows.
    fn differs(&self, scheme: &Scheme, cases: &[Asked], program: &mut Program) -> Result<bool, String> {
        let find = |entry: &KindEntry| scheme.kind(&entry.group, &entry.version, &entry.kind).cloned();
        for asked in cases {
            let (Some(from), Some(to)) = (find(&asked.from), find(&asked.to)) else { return Ok(true) };
            let ours = convert::ours(scheme, &from, &to, &asked.converted);
            // What the mistake does not change is known to be right.
            if ours == asked.ours {
                continue;
            }
            if is_farther(asked, &ours) || differs(self.check, asked, &ours, program)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
