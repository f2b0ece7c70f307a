//! A version whose JSON converts without being decoded, tested by the same laws as its typed objects.

mod agreement;
mod complete;
mod partial;

use hubgen_machinery::convert::{Canonical, ConvertError, STASH, ViaHub};
use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::SchemeError;
use hubgen_machinery::tree::Tree;
use hubgen_machinery::tree::inside::{Empty, Side};
use serde_json::{Map, Value};

pub(super) use self::agreement::agrees;
pub(super) use self::complete::{an_edit_wins, comes_back, hub_survives};
pub(super) use self::partial::gains_nothing;
use super::{AnyObject, Convertible, Stop};
use crate::Violations;
use crate::objects::Source;

/// A version that converts the JSON of its objects.
pub(super) struct Undecoded<'a> {
    version: &'a dyn Convertible,
    side: Side<'a>,
    empty: AnyObject,
    empty_hub: AnyObject,
}

impl<'a> Undecoded<'a> {
    /// `None` if a rule of the version needs typed objects.
    pub(super) fn new(version: &'a dyn Convertible) -> Option<Self> {
        let side = Side::new(version.via_hub()?, Empty::Made(version.empty()))?;
        let empty_hub = side.empty_hub().expect("an empty object has no string value to refuse");
        Some(Self { version, side, empty: version.empty(), empty_hub })
    }

    fn to_hub_json(&self, object: &Value) -> Result<Value, SchemeError> {
        let json = object.to_string();
        let mut tree = Tree::new(json.as_bytes())?;
        self.side.to_hub(&mut tree)?;
        let mut hub = value(&tree);
        match self.empty_hub.descriptor().type_meta() {
            None if self.empty.descriptor().type_meta().is_some() => remove_label(&mut hub),
            meta => set_label(&mut hub, meta),
        }
        Ok(hub)
    }

    fn from_hub_json(&self, hub: &[u8]) -> Result<Value, SchemeError> {
        let mut tree = Tree::new(hub)?;
        self.side.from_hub(&mut tree)?;
        Ok(self.labelled(&tree))
    }

    fn convert_json(&self, object: &Value, to: &Self) -> Result<Value, SchemeError> {
        let json = object.to_string();
        let mut tree = Tree::new(json.as_bytes())?;
        self.side.to_hub(&mut tree)?;
        to.side.from_hub(&mut tree)?;
        Ok(to.labelled(&tree))
    }

    /// An object of the version. Conversions leave `apiVersion` to the Scheme, and people who read an object that a law
    /// prints must see at which version it is.
    fn labelled(&self, tree: &Tree<'_>) -> Value {
        let mut object = value(tree);
        set_label(&mut object, self.empty.descriptor().type_meta());
        object
    }
}

fn set_label(object: &mut Value, meta: Option<TypeMeta<'_>>) {
    if let (Value::Object(members), Some(TypeMeta { api_version, kind })) = (object, meta) {
        members.insert("apiVersion".to_owned(), api_version.into());
        members.insert("kind".to_owned(), kind.into());
    }
}

/// A hub that is no version's type has no name.
fn remove_label(hub: &mut Value) {
    if let Value::Object(members) = hub {
        members.remove("apiVersion");
        members.remove("kind");
    }
}

impl Convertible for Undecoded<'_> {
    fn empty(&self) -> AnyObject {
        self.version.empty()
    }

    fn try_to_hub(&self, object: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let json = encoded(object)?;
        let mut tree = Tree::new(&json).map_err(|error| convert_error(error.into()))?;
        self.side.to_hub(&mut tree).map_err(convert_error)?;
        decoded(self.side.empty_hub()?, &tree)
    }

    fn try_from_hub(&self, hub: &dyn Reflect) -> Result<AnyObject, ConvertError> {
        let json = encoded(hub)?;
        let mut tree = Tree::new(&json).map_err(|error| convert_error(error.into()))?;
        self.side.from_hub(&mut tree).map_err(convert_error)?;
        decoded(self.empty(), &tree)
    }

    fn generate(&self, source: &mut Source<'_>) -> AnyObject {
        self.version.generate(source)
    }

    fn generate_json(&self, source: &mut Source<'_>) -> Value {
        self.version.generate_json(source)
    }

    fn canonical(&self) -> Vec<Canonical> {
        self.version.canonical()
    }

    fn via_hub(&self) -> Option<&ViaHub> {
        self.version.via_hub()
    }
}

fn encoded(object: &dyn Reflect) -> Result<Vec<u8>, ConvertError> {
    json::encode(object).map_err(|error| convert_error(error.into()))
}

fn decoded(mut object: AnyObject, tree: &Tree<'_>) -> Result<AnyObject, ConvertError> {
    json::decode_into(&tree.to_json(), &mut *object).map_err(|error| convert_error(error.into()))?;
    Ok(object)
}

fn convert_error(error: SchemeError) -> ConvertError {
    match error {
        SchemeError::Convert(error) => error,
        error => ConvertError::Unfit { path: String::new(), message: error.to_string() },
    }
}

/// An object of the version: generated as it is, or from another version or the hub, so that it has an annotation.
fn whole(versions: &[Undecoded<'_>], index: usize, source: &mut Source<'_>) -> Result<Value, Stop> {
    let version = &versions[index];
    Ok(match source.below(3) {
        0 => version.generate_json(source),
        1 => {
            let hub = json::encode(&*version.generate_hub(source)).map_err(|error| error.to_string())?;
            version.from_hub_json(&hub)?
        }
        _ => {
            let other = &versions[source.below(versions.len())];
            other.convert_json(&other.generate_json(source), version)?
        }
    })
}

fn value(tree: &Tree<'_>) -> Value {
    serde_json::from_slice(&tree.to_json()).expect("a tree is JSON")
}

fn annotations(object: &mut Value) -> Option<&mut Map<String, Value>> {
    let metadata = object.as_object_mut()?.entry("metadata").or_insert_with(|| Map::new().into());
    if metadata.is_null() {
        *metadata = Map::new().into();
    }
    let annotations = metadata.as_object_mut()?.entry("annotations").or_insert_with(|| Map::new().into());
    if annotations.is_null() {
        *annotations = Map::new().into();
    }
    annotations.as_object_mut()
}

fn stash(object: &Value) -> Option<String> {
    object.pointer("/metadata/annotations")?.get(STASH)?.as_str().map(str::to_owned)
}

fn set_stash(object: &mut Value, stash: &str) {
    if let Some(annotations) = annotations(object) {
        annotations.insert(STASH.to_owned(), stash.into());
    }
}

fn without_stash(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(metadata) = metadata
        && let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut)
        && annotations.remove(STASH).is_some()
        && annotations.is_empty()
    {
        metadata.remove("annotations");
    }
    object
}

/// The JSON of a typed object.
fn json_of(object: &dyn Reflect) -> Result<Value, Violations> {
    let text = json::encode(object).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string().into())
}

/// Whether a typed object writes members that its JSON did not have.
fn lacks_required(json: &Value, typed: &dyn Reflect) -> Result<bool, Violations> {
    Ok(lacks(json, &json_of(typed)?))
}

/// Whether JSON lacks members that the other has. Metadata is the same at every version.
fn lacks(json: &Value, typed: &Value) -> bool {
    match (json, typed) {
        (Value::Object(json), Value::Object(typed)) => typed
            .iter()
            .filter(|(name, _)| *name != "metadata")
            .any(|(name, typed)| json.get(name).is_none_or(|json| lacks(json, typed))),
        (Value::Array(json), Value::Array(typed)) => {
            json.iter().zip(typed).any(|(json, typed)| lacks(json, typed))
        }
        // A typed object has one where the JSON has `null`.
        (Value::Null, Value::Object(typed)) => !typed.is_empty(),
        _ => false,
    }
}

/// Whether a value is empty.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        // The quantity of zero is a text.
        Value::String(text) => text.is_empty() || text == "0",
        Value::Array(elements) => elements.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Version;
    use super::*;
    use hubgen_machinery::ApiType;
    use hubgen_machinery::convert::{Convert, ConvertError};
    use hubgen_machinery::reflect::{Held, Text};
    use hubgen_machinery::tree::{Change, CompiledEdits, Edit, Edits, Path, VersionEdits};

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1beta1", kind = "Box")]
    struct Old {
        size: i32,
    }

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Box", storage)]
    struct New {
        width: i32,
    }

    /// A field has another name.
    const fn moved(from: &'static [&'static str], to: &'static [&'static str]) -> Edit {
        Edit::Move { from: Path::of(from), to: Path::of(to), change: Change::Same }
    }

    const fn edits(edits: &'static [Edit]) -> Edits {
        Edits {
            name: Text::Static("Box"),
            strangers: Held::Static(&[]),
            refuses: false,
            drops: Held::Static(&[]),
            edits: Held::Static(edits),
        }
    }

    static TO_HUB: [Edit; 1] = [moved(&["size"], &["width"])];
    static FROM_HUB: [Edit; 1] = [moved(&["width"], &["size"])];
    static PAIRS: [[Edits; 1]; 2] = [[edits(&TO_HUB)], [edits(&FROM_HUB)]];
    static EDITS: VersionEdits = VersionEdits {
        to_hub: Held::Static(&PAIRS[0]),
        from_hub: Held::Static(&PAIRS[1]),
        exact: true,
        expected_to_hub: Held::Static(&[]),
        expected_from_hub: Held::Static(&[]),
    };

    impl Convert for Old {
        type Hub = New;
        const JSON: Option<CompiledEdits> = Some(CompiledEdits::of(&EDITS));

        fn to_hub(self) -> New {
            New { width: self.size }
        }

        fn from_hub(hub: New) -> Result<Self, ConvertError> {
            Ok(Self { size: hub.width })
        }
    }

    impl Convert for New {
        type Hub = Self;
        const JSON: Option<CompiledEdits> = Some(CompiledEdits::HUB);

        fn to_hub(self) -> Self {
            self
        }

        fn from_hub(hub: Self) -> Result<Self, ConvertError> {
            Ok(hub)
        }
    }

    #[test]
    fn objects_have_the_name_of_the_version_they_are_at() {
        let versions = [Version::of::<Old>(), Version::of::<New>()];
        let [old, new] = versions.each_ref().map(|version| Undecoded::new(version).unwrap());
        let at_old = json!({"apiVersion": "example.com/v1beta1", "kind": "Box", "size": 3});
        let at_new = json!({"apiVersion": "example.com/v1", "kind": "Box", "width": 3});
        assert_eq!(old.to_hub_json(&at_old).unwrap(), at_new);
        assert_eq!(old.from_hub_json(at_new.to_string().as_bytes()).unwrap(), at_old);
        assert_eq!(old.convert_json(&at_old, &new).unwrap(), at_new);
        assert_eq!(new.convert_json(&at_new, &old).unwrap(), at_old);
    }
}
