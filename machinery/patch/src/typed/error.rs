use thiserror::Error;

/// Why the fields of an object cannot be told apart, or are none of its type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}: {why}")]
pub struct TypedError {
    /// The path of the list, and of its item: `.spec.ports[0]`.
    pub path: String,
    /// What is wrong with the value.
    pub why: ItemError,
}

/// What is wrong with a value, or with the item of a list. The messages are upstream's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ItemError {
    /// The items have keys, so they must be objects.
    #[error("associative list with keys may not have non-map elements")]
    NoObject,
    /// The items have keys, so none can be `null`.
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    /// The items have keys, and this one has none of them.
    #[error(
        "associative list with keys has an element that omits all key fields {} (and doesn't have default values for any key \
         fields)",
        quoted(.0)
    )]
    NoKeys(Vec<String>),
    /// The items are told apart by their values, so they must be scalars, and this one is an object.
    #[error("associative list without keys has an element that's a map type")]
    ObjectInSet,
    /// The items are told apart by their values, and this one is a list.
    #[error("not supported: associative list with lists as elements")]
    ListInSet,
    /// The items are told apart by their values, and this one is `null`.
    #[error("associative list without keys has an element that's an explicit null")]
    NullInSet,
    /// Two items are the same.
    #[error("duplicate entries for key {0}")]
    Duplicate(String),
    /// What is wrong with the item at an index.
    #[error("element {0}: {1}")]
    At(usize, Box<Self>),
    /// The type has no such field.
    #[error("field not declared in schema")]
    Unknown,
    /// It should be an object.
    #[error("expected map, got {0}")]
    NoMap(String),
    /// It should be a list.
    #[error("expected list, got {0}")]
    NoList(String),
    /// It should be a text.
    #[error("expected string, got {0}")]
    NoText(String),
    /// It should be a number.
    #[error("expected numeric (int or float), got {0}")]
    NoNumber(String),
    /// It should be a boolean.
    #[error("expected boolean, got {0}")]
    NoBool(String),
    /// It should be a scalar.
    #[error("expected any scalar, got {0}")]
    NotScalar(String),
}

fn quoted(keys: &[String]) -> String {
    let keys: Vec<String> = keys.iter().map(|key| format!("{key:?}")).collect();
    format!("[{}]", keys.join(" "))
}

impl TypedError {
    /// The error of an item, whose path is completed on the way out.
    pub(super) fn of(index: usize, why: ItemError) -> Self {
        Self { path: format!("[{index}]"), why }
    }

    /// The error with what is before its path.
    pub(super) fn behind(mut self, element: &dyn std::fmt::Display) -> Self {
        self.path.insert_str(0, &element.to_string());
        self
    }
}
