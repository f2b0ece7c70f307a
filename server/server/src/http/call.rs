//! Parses the head of a request. Everything that the head alone decides is refused here, before a
//! body is received or work starts.

use std::sync::Arc;

use axum::http::Method;
use axum::http::request::Parts;
use hubgen_machinery::scheme::Scheme;

use super::action::Action;
use super::discovery;
use super::health::Probe;
use super::query::Query;
use super::target::{self, ResourcePath, Target, Topic};
use super::turns::Weight;
use crate::media::{self, Format, Media};
use crate::registry::{Collection, Registry};
use crate::storage_path::{Part, has_status};
use crate::wire::Status;

/// Requests with bodies larger than this many bytes are heavy.
const HEAVY_BODY: usize = 256 << 10;
/// Lists that may contain more objects than this are heavy. It is the limit that kubectl sets by
/// default.
const HEAVY_LIST: usize = 500;

/// A parsed request.
pub(super) enum Call {
    /// A health check.
    Health(Probe, Box<Query>),
    /// A request for the metrics.
    Metrics,
    /// A discovery request.
    Discovery(Topic),
    /// A request for objects of a resource.
    Objects(Box<ObjectCall>),
}

/// A request for objects of a resource.
pub(super) struct ObjectCall {
    pub(super) collection: Collection,
    pub(super) part: Part,
    pub(super) action: Action,
    pub(super) query: Query,
    /// The media type of the response.
    pub(super) media: Media,
    /// The format of the body. An error matters only if there is a body.
    pub(super) format: Result<Format, Status>,
}

impl Call {
    /// Parses the head of a request.
    ///
    /// # Errors
    /// If the path does not exist, does not support the method, or has no response in a media type
    /// that the client accepts.
    pub(super) fn of(registry: &Registry, head: &Parts) -> Result<Self, Status> {
        match target::parse(head.uri.path())? {
            Target::Resource(path) => Ok(Self::Objects(Box::new(ObjectCall::of(registry, path, head)?))),
            _ if head.method != Method::GET => Err(Status::method_not_allowed()),
            Target::Health(probe) => Ok(Self::Health(probe, Box::new(Query::of(&head.uri)?))),
            Target::Metrics => Ok(Self::Metrics),
            Target::Discovery(topic) => {
                media::accepted(&head.headers, &[Media::Json])?;
                Ok(Self::Discovery(topic))
            }
        }
    }
}

impl ObjectCall {
    fn of(registry: &Registry, path: ResourcePath, head: &Parts) -> Result<Self, Status> {
        let (collection, part) = locate(registry.scheme(), &path)?;
        let entry = &collection.entry;
        let resource = entry.resource.as_ref().ok_or_else(Status::no_such_path)?;
        let query = Query::of(&head.uri)?;
        // Reviews can only be created, so no path names one.
        if path.name.is_some() && resource.verbs.iter().eq(["create"]) {
            return Err(Status::no_such_path());
        }
        let all_namespaces = resource.namespaced && path.namespace.is_none();
        let action = Action::of(&head.method, all_namespaces, path.name, query.watch);
        let verbs = match part {
            Part::Main => discovery::served(&resource.verbs),
            Part::Status => discovery::status_verbs(resource),
        };
        let action = action.filter(|action| verbs.contains(&action.verb()));
        let action = action.ok_or_else(Status::method_not_allowed)?;
        let offers: &[Media] = match registry.path.coverage.media(entry, Media::Protobuf) {
            Media::Json => &[Media::Json],
            Media::Protobuf => &[Media::Json, Media::Protobuf],
        };
        let media = media::accepted(&head.headers, offers)?;
        let takes = match action {
            Action::Delete(_) | Action::DeleteCollection => &[Media::Json, Media::Protobuf],
            _ => offers,
        };
        let format = Format::of(&head.headers, takes);
        if let (Action::Create | Action::Update(_), Err(status)) = (&action, &format) {
            return Err(status.clone());
        }
        Ok(Self { collection, part, action, query, media, format })
    }

    /// Whether the request may have a body.
    pub(super) fn takes_body(&self) -> bool {
        self.is_write()
    }

    pub(super) fn is_write(&self) -> bool {
        match self.action {
            Action::Create | Action::Update(_) | Action::Delete(_) | Action::DeleteCollection => true,
            Action::Get(_) | Action::List | Action::Watch => false,
        }
    }

    pub(super) fn weight(&self, body: usize) -> Weight {
        let is_heavy = match self.action {
            Action::List => !self.query.asks_for_at_most(HEAVY_LIST),
            Action::DeleteCollection => true,
            _ => body > HEAVY_BODY,
        };
        if is_heavy { Weight::Heavy } else { Weight::Light }
    }
}

/// Finds the kind and the part of its objects that a path names.
fn locate(scheme: &Scheme, path: &ResourcePath) -> Result<(Collection, Part), Status> {
    let entry = scheme.resource(&path.group, &path.version, &path.plural);
    let entry = entry.ok_or_else(Status::no_such_path)?;
    let namespaced = entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    // Cluster-scoped kinds have no namespace in the path; a namespaced object has one.
    let fits =
        if namespaced { path.name.is_none() || path.namespace.is_some() } else { path.namespace.is_none() };
    let part = match path.subresource.as_deref() {
        None => Part::Main,
        Some("status") if has_status(entry) => Part::Status,
        Some(_) => return Err(Status::no_such_path()),
    };
    if !fits {
        return Err(Status::no_such_path());
    }
    Ok((Collection { entry: Arc::clone(entry), namespace: path.namespace.clone().unwrap_or_default() }, part))
}
