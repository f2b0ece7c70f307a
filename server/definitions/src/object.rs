//! The type of all objects whose fields only a definition knows.

use hubgen_machinery::json::{self, Error, Raw};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1::ObjectMeta;
use serde_json::{Map, Value};

/// An object of a kind that a definition defines, at any version: metadata, and the rest as JSON whose members are in the
/// order of their names, as Go writes them. So objects are equal if their texts are.
#[derive(ApiType)]
pub struct CustomObject {
    /// The metadata, which all objects have.
    pub metadata: ObjectMeta,
    /// What is wanted, by convention.
    pub spec: Option<Raw>,
    /// What is there, by convention.
    pub status: Option<Raw>,
    /// All other members.
    #[field(rest)]
    pub rest: StrMap<Raw>,
}

impl CustomObject {
    /// The object of members of JSON, without `apiVersion` and `kind`.
    ///
    /// # Errors
    /// When the metadata is not that of an object.
    pub(crate) fn of(members: Map<String, Value>) -> Result<Self, Error> {
        let mut object = Self::default();
        for (name, mut value) in members {
            value.sort_all_objects();
            match &*name {
                "apiVersion" | "kind" => {}
                "metadata" if value.is_null() => {}
                "metadata" => {
                    let text = Raw::from(value);
                    object.metadata =
                        json::decode(text.as_str().as_bytes()).map_err(|error| error.in_field(&name))?;
                }
                _ => object.set(&name, Raw::from(value)),
            }
        }
        Ok(object)
    }

    /// Takes all members but the metadata out of the object.
    pub(crate) fn take(&mut self) -> Result<Map<String, Value>, Error> {
        let named = [("spec", self.spec.take()), ("status", self.status.take())];
        let named = named.into_iter().filter_map(|(name, value)| Some((Str::from(name), value?)));
        let rest = std::mem::take(&mut self.rest).into_iter();
        named.chain(rest).map(|(name, value)| Ok((name.to_string(), value.to_value()?))).collect()
    }

    /// Sets a member that is not the metadata.
    pub(crate) fn set(&mut self, name: &str, value: Raw) {
        match name {
            "spec" => self.spec = Some(value),
            "status" => self.status = Some(value),
            _ => drop(self.rest.insert(Str::from(name), value)),
        }
    }
}
