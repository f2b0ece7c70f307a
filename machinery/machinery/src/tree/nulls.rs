//! Members that are `null` because the type of an object requires them, and not because somebody wrote it.

use super::Tree;
use super::fault::Result;
use crate::json::lexer::Kind;
use crate::reflect::{Reflect, Slot};

/// Removes each `null` that a typed object has instead of a value, unless the JSON that it was made of, `own`, has the
/// member as well. A `null` that moves would else be one that the version shows.
pub(super) fn forget(
    tree: &mut Tree<'_>,
    object: &dyn Reflect,
    mut own: Option<&mut Tree<'_>>,
) -> Result<()> {
    for (field, slot) in object.fields().iter() {
        let name = &*field.name;
        let own = match &mut own {
            Some(own) if own.kind() == Kind::Object => own.get(name)?,
            _ => None,
        };
        match (&slot, own) {
            (Slot::Absent, None) => {
                if tree.get(name)?.is_some_and(|member| member.is_null()) {
                    tree.remove(name)?;
                }
            }
            (_, own) => {
                if let Some(member) = tree.get(name)? {
                    below(member, &slot, own)?;
                }
            }
        }
    }
    Ok(())
}

fn below(tree: &mut Tree<'_>, slot: &Slot<'_>, own: Option<&mut Tree<'_>>) -> Result<()> {
    match slot {
        Slot::Struct(object) if tree.kind() == Kind::Object => forget(tree, *object, own),
        Slot::List(list) if tree.is_list_of(list.len()) => {
            // Nobody knows which items are the same in lists of different lengths.
            let mut own = own.and_then(|own| own.is_list_of(list.len()).then_some(own));
            for (index, item) in tree.elements()?.iter_mut().enumerate() {
                let own = match &mut own {
                    Some(own) => own.elements()?.get_mut(index),
                    None => None,
                };
                below(item, &list.get(index), own)?;
            }
            Ok(())
        }
        Slot::Map(map) if tree.kind() == Kind::Object => {
            let mut own = own.filter(|own| own.kind() == Kind::Object);
            for (name, value) in tree.members()? {
                let own = match &mut own {
                    Some(own) => own.get(name)?,
                    None => None,
                };
                if let Some(slot) = map.get(name) {
                    below(value, &slot, own)?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
