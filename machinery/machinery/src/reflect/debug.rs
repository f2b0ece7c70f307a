//! Debug output of objects, by their slots.

use std::fmt;

use super::{List, Literal, Map, Reflect, Slot};

/// Writes an object as `derive(Debug)` would, but omits absent and empty
/// fields.
///
/// # Errors
/// The errors of the formatter.
pub fn debug(object: &dyn Reflect, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let descriptor = object.descriptor();
    let mut out = f.debug_struct(&descriptor.name);
    for (field, slot) in object.fields().iter() {
        if !slot.is_zero() || (field.pointer && !matches!(slot, Slot::Absent)) {
            out.field(&field.name, &Shown(&slot));
        }
    }
    out.finish()
}

struct Shown<'a>(&'a Slot<'a>);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Slot::Absent => f.write_str("None"),
            Slot::Null => f.write_str("Some(None)"),
            Slot::Bool(value) => value.fmt(f),
            Slot::Int32(value) => value.fmt(f),
            Slot::Int64(value) => value.fmt(f),
            Slot::Double(value) => value.fmt(f),
            Slot::String(value) => value.fmt(f),
            // The bytes may be a secret, and are not readable anyway.
            Slot::Bytes(value) => write!(f, "{} bytes", value.len()),
            Slot::Raw(value) => f.write_str(value.as_str()),
            Slot::Struct(value) => debug(*value, f),
            Slot::Union(value) => Shown(&value.active()).fmt(f),
            Slot::List(value) => list(*value, f),
            Slot::Map(value) => map(*value, f),
            Slot::Scalar(value) => {
                let mut result = Ok(());
                value.show(&mut |literal| {
                    result = match literal {
                        Literal::Text(text) => text.fmt(f),
                        Literal::Integer(number) => number.fmt(f),
                        Literal::Unsigned(number) => number.fmt(f),
                        Literal::Float(number) => number.fmt(f),
                        Literal::Number(text) => f.write_str(text),
                    }
                });
                result
            }
        }
    }
}

fn list(list: &dyn List, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut out = f.debug_list();
    for index in 0..list.len() {
        out.entry(&Shown(&list.get(index)));
    }
    out.finish()
}

fn map(map: &dyn Map, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut out = f.debug_map();
    map.visit(&mut |key, value| {
        out.entry(&key, &Shown(&value));
    });
    out.finish()
}
