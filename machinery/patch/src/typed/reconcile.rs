use hubgen_machinery::reflect::Described;

use super::place::{By, Place, Types};
use crate::fields::{Element, Set};

/// What a set becomes where the type has changed since it was written: fields that are owned as a whole now, and were not
/// before. Who owned something in such a field owns the field. `None` if there are none.
pub fn reconcile(of: &Described, set: &Set) -> Option<Set> {
    let types = Types(of);
    let mut whole = Set::EMPTY;
    find(types, types.root(), Some(set), false, &mut Vec::new(), &mut whole);
    (!whole.is_empty()).then(|| set.recursive_difference(&whole).union(&whole))
}

/// Adds the fields that are owned as a whole and have something behind them in the set. `is_whole`: whether the set has
/// the place, and nothing behind it.
fn find<'a>(
    types: Types<'a>,
    place: Place<'a>,
    set: Option<&Set>,
    is_whole: bool,
    path: &mut Vec<Element>,
    whole: &mut Set,
) {
    let is_atomic = match place {
        Place::Leaf(_) | Place::Any => return,
        Place::Object { is_atomic, .. } => is_atomic && set.is_some_and(|set| !set.is_empty()),
        Place::List(list) => matches!(list.by, By::Nothing),
    };
    if is_atomic && !is_whole {
        return whole.insert(path);
    }
    let Some(set) = set else { return };
    let of_children = set.children().iter().map(|(element, _)| element);
    let all = set.members().iter().chain(of_children.filter(|element| !set.has_member(element)));
    for element in all {
        let inner = match (place, element) {
            (Place::Object { members, .. }, Element::Field(name)) => types.member(members, name),
            (Place::List(list), _) => Some(types.item(list)),
            _ => None,
        };
        let Some(inner) = inner else { continue };
        let behind = set.behind(element);
        let is_whole = set.has_member(element) && behind.is_none();
        path.push(element.clone());
        find(types, inner, behind, is_whole, path, whole);
        path.pop();
    }
}
