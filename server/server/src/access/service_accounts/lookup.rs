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

/// An object, perhaps after a while; `None` if there is none.
pub(crate) type LookupResult<'a> = Pin<Box<dyn Future<Output = Option<Known>> + Send + 'a>>;

/// Finds objects of the core group.
pub(crate) trait Lookup: Send + Sync {
    /// The object of a resource, such as `pods`. The namespace is empty for resources without namespaces.
    fn find<'a>(&'a self, plural: &'a str, namespace: &'a str, name: &'a str) -> LookupResult<'a>;
}
