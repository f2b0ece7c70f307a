use thiserror::Error;

/// Why the fields of an object cannot be told apart.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}: {why}")]
pub struct TypedError {
    /// The path of the list, and of its item: `.spec.ports[0]`.
    pub path: String,
    /// What is wrong with the item.
    pub why: ItemError,
}

/// What is wrong with the item of a list.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ItemError {
    /// The items have keys, so they must be objects.
    #[error("associative list with keys may not have non-map elements")]
    NoObject,
    /// The items have keys, and this one has none of them.
    #[error("associative list with keys has an element that omits all key fields {0:?}")]
    NoKeys(Vec<String>),
    /// The items are told apart by their values, so they must be scalars.
    #[error("associative list without keys has an element that is no scalar")]
    NoScalar,
    /// Two items are the same.
    #[error("duplicate entries for key {0}")]
    Duplicate(String),
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
