//! The objects without which a token is worth nothing.

use std::pin::Pin;

use hubgen_machinery::scalar::Time;

/// An object, as far as tokens depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) uid: String,
    /// When it was deleted, if it waits for its end.
    pub(crate) deleted: Option<Time>,
}

/// A Secret, as far as the token in it depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) token: Vec<u8>,
    pub(crate) is_being_deleted: bool,
    /// Whether somebody has marked the token as not valid.
    pub(crate) is_invalid: bool,
}

/// An object, perhaps after a while; `None` if there is none.
pub(crate) type LookupResult<'a> = Pin<Box<dyn Future<Output = Option<Known>> + Send + 'a>>;

/// A Secret, perhaps after a while; `None` if there is none.
pub(crate) type HeldResult<'a> = Pin<Box<dyn Future<Output = Option<Held>> + Send + 'a>>;

/// Finds objects of the core group.
pub(crate) trait Lookup: Send + Sync {
    /// The object of a resource, such as `pods`. The namespace is empty for resources without namespaces.
    fn find<'a>(&'a self, plural: &'a str, namespace: &'a str, name: &'a str) -> LookupResult<'a>;

    /// The token that a Secret holds.
    fn held<'a>(&'a self, namespace: &'a str, name: &'a str) -> HeldResult<'a>;
}
