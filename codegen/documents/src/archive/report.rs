//! A report of the decisions that merging documents took.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{Release, TypeId};

use super::rules::{Rule, rules};

/// The decisions that merging documents took.
#[derive(Debug, Default)]
pub struct Report {
    /// The releases that the documents describe.
    pub releases: BTreeSet<Release>,
    /// Named rules that applied: name → the types or fields they applied to.
    pub applied: BTreeMap<&'static str, BTreeSet<String>>,
    /// What documents contain but the schemas do not.
    pub left_out: BTreeSet<LeftOut>,
    /// Errors about kinds that are registered for two types.
    pub ambiguous: Vec<String>,
    /// The preferred version of each group, as discovery has it since these releases.
    pub preferred: BTreeMap<String, BTreeMap<Release, String>>,
    /// Kinds without paths → the sibling whose resource they copy.
    pub siblings: BTreeMap<String, String>,
    /// Types that no kind refers to, each with its first release. A later release may have a kind that does.
    pub unreached: BTreeMap<TypeId, Option<Release>>,
    /// Fields whose type changed without a rule for it: field, old form, new form → the releases
    /// with the old form.
    pub conflicts: BTreeMap<[String; 3], BTreeSet<Option<Release>>>,
}

/// Something that documents contain but the schemas do not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Its name.
    pub what: String,
    /// Why it is left out.
    pub reason: String,
}

impl Report {
    /// Records that a named rule applied.
    pub(super) fn apply(&mut self, name: &'static str, at: impl Into<String>) {
        self.applied.entry(name).or_default().insert(at.into());
    }

    /// Records that something was left out.
    pub(super) fn leave_out(&mut self, what: impl Into<String>, reason: impl Into<String>) {
        self.left_out.insert(LeftOut { what: what.into(), reason: reason.into() });
    }

    /// The named rules that applied, in the order of the table of rules.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&'static Rule, &BTreeSet<String>)> {
        rules().filter_map(|rule| Some((rule, self.applied.get(rule.name)?)))
    }

    /// Fails if a rule is missing or no longer applies.
    ///
    /// # Errors
    /// Field types that changed without a rule, ambiguous kinds, and, for the whole archive, rules
    /// that no longer apply.
    pub(super) fn finish(&self, whole: bool) -> Result<(), Vec<String>> {
        let conflicts = self.conflicts.iter().map(|([field, from, to], releases)| {
            let releases = match (releases.first().copied().flatten(), releases.last().copied().flatten()) {
                (Some(first), Some(last)) => format!("{first} to {last}"),
                _ => "an unknown release".to_owned(),
            };
            format!(
                "{field} was {from} ({releases}) and is {to}: add a widening to \
                 codegen/documents/src/archive/rules.rs that specifies how old values are read"
            )
        });
        let mut errors: Vec<String> = conflicts.chain(self.ambiguous.iter().cloned()).collect();
        if whole {
            errors.extend(rules().filter(|rule| !self.applied.contains_key(rule.name)).map(|rule| {
                format!(
                    "{} `{}` no longer applies ({}): remove it from codegen/documents/src/archive/rules.rs, \
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
