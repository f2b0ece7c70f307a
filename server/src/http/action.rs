//! What a request wants done with a resource.

use axum::http::Method;

/// What a request wants done, with the name of the object where it is about one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Create,
    List,
    Watch,
    DeleteCollection,
    Get(String),
    Update(String),
    Delete(String),
}

impl Action {
    /// From the method and what the path names. `in_one_place` says that the path is no collection
    /// over all namespaces, which can only be read.
    pub(super) fn of(method: &Method, in_one_place: bool, name: Option<String>, watch: bool) -> Option<Self> {
        Some(match (method, name) {
            (&Method::GET, None) if watch => Self::Watch,
            (&Method::GET, None) => Self::List,
            (&Method::GET, Some(name)) => Self::Get(name),
            (&Method::POST, None) if in_one_place => Self::Create,
            (&Method::PUT, Some(name)) => Self::Update(name),
            (&Method::DELETE, None) if in_one_place => Self::DeleteCollection,
            (&Method::DELETE, Some(name)) => Self::Delete(name),
            _ => return None,
        })
    }

    /// As discovery names it.
    pub(super) fn verb(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::List => "list",
            Self::Watch => "watch",
            Self::DeleteCollection => "deletecollection",
            Self::Get(_) => "get",
            Self::Update(_) => "update",
            Self::Delete(_) => "delete",
        }
    }
}
