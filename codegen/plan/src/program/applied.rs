//! Which rule the ops of a pair come from, for people who ask why a field converts as it does.

use hubgen_model::rules::{At, FieldPath, Rule, Rules, Where};

use super::ResolvedPath;
use super::lower::Lowered;

/// A rule that the programs of a pair of types carry out.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The name of its operator in rules files.
    pub operator: &'static str,
    /// What to know of it besides its operator and its paths.
    pub detail: Option<String>,
    /// Where it is written.
    pub place: Where,
    /// The fields of the version that it covers.
    pub version: Vec<ResolvedPath>,
    /// The fields of the hub that it covers.
    pub hub: Vec<ResolvedPath>,
    /// The field of the hub's kind that it is about, if it is about no other: an annotation belongs to one field, but
    /// the type of that field may be used by others, too.
    pub only: Option<FieldPath>,
}

impl Applied {
    /// A rule of a file, and what it was lowered to.
    pub(super) fn of(file: Option<(usize, &Rules)>, rule: &At<Rule>, lowered: &Lowered) -> Self {
        let place = file.map_or(Where::Nowhere, |(file, _)| rule.place(file));
        let (version, hub) = lowered.sides();
        let only = match &rule.value {
            Rule::Keep { path, annotation: Some(_) } => Some(path.clone()),
            _ => None,
        };
        let owned = |paths: Vec<&ResolvedPath>| paths.into_iter().cloned().collect();
        Self {
            operator: rule.value.operator(),
            detail: rule.value.detail(),
            place,
            version: owned(version),
            hub: owned(hub),
            only,
        }
    }
}
