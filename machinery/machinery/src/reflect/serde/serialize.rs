//! Serializes slots in any format.

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, SerializeTuple, Serializer};

use super::super::{Literal, Reflect, Shape, Slot, TypeMeta, UnknownFields};
use super::{is_null, is_shown};

/// Serializes an object. For a kind, `kind` and `apiVersion` come first.
///
/// # Errors
/// The errors of the serializer.
pub fn serialize<S: Serializer>(object: &dyn Reflect, serializer: S) -> Result<S::Ok, S::Error> {
    Object { object, type_meta: object.descriptor().type_meta() }.serialize(serializer)
}

struct Object<'a> {
    object: &'a dyn Reflect,
    type_meta: Option<TypeMeta<'a>>,
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.object.fields();
        if !serializer.is_human_readable() {
            let mut out = serializer.serialize_tuple(fields.len())?;
            for (field, slot) in fields.iter() {
                out.serialize_element(&Maybe {
                    slot: &slot,
                    optional: field.optional,
                    nullable: field.nullable,
                })?;
            }
            return out.end();
        }
        let mut out = serializer.serialize_map(None)?;
        if let Some(type_meta) = self.type_meta {
            for (name, value) in [("kind", type_meta.kind), ("apiVersion", type_meta.api_version)] {
                let own = fields.descriptor().position(name);
                if own.is_none_or(|index| fields.slot(index).is_zero()) {
                    out.serialize_entry(name, value)?;
                }
            }
        }
        let descriptor = fields.descriptor();
        for (field, slot) in fields.iter().take(descriptor.named().len()) {
            if is_null(field, &slot) {
                out.serialize_entry(&*field.name, &())?;
            } else if is_shown(field, &slot) {
                out.serialize_entry(&*field.name, &Node(&slot))?;
            }
        }
        if descriptor.unknown == UnknownFields::Kept
            && let Slot::Map(rest) = fields.slot(descriptor.named().len())
        {
            let mut result = Ok(());
            rest.visit(&mut |name, slot| {
                if result.is_err() {
                } else if descriptor.has(name) {
                    let name = format_args!(
                        "`{name}` is a field of {}, and is among the others, too",
                        descriptor.name
                    );
                    result = Err(S::Error::custom(name));
                } else {
                    result = out.serialize_entry(name, &Node(&slot));
                }
            });
            result?;
        }
        out.end()
    }
}

/// A value that may be absent, or absent and `null`. Formats that are not
/// human-readable mark presence as well as absence.
struct Maybe<'a> {
    slot: &'a Slot<'a>,
    optional: bool,
    nullable: bool,
}

impl Serialize for Maybe<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { slot, optional, nullable } = *self;
        match slot {
            Slot::Absent => serializer.serialize_none(),
            slot if serializer.is_human_readable() => Node(slot).serialize(serializer),
            Slot::Null => serializer.serialize_some(&None::<()>),
            slot if nullable => serializer.serialize_some(&Maybe { slot, optional, nullable: false }),
            slot if optional => serializer.serialize_some(&Node(slot)),
            slot => Node(slot).serialize(serializer),
        }
    }
}

struct Node<'a>(&'a Slot<'a>);

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let readable = serializer.is_human_readable();
        match self.0 {
            Slot::Absent | Slot::Null => serializer.serialize_none(),
            Slot::Bool(value) => serializer.serialize_bool(*value),
            Slot::Int32(value) => serializer.serialize_i32(*value),
            Slot::Int64(value) => serializer.serialize_i64(*value),
            Slot::Double(value) => serializer.serialize_f64(*value),
            Slot::String(value) => serializer.serialize_str(value),
            Slot::Bytes(value) if readable => {
                serializer.serialize_str(&base64::Engine::encode(&base64::prelude::BASE64_STANDARD, value))
            }
            Slot::Bytes(value) => serializer.serialize_bytes(value),
            Slot::Raw(value) if readable => value.serialize(serializer),
            Slot::Raw(value) => serializer.serialize_str(value.as_str()),
            Slot::Struct(value) => Object { object: *value, type_meta: None }.serialize(serializer),
            Slot::List(value) => {
                let mut out = serializer.serialize_seq(Some(value.len()))?;
                for index in 0..value.len() {
                    out.serialize_element(&Maybe {
                        slot: &value.get(index),
                        optional: value.has_optional_values(),
                        nullable: false,
                    })?;
                }
                out.end()
            }
            Slot::Map(value) => {
                let mut out = serializer.serialize_map(Some(value.len()))?;
                let mut result = Ok(());
                let options = value.has_optional_values();
                value.visit(&mut |key, value| {
                    if result.is_ok() {
                        result = out.serialize_entry(
                            key,
                            &Maybe { slot: &value, optional: options, nullable: false },
                        );
                    }
                });
                result?;
                out.end()
            }
            Slot::Union(value) if readable => Node(&value.active()).serialize(serializer),
            // Other formats are not self-describing, so the shape is written
            // first.
            Slot::Union(value) => {
                let active = value.active();
                let mut out = serializer.serialize_tuple(2)?;
                out.serialize_element(&(shape_of(&active) as u8))?;
                out.serialize_element(&Node(&active))?;
                out.end()
            }
            Slot::Scalar(value) => {
                let mut serializer = Some(serializer);
                let mut result = None;
                value.show(&mut |literal| {
                    if let Some(serializer) = serializer.take() {
                        result = Some(show(literal, readable, serializer));
                    }
                });
                result.unwrap_or_else(|| Err(S::Error::custom("`Scalar::show` did not call its visitor")))
            }
        }
    }
}

fn show<S: Serializer>(literal: Literal<'_>, readable: bool, serializer: S) -> Result<S::Ok, S::Error> {
    match literal {
        Literal::Text(text) | Literal::Number(text) if !readable => {
            serializer.serialize_newtype_variant("Literal", 0, "Text", text)
        }
        Literal::Integer(number) if !readable => {
            serializer.serialize_newtype_variant("Literal", 1, "Integer", &number)
        }
        Literal::Unsigned(number) if !readable => {
            serializer.serialize_newtype_variant("Literal", 2, "Unsigned", &number)
        }
        Literal::Float(number) if !readable => {
            serializer.serialize_newtype_variant("Literal", 3, "Float", &number)
        }
        Literal::Text(text) | Literal::Number(text) => serializer.serialize_str(text),
        Literal::Integer(number) => serializer.serialize_i64(number),
        Literal::Unsigned(number) => serializer.serialize_u64(number),
        Literal::Float(number) => serializer.serialize_f32(number),
    }
}

fn shape_of(slot: &Slot<'_>) -> Shape {
    match slot {
        Slot::Bool(_) => Shape::Bool,
        Slot::Int32(_) | Slot::Int64(_) | Slot::Double(_) => Shape::Number,
        Slot::List(_) => Shape::Array,
        Slot::Struct(_) | Slot::Map(_) => Shape::Object,
        _ => Shape::String,
    }
}
