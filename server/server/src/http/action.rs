//! The action that a request performs on a resource.

use axum::http::Method;

/// The action of a request, with the object's name if the action is for one object.
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
    /// Derives the action from the method and the path. `all_namespaces` is set if the path is a
    /// collection over all namespaces, which is read-only.
    pub(super) fn of(
        method: &Method,
        all_namespaces: bool,
        name: Option<String>,
        watch: bool,
    ) -> Option<Self> {
        Some(match (method, name) {
            (&Method::GET, None) if watch => Self::Watch,
            (&Method::GET, None) => Self::List,
            (&Method::GET, Some(name)) => Self::Get(name),
            (&Method::POST, None) if !all_namespaces => Self::Create,
            (&Method::PUT, Some(name)) => Self::Update(name),
            (&Method::DELETE, None) if !all_namespaces => Self::DeleteCollection,
            (&Method::DELETE, Some(name)) => Self::Delete(name),
            _ => return None,
        })
    }

    /// The name of the action in discovery.
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
