//! `JsonSchema` of schemars for the types of an API, so that structs of users can contain them and derive it. It is the
//! [structural schema](crate::structural) of the type.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::json::Raw;
use crate::reflect::Value;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use crate::{Str, StrMap, structural};

/// The schema of a type, for derived code.
#[must_use]
pub fn of<T: Value>() -> Schema {
    let mut schema = structural::schema_of_value(&T::TYPE);
    drop_alternatives(&mut schema);
    schema.try_into().expect("a structural schema is an object")
}

/// Drops `anyOf` where `x-kubernetes-int-or-string` means the same: it would keep programs that change schemas from
/// adding `nullable`.
fn drop_alternatives(schema: &mut serde_json::Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    if schema.contains_key("x-kubernetes-int-or-string") {
        schema.remove("anyOf");
    }
    if let Some(properties) = schema.get_mut("properties").and_then(|properties| properties.as_object_mut()) {
        properties.values_mut().for_each(drop_alternatives);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get_mut(key) {
            drop_alternatives(inner);
        }
    }
}

/// The schema of an enum that keeps other words than these, for derived code.
#[must_use]
pub fn of_words(words: &[&str]) -> Schema {
    json_schema!({"type": "string", "enum": words})
}

macro_rules! scalars {
    ($($name:ident),*) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_id() -> Cow<'static, str> {
                concat!("hubgen_machinery::", stringify!($name)).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                of::<Self>()
            }
        }
    )*};
}

scalars!(Duration, IntOrString, MicroTime, Quantity, Raw, Str, Time);

impl<T: JsonSchema> JsonSchema for StrMap<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Map_of_{}", T::schema_name()).into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("StrMap<{}>", T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object", "additionalProperties": generator.subschema_for::<T>()})
    }
}
