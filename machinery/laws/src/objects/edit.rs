//! Edits that a client can make to an object.

use hubgen_machinery::convert::inside::{from_json, to_json};
use hubgen_machinery::reflect::{List, Map, Reflect, SlotMut, Type};

use super::generate::{self, Hint, Source};

/// Makes one generated edit anywhere but in `metadata`: changes, sets or removes a value, or adds,
/// removes, moves or duplicates elements of a list. Returns what was done and where.
pub fn edit(object: &mut dyn Reflect, source: &mut Source<'_>) -> String {
    let described = object.descriptor().share();
    let fields = &described.fields;
    let all: Vec<usize> = (0..fields.len()).filter(|index| fields[*index].name != "metadata").collect();
    if all.is_empty() {
        return "nothing".to_owned();
    }
    let index = all[source.below(all.len())];
    let field = &fields[index];
    // A named list type and a union count as leaves: they are regenerated as a whole.
    let done = edit_slot(object.write(index), &field.ty, Hint::of(field), source).unwrap_or_else(|| {
        generate::slot(object.write(index), &field.ty, Hint::of(field), source);
        ": regenerated".to_owned()
    });
    format!("{}{}{done}", field.name, if done.starts_with([':', '[']) { "" } else { "." })
}

/// Edits part of a value; `None` if the value has no parts. The value belongs to that field.
fn edit_slot(slot: SlotMut<'_>, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Option<String> {
    match slot {
        SlotMut::Struct(object) => Some(edit(object, source)),
        SlotMut::Optional(value) => {
            if value.is_present() && source.below(4) == 3 {
                value.clear();
                return Some(": removed".to_owned());
            }
            let was_present = value.is_present();
            let done = edit_slot(value.insert(), ty, hint, source);
            if done.is_none() {
                generate::slot(value.insert(), ty, hint, source);
            }
            match done {
                Some(done) if was_present => Some(done),
                _ if was_present => Some(": regenerated".to_owned()),
                _ => Some(": set".to_owned()),
            }
        }
        SlotMut::List(list) => edit_list(list, ty, hint, source),
        SlotMut::Map(map) => Some(edit_map(map, ty, hint, source)),
        _ => None,
    }
}

fn edit_list(list: &mut dyn List, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Option<String> {
    let Type::List(node) = ty else { return None };
    let hint = hint.of_items(node);
    let len = list.len();
    if len == 0 {
        generate::slot(list.push(), &node.ty, hint, source);
        return Some(": element added".to_owned());
    }
    let (at, to) = (source.below(len), source.below(len));
    Some(match source.below(5) {
        0 => {
            generate::slot(list.push(), &node.ty, hint, source);
            list.shift(len, at);
            format!("[{at}]: element added")
        }
        1 => {
            list.shift(at, len - 1);
            list.truncate(len - 1);
            format!("[{at}]: removed")
        }
        2 => {
            list.shift(at, to);
            format!("[{at}]: moved to [{to}]")
        }
        3 => {
            double(list, at);
            format!("[{at}]: duplicated")
        }
        _ => match edit_slot(list.get_mut(at), &node.ty, hint, source) {
            Some(done) => format!("[{at}]{}{done}", if done.starts_with([':', '[']) { "" } else { "." }),
            None => {
                generate::slot(list.get_mut(at), &node.ty, hint, source);
                format!("[{at}]: regenerated")
            }
        },
    })
}

/// Appends a copy of an element.
fn double(list: &mut dyn List, at: usize) {
    // Two elements of one list cannot be borrowed at once.
    let value = to_json(&list.get(at));
    let _ = from_json(list.push(), &value);
}

fn edit_map(map: &mut dyn Map, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> String {
    let Type::Map(node) = ty else { return ": unchanged".to_owned() };
    let hint = hint.of_items(node);
    let mut keys = Vec::new();
    map.visit(&mut |key, _| keys.push(key.to_owned()));
    match keys.as_slice().get(source.below(keys.len() + 1)) {
        Some(key) => {
            map.retain(&mut |other| other != key);
            format!("[{key:?}]: removed")
        }
        None => {
            generate::slot(map.entry("edited"), &node.ty, hint, source);
            "[\"edited\"]: set".to_owned()
        }
    }
}
