use hubgen_machinery::reflect::Described;

use super::place::{Members, Place, Types};
use crate::fields::{Element, Set};

/// The set, with the fields that a type names and that lead to one of its fields: `spec.replicas` with `spec`. Members of maps
/// and items of lists are left as they are: they can be there without anything in them.
#[must_use]
pub fn with_named(of: &Described, set: &Set) -> Set {
    let types = Types(of);
    added(types, Some(types.root()), set)
}

fn added<'a>(types: Types<'a>, place: Option<Place<'a>>, set: &Set) -> Set {
    let of = match place {
        Some(Place::Object { members, .. }) => Some(members),
        _ => None,
    };
    let mut members = set.members().to_vec();
    let mut children = Vec::with_capacity(set.children().len());
    for (element, child) in set.children() {
        let inner = match (place, element) {
            (_, Element::Field(name)) => {
                let inner = of.and_then(|of| types.member(of, name));
                if inner.is_some() && matches!(of, Some(Members::Struct(_))) {
                    members.push(element.clone());
                }
                inner
            }
            (Some(Place::List(list)), Element::Key(_)) => Some(types.item(list)),
            _ => None,
        };
        children.push((element.clone(), added(types, inner, child)));
    }
    Set::of(members, children)
}
