//! What becomes of requests that fail on purpose, and of watches that are lost.

use std::io;

use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::future::{Either, select};
use futures_util::stream::{self, StreamExt};

use crate::access::Attributes;
use crate::faults::{Fault, FaultAnswer, Faults, Losing, Lost};
use crate::media::Media;
use crate::objects::EventType;
use crate::request::Request;
use crate::status::Failure;

/// What goes wrong with a request.
pub(crate) fn found(faults: &dyn Faults, request: &Attributes<'_>) -> (Option<Fault>, Option<Losing>) {
    if request.resource.is_none() {
        return (None, None);
    }
    match faults.strike(request) {
        Some(fault) => (Some(fault), None),
        None if request.verb == "watch" => (None, faults.losing(request)),
        None => (None, None),
    }
}

/// The answer to a request with a fault.
pub(crate) fn answer(fault: &Fault, request: &Request) -> Result<Response, Failure> {
    match fault.answer {
        FaultAnswer::Closed => {
            // The server of HTTP closes a connection whose answer fails before it has begun.
            let nothing = stream::iter([Err::<Bytes, _>(closed())]);
            Ok(Response::new(Body::from_stream(nothing)))
        }
        answer => Err(Failure::on_purpose(answer, request)),
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the connection is closed on purpose")
}

/// A watch until it is lost.
pub(crate) fn until_lost(watch: Response, losing: Losing, media: Media) -> Response {
    watch.map(|body| {
        let running = Some((body.into_data_stream(), losing));
        Body::from_stream(stream::unfold(running, move |running| async move {
            let (mut frames, mut losing) = running?;
            let lost = match select(frames.next(), &mut losing).await {
                Either::Left((frame, _)) => Err(frame),
                Either::Right((lost, _)) => Ok(lost),
            };
            match lost {
                Err(frame) => Some((frame?.map_err(io::Error::other), Some((frames, losing)))),
                Ok(Lost::Ended) => None,
                Ok(Lost::Closed) => Some((Err(closed()), None)),
                Ok(Lost::Expired) => {
                    let status = media.encode_own(&*Failure::watch_expired().0);
                    EventType::Error.frame(media, &status).ok().map(|frame| (Ok(frame), None))
                }
            }
        }))
    })
}
