//! The types that are optional somewhere: what decisions are about.

use std::collections::BTreeMap;

use hubgen_model::boxes::{Boxes, Place};
use hubgen_model::{Field, Presence, TypeId};
use hubgen_plan::Types;

use super::{Boxed, Sizes, target};

/// A type that is optional somewhere, and the types with its name in other versions of the group.
pub struct Optional<'a> {
    /// A field that contains it: the type of the field's owner, and the field.
    pub example: (&'a TypeId, &'a Field),
    /// The number of such fields.
    pub fields: usize,
    /// The size in bytes of the largest of these types.
    pub size: usize,
    /// What people decided.
    pub decision: Option<Place>,
    /// Whether it is boxed.
    pub is_boxed: bool,
}

/// All such types, by group and name.
pub fn optional<'a>(
    types: Types<'a>,
    boxed: &'a Boxed<'a>,
    decisions: &Boxes,
) -> BTreeMap<(&'a str, &'a str), Optional<'a>> {
    let sizes = Sizes::new(types, boxed);
    let mut out: BTreeMap<_, Optional<'_>> = BTreeMap::new();
    for ty in types.all() {
        for field in ty.fields().iter().filter(|field| field.presence != Presence::Value) {
            let Some(id) = target(boxed.sharing, field) else { continue };
            let found = out.entry((id.group_version.group_or_core(), id.name.as_str())).or_insert(Optional {
                example: (&ty.id, field),
                fields: 0,
                size: 0,
                decision: decisions.get(id),
                is_boxed: boxed.ty(id),
            });
            // No document has the types of hubs; the newest version is the last one.
            if !ty.id.of_hub {
                found.example = (&ty.id, field);
            }
            found.fields += 1;
            found.size = found.size.max(sizes.size(id));
        }
    }
    out
}
