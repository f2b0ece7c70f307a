//! The webhook as a service of tower.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use hubgen_serve::Reloads;
use hubgen_serve::body::{self, Received, Refusal};
use hubgen_serve::memory::{Memory, SMALL};
use hubgen_serve::metrics::MEDIA_TYPE;
use hubgen_serve::queue::TooMany;
use hyper::body::Bytes;
use tracing::{Span, warn};

use crate::metrics::{Metrics, Outcome};
use crate::{Limits, Webhook, answer};

/// Answers HTTP requests: a POST is a review, a GET of `/healthz`, `/readyz` or `/metrics` is what it seems.
///
/// It is a service of tower for any body. It never fails: what is wrong with a request is the answer.
#[derive(Clone)]
pub struct Service {
    webhook: Webhook,
    limits: Limits,
    memory: Memory,
    metrics: Arc<Metrics>,
}

impl Service {
    /// A service with limits for its clients. Clones of a service
    /// share them.
    pub fn new(webhook: Webhook, limits: Limits) -> Self {
        Self::with_reloads(webhook, limits, Reloads::default())
    }

    /// The same, in front of a certificate that is read again so often.
    pub(crate) fn with_reloads(webhook: Webhook, limits: Limits, reloads: Reloads) -> Self {
        let memory = Memory::new(limits.together);
        let metrics = Arc::new(Metrics::new(memory.clone(), reloads));
        Self { webhook, limits, memory, metrics }
    }

    async fn answer<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/healthz" | "/readyz" | "/livez") => text(StatusCode::OK, "ok"),
            (&Method::GET, "/metrics") => self.metrics(),
            (&Method::POST, _) => self.review(request).await,
            (method, path) => {
                let message = format!("{path}: expected POST with a ConversionReview, found {method}\n");
                let mut response = text(StatusCode::METHOD_NOT_ALLOWED, message);
                let is_for_get = matches!(path, "/healthz" | "/readyz" | "/livez" | "/metrics");
                let allowed = if is_for_get { "GET, POST" } else { "POST" };
                response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
                response
            }
        }
    }

    fn metrics(&self) -> Response<Full<Bytes>> {
        let mut response = text(StatusCode::OK, self.metrics.text());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        response
    }

    async fn review<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let body = request.into_body();
        let received = body::receive(body, &self.limits.bodies(), &self.memory).await;
        let Received { bytes, share } = match received {
            Ok(received) => received,
            Err(refusal) => return self.no_body(refusal),
        };
        let start = Instant::now();
        let answered = if bytes.len() > SMALL {
            let (webhook, span) = (self.webhook.clone(), Span::current());
            let work = move || span.in_scope(|| (webhook.answered(&bytes), share));
            let answered = tokio::task::spawn_blocking(work).await;
            answered.expect("panics of conversions are caught, and the task is not aborted")
        } else {
            (self.webhook.answered(&bytes), share)
        };
        match answered {
            (Ok(answered), share) => {
                let outcome = match answered.is_converted {
                    true => Outcome::Succeeded { objects: answered.objects },
                    false => Outcome::Failed,
                };
                self.metrics.request(outcome, start.elapsed());
                let mut response = Response::new(Full::new(answer::bytes(answered.json, share)));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                response
            }
            (Err(error), _) => self.refused(Outcome::Refused, StatusCode::BAD_REQUEST, &error.to_string()),
        }
    }

    /// The answer to a review whose body was not received.
    fn no_body(&self, refusal: Refusal) -> Response<Full<Bytes>> {
        match &refusal {
            Refusal::TooLarge(_) => {
                self.refused(Outcome::Refused, StatusCode::PAYLOAD_TOO_LARGE, &refusal.to_string())
            }
            Refusal::TooSlow(_) => {
                self.refused(Outcome::Refused, StatusCode::REQUEST_TIMEOUT, &refusal.to_string())
            }
            Refusal::Overload => {
                let message = format!("other reviews take {} bytes; try again", self.limits.together);
                let status = StatusCode::TOO_MANY_REQUESTS;
                let mut response = self.refused(Outcome::Overloaded, status, &message);
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(TooMany::RETRY_AFTER));
                response
            }
            Refusal::Incomplete(_) => {
                self.refused(Outcome::Refused, StatusCode::BAD_REQUEST, &refusal.to_string())
            }
        }
    }

    fn refused(&self, outcome: Outcome, status: StatusCode, message: &str) -> Response<Full<Bytes>> {
        self.metrics.request(outcome, Default::default());
        warn!(status = status.as_u16(), "refused a request: {message}");
        text(status, format!("{message}\n"))
    }
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text.into()));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
