//! What a schema specifies about a value beyond its type.

use serde_json::{Map, Value};

/// What a published schema specifies about one value beyond its type: limits, patterns, rules,
/// titles. Fields have facts, and so have the items of lists and the values of maps.
///
/// Only types that were read from CustomResourceDefinitions have these. A fact that [`crate::Field`]
/// has a member for is not repeated here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// The keywords of OpenAPI with their values, as published. `format: null` means that the
    /// published schema has no format, although the type implies one.
    pub keywords: Map<String, Value>,
    /// The facts of the items of a list, or of the values of a map.
    pub inner: Option<Box<Facts>>,
    /// The whole schema of the value, if type and facts do not reproduce it: the type is one of
    /// Kubernetes, is shared with a value that has other facts, or is raw JSON. Then there are no
    /// other facts.
    pub imported: Option<Value>,
}

impl Facts {
    /// Facts that consist of the whole schema.
    pub fn imported(schema: Value) -> Self {
        Self { imported: Some(schema), ..Self::default() }
    }

    /// Whether there are no facts.
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty() && self.inner.is_none() && self.imported.is_none()
    }

    /// The facts in the form in which fields and lists have them: `None` if there are none.
    pub fn boxed(self) -> Option<Box<Self>> {
        (!self.is_empty()).then(|| Box::new(self))
    }
}
