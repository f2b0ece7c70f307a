//! What versions in users' source do not have in common, as errors at the fields: with the attributes that would
//! tell how they convert.

use std::collections::BTreeSet;

use hubgen_documents::Diagnostic;
use hubgen_model::rules::{Problem, Rules, Table, Where};
use hubgen_model::{Api, GroupVersion, TypeId};
use hubgen_plan::{Difference, Family, What, differences};

use super::Written;

impl Written {
    /// Takes the problems about differences out of `problems`, and returns errors at the fields instead.
    pub fn differences(&self, api: &Api, rules: &[Rules], problems: &mut Vec<Problem>) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        for (family, found) in differences(api, rules) {
            let mut done: BTreeSet<&str> = BTreeSet::new();
            for difference in &found {
                if let Some(error) = self.difference(api, &family, difference) {
                    out.push(error);
                    done.insert(&difference.path);
                }
            }
            let is_own = |place: &Where| match place {
                Where::Rules(at, _) | Where::Schema { table: Some(Table { file: at, .. }), .. } => rules
                    .get(*at)
                    .is_some_and(|own| own.hub.value == family.hub && own.kind.value == family.kind),
                Where::Schema { table: None, .. } | Where::Nowhere => false,
            };
            problems.retain(|problem| {
                let is_missing_file = !problem.place.has_rules() && problem.path == family.title();
                let is_told = if is_missing_file { !done.is_empty() } else { done.contains(&*problem.path) };
                !(is_told && (is_missing_file || is_own(&problem.place)))
            });
        }
        out.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        out
    }

    /// The error at the field; `None` if it is not in users' source.
    fn difference(&self, api: &Api, family: &Family, difference: &Difference) -> Option<Diagnostic> {
        let Difference { version, path, what } = difference;
        let at = if *what == What::OnlyInHub { &family.hub } else { version };
        let (owner, field) = field_at(api, at, &family.kind, path)?;
        let place = self.types.get(&owner)?;
        let span = place.fields.get(&field)?.clone();
        // Attributes are written at the newest version.
        let (older, hub) = (&version.version, &family.hub.version);
        let (message, help) = match what {
            What::OnlyInHub => (
                format!("{version} does not have `{path}`"),
                format!(
                    "add `#[field(added)]` if {older} has nothing like it, \
                     `#[field(renamed({older} = \"…\"))]` if the field has another name there, or \
                     `#[from({older}, moved(\"…\" => \"{path}\"))]` to the kind if it is elsewhere"
                ),
            ),
            What::OnlyInVersion => (
                format!("{} does not have `{path}`", family.hub),
                format!(
                    "add `#[field(removed)]` if {hub} has nothing like it, `#[field(dropped)]` if what it contains \
                     may be lost, or at {hub} \
                     `#[field(renamed({older} = \"{field}\"))]` to the field that it is there, or \
                     `#[from({older}, moved(\"{path}\" => \"…\"))]` to the kind"
                ),
            ),
            What::Types(types) => (
                format!("`{path}` {types}"),
                format!(
                    "give both versions the same type, or add \
                     `#[from({older}, function(\"crate::…\", \"{path}: …\" => \"{path}: …\"))]` to the kind, with the \
                     types and a module that converts one to the other"
                ),
            ),
            // It is about no field, and is reported where the type is.
            What::TwoTypes(_) => return None,
        };
        Some(place.source.error(span, format!("{}.{field}", owner.name), message, help))
    }
}

/// The type that contains the field at a path, and the field's name.
fn field_at(api: &Api, version: &GroupVersion, kind: &str, path: &str) -> Option<(TypeId, String)> {
    let mut ty = api.root(version, kind)?;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let field = ty.field(name)?;
        if names.peek().is_none() {
            return Some((ty.id.clone(), name.to_owned()));
        }
        ty = api.find(field.ty.named()?)?;
    }
    None
}
