//! The order of the stages that every request passes, in [`Chain::stages`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request as HttpRequest, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use futures_util::stream::{self, Stream};
use hubgen_machinery::reflect::Reflect;
use hubgen_serve::Drain;
use hubgen_serve::body::{self, Received};
use hubgen_serve::memory::Share;
use hubgen_serve::metrics::Registry;
use hubgen_serve::queue::{Turn, WorkError};
use serde_json::Value;

use crate::access::{User, loopback};
use crate::answer::{self, Answer, Rest};
use crate::catalog::{Catalog, Served};
use crate::conversion::{self, Room};
use crate::faults::{Fault, Faults, Losing};
use crate::initial::{self, How};
use crate::limits::Limits;
use crate::media::Media;
use crate::metrics::{Labels, Metrics};
use crate::objects::{Backing, Objects};
use crate::request::{
    self, Aggregation, Asked, ObjectRequest, OpenApiRequest, Query, Request, Topic, Verb, Weight,
};
use crate::status::Failure;
use crate::store::Store;
use crate::turns::Turns;
use crate::{documents, environment, health, openid, published, struck, verbs};

/// What all requests share.
pub(crate) struct Chain {
    served: Served,
    backing: Arc<Backing>,
    turns: Turns,
    /// The shortest time after which a watch ends.
    watch: Duration,
    /// Whether requests come over plain HTTP.
    is_plain: bool,
    metrics: Metrics,
    /// Which requests fail on purpose.
    faults: Option<Arc<dyn Faults>>,
}

/// A request of which the head is known.
struct Entered {
    request: Request,
    user: Arc<User>,
    /// What goes wrong with it on purpose.
    fault: Option<Fault>,
    /// When it is lost on purpose, if it is a watch.
    losing: Option<Losing>,
}

impl Chain {
    pub(crate) fn new(
        served: Served,
        backing: Arc<Backing>,
        limits: &Limits,
        metrics: Registry,
        is_plain: bool,
        faults: Option<Arc<dyn Faults>>,
    ) -> Self {
        let turns = Turns::new(limits);
        let metrics = Metrics::new(metrics, &turns.reads, &turns.writes);
        Self { served, backing, turns, watch: limits.watch, is_plain, metrics, faults }
    }

    /// Makes objects exist: definitions first, so that the kinds of the others are served.
    ///
    /// # Errors
    /// Why one cannot be made, or which kind is not served.
    pub(crate) async fn prepare(&self, objects: Vec<Value>, how: How) -> Result<(), String> {
        let (definitions, others): (Vec<_>, Vec<_>) = objects.into_iter().partition(initial::is_definition);
        let kinds = definitions.iter().flat_map(initial::served_by).collect();
        for (objects, kinds) in [(definitions, kinds), (others, Vec::new())] {
            if objects.is_empty() {
                continue;
            }
            let shared = Objects { catalog: self.served.current(), backing: Arc::clone(&self.backing) };
            let work = |turn: Turn| async move { initial::make(&shared, &objects, how, &turn).await };
            let made = self.turns.work(Weight::Light, work).await.map_err(Failure::from);
            made.and_then(|(made, _)| made).map_err(|failure| failure.message().to_owned())?;
            initial::wait(&self.served, kinds).await?;
        }
        Ok(())
    }

    /// The store, as requests use it.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.backing.store)
    }

    /// The stages of a request, in order. `labels` becomes what the request asks for, as soon as that is known, and
    /// `warning` what every answer to it warns of.
    async fn stages(
        self: &Arc<Self>,
        request: HttpRequest,
        pretty: bool,
        labels: &mut Labels,
        warning: &mut Option<String>,
    ) -> Result<Response, Failure> {
        let (head, body) = request.into_parts();
        let catalog = self.served.current();
        let entered = match self.enter(&catalog, &head, labels, warning).await {
            Ok(entered) => entered,
            Err(failure) => {
                body::discard(body, self.turns.body);
                return Err(failure);
            }
        };
        let Some(fault) = &entered.fault else {
            return self.carry_out(catalog, entered, &head, body, pretty).await;
        };
        let answer = struck::answer(fault, &entered.request);
        if fault.is_carried_out {
            // Whatever comes of it, the client does not learn.
            drop(self.carry_out(catalog, entered, &head, body, pretty).await);
        } else {
            body::discard(body, self.turns.body);
        }
        answer
    }

    /// The stages after the head: the body, a turn, the verb.
    async fn carry_out(
        self: &Arc<Self>,
        catalog: Arc<Catalog>,
        Entered { request, user, losing, .. }: Entered,
        head: &Parts,
        body: axum::body::Body,
        pretty: bool,
    ) -> Result<Response, Failure> {
        let answer = match request {
            Request::Objects(request) if request.verb == Verb::Watch => {
                body::discard(body, self.turns.body);
                let watch = self.watch(catalog, &request, head)?;
                return Ok(match losing {
                    Some(losing) => struck::until_lost(watch, losing, request.shown.media),
                    None => watch,
                });
            }
            Request::Objects(request) => {
                let body = if request.verb.is_write() {
                    body::receive(body, &self.turns.body, &self.turns.bodies).await?
                } else {
                    Received::default()
                };
                return self.objects(catalog, *request, body, user, pretty).await;
            }
            // Health checks do not wait for a turn.
            Request::Health(probe, query) => health::answer(probe, &query, &*self.backing.store).await,
            Request::Metrics => return self.metrics().await,
            Request::Discovery(topic) => discover(&catalog, &topic)?,
            Request::Aggregated(asked) => return Ok(aggregated(&catalog, &asked)),
            Request::OpenId(asked) => {
                let address = self.served.address();
                return Ok(openid::answer(asked, &self.backing.service_accounts, self.is_plain, address)?);
            }
            Request::OpenApi(asked) => return self.openapi(catalog, asked).await,
        };
        Ok(answer.printed(pretty).into_response(None))
    }

    /// The stages that need the head only: whether it comes from this machine, what it asks for, who asks, who may.
    async fn enter(
        &self,
        catalog: &Catalog,
        head: &Parts,
        labels: &mut Labels,
        warning: &mut Option<String>,
    ) -> Result<Entered, Failure> {
        if self.is_plain {
            loopback::check(head)?;
        }
        let request = Request::parse(catalog, head);
        if let Ok(request) = &request {
            *labels = Labels::for_request(request);
        }
        let (access, asked) = (&self.backing.access, Asked::of(head));
        let user = access.user(head).await?;
        let acting = access.acting(head, &asked.by(&user)).await?;
        let user = acting.map_or(user, Arc::new);
        // Whoever may not ask is not told whether there is something.
        access.check(&asked.by(&user)).await?;
        let of = match &request {
            Ok(Request::Objects(request)) => Some(Arc::clone(&request.collection.entry)),
            Ok(_) => None,
            Err(error) => request::kind_of_refused(catalog, head, error),
        };
        *warning = of.and_then(|entry| entry.deprecation_warning(catalog.release));
        let request = request?;
        let (fault, losing) = match &self.faults {
            Some(faults) => struck::found(&**faults, &asked.by(&user)),
            None => (None, None),
        };
        Ok(Entered { request, user, fault, losing })
    }

    /// Works on a request for objects when its turn comes, and answers when there is memory for the answer.
    async fn objects(
        self: &Arc<Self>,
        catalog: Arc<Catalog>,
        request: ObjectRequest,
        body: Received,
        user: Arc<User>,
        pretty: bool,
    ) -> Result<Response, Failure> {
        // Who waits for a webhook keeps nobody else waiting.
        let room = conversion::room(&request.collection.entry).cloned();
        let _permit = match &room {
            Some(room) => room.enter()?,
            None => self.turns.enter(request.verb.is_write())?,
        };
        let weight = request.weight(body.bytes.len());
        let objects = Objects { catalog, backing: Arc::clone(&self.backing) };
        let takes_gzip = request.takes_gzip;
        let work = |turn| async move {
            let answer = verbs::answer(&objects, request, body, user, turn).await?.printed(pretty);
            Ok::<_, Failure>(if takes_gzip { answer.compressed() } else { answer })
        };
        let (answer, turn) = self.worked(room.as_ref(), weight, work).await?;
        let mut answer = answer?;
        let rest = answer.take_rest();
        let held = self.turns.memory_for_response(rest.as_ref().map_or(0, |rest| rest.held())).await?;
        let memory = self.turns.memory_for_response(answer.size()).await?;
        drop(turn);
        Ok(match rest {
            Some(rest) => answer.into_begun(memory, Arc::clone(self).parts(rest, held, room)),
            None => answer.into_response(memory),
        })
    }

    /// Works on a request for objects where there is room for it.
    async fn worked<T, W>(
        &self,
        room: Option<&Room>,
        weight: Weight,
        work: impl FnOnce(Turn) -> W,
    ) -> Result<(T, Turn), WorkError>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        match room {
            Some(room) => room.work(work).await,
            None => self.turns.work(weight, work).await,
        }
    }

    /// Makes the parts of an answer that has begun, each when its turn comes, and when there is memory for it, if the answer
    /// does not hold all of it.
    fn parts(
        self: Arc<Self>,
        rest: Box<dyn Rest>,
        held: Option<Share>,
        room: Option<Room>,
    ) -> impl Stream<Item = Result<Bytes, Failure>> {
        stream::try_unfold((self, rest, held, room), |(chain, mut rest, held, room)| async move {
            let work = |_| async move {
                let part = rest.next().await;
                (part, rest)
            };
            let ((part, rest), turn) = chain.worked(room.as_ref(), Weight::Heavy, work).await?;
            let Some(part) = part? else { return Ok(None) };
            let needed = if held.is_some() { 0 } else { part.len() };
            let memory = chain.turns.memory_for_response(needed).await?;
            drop(turn);
            Ok(Some((answer::bytes(part, memory), (chain, rest, held, room))))
        })
    }

    /// Answers a watch, which takes no turn: it waits most of the time.
    fn watch(
        &self,
        catalog: Arc<Catalog>,
        request: &ObjectRequest,
        head: &Parts,
    ) -> Result<Response, Failure> {
        let drain = head.extensions.get::<Drain>().expect("every request has one").clone();
        let running = verbs::Running {
            permit: self.turns.watches.enter()?,
            lane: self.turns.heavy.clone(),
            timeout: self.watch.mul_f64(1.0 + environment::random_fraction()),
            drain,
            span: self.served.span(&request.collection.entry),
        };
        let objects = Objects { catalog, backing: Arc::clone(&self.backing) };
        verbs::watch(&objects, request, running)
    }

    /// Documents are made when they are first asked for, which is work, and can be long.
    async fn openapi(&self, catalog: Arc<Catalog>, asked: OpenApiRequest) -> Result<Response, Failure> {
        let weight = if catalog.has_document(&asked.topic) { Weight::Light } else { Weight::Heavy };
        let work = |_| async move { documents::answer(&catalog, &asked) };
        let (answer, turn) = self.turns.work(weight, work).await?;
        let answer = answer?;
        let memory = self.turns.memory_for_response(answer.size()).await?;
        drop(turn);
        Ok(answer.into_response(memory))
    }

    /// The text can be long after many sorts of requests, so it waits for a turn and for memory.
    async fn metrics(self: &Arc<Self>) -> Result<Response, Failure> {
        let shared = Arc::clone(self);
        let work = |_| async move { shared.metrics.text() };
        let (text, turn) = self.turns.work(Weight::Light, work).await?;
        let memory = self.turns.memory_for_response(text.len()).await?;
        drop(turn);
        Ok(Answer::metrics(text).into_response(memory))
    }
}

/// The handler of all paths.
pub(crate) fn router(chain: Arc<Chain>) -> Router {
    Router::new().fallback(handle).with_state(chain)
}

async fn handle(State(chain): State<Arc<Chain>>, request: HttpRequest) -> Response {
    let start = Instant::now();
    let pretty = Query::parse(request.uri()).is_ok_and(|query| query.pretty);
    let media = request::media_of_errors(request.headers());
    let mut labels = Labels::for_method(request.method());
    let mut warning = None;
    let answered = chain.stages(request, pretty, &mut labels, &mut warning).await;
    let mut response = answered.unwrap_or_else(|failure| {
        // A client that accepts none of the media types gets the error in JSON.
        let media = if failure.code() == 406 { Media::Json } else { media };
        Answer::failure(media, &failure).printed(pretty).into_response(None)
    });
    if let Some(warning) = warning {
        answer::add_first_warning(response.headers_mut(), &warning);
    }
    chain.metrics.count(labels, start, response)
}

fn discover(catalog: &Catalog, topic: &Topic) -> Result<Answer, request::Error> {
    let object = |object: &dyn Reflect| Answer::machinery(200, Media::Json, object);
    let discovery = catalog.discovery();
    let found = match topic {
        Topic::Version => Some(object(&published::version(catalog.release))),
        Topic::Core => Some(object(discovery.core())),
        Topic::Groups => Some(object(discovery.groups())),
        Topic::Group(group) => discovery.group(group).map(|group| object(group)),
        Topic::GroupVersion(group, version) => {
            discovery.resources(group, version).map(|resources| object(resources))
        }
    };
    found.ok_or(request::Error::NoSuchPath)
}

/// Discovery of all resources, unless the client has it already.
fn aggregated(catalog: &Catalog, asked: &Aggregation) -> Response {
    let discovery = catalog.discovery();
    let all = if asked.is_of_groups { discovery.all_groups() } else { discovery.all_core() };
    let mut response = if asked.known.as_deref() == Some(all.tag()) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let body = all.encode(asked.version, asked.media);
        let answer = Answer::parameterized(asked.version.media_type(asked.media), body);
        if asked.takes_gzip { answer.compressed() } else { answer }.into_response(None)
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(all.tag()) {
        headers.insert(header::ETAG, tag);
    }
    headers.append(header::VARY, HeaderValue::from_static("Accept"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public"));
    response
}
