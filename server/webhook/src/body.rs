//! Receives the body of a request, within limits.

use std::pin::pin;

use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Buf;
use tokio::time::{Instant, timeout_at};

use crate::Limits;
use crate::room::{Place, Room};

/// A review of more bytes than this takes room, and a thread that may block converts it.
pub(crate) const SMALL: usize = 64 << 10;

/// The body of a request.
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    /// The room that it takes, if it is not small.
    pub(crate) place: Option<Place>,
}

/// Why a body is refused.
pub(crate) enum Refusal {
    TooLarge,
    TooSlow,
    /// It takes room that other reviews have.
    Overload,
    /// Its client closes the connection, for example.
    Incomplete(String),
}

/// Receives a body.
///
/// The rest of a refused one is received, too, but not kept: many clients read no answer before they have sent all.
///
/// # Errors
/// When it is refused.
pub(crate) async fn receive<B>(body: B, limits: &Limits, room: &Room) -> Result<Received, Refusal>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    let mut body = pin!(body);
    let mut deadline = Instant::now() + limits.patience;
    let announced = body.size_hint().exact().map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    let mut kept = match announced {
        Some(size) if size > limits.body => Err(Refusal::TooLarge),
        _ => Ok(Received { bytes: Vec::new(), place: None }),
    };
    while let Some(data) = next(body.as_mut(), deadline).await? {
        let Ok(received) = &mut kept else { continue };
        let length = received.bytes.len() + data.remaining();
        if length > limits.body {
            kept = Err(Refusal::TooLarge);
            continue;
        }
        if length > SMALL && received.place.is_none() {
            // All at once: two reviews that each have half of their room would wait for each other.
            let size = announced.unwrap_or(limits.body);
            let start = Instant::now();
            received.place = room.take(size, limits.turn).await;
            deadline += start.elapsed();
            if received.place.is_none() {
                kept = Err(Refusal::Overload);
                continue;
            }
            received.bytes.reserve_exact(announced.unwrap_or(0).saturating_sub(received.bytes.len()));
        }
        append(&mut received.bytes, data);
    }
    let mut received = kept?;
    if let Some(place) = &mut received.place {
        place.shrink(received.bytes.capacity());
    }
    Ok(received)
}

/// The next data of a body, or `None` at its end.
async fn next<B>(mut body: std::pin::Pin<&mut B>, deadline: Instant) -> Result<Option<B::Data>, Refusal>
where
    B: Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>>,
{
    loop {
        let frame = timeout_at(deadline, body.frame()).await.map_err(|_| Refusal::TooSlow)?;
        match frame.map(|frame| frame.map(Frame::into_data)) {
            None => return Ok(None),
            Some(Ok(Ok(data))) => return Ok(Some(data)),
            // Trailers.
            Some(Ok(Err(_))) => {}
            Some(Err(error)) => return Err(Refusal::Incomplete(error.into().to_string())),
        }
    }
}

fn append(bytes: &mut Vec<u8>, mut data: impl Buf) {
    while data.has_remaining() {
        let chunk = data.chunk();
        bytes.extend_from_slice(chunk);
        let length = chunk.len();
        data.advance(length);
    }
}
