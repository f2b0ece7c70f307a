//! What a version of a definition does with objects.

use std::any::Any;
use std::sync::Arc;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json::{self, Decoded, Error, Lexer, MAX_PATHS, Raw, read_value};
use hubgen_machinery::reflect::{Described, Reflect, TypeMeta, boxed};
use hubgen_machinery::scheme::{KindEntry, Object, Untyped};
use hubgen_machinery::tree::Tree;
use hubgen_validation::Schema;
use hubgen_validation::definition::Scale;
use serde_json::Value;

use crate::object::CustomObject;
use crate::schema::CompiledSchema;
use crate::strategy::{Strategy, document, unfit};

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

    /// How objects of other versions become those of this one.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// Makes objects of this version of those of others, as [`convert`](Untyped::convert) does; but whoever makes them is asked
    /// once. The results are in the order of the objects.
    pub fn convert_many(&self, objects: Vec<Object>) -> Vec<Result<Box<dyn Reflect>, ConvertError>> {
        let Strategy::By(converter) = &self.strategy else {
            let convert = |Object { entry, value }: Object| self.convert(value, &entry.version);
            return objects.into_iter().map(convert).collect();
        };
        let mut asked = Vec::with_capacity(objects.len());
        let mut read = |Object { entry, value }: Object| {
            let json = self.json(&*value, &entry.version)?;
            asked.push(Raw::new(&json).and_then(|json| json.to_value()).map_err(unfit)?);
            Ok(())
        };
        let read: Vec<Result<(), ConvertError>> = objects.into_iter().map(&mut read).collect();
        let mut converted = converter.convert_many(asked, &self.api_version).into_iter();
        let mut next = || converted.next().expect("each object has a result");
        read.into_iter().map(|read| read.and_then(|()| self.object(next()?))).collect()
    }

    /// An object of another version, `from`, as who converts it gets it.
    fn json(&self, object: &dyn Reflect, from: &str) -> Result<Vec<u8>, ConvertError> {
        let group = self.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let api_version = format!("{group}/{from}");
        let mut json = Vec::new();
        let name = TypeMeta { api_version: &api_version, kind: &self.kind };
        json::encode_into(object, Some(name), &mut json).map_err(ConvertError::NotJson)?;
        Ok(json)
    }

    /// The object of this version that somebody has made.
    fn object(&self, mut document: Value) -> Result<Box<dyn Reflect>, ConvertError> {
        self.coerce(&mut document, Nulls::Drop);
        let Value::Object(members) = document else {
            return Err(ConvertError::Unfit {
                path: String::new(),
                message: "expected an object".to_owned(),
            });
        };
        Ok(put(CustomObject::of(members).map_err(unfit)?))
    }

    /// Reads an object, with its defaults.
    fn read_and(&self, bytes: &[u8], nulls: Nulls) -> Result<(Box<dyn Reflect>, Decoded), Error> {
        let mut notes = json::type_meta(bytes)?;
        let mut document = read_value(&mut Lexer::new(bytes)?)?;
        let is_own = |found: &str, own: &str| found.is_empty() || found == own;
        if !is_own(&notes.kind, &self.kind) || !is_own(&notes.api_version, &self.api_version) {
            // As upstream, the schema of the kind has no effect on an object that claims to be something else.
            let Value::Object(members) = document else { unreachable!("it has a kind") };
            return Ok((put(CustomObject::of(members)?), notes));
        }
        let mut unknown = self.coerce(&mut document, nulls);
        notes.more_unknown = unknown.len().saturating_sub(MAX_PATHS);
        unknown.truncate(MAX_PATHS);
        notes.unknown = unknown;
        self.schema().set_defaults(&mut document);
        let Value::Object(members) = document else { unreachable!("it has a kind") };
        Ok((put(CustomObject::of(members)?), notes))
    }

    /// Drops what the schema does not know, and nulls that it does not allow. Returns the paths of the former.
    fn coerce(&self, document: &mut Value, nulls: Nulls) -> Vec<String> {
        if self.preserves {
            return Vec::new();
        }
        let unknown = self.schema().prune(document);
        if nulls == Nulls::Drop {
            self.schema().drop_nulls(document);
        }
        unknown
    }
}

/// What becomes of nulls that the schema does not allow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Drop,
    Keep,
}

impl Untyped for Version {
    fn is_served(&self) -> bool {
        self.is_served
    }

    fn shape(&self) -> Described {
        self.schema.shape()
    }

    fn read(&self, bytes: &[u8]) -> Result<(Box<dyn Reflect>, Decoded), Error> {
        self.read_and(bytes, Nulls::Drop)
    }

    fn read_applied(&self, bytes: &[u8]) -> Result<(Box<dyn Reflect>, Decoded), Error> {
        self.read_and(bytes, Nulls::Keep)
    }

    fn convert(&self, mut object: Box<dyn Reflect>, from: &str) -> Result<Box<dyn Reflect>, ConvertError> {
        match &self.strategy {
            Strategy::Same => {
                let custom =
                    object.downcast_mut::<CustomObject>().expect("versions of a definition have one type");
                let mut document = Value::Object(custom.take().map_err(unfit)?);
                self.coerce(&mut document, Nulls::Drop);
                let Value::Object(members) = document else { unreachable!("it was an object") };
                for (name, value) in members {
                    custom.set(&name, value.into());
                }
                Ok(object)
            }
            Strategy::By(converter) => {
                let json = self.json(&*object, from)?;
                let mut tree = Tree::new(&json).map_err(unfit)?;
                converter.convert_tree(&mut tree, &self.api_version)?;
                self.object(document(&tree)?)
            }
        }
    }

    /// As upstream, nothing is dropped: this is for fields that somebody owns.
    fn convert_tree(&self, object: &mut Tree<'_>, _: &str) -> Result<(), ConvertError> {
        if let Strategy::By(converter) = &self.strategy {
            converter.convert_tree(object, &self.api_version)?;
        }
        Ok(())
    }
}

fn put(object: CustomObject) -> Box<dyn Reflect> {
    let mut boxed = boxed::<CustomObject>();
    *boxed.downcast_mut().expect("it was made with this type") = object;
    boxed
}
