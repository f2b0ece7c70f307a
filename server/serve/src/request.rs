//! Answers one request: id, span, limits, panics.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use tracing::field::Empty;
use tracing::{Instrument, Span, debug, error, info_span};

use crate::activity::Stream;
use crate::body::AnswerBody;
use crate::drain::Drain;
use crate::limits::Limits;
use crate::peer::Peer;
use crate::queue::{InFlight, TooMany};
use crate::request_id::{AUDIT_ID, Ids, RequestId};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The maximum number of characters of a path in a log.
const PATH_CHARS: usize = 200;

/// A service of tower that answers requests, such as a router of axum.
pub trait Handler: Clone + Send + Sync + 'static {
    /// The body of its answers.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static;

    /// Answers a request.
    fn handle(self, request: Request<Incoming>) -> impl Future<Output = Response<Self::Body>> + Send;
}

impl<S, B> Handler for S
where
    S: tower_service::Service<Request<Incoming>, Response = Response<B>, Error = std::convert::Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Body = B;

    async fn handle(mut self, request: Request<Incoming>) -> Response<B> {
        let ready = std::future::poll_fn(|context| self.poll_ready(context)).await;
        let Ok(()) = ready;
        let Ok(response) = self.call(request).await;
        response
    }
}

/// What all requests of a door share.
pub(crate) struct Requests {
    ids: Ids,
    in_flight: InFlight,
    drain: Drain,
}

/// The body of an answer: the handler's, or one of the door.
pub(crate) type Answer<B> = AnswerBody<Either<B, Full<Bytes>>>;

impl Requests {
    pub(crate) fn new(limits: &Limits, drain: Drain) -> Self {
        Self { ids: Ids::default(), in_flight: InFlight::new(limits.requests), drain }
    }

    /// Answers a request.
    pub(crate) fn answer<H: Handler>(
        self: &Arc<Self>,
        handler: H,
        mut request: Request<Incoming>,
        peer: Peer,
        stream: Stream,
    ) -> impl Future<Output = Response<Answer<H::Body>>> + Send + use<H> {
        let start = Instant::now();
        let id = self.ids.id(request.headers());
        let span = span(&request, &id);
        let extensions = request.extensions_mut();
        extensions.insert(id.clone());
        extensions.insert(self.drain.clone());
        extensions.insert(peer.address);
        if let Some(certificates) = peer.certificates {
            extensions.insert(certificates);
        }
        let permit = self.in_flight.enter();
        let answering = async move {
            let (response, permit) = match permit {
                Ok(permit) => (isolated(handler, request, &id).await, Some(permit)),
                Err(error) => (too_many(error), None),
            };
            let (span, status) = (Span::current(), response.status().as_u16());
            span.record("status", status);
            debug!(status, duration = ?start.elapsed(), "answered");
            let mut response = response.map(|body| AnswerBody::new(body, stream, permit));
            response.headers_mut().insert(AUDIT_ID, id.header());
            response
        };
        answering.instrument(span)
    }
}

fn span(request: &Request<Incoming>, id: &RequestId) -> Span {
    // Queries can have secrets.
    let path = request.uri().path();
    let path = path.get(..PATH_CHARS).unwrap_or(path);
    info_span!("request", id = id.as_str(), method = %request.method(), path, status = Empty)
}

/// The answer of the handler, or 500 if it panics.
async fn isolated<H: Handler>(
    handler: H,
    request: Request<Incoming>,
    id: &RequestId,
) -> Response<Either<H::Body, Full<Bytes>>> {
    let mut answer = pin!(handler.handle(request));
    // What the handler has left half done is its own: nothing of it is used again.
    let answered = std::future::poll_fn(|context| {
        match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    });
    match answered.await {
        Ok(response) => response.map(Either::Left),
        Err(panic) => {
            error!("the handler of a request panicked: {}", message_of(&*panic));
            let message = format!("internal error; the log has it under the id {id}\n");
            text(StatusCode::INTERNAL_SERVER_ERROR, message)
        }
    }
}

fn message_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

fn too_many<B>(error: TooMany) -> Response<Either<B, Full<Bytes>>> {
    let mut response = text(StatusCode::TOO_MANY_REQUESTS, format!("{error}\n"));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(TooMany::RETRY_AFTER));
    response
}

fn text<B>(status: StatusCode, text: String) -> Response<Either<B, Full<Bytes>>> {
    let mut response = Response::new(Either::Right(Full::from(text)));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
