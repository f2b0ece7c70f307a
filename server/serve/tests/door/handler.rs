//! The handler of the tests.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Channel, Full};
use hubgen_serve::body::{BodyLimits, Refusal, receive};
use hubgen_serve::memory::Memory;
use hubgen_serve::{Drain, PeerAddress, PeerCertificates, RequestId};
use hyper::body::{Bytes, Incoming};
use tokio::sync::Semaphore;

/// What the tests of one server share with its handler.
#[derive(Clone)]
pub struct Shared {
    /// Each permit lets one quiet answer go on, or one stuck request end.
    pub gate: Arc<Semaphore>,
    /// Each request that is stuck, or has a big answer, adds one when it is there.
    pub stuck: Arc<Semaphore>,
    pub bodies: BodyLimits,
    pub memory: Memory,
}

impl Default for Shared {
    fn default() -> Self {
        let time = Duration::from_secs(60);
        Self {
            gate: Arc::new(Semaphore::new(0)),
            stuck: Arc::new(Semaphore::new(0)),
            bodies: BodyLimits { bytes: 1 << 20, time, patience: time },
            memory: Memory::new(16 << 20),
        }
    }
}

pub type Body = BoxBody<Bytes, Infallible>;

fn full(bytes: impl Into<Bytes>) -> Response<Body> {
    Response::new(Full::new(bytes.into()).boxed())
}

pub async fn answer(shared: Shared, request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    match path.as_str() {
        "/ok" => full("ok"),
        "/big" => {
            shared.stuck.add_permits(1);
            full(vec![b'x'; 32 << 20])
        }
        "/quiet" => quiet(shared),
        "/stuck" => {
            shared.stuck.add_permits(1);
            shared.gate.acquire().await.unwrap().forget();
            full("free")
        }
        "/drain" => {
            let mut drain = request.extensions().get::<Drain>().unwrap().clone();
            assert!(!drain.has_begun());
            shared.stuck.add_permits(1);
            drain.begun().await;
            full("drained")
        }
        "/panic" => panic!("as the test wants"),
        "/panic-later" => {
            tokio::task::yield_now().await;
            panic!("as the test wants")
        }
        "/panic-body" => Response::new(Panics.boxed()),
        "/body" => match receive(request.into_body(), &shared.bodies, &shared.memory).await {
            Ok(received) => full(received.bytes.len().to_string()),
            Err(refusal) => {
                let mut response = full(refusal.to_string());
                *response.status_mut() = match refusal {
                    Refusal::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
                    Refusal::TooSlow(_) => StatusCode::REQUEST_TIMEOUT,
                    Refusal::Overload => StatusCode::TOO_MANY_REQUESTS,
                    Refusal::Incomplete(_) => StatusCode::BAD_REQUEST,
                };
                response
            }
        },
        "/who" => {
            let extensions = request.extensions();
            let id = extensions.get::<RequestId>().unwrap();
            let PeerAddress(from) = extensions.get().unwrap();
            let certificates = extensions.get::<PeerCertificates>().map_or(0, |all| all.iter().count());
            full(format!("{id} {from} {certificates}"))
        }
        _ => {
            let mut response = full("nothing here");
            *response.status_mut() = StatusCode::NOT_FOUND;
            response
        }
    }
}

/// A body that panics.
struct Panics;

impl http_body::Body for Panics {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
        panic!("as the test wants")
    }
}

/// An answer that says something, nothing for a while, and something again.
fn quiet(shared: Shared) -> Response<Body> {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
    tokio::spawn(async move {
        for part in ["first ", "last"] {
            if sender.send_data(part.into()).await.is_err() {
                return;
            }
            shared.gate.acquire().await.unwrap().forget();
        }
    });
    Response::new(body.boxed())
}
