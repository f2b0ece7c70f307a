//! Which fields are boxed, and the sizes that decide about it.

mod check;
mod optional;
mod size;

use std::collections::HashSet;

use hubgen_model::boxes::{Boxes, Place};
use hubgen_model::{Field, Presence, Type, TypeExpr, TypeId};
use hubgen_plan::Types;
use hubgen_plan::sharing::Sharing;

use crate::rust::Written;

pub(crate) use self::check::check;
pub(crate) use self::optional::optional;
pub use self::size::Sizes;

/// The types that are boxed wherever they are optional.
///
/// A type is boxed everywhere or nowhere. Users can therefore predict it, and a field whose type
/// versions share converts by a move.
pub struct Boxed<'a> {
    sharing: &'a Sharing,
    types: HashSet<TypeId>,
}

impl<'a> Boxed<'a> {
    /// The types that people decided to box, or box in their source, and those that have to be boxed,
    /// because they would otherwise contain themselves.
    pub fn find(types: Types<'_>, sharing: &'a Sharing, decisions: &Boxes, written: &Written) -> Self {
        let is_boxed = |id: &TypeId| match written.boxed.get(id) {
            Some(is_boxed) if written.types.contains_key(id) => *is_boxed,
            _ => decisions.get(id) == Some(Place::Boxed) || contains_itself(types, sharing, id),
        };
        let ids =
            types.all().map(|ty| sharing.representing(&ty.id)).filter(|id| is_boxed(id)).cloned().collect();
        Self { sharing, types: ids }
    }

    /// Whether the value of a field is boxed.
    pub fn field(&self, field: &Field) -> bool {
        match &field.ty {
            TypeExpr::Ref(id) => field.presence != Presence::Value && self.ty(id),
            _ => false,
        }
    }

    /// Whether optional objects of a type are boxed.
    pub fn ty(&self, id: &TypeId) -> bool {
        self.types.contains(self.sharing.representing(id))
    }
}

/// Whether a type contains itself, other than through lists, maps and unions.
fn contains_itself(types: Types<'_>, sharing: &Sharing, id: &TypeId) -> bool {
    let targets = |id: &TypeId| -> Vec<TypeId> {
        let fields = types.find(id).map(Type::fields).unwrap_or_default();
        fields.iter().filter_map(|field| target(sharing, field)).cloned().collect()
    };
    let mut seen = HashSet::new();
    let mut todo = targets(id);
    while let Some(next) = todo.pop() {
        if next == *id {
            return true;
        }
        if seen.insert(next.clone()) {
            todo.extend(targets(&next));
        }
    }
    false
}

/// The type of an object in a field, as it is emitted.
pub(crate) fn target<'a>(sharing: &'a Sharing, field: &'a Field) -> Option<&'a TypeId> {
    match &field.ty {
        TypeExpr::Ref(id) => Some(sharing.representing(id)),
        _ => None,
    }
}
