//! What a version of a definition does with objects.

use std::any::Any;
use std::sync::Arc;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json::{self, Decoded, Error, Lexer, MAX_PATHS, Raw, read_value};
use hubgen_machinery::reflect::{Described, Reflect, TypeMeta, boxed};
use hubgen_machinery::scheme::{KindEntry, Untyped};
use hubgen_machinery::tree::Tree;
use hubgen_validation::Schema;
use hubgen_validation::definition::Scale;
use serde_json::Value;

use crate::object::CustomObject;
use crate::schema::CompiledSchema;
use crate::strategy::Strategy;

/// A kind at one version, as its definition has it.
pub struct Version {
    /// `shop.example.com/v1`.
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) schema: Arc<CompiledSchema>,
    pub(crate) strategy: Strategy,
    /// Whether members that the schema does not know are kept, wherever they are.
    pub(crate) preserves: bool,
    pub(crate) is_served: bool,
    pub(crate) is_terminating: bool,
    pub(crate) scale: Option<Scale>,
}

impl Version {
    /// The version behind an entry of a Scheme; `None` if no definition has made it.
    pub fn of(entry: &KindEntry) -> Option<&Self> {
        let untyped: &dyn Any = &**entry.untyped.as_ref()?;
        untyped.downcast_ref()
    }

    /// What validates objects.
    pub fn schema(&self) -> &Schema {
        self.schema.schema()
    }

    /// Whether the definition is being deleted, so that no object can be created any more.
    pub fn is_terminating(&self) -> bool {
        self.is_terminating
    }

    /// Where the objects have their numbers of replicas, if there is a subresource for them.
    pub fn scale(&self) -> Option<&Scale> {
        self.scale.as_ref()
    }

    /// Drops what the schema does not know, and nulls that it does not allow. Returns the paths of the former.
    fn coerce(&self, document: &mut Value) -> Vec<String> {
        if self.preserves {
            return Vec::new();
        }
        let unknown = self.schema().prune(document);
        self.schema().drop_nulls(document);
        unknown
    }
}

impl Untyped for Version {
    fn is_served(&self) -> bool {
        self.is_served
    }

    fn shape(&self) -> Described {
        self.schema.shape()
    }

    fn read(&self, bytes: &[u8]) -> Result<(Box<dyn Reflect>, Decoded), Error> {
        let mut notes = json::type_meta(bytes)?;
        let mut document = read_value(&mut Lexer::new(bytes)?)?;
        let is_own = |found: &str, own: &str| found.is_empty() || found == own;
        if !is_own(&notes.kind, &self.kind) || !is_own(&notes.api_version, &self.api_version) {
            // As upstream, the schema of the kind has no effect on an object that says to be something else.
            let Value::Object(members) = document else { unreachable!("it has a kind") };
            return Ok((put(CustomObject::of(members)?), notes));
        }
        let mut unknown = self.coerce(&mut document);
        notes.more_unknown = unknown.len().saturating_sub(MAX_PATHS);
        unknown.truncate(MAX_PATHS);
        notes.unknown = unknown;
        self.schema().set_defaults(&mut document);
        let Value::Object(members) = document else { unreachable!("it has a kind") };
        Ok((put(CustomObject::of(members)?), notes))
    }

    fn convert(&self, mut object: Box<dyn Reflect>, from: &str) -> Result<Box<dyn Reflect>, ConvertError> {
        let custom = object.downcast_mut::<CustomObject>().expect("versions of a definition have one type");
        match &self.strategy {
            Strategy::Same => {
                let mut document = Value::Object(custom.take().map_err(unfit)?);
                self.coerce(&mut document);
                let Value::Object(members) = document else { unreachable!("it was an object") };
                for (name, value) in members {
                    custom.set(&name, value.into());
                }
                Ok(object)
            }
            Strategy::By(converter) => {
                let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
                let api_version = format!("{group}/{from}");
                let mut json = Vec::new();
                let name = TypeMeta { api_version: &api_version, kind: &self.kind };
                json::encode_into(&*object, Some(name), &mut json).map_err(ConvertError::NotJson)?;
                let document = Raw::new(&json).and_then(|json| json.to_value()).map_err(unfit)?;
                let mut document = converter.convert(document, &self.api_version)?;
                self.coerce(&mut document);
                let Value::Object(members) = document else {
                    return Err(ConvertError::Unfit {
                        path: String::new(),
                        message: "expected an object".to_owned(),
                    });
                };
                Ok(put(CustomObject::of(members).map_err(unfit)?))
            }
        }
    }

    /// As upstream, nothing is dropped: this is for fields that somebody owns.
    fn convert_tree(&self, object: &mut Tree<'_>, _: &str) -> Result<(), ConvertError> {
        if let Strategy::By(converter) = &self.strategy {
            let document = Raw::new(&object.to_json()).and_then(|json| json.to_value()).map_err(unfit)?;
            let document = converter.convert(document, &self.api_version)?;
            *object = Tree::new(document.to_string().as_bytes()).map_err(unfit)?.into_owned();
        }
        Ok(())
    }
}

/// JSON that does not become an object.
fn unfit(error: Error) -> ConvertError {
    ConvertError::Unfit { path: error.path().to_owned(), message: error.message().to_owned() }
}

fn put(object: CustomObject) -> Box<dyn Reflect> {
    let mut boxed = boxed::<CustomObject>();
    *boxed.downcast_mut().expect("it was made with this type") = object;
    boxed
}
