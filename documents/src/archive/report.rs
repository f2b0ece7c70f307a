//! What was decided while documents were put together.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Release, TypeId};

use super::rules::{Rule, rules};

/// What was decided while documents were put together.
#[derive(Debug, Default)]
pub struct Report {
    /// Oldest and newest release that documents described.
    pub releases: BTreeSet<Release>,
    /// Named rules that applied: name → where.
    pub applied: BTreeMap<&'static str, BTreeSet<String>>,
    /// What documents showed and the schemas do not have.
    pub left_out: BTreeSet<LeftOut>,
    /// Names of kinds that two types claim.
    pub ambiguous: Vec<String>,
    /// Kinds without paths of their own → the sibling whose resource they take.
    pub siblings: BTreeMap<String, String>,
    /// Types that no kind leads to.
    pub unreached: Vec<TypeId>,
    /// Fields whose type changed and no rule says how: field, old form, new
    /// form → the releases that had the old one.
    pub conflicts: BTreeMap<[String; 3], BTreeSet<Option<Release>>>,
}

/// Something that documents showed and the schemas do not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// What.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl Report {
    /// Notes that a named rule applied.
    pub(super) fn apply(&mut self, name: &'static str, at: impl Into<String>) {
        self.applied.entry(name).or_default().insert(at.into());
    }

    /// Notes that something was left out.
    pub(super) fn leave_out(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.left_out.insert(LeftOut { what: what.into(), reason: reason.into() });
    }

    /// The named rules that applied, in their table's order.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&'static Rule, &BTreeSet<String>)> {
        rules().filter_map(|rule| Some((rule, self.applied.get(rule.name)?)))
    }

    /// Fails where a rule is missing or none is needed any more.
    pub(super) fn finish(&self, whole: bool) -> Result<(), Vec<String>> {
        let conflicts = self.conflicts.iter().map(|([field, from, to], releases)| {
            let releases = match (releases.first().copied().flatten(), releases.last().copied().flatten()) {
                (Some(first), Some(last)) => format!("{first} to {last}"),
                _ => "an unknown release".to_owned(),
            };
            format!(
                "{field} was {from} ({releases}) and is {to}: name a widening in \
                 documents/src/archive/rules.rs that says what becomes of the old form"
            )
        });
        let mut errors: Vec<String> = conflicts.chain(self.ambiguous.iter().cloned()).collect();
        if whole {
            errors.extend(rules().filter(|rule| !self.applied.contains_key(rule.name)).map(|rule| {
                format!(
                    "{} `{}` no longer applies ({}): remove it from documents/src/archive/rules.rs, \
                     or correct what it names",
                    rule.sort.name(),
                    rule.name,
                    rule.why
                )
            }));
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
