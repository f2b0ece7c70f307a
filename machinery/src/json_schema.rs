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
    structural::schema_of_value(&T::TYPE).try_into().expect("a structural schema is an object")
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
