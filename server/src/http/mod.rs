//! HTTP in front of the registry: paths, verbs, media types, and errors as `Status`.
//!
//! A request passes [`loopback`]; its head is read ([`call`]), its body received ([`body`]), both
//! within limits; then it is worked on when it is its [turn](turns).

mod action;
mod body;
mod call;
mod delete_options;
mod discovery;
mod health;
mod loopback;
mod perform;
mod priority;
mod query;
mod reply;
mod target;
mod turns;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware;
use axum::response::Response;
use hubgen_machinery::reflect::Reflect;

use self::body::Bytes;
use self::call::{Call, ObjectCall};
use self::discovery::Discovery;
use self::query::Query;
use self::reply::Reply;
use self::target::Topic;
use self::turns::Turns;
use crate::limits::Limits;
use crate::media::{self, Media};
use crate::registry::Registry;
use crate::wire::Status;

/// What the handlers share.
pub(crate) struct Api {
    registry: Registry,
    discovery: Discovery,
    turns: Turns,
}

impl Api {
    pub(crate) fn new(registry: Registry, address: String, limits: Limits) -> Self {
        let discovery = Discovery::new(registry.scheme(), address);
        Self { registry, discovery, turns: Turns::new(limits) }
    }
}

/// All paths of the server.
pub(crate) fn router(api: Arc<Api>) -> Router {
    Router::new().fallback(handle).layer(middleware::from_fn(loopback::only)).with_state(api)
}

async fn handle(State(api): State<Arc<Api>>, request: Request) -> Response {
    let pretty = Query::of(request.uri()).is_ok_and(|query| query.pretty);
    let media = media::of_errors(request.headers());
    answer(&api, request, pretty).await.unwrap_or_else(|status| {
        // Who takes nothing that there is gets to read it in what everybody takes.
        let media = if status.code == 406 { Media::Json } else { media };
        Reply::failure(media, &status).printed(pretty).into_response(None)
    })
}

async fn answer(api: &Arc<Api>, request: Request, pretty: bool) -> Result<Response, Status> {
    let (head, body) = request.into_parts();
    let reply = match Call::of(&api.registry, &head)? {
        Call::Objects(call) => {
            let body =
                if call.takes_body() { body::receive(body, &api.turns).await? } else { Bytes::default() };
            return objects(api, *call, body, pretty).await;
        }
        // Probes are answered however much there is to do.
        Call::Health(probe, query) => health::answer(probe, &query, &*api.registry.store).await,
        Call::Discovery(topic) => discover(&api.discovery, &topic)?,
    };
    Ok(reply.printed(pretty).into_response(None))
}

/// Does what is asked for when it is its turn, and answers when there is room for the answer.
async fn objects(api: &Arc<Api>, call: ObjectCall, body: Bytes, pretty: bool) -> Result<Response, Status> {
    let _place = api.turns.enter(call.is_write())?;
    let weight = call.weight(body.bytes.len());
    let shared = api.clone();
    let work = async move {
        let reply = perform::perform(&shared.registry, call, body).await?;
        Ok::<_, Status>(reply.printed(pretty))
    };
    let (reply, turn) = api.turns.work(weight, work).await?;
    let reply = reply?;
    let room = api.turns.room_for_answer(reply.size()).await?;
    drop(turn);
    Ok(reply.into_response(room))
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
