//! From normal forms of the model to those that are applied.

use hubgen_machinery::normal::{Normal, Step};
use hubgen_machinery::storage::Owned;
use hubgen_model::normal::{self, Normals};
use hubgen_model::{Api, Type};

/// What is said in one way in an object of a type, and in what is below.
pub fn forms(api: &Api, normals: &Normals, ty: &Type) -> Vec<Normal<Owned>> {
    let all = normals.below(api, ty).into_iter();
    all.map(|(at, id)| Normal {
        at: at.into_iter().map(str::to_owned).collect(),
        steps: normals.types[id].iter().map(step).collect(),
    })
    .collect()
}

fn step(step: &normal::Step) -> Step<Owned> {
    match step.clone() {
        normal::Step::Alias { field, of } => Step::Alias { field, of },
        normal::Step::First { field, list, element } => Step::First { field, list, element },
        normal::Step::Overwrite { from, into } => Step::Overwrite { from, into },
        normal::Step::Constant { list, field, value } => Step::Constant { list, field, value },
        normal::Step::Negative { path, value } => Step::Negative { path, value },
        normal::Step::Forget { annotations } => Step::Forget { annotations },
    }
}
