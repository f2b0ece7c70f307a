//! Kinds whose objects no type describes.

use std::any::Any;

use crate::convert::ConvertError;
use crate::json::{self, Decoded};
use crate::reflect::{Described, Reflect};
use crate::tree::Tree;

/// What a Scheme does with the objects of a kind, at one version, whose fields no type has: they are JSON, and a schema that
/// came at run time says what they may contain. An API server takes custom resources so.
///
/// All versions of such a kind have one type, so that an object becomes one of another version without being copied. Where
/// an entry has this, its [`conversion`](super::KindEntry::conversion) does not count.
pub trait Untyped: Any + Send + Sync {
    /// Whether clients can name the kind at this version. Objects that are stored at one that they cannot name are still read.
    fn is_served(&self) -> bool;

    /// A type with the fields of the schema. No object has it: it tells how fields are owned, and how lists are merged.
    fn shape(&self) -> Described;

    /// Reads an object, as whoever serves it reads what a client or the store has: without the fields that the schema does
    /// not know, which are told, and with the defaults.
    ///
    /// # Errors
    /// When the bytes are not JSON, or when what all objects have is not as in all objects: kind, version and metadata.
    fn read(&self, json: &[u8]) -> Result<(Box<dyn Reflect>, Decoded), json::Error>;

    /// Reads what a configuration that is applied has made of an object: as [`read`](Self::read), but nulls that the schema does
    /// not allow stay, so that validation finds them.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_applied(&self, json: &[u8]) -> Result<(Box<dyn Reflect>, Decoded), json::Error> {
        self.read(json)
    }

    /// Makes an object of this version of one of another version of the kind, `from`.
    ///
    /// # Errors
    /// When it cannot be converted.
    fn convert(&self, object: Box<dyn Reflect>, from: &str) -> Result<Box<dyn Reflect>, ConvertError>;

    /// Does the same with the JSON of an object, which may be partial. `apiVersion` is set afterwards.
    ///
    /// # Errors
    /// As [`convert`](Self::convert).
    fn convert_tree(&self, object: &mut Tree<'_>, from: &str) -> Result<(), ConvertError>;
}
