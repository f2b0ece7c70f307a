//! Which rule converts which field of a version.

use hubgen_model::TypeId;
use hubgen_model::rules::Where;

use crate::program::Applied;
use crate::program::ops::Op;
use crate::program::path::join;
use crate::{Mapping, ResolvedPath, Value};

/// A rule at a place in a kind. A rule of a type has a step wherever the type occurs.
///
/// Paths begin below the kind, and `[]` stands for the elements of a list and the values of a map. Fields that no step
/// names have the same name in the version and in the hub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the rule's operator in rules files.
    pub operator: &'static str,
    /// What to know of the rule besides its operator and its paths.
    pub detail: Option<String>,
    /// Where the rule is written.
    pub place: Where,
    /// The fields of the version.
    pub version: Vec<String>,
    /// The fields of the hub.
    pub hub: Vec<String>,
}

/// The steps of a conversion between a version and its hub, from the kind downwards.
pub fn steps(mapping: &Mapping, version: &TypeId, hub: &TypeId) -> Vec<Step> {
    let mut walk = Walk { mapping, inside: Vec::new(), steps: Vec::new() };
    walk.pair(version, hub, "", "");
    walk.steps
}

struct Walk<'a> {
    mapping: &'a Mapping,
    /// The pairs that contain the current one: types may contain themselves.
    inside: Vec<(TypeId, TypeId)>,
    steps: Vec<Step>,
}

impl Walk<'_> {
    fn pair(&mut self, version: &TypeId, hub: &TypeId, in_version: &str, in_hub: &str) {
        let key = (version.clone(), hub.clone());
        let Some(pair) = self.mapping.pairs.get(&key).filter(|_| !self.inside.contains(&key)) else { return };
        let rules = self.mapping.rules.get(&key).into_iter().flatten();
        for Applied { operator, detail, place, version, hub, only } in rules {
            let below = |at: &str, paths: &[ResolvedPath]| -> Vec<String> {
                paths.iter().map(|path| join(at, &path.to_string())).collect()
            };
            let (version, hub) = (below(in_version, version), below(in_hub, hub));
            if only.as_ref().is_some_and(|only| hub != [only.to_string()]) {
                continue;
            }
            let (detail, place) = (detail.clone(), place.clone());
            self.steps.push(Step { operator, detail, place, version, hub });
        }
        self.inside.push(key);
        for copy in pair.from_hub.ops.iter().filter_map(Op::copy) {
            let (version, hub) =
                (join(in_version, &copy.to.to_string()), join(in_hub, &copy.from.to_string()));
            self.value(&copy.value, version, hub);
        }
        self.inside.pop();
    }

    fn value(&mut self, value: &Value, in_version: String, in_hub: String) {
        match value {
            Value::Pair(version, hub) => self.pair(version, hub, &in_version, &in_hub),
            Value::List(inner) | Value::Map(inner) => self.value(inner, in_version + "[]", in_hub + "[]"),
            Value::Keyed(keyed) => self.value(&keyed.value, in_version + "[]", in_hub + "[]"),
            Value::Same | Value::Wrapped(..) | Value::Words(_) | Value::Number(..) => {}
        }
    }
}
