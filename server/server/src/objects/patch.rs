//! A patch: what it makes of an object in JSON, where a field that is absent and one with a zero differ.

use hubgen_machinery::json::Raw;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_patch::{JsonPatch, Limits, merge, strategic};
use serde_json::Value;

use super::duplicates::duplicates;
use super::error::Error;
use super::field_validation::FieldValidation;
use super::paths::Paths;

/// How a patch is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchFormat {
    /// Operations (RFC 6902).
    Json,
    /// Members that replace others (RFC 7386).
    Merge,
    /// A merge patch that knows the type.
    Strategic,
    /// A configuration, which is applied.
    Apply,
}

impl PatchFormat {
    /// All of them, in upstream's order.
    pub(crate) const ALL: [Self; 4] = [Self::Json, Self::Merge, Self::Strategic, Self::Apply];
    /// Those for objects of which nothing is known but a definition.
    const OF_DEFINED: [Self; 3] = [Self::Json, Self::Merge, Self::Apply];

    /// Those that objects of a kind take. Only types know how their lists are merged, and not definitions.
    pub(crate) fn of(entry: &KindEntry) -> &'static [Self] {
        let has_type = entry.untyped.is_none() && entry.descriptor().compiled().is_some();
        if has_type { &Self::ALL } else { &Self::OF_DEFINED }
    }

    /// The name of the media type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

/// A patch, whatever object it is applied to.
pub(crate) struct Patch {
    steps: Steps,
    pub(super) validation: FieldValidation,
    /// What is wrong with the patch as such: members that no operation has, and members that are there twice.
    pub(super) notes: Vec<String>,
    /// Messages about fields that the patched object should not have.
    pub(crate) warnings: Vec<String>,
}

enum Steps {
    Json(JsonPatch),
    Merge(Value),
    Strategic(Value),
}

impl Patch {
    /// Checks that the text of a patch is JSON.
    ///
    /// # Errors
    /// If it is not.
    pub(crate) fn check_is_json(bytes: &[u8]) -> Result<(), Error> {
        Raw::new(bytes).map(drop).map_err(|_| Error::Malformed("invalid JSON patch".to_owned()))
    }

    /// Reads a patch.
    ///
    /// # Errors
    /// If it is not JSON, or no patch.
    pub(crate) fn read(
        format: PatchFormat,
        bytes: &[u8],
        validation: FieldValidation,
    ) -> Result<Self, Error> {
        let malformed = |why: &str| Error::Malformed(why.to_owned());
        let invalid = |_| malformed("invalid JSON patch");
        let json = Raw::new(bytes).map_err(invalid)?;
        let value = json.to_value().map_err(invalid)?;
        let mut notes = Vec::new();
        let steps = match format {
            PatchFormat::Json => {
                let patch = JsonPatch::new(value)?;
                if validation != FieldValidation::Ignore {
                    let mut unknown = Paths::default();
                    patch.unknown().for_each(|path| unknown.add(&path));
                    notes.extend(unknown.messages("json patch unknown"));
                }
                Steps::Json(patch)
            }
            PatchFormat::Merge | PatchFormat::Strategic if !value.is_object() => {
                return Err(malformed("error decoding patch: expected an object"));
            }
            PatchFormat::Merge => Steps::Merge(value),
            PatchFormat::Strategic => Steps::Strategic(value),
            PatchFormat::Apply => unreachable!("a configuration is applied, and is no patch"),
        };
        if validation != FieldValidation::Ignore {
            let what = if format == PatchFormat::Json { "json patch duplicate" } else { "duplicate" };
            notes.extend(duplicates(json.as_str()).map_err(invalid)?.messages(what));
        }
        Ok(Self { steps, validation, notes, warnings: Vec::new() })
    }

    /// What the patch makes of an object at the version of the request.
    pub(super) fn applied(&self, object: &Object) -> Result<Value, Error> {
        let mut document = Raw::new(&object.encode()?).and_then(|json| json.to_value());
        let document = document.as_mut().map_err(|error| Error::Internal(error.to_string()))?;
        let mut document = document.take();
        match &self.steps {
            Steps::Json(patch) => document = patch.apply(document, &Limits::default())?,
            Steps::Merge(patch) => merge(&mut document, patch.clone()),
            Steps::Strategic(patch) => {
                document = strategic(document, patch.clone(), &object.value.descriptor().share())?;
                // Upstream has a struct here, whose kind no patch changes.
                if let (Value::Object(document), Some(of)) = (&mut document, object.entry.type_meta()) {
                    document.insert("apiVersion".to_owned(), of.api_version.into());
                    document.insert("kind".to_owned(), of.kind.into());
                }
            }
        }
        Ok(document)
    }
}

/// Patches are refused with the codes of upstream.
impl From<hubgen_patch::Error> for Error {
    fn from(error: hubgen_patch::Error) -> Self {
        match error {
            hubgen_patch::Error::Malformed(why) => Self::Malformed(why),
            error => Self::Inapplicable(error),
        }
    }
}
