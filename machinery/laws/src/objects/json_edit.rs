//! Edits that a client can make to the JSON of an object.

use hubgen_machinery::reflect::{Descriptor, Field, Omit, Type, UnknownFields};
use serde_json::{Map, Value};

use super::generate::{Hint, Source};
use super::json::{canonical_form, member, value};

/// Makes one generated edit anywhere but in `metadata`: changes, sets or removes a value, or adds, removes, moves or
/// duplicates elements of a list. The result fits its type. Returns what was done and where.
pub(crate) fn edit(object: &mut Value, descriptor: &Descriptor, source: &mut Source<'_>) -> String {
    let Value::Object(members) = object else { return "nothing".to_owned() };
    let done = edit_members(members, descriptor, source);
    canonical_form(object, descriptor);
    done
}

fn edit_members(
    members: &mut Map<String, Value>,
    descriptor: &Descriptor,
    source: &mut Source<'_>,
) -> String {
    let is_metadata = |field: &Field| *field.name == *"metadata" && descriptor.kind.is_some();
    let fields: Vec<&Field> = descriptor.named().iter().filter(|field| !is_metadata(field)).collect();
    let keeps_others = descriptor.unknown == UnknownFields::Kept && !descriptor.has(OTHER);
    let choices = fields.len() + usize::from(keeps_others);
    if choices == 0 {
        return ": unchanged".to_owned();
    }
    let Some(field) = fields.get(source.below(choices)) else {
        let value = if members.get(OTHER) == Some(&Value::Bool(true)) { 1.into() } else { true.into() };
        members.insert(OTHER.to_owned(), value);
        return format!("{OTHER}: set");
    };
    let name = &*field.name;
    let present = members.get_mut(name).filter(|value| !value.is_null());
    let done = match present {
        Some(_) if may_be_absent(field) && source.below(4) == 3 => {
            members.remove(name);
            Some(": removed".to_owned())
        }
        Some(value) => edit_value(value, &field.ty, Hint::of(field), source),
        None => None,
    };
    let done = done.unwrap_or_else(|| {
        match member(field, source) {
            Some(value) => members.insert(name.to_owned(), value),
            None => members.remove(name),
        };
        ": generated anew".to_owned()
    });
    below(name, &done)
}

/// A field that no type has.
const OTHER: &str = "edited";

/// `spec.size: removed`, `items[1]: removed`.
fn below(name: &str, done: &str) -> String {
    format!("{name}{}{done}", if done.starts_with([':', '[']) { "" } else { "." })
}

/// Whether the type of a field is content with an object that lacks it.
fn may_be_absent(field: &Field) -> bool {
    match field.omit {
        Omit::Exact => false,
        Omit::Zero => true,
        Omit::Empty => field.pointer || field.ty.has_empty(),
        Omit::Never => field.pointer,
    }
}

/// Edits part of a value; `None` if it has no parts.
fn edit_value(json: &mut Value, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> Option<String> {
    match (ty, json) {
        (Type::Struct(ty), Value::Object(members)) => Some(edit_members(members, &ty.descriptor(), source)),
        (Type::List(node), Value::Array(elements)) => {
            let hint = hint.of_items(node);
            Some(edit_elements(elements, &node.ty, hint, source))
        }
        (Type::Map(node), Value::Object(members)) => {
            let hint = hint.of_items(node);
            let keys: Vec<String> = members.keys().cloned().collect();
            let Some(key) = keys.get(source.below(keys.len() + 1)) else {
                members.insert(OTHER.to_owned(), value(&node.ty, hint, source));
                return Some(format!("[{OTHER:?}]: set"));
            };
            let done = match members.get_mut(key).filter(|_| source.below(2) == 0) {
                Some(value) => edit_value(value, &node.ty, hint, source),
                None => None,
            };
            Some(match done {
                Some(done) => below(&format!("[{key:?}]"), &done),
                None => {
                    members.remove(key);
                    format!("[{key:?}]: removed")
                }
            })
        }
        _ => None,
    }
}

fn edit_elements(elements: &mut Vec<Value>, ty: &Type, hint: Hint<'_>, source: &mut Source<'_>) -> String {
    if elements.is_empty() {
        elements.push(value(ty, hint, source));
        return ": element added".to_owned();
    }
    let (at, to) = (source.below(elements.len()), source.below(elements.len()));
    match source.below(5) {
        0 => {
            elements.insert(at, value(ty, hint, source));
            format!("[{at}]: element added")
        }
        1 => {
            elements.remove(at);
            format!("[{at}]: removed")
        }
        2 => {
            let element = elements.remove(at);
            elements.insert(to, element);
            format!("[{at}]: moved to [{to}]")
        }
        3 => {
            elements.push(elements[at].clone());
            format!("[{at}]: duplicated")
        }
        _ => match edit_value(&mut elements[at], ty, hint, source) {
            Some(done) => below(&format!("[{at}]"), &done),
            None => {
                elements[at] = value(ty, hint, source);
                format!("[{at}]: generated anew")
            }
        },
    }
}
