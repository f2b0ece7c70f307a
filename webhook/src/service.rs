//! The webhook as a service of tower.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Bytes;
use tracing::warn;

use crate::metrics::{Metrics, Outcome};
use crate::{Limits, Webhook};

/// A review of more bytes than this is converted by a thread that may block.
const SMALL: usize = 64 << 10;

/// Answers HTTP requests: a POST is a review, a GET of `/healthz`, `/readyz` or `/metrics` is what it seems.
///
/// It is a service of tower for any body. It never fails: what is wrong with a request is the answer.
#[derive(Clone)]
pub struct Service {
    webhook: Webhook,
    limits: Limits,
    pub(crate) metrics: Arc<Metrics>,
}

impl Service {
    /// A service with limits for its clients; of these, those for connections do not concern it.
    pub fn new(webhook: Webhook, limits: Limits) -> Self {
        Self { webhook, limits, metrics: Arc::default() }
    }

    async fn answer<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        match (request.method(), request.uri().path()) {
            (&Method::GET, "/healthz" | "/readyz" | "/livez") => text(StatusCode::OK, "ok"),
            (&Method::GET, "/metrics") => text(StatusCode::OK, self.metrics.text()),
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

    async fn review<B>(self, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
    {
        let refused = |status: StatusCode, message: String| {
            self.metrics.request(Outcome::Refused, Default::default());
            warn!(status = status.as_u16(), "refused a request: {message}");
            text(status, message + "\n")
        };
        let body = Limited::new(request.into_body(), self.limits.body).collect();
        let body = match tokio::time::timeout(self.limits.patience, body).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let message = format!("expected a body of at most {} bytes", self.limits.body);
                return refused(StatusCode::PAYLOAD_TOO_LARGE, message);
            }
            Ok(Err(error)) => {
                return refused(StatusCode::BAD_REQUEST, format!("the body ends early: {error}"));
            }
            Err(_) => {
                let message = format!("the body took longer than {} s", self.limits.patience.as_secs());
                return refused(StatusCode::REQUEST_TIMEOUT, message);
            }
        };
        let start = Instant::now();
        let answered = if body.len() > SMALL {
            let webhook = self.webhook.clone();
            let answered = tokio::task::spawn_blocking(move || webhook.answered(&body)).await;
            answered.expect("panics of conversions are caught, and the task is not aborted")
        } else {
            self.webhook.answered(&body)
        };
        match answered {
            Ok(answered) => {
                let outcome = match answered.is_converted {
                    true => Outcome::Succeeded { objects: answered.objects },
                    false => Outcome::Failed,
                };
                self.metrics.request(outcome, start.elapsed());
                let mut response = Response::new(Full::from(answered.json));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                response
            }
            Err(error) => refused(StatusCode::BAD_REQUEST, error.to_string()),
        }
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
