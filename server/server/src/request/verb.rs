//! The verb of a request for a resource.

use axum::http::Method;

/// The verb of a request, with the object's name if it is for one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    /// Creates something for the object of this name, such as a token.
    CreateFor(String),
    List,
    Watch,
    DeleteCollection,
    Get(String),
    Update(String),
    Patch(String),
    Delete(String),
}

impl Verb {
    /// The verb of a method and a path. `all_namespaces` is set if the path is a collection over all namespaces, which
    /// is read-only; `for_object` if it is a path below an object.
    pub(super) fn for_method(
        method: &Method,
        all_namespaces: bool,
        for_object: bool,
        name: Option<String>,
        watch: bool,
    ) -> Option<Self> {
        Some(match (method, name) {
            (&Method::GET, None) if watch => Self::Watch,
            (&Method::GET, None) => Self::List,
            (&Method::GET, Some(name)) => Self::Get(name),
            (&Method::POST, None) if !all_namespaces => Self::Create,
            (&Method::POST, Some(name)) if for_object => Self::CreateFor(name),
            (&Method::PUT, Some(name)) => Self::Update(name),
            (&Method::PATCH, Some(name)) => Self::Patch(name),
            (&Method::DELETE, None) if !all_namespaces => Self::DeleteCollection,
            (&Method::DELETE, Some(name)) => Self::Delete(name),
            _ => return None,
        })
    }

    /// The verb of a path of watches, which can only be read.
    pub(super) fn for_watch_path(method: &Method) -> Option<Self> {
        (method == Method::GET).then_some(Self::Watch)
    }

    /// Its name in discovery and for authorization.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Create | Self::CreateFor(_) => "create",
            Self::List => "list",
            Self::Watch => "watch",
            Self::DeleteCollection => "deletecollection",
            Self::Get(_) => "get",
            Self::Update(_) => "update",
            Self::Patch(_) => "patch",
            Self::Delete(_) => "delete",
        }
    }

    /// The name of the object, if the request is for one that exists.
    pub(crate) fn object(&self) -> Option<&str> {
        match self {
            Self::CreateFor(name)
            | Self::Get(name)
            | Self::Update(name)
            | Self::Patch(name)
            | Self::Delete(name) => Some(name),
            Self::Create | Self::List | Self::Watch | Self::DeleteCollection => None,
        }
    }

    /// Whether the request writes, and may have a body.
    pub(crate) fn is_write(&self) -> bool {
        match self {
            Self::Create
            | Self::CreateFor(_)
            | Self::Update(_)
            | Self::Patch(_)
            | Self::Delete(_)
            | Self::DeleteCollection => true,
            Self::Get(_) | Self::List | Self::Watch => false,
        }
    }
}
