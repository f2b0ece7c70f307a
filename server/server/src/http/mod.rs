//! The HTTP layer in front of the registry: paths, verbs, media types, and errors as `Status`.
//!
//! A request passes the [`loopback`] check. The server parses its head ([`call`]) and receives its
//! body ([`body`]), both within limits, and processes it when its [turn](turns) comes.

mod action;
mod body;
mod call;
mod delete_options;
mod discovery;
mod health;
mod loopback;
mod metrics;
mod perform;
mod priority;
mod query;
mod reply;
mod target;
mod turns;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use hubgen_machinery::reflect::Reflect;
use hubgen_serve::body::Received;

use self::call::{Call, ObjectCall};
use self::discovery::Discovery;
use self::metrics::{Labels, Metrics};
use self::query::Query;
use self::reply::Reply;
use self::target::Topic;
use self::turns::{Turns, Weight};
use crate::limits::Limits;
use crate::media::{self, Media};
use crate::registry::Registry;
use crate::wire::Status;

/// The state that all handlers share.
pub(crate) struct Api {
    registry: Registry,
    discovery: Discovery,
    turns: Turns,
    metrics: Metrics,
}

impl Api {
    pub(crate) fn new(registry: Registry, address: String, limits: &Limits) -> Self {
        let discovery = Discovery::new(registry.scheme(), address);
        let turns = Turns::new(limits);
        let metrics = Metrics::new(&turns.reads, &turns.writes);
        Self { registry, discovery, turns, metrics }
    }
}

/// The handler of all paths.
pub(crate) fn router(api: Arc<Api>) -> Router {
    Router::new().fallback(handle).layer(middleware::from_fn(loopback::allow_local_only)).with_state(api)
}

async fn handle(State(api): State<Arc<Api>>, request: Request) -> Response {
    let start = Instant::now();
    let pretty = Query::of(request.uri()).is_ok_and(|query| query.pretty);
    let media = media::of_errors(request.headers());
    let mut labels = Labels::of_method(request.method());
    let answered = answer(&api, request, pretty, &mut labels).await;
    let response = answered.unwrap_or_else(|status| {
        // A client that accepts none of the media types gets the error in JSON.
        let media = if status.code == 406 { Media::Json } else { media };
        Reply::failure(media, &status).printed(pretty).into_response(None)
    });
    api.metrics.count(labels, start, response)
}

async fn answer(
    api: &Arc<Api>,
    request: Request,
    pretty: bool,
    labels: &mut Labels,
) -> Result<Response, Status> {
    let (head, body) = request.into_parts();
    let call = Call::of(&api.registry, &head)?;
    *labels = Labels::of_call(&call);
    let reply = match call {
        Call::Objects(call) => {
            let body =
                if call.takes_body() { body::receive(body, &api.turns).await? } else { Received::default() };
            return objects(api, *call, body, pretty).await;
        }
        // Health checks do not wait for a turn.
        Call::Health(probe, query) => health::answer(probe, &query, &*api.registry.store).await,
        Call::Metrics => return metrics(api).await,
        Call::Discovery(topic) => discover(&api.discovery, &topic)?,
    };
    Ok(reply.printed(pretty).into_response(None))
}

/// Processes a request when its turn comes, and responds when there is memory for the response.
async fn objects(api: &Arc<Api>, call: ObjectCall, body: Received, pretty: bool) -> Result<Response, Status> {
    let _permit = api.turns.enter(call.is_write())?;
    let weight = call.weight(body.bytes.len());
    let shared = api.clone();
    let work = |turn| async move {
        let reply = perform::perform(&shared.registry, call, body, turn).await?;
        Ok::<_, Status>(reply.printed(pretty))
    };
    let (reply, turn) = api.turns.work(weight, work).await?;
    let reply = reply?;
    let memory = api.turns.memory_for_response(reply.size()).await?;
    drop(turn);
    Ok(reply.into_response(memory))
}

/// The text can be long after many sorts of requests, so it waits for a turn and for memory.
async fn metrics(api: &Arc<Api>) -> Result<Response, Status> {
    let shared = api.clone();
    let work = |_| async move { shared.metrics.text() };
    let (text, turn) = api.turns.work(Weight::Light, work).await?;
    let memory = api.turns.memory_for_response(text.len()).await?;
    drop(turn);
    Ok(Reply::metrics(text).into_response(memory))
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
