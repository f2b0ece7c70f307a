//! A version whose objects are valid by a schema.

use std::cell::Cell;

use hubgen_machinery::convert::{Canonical, ConvertError, ViaHub};
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;
use hubgen_validation::{FieldError, Schema};
use serde_json::{Map, Value, json};

use crate::objects::{Source, accepted, canonical_form};
use crate::versions::{AnyObject, Convertible, Version};
use crate::{Definitions, Violations};

/// A version of a kind, with its schema.
pub(crate) struct Valid<'d> {
    version: Version,
    schema: &'d Schema,
    /// `apiVersion` and `kind`, and a small object.
    api_version: String,
    kind: String,
    smallest: Value,
    /// How many objects were generated, and for how many of them the smallest one was taken, because no other was
    /// found.
    generated: Cell<u64>,
    not_found: Cell<u64>,
    /// How many conversions functions of the user's own code refused.
    refused: Cell<u64>,
}

impl<'d> Valid<'d> {
    /// Fails if no valid object can be generated.
    pub(crate) fn new(version: Version, entry: &KindEntry, schema: &'d Schema) -> Result<Self, Violations> {
        let smallest = schema
            .generate(&[], &[])
            .ok_or_else(|| format!("{entry}: no object was found that its schema allows; is there one?"))?;
        Ok(Self {
            version,
            schema,
            api_version: entry.api_version(),
            kind: entry.kind.to_string(),
            smallest: named(smallest, (&entry.api_version(), &entry.kind), json!({"name": "a"})),
            generated: Cell::new(0),
            not_found: Cell::new(0),
            refused: Cell::new(0),
        })
    }

    /// `example.com/v1 Job`.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.api_version, self.kind)
    }

    /// The paths at which rules accept that objects are invalid after a conversion.
    pub(crate) fn may_be_invalid(&self) -> Vec<String> {
        self.version.conversion.may_be_invalid()
    }

    /// The errors of a converted object. It gets the version's defaults first, as a server sets them when a client
    /// writes back what it has read.
    pub(crate) fn refuses(&self, object: &mut Value) -> Vec<FieldError> {
        self.schema.set_defaults(object);
        self.schema.validate(object).err().map_or_else(Vec::new, |errors| errors.into_iter().collect())
    }

    /// How many conversions functions of the user's own code refused.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.get()
    }

    fn counted(&self, converted: Result<AnyObject, ConvertError>) -> Result<AnyObject, ConvertError> {
        if let Err(ConvertError::Refused { .. }) = converted {
            self.refused.set(self.refused.get() + 1);
        }
        converted
    }

    /// Fails if most objects were the smallest one, which tests little.
    pub(crate) fn suffices(&self, entry: &KindEntry) -> Result<(), Violations> {
        let (generated, not_found) = (self.generated.get(), self.not_found.get());
        if not_found * 2 <= generated {
            return Ok(());
        }
        Err(format!(
            "{entry}: {not_found} of {generated} attempts found no object that its schema allows: check the version with \
             objects of your own"
        ).into())
    }
}

impl Convertible for Valid<'_> {
    fn empty(&self) -> AnyObject {
        self.version.empty()
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.counted(self.version.try_to_hub(object))
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        self.counted(self.version.try_from_hub(hub))
    }

    fn canonical(&self) -> Vec<Canonical> {
        self.version.canonical()
    }

    fn via_hub(&self) -> Option<&ViaHub> {
        self.version.via_hub()
    }

    fn generate_json(&self, source: &mut Source<'_>) -> Value {
        let object = object(self.schema, (&self.api_version, &self.kind), source);
        self.generated.set(self.generated.get() + 1);
        self.not_found.set(self.not_found.get() + u64::from(object.is_none()));
        let mut json = object.unwrap_or_else(|| self.smallest.clone());
        // The schema allows both forms of what the type declares to be the same.
        canonical_form(&mut json, self.empty().descriptor());
        accepted(&mut json, self.empty().descriptor());
        json
    }
}

impl Definitions {
    /// An object of a kind that its definition allows, as [`check`](crate::check) generates them: with all choices from
    /// `bytes`, and with `words`, which are names of fields with texts that are often tried for them.
    ///
    /// Returns `None` if there is no definition of the kind at this version, or no object was found.
    pub fn generate(&self, entry: &KindEntry, bytes: &[u8], words: &[(&str, &str)]) -> Option<Value> {
        let schema = self.schema(&entry.group, &entry.version, &entry.kind)?;
        let mut source = Source::new(bytes, words);
        let mut json = object(schema, (&entry.api_version(), &entry.kind), &mut source)?;
        let empty = entry.object();
        canonical_form(&mut json, empty.descriptor());
        accepted(&mut json, empty.descriptor());
        Some(json)
    }
}

/// An object that a schema allows; `name` is its `apiVersion` and its `kind`.
fn object(schema: &Schema, name: (&str, &str), source: &mut Source<'_>) -> Option<Value> {
    // The metadata is Kubernetes' own: no schema describes it.
    let (bytes, metadata) = match source.bytes().split_first() {
        Some((first, rest)) if first % 2 == 1 => {
            (rest, json!({"name": "a", "namespace": "b", "labels": {"app": "c"}, "annotations": {"d": "e"}}))
        }
        Some((_, rest)) => (rest, json!({"name": "a"})),
        None => (&[][..], json!({"name": "a"})),
    };
    schema.generate(bytes, source.words()).map(|object| named(object, name, metadata))
}

fn named(object: Value, (api_version, kind): (&str, &str), metadata: Value) -> Value {
    let mut members = Map::new();
    members.insert("apiVersion".to_owned(), api_version.into());
    members.insert("kind".to_owned(), kind.into());
    members.insert("metadata".to_owned(), metadata);
    if let Value::Object(object) = object {
        members.extend(object);
    }
    Value::Object(members)
}
