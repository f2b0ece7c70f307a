//! Any value of serde as JSON text.
//!
//! Clients of API servers decode with serde, and most of what a server writes beside the fields of a type is
//! `managedFields`. A tree of them would be half of the allocations for an object.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::writer;

/// Writes the value that is deserialized to its end.
pub(super) struct Text<'o>(pub &'o mut Vec<u8>);

/// Whether `serde_json` has its feature `arbitrary_precision`, which other crates of a program may enable. Its numbers
/// are then maps with a private key, which only its own [`Value`] understands.
static ARBITRARY_PRECISION: LazyLock<bool> = LazyLock::new(|| serde_json::from_str::<Value>("1e999").is_ok());

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if *ARBITRARY_PRECISION {
            writer::value(self.0, &serde::Deserialize::deserialize(deserializer)?);
            return Ok(());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Text<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        writer::bool(self.0, value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        writer::integer(self.0, value);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        writer::unsigned(self.0, value);
        Ok(())
    }

    /// JSON has no numbers that are not finite.
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        writer::float(self.0, value).unwrap_or_else(|_| writer::null(self.0));
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        writer::string(self.0, value);
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        writer::null(self.0);
        Ok(())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let out = self.0;
        out.push(b'[');
        let mut before = out.len();
        while elements.next_element_seed(Text(out))?.is_some() {
            before = out.len();
            out.push(b',');
        }
        out.truncate(before);
        out.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let out = self.0;
        out.push(b'{');
        let mut before = out.len();
        while members.next_key_seed(Key(out))?.is_some() {
            out.push(b':');
            members.next_value_seed(Text(out))?;
            before = out.len();
            out.push(b',');
        }
        out.truncate(before);
        out.push(b'}');
        Ok(())
    }
}

/// Writes the name of a member.
struct Key<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        writer::string(self.0, name);
        Ok(())
    }
}
