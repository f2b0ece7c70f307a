//! HTTP in front of the registry: paths, verbs, media types, and errors as `Status`.

mod action;
mod body;
mod discovery;
mod negotiate;
mod priority;
mod query;
mod reply;
mod target;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::Response;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Scheme;

use self::action::Action;
use self::discovery::Discovery;
use self::query::Query;
use self::reply::Reply;
use self::target::{ResourcePath, Target, Topic};
use crate::media::Media;
use crate::registry::{Deleted, Place, Registry};
use crate::storage_path::{Part, has_status};
use crate::validation::Violation;
use crate::wire::{DeleteOptions, Status};

/// What the handlers share.
pub(crate) struct Api {
    registry: Registry,
    discovery: Discovery,
}

impl Api {
    pub(crate) fn new(registry: Registry, address: String) -> Self {
        let discovery = Discovery::new(registry.scheme(), address);
        Self { registry, discovery }
    }
}

/// All paths of the server.
pub(crate) fn router(api: Arc<Api>) -> Router {
    Router::new().fallback(handle).with_state(api)
}

async fn handle(State(api): State<Arc<Api>>, request: Request) -> Response {
    let pretty = Query::of(request.uri()).is_ok_and(|query| query.pretty);
    let media = negotiate::of_errors(request.headers());
    // A task of its own: it comes to its end when the client goes away, and a fault of the program
    // is an answer like any other.
    let answer = tokio::spawn(async move { answer(&api, request).await }).await;
    let reply = match answer {
        Ok(Ok(reply)) => reply,
        // Who takes nothing that there is gets to read it in what everybody takes.
        Ok(Err(status)) if status.code == 406 => Reply::failure(Media::Json, &status),
        Ok(Err(status)) => Reply::failure(media, &status),
        Err(_) => Reply::failure(media, &Status::internal("the request met a fault of the server")),
    };
    reply.into_response(pretty)
}

async fn answer(api: &Api, request: Request) -> Result<Reply, Status> {
    match target::parse(request.uri().path())? {
        Target::Resource(path) => resource(&api.registry, path, request).await,
        _ if request.method() != Method::GET => Err(Status::method_not_allowed()),
        Target::Health => Ok(Reply::text("ok")),
        Target::Discovery(topic) => {
            negotiate::media(request.headers(), &[Media::Json])?;
            discover(&api.discovery, &topic)
        }
    }
}

fn discover(discovery: &Discovery, topic: &Topic) -> Result<Reply, Status> {
    let object = |object: &dyn Reflect| Reply::object(200, Media::Json, object);
    Ok(match topic {
        Topic::Version => object(&discovery::version()),
        Topic::Core => object(discovery.core()),
        Topic::Groups => object(discovery.groups()),
        Topic::Group(group) => object(discovery.group(group)?),
        Topic::GroupVersion(group, version) => object(discovery.resources(group, version)?),
    })
}

/// A request to a resource, an object of it, or a part of one.
async fn resource(registry: &Registry, path: ResourcePath, request: Request) -> Result<Reply, Status> {
    let (place, part) = locate(registry.scheme(), &path)?;
    let entry = place.entry;
    let resource = entry.resource.as_ref().ok_or_else(Status::no_such_path)?;
    let query = Query::of(request.uri())?;
    let in_one_place = !resource.namespaced || path.namespace.is_some();
    let action = Action::of(request.method(), in_one_place, path.name, query.watch);
    let verbs = match part {
        Part::Main => discovery::served(resource.verbs),
        Part::Status => discovery::status_verbs(resource),
    };
    let action = action.filter(|action| verbs.contains(&action.verb()));
    let action = action.ok_or_else(Status::method_not_allowed)?;
    let offers: &[Media] = match registry.path.coverage.media(entry, Media::Protobuf) {
        Media::Json => &[Media::Json],
        Media::Protobuf => &[Media::Json, Media::Protobuf],
    };
    let media = negotiate::media(request.headers(), offers)?;
    match action {
        Action::Create => {
            let validation = query.field_validation("CreateOptions")?;
            let received = registry.receive(entry, part, body::whole(request, offers).await?)?;
            let warnings = validation.check(entry, &received.notes)?;
            // What can be created and never read is asked, not kept.
            let object = if resource.verbs.contains(&"get") {
                query.refuse_dry_run(&[])?;
                registry.create(&place, &received).await?
            } else {
                registry.review(&place, &received)?
            };
            Ok(Reply::of(201, media, &object).with(warnings))
        }
        Action::Update(name) => {
            query.refuse_dry_run(&[])?;
            let validation = query.field_validation("UpdateOptions")?;
            let received = registry.receive(entry, part, body::whole(request, offers).await?)?;
            let warnings = validation.check(entry, &received.notes)?;
            let object = registry.update(&place, &name, part, &received).await?;
            Ok(Reply::of(200, media, &object).with(warnings))
        }
        Action::Get(name) => Ok(Reply::of(200, media, &registry.get(&place, &name).await?)),
        Action::List => Ok(Reply::list(media, entry, &registry.list(&place, &query.list()?).await?)),
        Action::Delete(name) => {
            let options = delete_options(registry.scheme(), request, &query).await?;
            Ok(match registry.delete(&place, &name, &options).await? {
                Deleted::Gone(status) => Reply::object(200, media, &status),
                Deleted::Waiting(object) => Reply::of(200, media, &object),
            })
        }
        Action::DeleteCollection => {
            let list = query.list()?;
            let options = delete_options(registry.scheme(), request, &query).await?;
            Ok(Reply::list(media, entry, &registry.delete_collection(&place, &list, &options).await?))
        }
        Action::Watch => Err(Status::method_not_allowed()),
    }
}

/// Finds the kind that a path names, and the part of its objects.
fn locate(scheme: &Scheme, path: &ResourcePath) -> Result<(Place, Part), Status> {
    let entry = scheme.resource(&path.group, &path.version, &path.plural);
    let entry = entry.ok_or_else(Status::no_such_path)?;
    let namespaced = entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    // The cluster has no namespaces, and an object in a namespace has no name without it.
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
    Ok((Place { entry, namespace: path.namespace.clone().unwrap_or_default() }, part))
}

const PROPAGATION_POLICIES: [&str; 3] = ["Foreground", "Background", "Orphan"];

async fn delete_options(scheme: &Scheme, request: Request, query: &Query) -> Result<DeleteOptions, Status> {
    let mut options = DeleteOptions::default();
    if let Some(body) = body::if_any(request, &[Media::Json, Media::Protobuf]).await? {
        body.decode_into(scheme, &mut options)
            .map_err(|error| Status::bad_request(format!("the body is no DeleteOptions: {error}")))?;
    }
    query.refuse_dry_run(&options.dry_run)?;
    if let Some(policy) = &options.propagation_policy
        && !PROPAGATION_POLICIES.contains(&policy.as_str())
    {
        // In the reference server's words, of which one is that there may be none.
        let supported = [&PROPAGATION_POLICIES[..], &["nil"]].concat();
        let violation = Violation::not_supported("propagationPolicy", policy, &supported);
        return Err(Status::invalid_options("DeleteOptions", &violation));
    }
    Ok(options)
}
