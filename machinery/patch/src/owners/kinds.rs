use std::rc::Rc;

use hubgen_machinery::reflect::Described;
use serde_json::Value;

use crate::fields::Set;
use crate::typed::TypedError;

/// A version of a kind.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The type.
    pub of: Described,
    /// An object without values.
    pub empty: Value,
    /// The fields that a write leaves as they are, whatever the client sends: the status, if the object itself is written.
    pub reset: Set,
}

/// The versions of a kind.
pub trait Kinds {
    /// Why an object cannot be had at a version.
    type Error: From<TypedError>;

    /// The kind at a version; `None` if there is no such version.
    fn kind(&mut self, api_version: &str) -> Option<Rc<Kind>>;

    /// Converts an object, which may be a part of one: what it does not have must not appear.
    ///
    /// # Errors
    /// If it does not convert.
    fn convert(&mut self, object: &Value, from: &str, to: &str) -> Result<Value, Self::Error>;
}
