//! Server-side apply: reads a configuration, and applies it to an object and to its owners.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use hubgen_machinery::json::Raw;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_machinery::yaml;
use hubgen_patch::owners::{Application, ApplyError, Kind, Kinds, Managers, Write as Written};
use serde_json::Value;

use super::Objects;
use super::error::Error;
use super::field_validation::FieldValidation;
use super::owners::{NoOwners, document_of, reset, version_of};
use super::target::Write;
use crate::managed_fields;
use crate::part::Part;
use crate::validation::cut;

/// The most bytes that are shown of what is wrong.
const MAX_SHOWN: usize = 16 << 10;
/// The most bytes of a key in messages.
const MAX_KEY: usize = 256;

/// A configuration that is applied, whatever object it is applied to.
pub(crate) struct Apply {
    configuration: Value,
    force: bool,
    validation: FieldValidation,
    /// Messages about members that are there twice.
    repeated: Vec<String>,
    /// What to tell of the owners of the stored object, if they cannot be read.
    dropped: Option<String>,
    /// Messages about what is wrong, and does no harm.
    pub(crate) warnings: Vec<String>,
}

/// What a configuration makes of an object.
pub(super) struct Applied {
    /// The object, at the version of the request.
    pub(super) document: Value,
    /// Whether it is another object than before.
    pub(super) is_changed: bool,
    /// Who owns its fields.
    pub(super) managers: Managers,
}

impl Apply {
    /// Reads a configuration, in YAML or JSON. Of several documents, the first one counts.
    ///
    /// # Errors
    /// If it is no configuration of a kind.
    pub(crate) fn read(
        entry: &KindEntry,
        bytes: &[u8],
        validation: FieldValidation,
        force: bool,
    ) -> Result<Self, Error> {
        // Upstream takes what begins like an object in JSON for one at first.
        let looks_like_json = bytes.trim_ascii_start().starts_with(b"{");
        let doing = match looks_like_json {
            true => "error decoding patch: error converting YAML to JSON",
            false => "error encoding patch",
        };
        let unreadable = |why: &dyn std::fmt::Display| Error::Malformed(format!("{doing}: yaml: {why}"));
        let text = str::from_utf8(bytes).map_err(|error| unreadable(&error))?;
        let document = yaml::documents(text).next().transpose().map_err(|error| unreadable(&error))?;
        let (json, duplicates) = document
            .map_or_else(|| (b"null".to_vec(), Vec::new()), |document| (document.json, document.duplicates));
        let value = Raw::new(&json).and_then(|json| json.to_value()).map_err(|error| unreadable(&error))?;
        let repeated = duplicates.iter().map(|found| {
            format!("line {}: key {:?} already set in map", found.line, cut(&found.key, MAX_KEY))
        });
        let configuration = configuration(value)?;
        check(entry, &configuration)?;
        let repeated = repeated.collect();
        Ok(Self { configuration, force, validation, repeated, dropped: None, warnings: Vec::new() })
    }

    /// A text of the metadata; empty if there is none.
    fn text(&self, field: &str) -> &str {
        self.configuration["metadata"][field].as_str().unwrap_or_default()
    }

    /// The uid that the object must have; empty if any will do.
    pub(super) fn uid(&self) -> &str {
        self.text("uid")
    }

    /// Who owns the fields of a stored object. Owners that cannot be read are dropped, with a warning.
    pub(super) fn owners_of(&mut self, object: &dyn Reflect) -> Managers {
        let read = managed_fields::read(object);
        self.dropped = read.as_ref().err().map(|why| {
            format!("metadata.managedFields of the stored object cannot be read and is dropped: {why}")
        });
        read.unwrap_or_default()
    }

    /// Applies the configuration to an object, which is at the version of a kind.
    ///
    /// # Errors
    /// If others own what would change, or the configuration is none of the kind.
    pub(super) fn to(
        &mut self,
        objects: &Objects,
        (entry, part): (&Arc<KindEntry>, Part),
        write: &Write,
        object: Value,
        mut managers: Managers,
    ) -> Result<Applied, Error> {
        let api_version = entry.api_version();
        let written = Written {
            manager: &write.manager,
            api_version: &api_version,
            subresource: part.subresource(),
            now: objects.backing.environment.now(),
        };
        let application =
            Application { write: written, configuration: &self.configuration, force: self.force };
        let mut versions = KindVersions { objects, entry, part, found: BTreeMap::new() };
        let document = managers
            .apply(&application, &mut versions, &object)
            .map_err(|error| self.refused(entry, &object, error))?;
        match self.validation {
            FieldValidation::Strict if !self.repeated.is_empty() => {
                return Err(Error::Malformed(format!(
                    "error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
                    self.repeated.join("\n  ")
                )));
            }
            FieldValidation::Warn => self.warnings.clone_from(&self.repeated),
            FieldValidation::Strict | FieldValidation::Ignore => self.warnings.clear(),
        }
        self.warnings.extend(self.dropped.take());
        let is_changed = document.is_some();
        Ok(Applied { document: document.unwrap_or(object), is_changed, managers })
    }

    /// The error of upstream.
    fn refused(&self, entry: &KindEntry, object: &Value, error: ApplyError<NoOwners>) -> Error {
        let told = error.to_string();
        let told = cut(&told, MAX_SHOWN);
        Error::Unapplied(match error {
            ApplyError::Conflicts(conflicts) => return Error::Owned(conflicts),
            ApplyError::Live(_) => {
                format!("failed to create typed live object ({}): {told}", named(entry, object))
            }
            ApplyError::Invalid(_) => {
                format!("failed to create typed patch object ({}): {told}", self.named(entry))
            }
            ApplyError::Unowned(_) => format!(
                "failed to create manager for existing fields: failed to convert new object ({}) to smd typed: {told}",
                named(entry, object)
            ),
            error => error.to_string(),
        })
    }

    /// The object of the configuration as upstream names it in errors.
    pub(super) fn named(&self, entry: &KindEntry) -> String {
        named(entry, &self.configuration)
    }
}

/// An object as upstream names it in errors: its namespace, its name, and its kind.
fn named(entry: &KindEntry, object: &Value) -> String {
    let KindEntry { group, version, kind, .. } = entry;
    let text = |member: &str| object["metadata"][member].as_str().unwrap_or_default();
    format!("{}/{}; {group}/{version}, Kind={kind}", text("namespace"), text("name"))
}

/// A configuration of any kind.
fn configuration(value: Value) -> Result<Value, Error> {
    let what = match value {
        Value::Object(_) => return Ok(value),
        Value::Null => return Ok(Value::Object(serde_json::Map::new())),
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
    };
    Err(Error::Malformed(format!(
        "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {what} into Go value of \
         type map[string]interface {{}}"
    )))
}

/// Checks that a configuration is of a kind, and has no owners.
fn check(entry: &KindEntry, configuration: &Value) -> Result<(), Error> {
    let text = |name: &str| configuration[name].as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    if api_version.strip_prefix('/').unwrap_or(api_version) != entry.api_version() || kind != entry.kind {
        let named = match api_version.split('/').collect::<Vec<_>>()[..] {
            ["", ""] | [""] => format!("/, Kind={kind}"),
            [version] | ["", version] => format!("/{version}, Kind={kind}"),
            [group, version] => format!("{group}/{version}, Kind={kind}"),
            _ => "/, Kind=".to_owned(),
        };
        return Err(Error::Malformed(format!("invalid object type: {named}")));
    }
    if configuration["metadata"]["managedFields"].is_array() {
        return Err(Error::Malformed("metadata.managedFields must be nil".to_owned()));
    }
    Ok(())
}

/// The versions of a kind, with objects in JSON, which are converted without decoding them.
struct KindVersions<'a> {
    objects: &'a Objects,
    /// The kind at the version of the request.
    entry: &'a Arc<KindEntry>,
    part: Part,
    found: BTreeMap<String, Option<Rc<Kind>>>,
}

impl KindVersions<'_> {
    fn made(&self, api_version: &str) -> Option<Kind> {
        let entry = version_of(&self.objects.catalog, self.entry, api_version)?;
        let empty = document_of(&Object::new(entry)).ok()?;
        Some(Kind { of: entry.shape(), empty, reset: reset(entry, self.part) })
    }
}

impl Kinds for KindVersions<'_> {
    type Error = NoOwners;

    fn kind(&mut self, api_version: &str) -> Option<Rc<Kind>> {
        if let Some(found) = self.found.get(api_version) {
            return found.clone();
        }
        let kind = self.made(api_version).map(Rc::new);
        self.found.insert(api_version.to_owned(), kind.clone());
        kind
    }

    fn convert(&mut self, object: &Value, from: &str, to: &str) -> Result<Value, NoOwners> {
        let wrong = |error: &dyn std::fmt::Display| {
            NoOwners::new(format!("failed to convert from {from} to {to}: {error}"))
        };
        let entry = version_of(&self.objects.catalog, self.entry, to)
            .ok_or_else(|| wrong(&"there is no such version"))?;
        let json = self.objects.catalog.scheme.convert_json(object.to_string().as_bytes(), entry);
        let json = json.map_err(|error| wrong(&error))?;
        Raw::new(&json).and_then(|json| json.to_value()).map_err(|error| wrong(&error))
    }
}
