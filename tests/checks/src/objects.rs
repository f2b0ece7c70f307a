//! Compares two objects in memory, field by field.

use std::fmt::Debug;

use hubgen_kubernetes::machinery::reflect::{Literal, Reflect, Slot, slots_equal};

/// The first field that differs, with both values. The two objects have the same type and are not
/// equal.
pub fn first_difference(expected: &dyn Reflect, found: &dyn Reflect) -> String {
    in_object(expected, found, "").unwrap_or_else(|| "the types differ".to_owned())
}

fn in_object(expected: &dyn Reflect, found: &dyn Reflect, path: &str) -> Option<String> {
    let mut fields = expected.fields().iter().zip(found.fields().slots());
    fields.find_map(|((field, expected), found)| {
        let dot = if path.is_empty() { "" } else { "." };
        in_slot(&expected, &found, &format!("{path}{dot}{}", field.name))
    })
}

fn in_slot(expected: &Slot<'_>, found: &Slot<'_>, path: &str) -> Option<String> {
    if slots_equal(expected, found) {
        return None;
    }
    let inner = match (expected, found) {
        (Slot::Struct(expected), Slot::Struct(found)) => in_object(*expected, *found, path),
        (Slot::Union(expected), Slot::Union(found)) => in_slot(&expected.active(), &found.active(), path),
        (Slot::List(expected), Slot::List(found)) if expected.len() == found.len() => (0..expected.len())
            .find_map(|index| in_slot(&expected.get(index), &found.get(index), &format!("{path}[{index}]"))),
        (Slot::Map(expected), Slot::Map(found)) if expected.len() == found.len() => {
            let mut out = None;
            expected.visit(&mut |key, expected| {
                if out.is_none()
                    && let Some(found) = found.get(key)
                {
                    out = in_slot(&expected, &found, &format!("{path}[{key:?}]"));
                }
            });
            out
        }
        _ => None,
    };
    Some(
        inner
            .unwrap_or_else(|| format!("{path}: expected {}, found {}", describe(expected), describe(found))),
    )
}

fn describe(slot: &Slot<'_>) -> String {
    let text = |value: &dyn Debug| format!("{value:?}");
    match slot {
        Slot::Absent => "nothing".to_owned(),
        Slot::Null => "null".to_owned(),
        Slot::Bool(value) => text(value),
        Slot::Int32(value) => text(value),
        Slot::Int64(value) => text(value),
        Slot::Double(value) => text(value),
        Slot::String(value) => text(value),
        Slot::Bytes(value) => format!("bytes {value:02x?}"),
        Slot::Raw(value) => format!("JSON {}", value.as_str()),
        Slot::Struct(value) => format!("an object {}", value.descriptor().name),
        Slot::List(value) => format!("{} elements", value.len()),
        Slot::Map(value) => {
            let mut keys = Vec::new();
            value.visit(&mut |key, _| keys.push(key));
            format!("the keys {keys:?}")
        }
        Slot::Union(value) => describe(&value.active()),
        Slot::Scalar(value) => {
            let mut out = String::new();
            value.show(&mut |literal| {
                out = match literal {
                    Literal::Text(value) => text(&value),
                    Literal::Integer(value) => text(&value),
                    Literal::Unsigned(value) => text(&value),
                    Literal::Float(value) => text(&value),
                    Literal::Number(value) => value.to_owned(),
                }
            });
            out
        }
    }
}
