//! Requests for objects of a resource.

use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{Method, Version};
use hubgen_machinery::scheme::{KindEntry, Resource};

use super::accept;
use super::error::Error;
use super::format::{self, Format};
use super::manager;
use super::path::{self, ResourcePath, Target};
use super::query::Query;
use super::verb::Verb;
use crate::catalog::Catalog;
use crate::media::{Media, PARTIAL, Representation, Shape};
use crate::objects::{Collection, PatchFormat, SMALL};
use crate::part::{self, Part, ServedPart};

/// Requests with bodies larger than this many bytes are heavy.
const HEAVY_BODY: usize = 256 << 10;
/// Lists that may contain more objects than this are heavy. It is the limit that kubectl sets by
/// default.
const HEAVY_LIST: usize = 500;

/// A request for objects of a resource.
pub(crate) struct ObjectRequest {
    pub(crate) collection: Collection,
    pub(crate) part: Part,
    /// The kind of the body and of the answer, if it is not that of the collection.
    pub(crate) kind: Option<Arc<KindEntry>>,
    pub(crate) verb: Verb,
    pub(crate) query: Query,
    /// The name under which the client owns fields; empty if it has none.
    pub(crate) manager: String,
    /// How the answer shows objects.
    pub(crate) shown: Representation,
    /// Whether the client takes a compressed answer.
    pub(crate) takes_gzip: bool,
    /// Whether the answer may begin before its length is known.
    pub(crate) takes_parts: bool,
    /// The format of the body. An error matters only if there is a body.
    pub(crate) format: Result<Format, Error>,
    /// The format of a patch. An error matters only if the request is one.
    pub(crate) patch_format: Result<PatchFormat, Error>,
}

/// How expensive a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// One object, which is small, as far as is known before it is read.
    Small,
    Light,
    Heavy,
}

impl ObjectRequest {
    pub(super) fn parse(catalog: &Catalog, path: ResourcePath, head: &Parts) -> Result<Self, Error> {
        let (collection, ServedPart { part, verbs, kind }) = locate(catalog, &path)?;
        let entry = kind.as_ref().unwrap_or(&collection.entry);
        let resource = catalog.offered.resource(&collection.entry).ok_or(Error::NoSuchPath)?;
        let mut query = Query::parse(&head.uri)?;
        // Reviews can only be created, so no path names one.
        if path.name.is_some() && part::is_answered(&collection.entry) {
            return Err(Error::NoSuchPath);
        }
        let all_namespaces = resource.namespaced && path.namespace.is_none();
        let verb = if path.is_watch {
            query.watched = path.name;
            Verb::for_watch_path(&head.method)
        } else {
            let is_below = part != Part::Main;
            Verb::for_method(&head.method, all_namespaces, is_below, path.name, query.watch)
        };
        let verb = verb.filter(|verb| verbs.contains(&verb.name()));
        let verb = verb.ok_or_else(|| not_supported(&collection.entry, part, &head.method))?;
        let offers: &[Media] = match catalog.coverage.media(entry, Media::Protobuf) {
            Media::Json => &[Media::Json],
            Media::Protobuf => &[Media::Json, Media::Protobuf],
        };
        let list = format!("{PARTIAL}List");
        let partial = match verb {
            Verb::List | Verb::DeleteCollection => &list,
            _ => PARTIAL,
        };
        let mut shown = accept::represented(&head.headers, offers, Some(partial))?;
        if let Shape::Table(shape) = &mut shown.shape {
            shape.include = query.include()?;
        }
        let takes = match verb {
            Verb::Delete(_) | Verb::DeleteCollection => &[Media::Json, Media::Protobuf],
            _ => offers,
        };
        let format = Format::from_headers(&head.headers, takes);
        if let (Verb::Create | Verb::CreateFor(_) | Verb::Update(_), Err(error)) = (&verb, &format) {
            return Err(error.clone());
        }
        let patch_format = format::of_patch(&head.headers, PatchFormat::of(entry));
        if let (Verb::Patch(_), Err(error)) = (&verb, &patch_format) {
            return Err(error.clone());
        }
        let manager =
            if verb.is_write() { manager::name(&query.field_manager, &head.headers) } else { String::new() };
        let takes_gzip = accept::gzip(&head.headers);
        // In HTTP/1.0 only the end of the connection tells the end of such an answer, and may come early.
        let takes_parts = head.version > Version::HTTP_10;
        Ok(Self {
            collection,
            part,
            kind,
            verb,
            query,
            manager,
            shown,
            takes_gzip,
            takes_parts,
            format,
            patch_format,
        })
    }

    /// How expensive the request is, with a body of this many bytes.
    pub(crate) fn weight(&self, body: usize) -> Weight {
        match self.verb {
            Verb::List if self.query.asks_for_at_most(HEAVY_LIST) => Weight::Light,
            Verb::List | Verb::DeleteCollection => Weight::Heavy,
            _ if body > HEAVY_BODY => Weight::Heavy,
            _ if body > SMALL => Weight::Light,
            _ => Weight::Small,
        }
    }
}

/// The kind of a request that is refused for an error, if its answer warns of the kind as others do. That of a stored definition
/// does so as soon as the resource exists, another only if the method exists, too.
pub(crate) fn kind_of_refused(catalog: &Catalog, head: &Parts, error: &Error) -> Option<Arc<KindEntry>> {
    let Ok(Target::Resource(path)) = path::parse(head.uri.path()) else { return None };
    let entry = catalog.scheme.resource(&path.group, &path.version, &path.plural)?;
    catalog.offered.resource(entry)?;
    let is_warned = match error {
        Error::NoSuchPath | Error::NoSuchAction(_) => false,
        Error::MethodNotAllowed => entry.untyped.is_some(),
        _ => true,
    };
    is_warned.then(|| Arc::clone(entry))
}

/// Finds the kind and the part of its objects that a path names.
fn locate(catalog: &Catalog, path: &ResourcePath) -> Result<(Collection, ServedPart), Error> {
    let entry = catalog.scheme.resource(&path.group, &path.version, &path.plural);
    let entry = entry.ok_or(Error::NoSuchPath)?;
    let resource = catalog.offered.resource(entry).ok_or(Error::NoSuchPath)?;
    let namespaced = resource.namespaced;
    // Cluster-scoped kinds have no namespace in the path; a namespaced object has one.
    let fits =
        if namespaced { path.name.is_none() || path.namespace.is_some() } else { path.namespace.is_none() };
    let served = match path.subresource.as_deref() {
        None => part::main(resource),
        Some(name) => part::named(&catalog.scheme, resource, name).ok_or_else(|| match &path.name {
            Some(name) if entry.untyped.is_some() => {
                Error::NoSuchPart { entry: Arc::clone(entry), name: name.clone() }
            }
            _ => not_served(resource, name),
        })?,
    };
    if !fits {
        return Err(Error::NoSuchPath);
    }
    Ok((
        Collection { entry: Arc::clone(entry), namespace: path.namespace.clone().unwrap_or_default() },
        served,
    ))
}

/// Why a method is not supported. Upstream tells more of subresources of custom resources.
fn not_supported(entry: &Arc<KindEntry>, part: Part, method: &Method) -> Error {
    let verb = match *method {
        Method::DELETE => "delete",
        Method::POST => "create",
        _ => return Error::MethodNotAllowed,
    };
    if entry.untyped.is_none() || part == Part::Main {
        return Error::MethodNotAllowed;
    }
    Error::NoSuchVerb { entry: Arc::clone(entry), verb }
}

/// Why a subresource is not served: the kind has none of that name, or nothing here can do what it asks for.
fn not_served(resource: &Resource, name: &str) -> Error {
    let is_of_kind = resource.subresources.iter().any(|subresource| subresource.name == name);
    if is_of_kind && !part::is_known(name) {
        Error::NoSuchAction(format!("{}/{name}", resource.plural))
    } else {
        Error::NoSuchPath
    }
}
