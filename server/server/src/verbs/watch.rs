//! `watch`: GET of a collection with `watch`.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use hubgen_serve::Drain;
use hubgen_serve::queue::{Lane, Permit};
use tokio::time::Instant;

use crate::answer;
use crate::catalog::Span;
use crate::media::Media;
use crate::objects::{EventType, Objects, Until, Watch};
use crate::request::ObjectRequest;
use crate::status::Failure;

/// What a watch needs of the server while it runs.
pub(crate) struct Running {
    /// Counts the watch.
    pub(crate) permit: Permit,
    /// Where the objects that exist are read and encoded.
    pub(crate) lane: Lane,
    /// After how long the server ends a watch that does not say when.
    pub(crate) timeout: Duration,
    pub(crate) drain: Drain,
    /// How long the kind is served as it is, if that is not as long as the server runs.
    pub(crate) span: Option<Span>,
}

/// Answers a request for a watch. What goes wrong later is an event of the watch, as in upstream.
pub(crate) fn answer(
    objects: &Objects,
    request: &ObjectRequest,
    running: Running,
) -> Result<Response<Body>, Failure> {
    let ObjectRequest { collection, shown, .. } = request;
    let query = request.query.watch(&collection.entry)?;
    let Running { permit, lane, timeout, drain, span } = running;
    let deadline = Instant::now() + query.timeout.unwrap_or(timeout);
    let watch = objects.watch(collection, query, *shown, lane, Until { deadline, drain, span });
    let state = (watch, shown.media, permit);
    let frames = stream::unfold(state, |(mut watch, media, permit)| async move {
        let frame = next(&mut watch, media).await?;
        Some((Ok::<_, Infallible>(frame), (watch, media, permit)))
    });
    Ok(answer::watch(shown.media, Body::from_stream(frames)))
}

/// The next bytes of a watch; an error becomes its last event.
async fn next(watch: &mut Watch, media: Media) -> Option<Bytes> {
    match watch.next().await {
        Ok(frame) => frame,
        Err(error) => {
            let status = media.encode_own(&*Failure::from(error).0);
            EventType::Error.frame(media, &status).ok()
        }
    }
}
