//! Converts canonical forms of the model to those that the machinery applies.

use hubgen_machinery::canonical::{CanonicalForm, Rewrite};
use hubgen_machinery::storage::Owned;
use hubgen_model::canonical::{self, CanonicalForms};
use hubgen_model::{Api, Type};

/// The canonical forms of an object of a type, and of the objects in it.
pub fn forms(api: &Api, canonical: &CanonicalForms, ty: &Type) -> Vec<CanonicalForm<Owned>> {
    let all = canonical.below(api, ty).into_iter();
    all.map(|(at, id)| CanonicalForm {
        at: at.into_iter().map(str::to_owned).collect(),
        steps: canonical.types[id].iter().map(step).collect(),
    })
    .collect()
}

fn step(step: &canonical::Rewrite) -> Rewrite<Owned> {
    match step.clone() {
        canonical::Rewrite::Alias { field, of } => Rewrite::Alias { field, of },
        canonical::Rewrite::First { field, list, element } => Rewrite::First { field, list, element },
        canonical::Rewrite::Overwrite { from, into } => Rewrite::Overwrite { from, into },
        canonical::Rewrite::Constant { list, field, value } => Rewrite::Constant { list, field, value },
        canonical::Rewrite::Negative { path, value } => Rewrite::Negative { path, value },
        canonical::Rewrite::Forget { annotations } => Rewrite::Forget { annotations },
    }
}
