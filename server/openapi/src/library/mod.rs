//! The distilled schemas, as they are published.
//!
//! A distilled document has the types of one group version, with facts that only hubgen needs. Here its references
//! become names, its facts those that clients know, and what the release does not have is left out.

mod render;
mod scalars;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use self::scalars::Scalar;
use crate::names;
use crate::release::Release;

/// All types of the distilled schemas. Each is read when it is needed: as values, all of them would take many times the
/// memory of their text.
#[derive(Default)]
pub(crate) struct Library {
    /// By their place: `apps/v1`, `core/v1`.
    files: HashMap<&'static str, File>,
    /// Where the type of a published name is: place and name.
    types: HashMap<String, (&'static str, &'static str)>,
    /// The published name of the type of a group, version and kind.
    kinds: HashMap<Kind, String>,
    /// Published names of types whose values are replaced as a whole, wherever they are.
    atomic: HashSet<String>,
    release: Option<Release>,
}

/// Group, version and kind. The group of `core` has no name.
type Kind = (String, String, String);

/// One distilled document.
struct File {
    group: &'static str,
    version: &'static str,
    /// The last release of the group version, if it ended.
    until: Option<Release>,
    schemas: BTreeMap<&'static str, &'static RawValue>,
}

/// The parts of a distilled document.
#[derive(Deserialize)]
struct Document<'a> {
    info: DocumentInfo,
    #[serde(borrow)]
    components: DocumentComponents<'a>,
}

#[derive(Deserialize)]
struct DocumentInfo {
    #[serde(rename = "x-until")]
    until: Option<String>,
}

#[derive(Deserialize)]
struct DocumentComponents<'a> {
    #[serde(borrow)]
    schemas: BTreeMap<&'a str, &'a RawValue>,
}

/// A distilled document that cannot be read.
#[derive(Debug)]
pub struct InvalidSchemas {
    path: String,
    why: String,
}

impl fmt::Display for InvalidSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.why)
    }
}

impl std::error::Error for InvalidSchemas {}

impl Library {
    /// Reads the documents `<group>/<version>.json` among files, as of a release; the newest without one.
    ///
    /// # Errors
    /// If one is not a distilled document.
    pub(crate) fn read(
        files: &[(&'static str, &'static str)],
        release: Option<Release>,
    ) -> Result<Self, InvalidSchemas> {
        let mut library = Self { release, ..Self::default() };
        for (path, text) in files {
            let Some(place) = path.strip_suffix(".json") else { continue };
            let invalid = |why: String| InvalidSchemas { path: (*path).to_owned(), why };
            let (group, version) =
                place.split_once('/').ok_or_else(|| invalid("is not <group>/<version>.json".to_owned()))?;
            let Document::<'static> { info, components } =
                serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
            let until = info.until.as_deref().map(str::parse).transpose();
            let until = until.map_err(|error| invalid(format!("{error}")))?;
            library.add(place, File { group, version, until, schemas: components.schemas });
        }
        Ok(library)
    }

    fn add(&mut self, place: &'static str, file: File) {
        for (name, text) in &file.schemas {
            let (published, schema) = (names::of_archive(file.group, file.version, name), value(text));
            for kind in kinds(&schema) {
                // A kind is named by one type; the one of its own group version, if another one has it, too.
                if kind.2 == *name || !self.kinds.contains_key(&kind) {
                    self.kinds.insert(kind, published.clone());
                }
            }
            self.atomic.extend(render::atomic(&file, &schema));
            self.types.insert(published, (place, name));
        }
        self.files.insert(place, file);
    }

    /// The published name of a kind.
    pub(crate) fn kind(&self, group: &str, version: &str, kind: &str) -> Option<&str> {
        self.kinds.get(&(group.to_owned(), version.to_owned(), kind.to_owned())).map(String::as_str)
    }

    /// The published schema of a name, with references to others; `None` if no type has the name. `of` are the group
    /// versions that the document is about.
    pub(crate) fn schema(&self, name: &str, of: &[(&str, &str)]) -> Option<Value> {
        if let Some(scalar) = Scalar::named(name) {
            return Some(scalar.schema());
        }
        if let Some((place, name)) = self.types.get(name) {
            let file = &self.files[place];
            return Some(render::Renderer::new(self, file).type_of(name, &value(file.schemas[name]), of));
        }
        // Values of one of two forms, and JSON of any form, which OpenAPI cannot describe.
        let (_, last) = name.rsplit_once('.')?;
        (last == "JSON" || last.contains("Or")).then(|| Value::Object(Map::new()))
    }

    /// The key of a type's descriptions: `core/v1 Pod`.
    pub(crate) fn key(&self, name: &str) -> Option<String> {
        self.types.get(name).map(|(place, name)| format!("{place} {name}"))
    }
}

/// Adds the descriptions of a type and of its fields to its schema.
pub(crate) fn describe(schema: &mut Value, descriptions: &BTreeMap<String, String>) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(text) = descriptions.get("") {
        members.insert("description".to_owned(), text.clone().into());
    }
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let (Some(property), Some(text)) = (property.as_object_mut(), descriptions.get(name)) {
            property.insert("description".to_owned(), text.clone().into());
        }
    }
}

/// A type as a value. Its text was checked when the document was read.
fn value(text: &RawValue) -> Value {
    serde_json::from_str(text.get()).unwrap_or_default()
}

/// Every group, version and kind under which clients may send a type.
fn kinds(schema: &Value) -> impl Iterator<Item = Kind> {
    let kinds = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
    kinds.into_iter().flatten().map(|kind| {
        let part = |name: &str| kind.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        (part("group"), part("version"), part("kind"))
    })
}
