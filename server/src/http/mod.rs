//! HTTP in front of the registry: paths, verbs, media types, and errors as `Status`.

mod body;
mod discovery;
mod negotiate;
mod query;
mod reply;
mod target;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::Response;
use hubgen_machinery::scheme::KindEntry;

use self::discovery::Discovery;
use self::query::Query;
use self::reply::Reply;
use self::target::Target;
use crate::registry::{Deleted, Place, Registry};
use crate::storage_path::{Part, Received, has_status};
use crate::wire::{DeleteOptions, Status};

/// What the handlers share.
pub(crate) struct Api {
    pub(crate) registry: Registry,
    pub(crate) discovery: Discovery,
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
    // A task of its own: it comes to its end when the client goes away, and a fault of the program
    // is an answer like any other.
    let answer = tokio::spawn(async move { answer(&api, request).await }).await;
    let reply = match answer {
        Ok(Ok(reply)) => reply,
        Ok(Err(status)) => Reply::failure(&status),
        Err(_) => Reply::failure(&Status::internal("the request met a fault of the server")),
    };
    reply.into_response(pretty)
}

async fn answer(api: &Api, request: Request) -> Result<Reply, Status> {
    let target = target::parse(request.uri().path())?;
    if let Target::Resource { group, version, namespace, plural, name, subresource } = target {
        let entry =
            api.registry.scheme().resource(&group, &version, &plural).ok_or_else(Status::no_such_path)?;
        return resource(api, request, entry, namespace, name, subresource).await;
    }
    if request.method() != Method::GET {
        return Err(Status::failure(
            405,
            "MethodNotAllowed",
            "the server does not allow this method on the requested resource",
        ));
    }
    let discovery = &api.discovery;
    match target {
        Target::Health => return Ok(Reply::text("ok")),
        _ => negotiate::json(request.headers())?,
    }
    match target {
        Target::Version => Ok(Reply::object(200, &discovery::version())),
        Target::Core => Ok(Reply::object(200, discovery.core())),
        Target::Groups => Ok(Reply::object(200, discovery.groups())),
        Target::Group(group) => discovery.group(&group).map(|group| Reply::object(200, group)),
        Target::GroupVersion(group, version) => {
            discovery.resources(&group, &version).map(|list| Reply::object(200, list))
        }
        Target::Health | Target::Resource { .. } => Err(Status::no_such_path()),
    }
}

/// A request to a resource, an object of it, or a part of one.
async fn resource(
    api: &Api,
    request: Request,
    entry: &'static KindEntry,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
) -> Result<Reply, Status> {
    let resource = entry.resource.as_ref().ok_or_else(Status::no_such_path)?;
    if namespace.is_some() && !resource.namespaced {
        return Err(Status::no_such_path());
    }
    // An object in a namespace has no name without it.
    if namespace.is_none() && resource.namespaced && name.is_some() {
        return Err(Status::no_such_path());
    }
    let in_one_place = namespace.is_some() || !resource.namespaced;
    let place = Place { entry, namespace: namespace.unwrap_or_default() };
    let query = Query::of(request.uri())?;
    let part = match subresource.as_deref() {
        None => Part::Main,
        Some("status") if has_status(entry) => Part::Status,
        Some(_) => return Err(Status::no_such_path()),
    };
    let verb = match (request.method(), &name) {
        (&Method::GET, None) if query.watch => "watch",
        (&Method::GET, None) => "list",
        (&Method::GET, Some(_)) => "get",
        (&Method::POST, None) if in_one_place => "create",
        (&Method::PUT, Some(_)) => "update",
        (&Method::DELETE, None) if in_one_place => "deletecollection",
        (&Method::DELETE, Some(_)) => "delete",
        _ => return Err(Status::method_not_allowed(entry)),
    };
    let verbs = match part {
        Part::Main => discovery::served(resource.verbs),
        Part::Status => discovery::status_verbs(resource),
    };
    if !verbs.contains(&verb) {
        return Err(Status::method_not_allowed(entry));
    }
    negotiate::json(request.headers())?;
    let registry = &api.registry;
    match (verb, name) {
        ("create", None) => {
            let received = receive(registry, request, entry, part).await?;
            let warnings = query.field_validation.check(&received.notes)?;
            if resource.verbs.contains(&"get") {
                query.refuse_dry_run(&[])?;
                let object = registry.create(&place, &received).await?;
                return Ok(Reply::of(201, &object).with(warnings));
            }
            Ok(Reply::of(201, &registry.review(&place, &received)?).with(warnings))
        }
        ("update", Some(name)) => {
            query.refuse_dry_run(&[])?;
            let received = receive(registry, request, entry, part).await?;
            let warnings = query.field_validation.check(&received.notes)?;
            let object = registry.update(&place, &name, part, &received).await?;
            Ok(Reply::of(200, &object).with(warnings))
        }
        ("get", Some(name)) => Ok(Reply::of(200, &registry.get(&place, &name).await?)),
        ("list", None) => {
            let list = registry.list(&place, &query.list()?).await?;
            Ok(Reply::list(entry, &list))
        }
        ("delete", Some(name)) => {
            let options = delete_options(request, &query).await?;
            Ok(match registry.delete(&place, &name, &options).await? {
                Deleted::Gone(status) => Reply::object(200, &status),
                Deleted::Waiting(object) => Reply::of(200, &object),
            })
        }
        ("deletecollection", None) => {
            let list = query.list()?;
            let options = delete_options(request, &query).await?;
            Ok(Reply::list(entry, &registry.delete_collection(&place, &list, &options).await?))
        }
        _ => Err(Status::method_not_allowed(entry)),
    }
}

async fn receive(
    registry: &Registry,
    request: Request,
    entry: &'static KindEntry,
    part: Part,
) -> Result<Received, Status> {
    let body = body::json(request).await?;
    registry.path.receive(entry, part, body)
}

async fn delete_options(request: Request, query: &Query) -> Result<DeleteOptions, Status> {
    let body = body::json_if_any(request).await?;
    let options = match body {
        Some(body) => hubgen_machinery::json::decode::<DeleteOptions>(&body)
            .map_err(|error| Status::bad_request(format!("the body is no DeleteOptions: {error}")))?,
        None => DeleteOptions::default(),
    };
    query.refuse_dry_run(&options.dry_run)?;
    if let Some(policy) = &options.propagation_policy
        && !["Orphan", "Background", "Foreground"].contains(&policy.as_str())
    {
        return Err(Status::bad_request(format!(
            "propagationPolicy: Unsupported value: {policy:?}: supported values: \"Background\", \"Foreground\", \
             \"Orphan\""
        )));
    }
    Ok(options)
}
