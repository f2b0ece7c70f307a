//! A function as a service of tower.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Request, Response};
use tower_service::Service;

/// Makes a service of a function that answers requests, for a [`Door`](crate::Door) without a framework.
pub fn service<F>(function: F) -> FnService<F> {
    FnService(function)
}

/// The service that [`service`] makes.
#[derive(Clone, Copy, Debug)]
pub struct FnService<F>(F);

impl<F, R, B, A> Service<Request<B>> for FnService<F>
where
    F: FnMut(Request<B>) -> R,
    R: Future<Output = Response<A>> + Send + 'static,
{
    type Response = Response<A>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<A>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let answer = (self.0)(request);
        Box::pin(async move { Ok(answer.await) })
    }
}
