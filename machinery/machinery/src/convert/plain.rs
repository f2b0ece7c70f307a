//! A JSON form of values that preserves every difference.
//!
//! The usual JSON of an object may leave out what equality distinguishes, such as a pointer to
//! `null`. Stashed data must not. Here a field is left out only when it has no value, bytes are
//! base64, and JSON of unknown shape is written as text.

use serde_json::{Map as Members, Value};

pub use crate::reflect::is_unset;
use crate::reflect::{Literal, Reflect, Shape, Slot, SlotMut};

/// The value as JSON.
pub fn to_json(slot: &Slot<'_>) -> Value {
    match slot {
        Slot::Absent | Slot::Null => Value::Null,
        Slot::Bool(value) => (*value).into(),
        Slot::Int32(value) => (*value).into(),
        Slot::Int64(value) => (*value).into(),
        // JSON has no infinities, and no decoder produces them.
        Slot::Double(value) => (*value).into(),
        Slot::String(value) => value.as_str().into(),
        Slot::Bytes(value) => base64::Engine::encode(&base64::prelude::BASE64_STANDARD, value).into(),
        Slot::Raw(value) => value.as_str().into(),
        Slot::Scalar(value) => {
            let mut out = Value::Null;
            value.show(&mut |literal| {
                out = match literal {
                    Literal::Text(text) | Literal::Number(text) => text.into(),
                    Literal::Integer(number) => number.into(),
                    Literal::Unsigned(number) => number.into(),
                    Literal::Float(number) => wide(number).into(),
                }
            });
            out
        }
        Slot::Union(value) => to_json(&value.active()),
        Slot::Struct(object) => object_to_json(*object),
        Slot::List(list) => (0..list.len()).map(|index| to_json(&list.get(index))).collect(),
        Slot::Map(map) => {
            let mut out = Members::new();
            map.visit(&mut |key, slot| {
                out.insert(key.to_owned(), to_json(&slot));
            });
            Value::Object(out)
        }
    }
}

/// The number of 64 bits that JSON writes with the digits of one of 32 bits: 0.1, and not 0.10000000149011612, because
/// what is stashed also becomes a field without being decoded.
fn wide(number: f32) -> f64 {
    let exact = f64::from(number);
    // A text that would be another number when it is rounded twice is none.
    number.to_string().parse().ok().filter(|wide: &f64| *wide as f32 == number).unwrap_or(exact)
}

fn object_to_json(object: &dyn Reflect) -> Value {
    let mut out = Members::new();
    for (field, slot) in object.fields().iter() {
        if !is_unset(field.optional, &slot) {
            out.insert(field.name.to_string(), to_json(&slot));
        }
    }
    Value::Object(out)
}

/// Stashed data does not fit the shape of its type.
#[derive(Debug)]
pub struct Malformed;

/// Fills the value with what [`to_json`] wrote.
///
/// # Errors
/// When the JSON has another shape or a field that the type does not have, because the type has changed since. The
/// value may then be partly filled.
pub fn from_json(slot: SlotMut<'_>, json: &Value) -> Result<(), Malformed> {
    match (slot, json) {
        // An absent element of a map or list, or the `null` of a field. Absent fields are left out.
        (SlotMut::Optional(value), Value::Null) => {
            value.set_null();
            Ok(())
        }
        (SlotMut::Optional(value), json) => from_json(value.insert(), json),
        (SlotMut::Member(value, index), json) => from_json(value.activate(index), json),
        (SlotMut::Bool(value), Value::Bool(json)) => set(value, Some(*json)),
        (SlotMut::Int32(value), Value::Number(json)) => {
            set(value, json.as_i64().and_then(|number| number.try_into().ok()))
        }
        (SlotMut::Int64(value), Value::Number(json)) => set(value, json.as_i64()),
        (SlotMut::Double(value), Value::Number(json)) => set(value, json.as_f64()),
        (SlotMut::String(value), Value::String(json)) => {
            value.set(json);
            Ok(())
        }
        (SlotMut::Bytes(value), Value::String(json)) => {
            set(value, base64::Engine::decode(&base64::prelude::BASE64_STANDARD, json).ok())
        }
        (SlotMut::Raw(value), Value::String(json)) => set(value, json.parse().ok()),
        (SlotMut::Scalar(value), Value::String(json)) => {
            value.set(Literal::Text(json)).map_err(|_| Malformed)
        }
        (SlotMut::Scalar(value), Value::Number(json)) => {
            let unsigned = || json.as_u64().map(Literal::Unsigned);
            let float = || json.as_f64().map(|number| Literal::Float(number as f32));
            let literal =
                json.as_i64().map(Literal::Integer).or_else(unsigned).or_else(float).ok_or(Malformed)?;
            value.set(literal).map_err(|_| Malformed)
        }
        (SlotMut::Struct(object), Value::Object(members)) => {
            for index in 0..object.descriptor().fields.len() {
                object.write(index).clear();
            }
            for (name, json) in members {
                let index = object.descriptor().position(name).ok_or(Malformed)?;
                from_json(object.write(index), json)?;
                if object.descriptor().is_rest(index) {
                    let described = object.descriptor().share();
                    if let SlotMut::Map(rest) = object.write(index) {
                        rest.retain(&mut |name| !described.has(name));
                    }
                }
            }
            Ok(())
        }
        (SlotMut::List(list), Value::Array(elements)) => {
            list.clear();
            elements.iter().try_for_each(|json| from_json(list.push(), json))
        }
        (SlotMut::Map(map), Value::Object(members)) => {
            map.clear();
            members.iter().try_for_each(|(key, json)| from_json(map.entry(key), json))
        }
        (SlotMut::Union(value), json) => {
            let shape = match json {
                Value::Null => return Err(Malformed),
                Value::Bool(_) => Shape::Bool,
                Value::Number(_) => Shape::Number,
                Value::String(_) => Shape::String,
                Value::Array(_) => Shape::Array,
                Value::Object(_) => Shape::Object,
            };
            from_json(value.select(shape).ok_or(Malformed)?, json)
        }
        _ => Err(Malformed),
    }
}

fn set<T>(target: &mut T, value: Option<T>) -> Result<(), Malformed> {
    *target = value.ok_or(Malformed)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_32_bits_have_their_own_digits() {
        let cases =
            [(0.1_f32, "0.1"), (-0.0, "-0.0"), (1.0 / 3.0, "0.33333334"), (16_777_216.0, "16777216.0")];
        for (number, text) in cases {
            assert_eq!(to_json(&Slot::Scalar(&number)).to_string(), text);
        }
    }

    #[test]
    fn numbers_of_32_bits_come_back() {
        // Every exponent, with many fractions.
        for bits in (0..=u32::MAX).step_by(4099) {
            let number = f32::from_bits(bits);
            if number.is_finite() {
                let mut back = 0_f32;
                from_json(SlotMut::Scalar(&mut back), &to_json(&Slot::Scalar(&number))).unwrap();
                assert_eq!(back.to_bits(), bits);
            }
        }
    }
}
