//! The managers of a scale: who owns the number of replicas of an object owns that of its scale, and the other way round.

use hubgen_machinery::Str;

use super::manager::{Manager, Managers};
use crate::fields::{Element, Set};

/// The field of a scale.
fn replicas_of_scale() -> Vec<Element> {
    ["spec", "replicas"].map(Element::field).to_vec()
}

fn only(path: &[Element]) -> Set {
    [path].into_iter().collect()
}

impl Managers {
    /// The managers of the scale of an object, at a version of the kind `Scale`. `replicas` is the path of the number of
    /// replicas at a version of the object's kind; `None` if there is no such version.
    #[must_use]
    pub fn to_scale(&self, api_version: &str, replicas: &dyn Fn(&str) -> Option<Vec<Element>>) -> Self {
        let owners = self
            .0
            .iter()
            .filter(|manager| replicas(&manager.api_version).is_some_and(|path| manager.fields.has(&path)));
        let of_scale = |manager: &Manager| Manager {
            api_version: api_version.into(),
            fields: only(&replicas_of_scale()),
            ..manager.clone()
        };
        Self(owners.map(of_scale).collect())
    }

    /// The managers of an object after its scale was written at a version of the object's kind. Those of the scale own the
    /// number of replicas, and nobody else does. They have no time, unless they have owned something of the object before.
    #[must_use]
    pub fn after_scale(
        &self,
        mut of_scale: Self,
        api_version: &str,
        replicas: &dyn Fn(&str) -> Option<Vec<Element>>,
    ) -> Self {
        let mut left = Self::default();
        for manager in &self.0 {
            let Some(path) = replicas(&manager.api_version) else { continue };
            let still_owns = of_scale.0.iter().position(|of_scale| of_scale.identity == manager.identity);
            let mut manager = manager.clone();
            if manager.fields.has(&path) {
                match still_owns {
                    Some(at) => drop(of_scale.0.remove(at)),
                    None => manager.fields = manager.fields.difference(&only(&path)),
                }
            }
            if !manager.fields.is_empty() {
                left.0.push(manager);
            }
        }
        let Some(path) = replicas(api_version) else { return left };
        for Manager { identity, fields, .. } in of_scale.0 {
            if fields.has(&replicas_of_scale()) {
                let time = self
                    .0
                    .iter()
                    .find(|manager| manager.identity == identity)
                    .and_then(|manager| manager.time);
                left.add(Manager {
                    identity,
                    api_version: Str::from(api_version),
                    time,
                    fields: only(&path),
                });
            }
        }
        left
    }
}
