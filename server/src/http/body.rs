//! Bodies: received whole, within limits.

use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

use super::turns::{SMALL, Turn, Turns};
use crate::wire::Status;

/// How many times the largest body is still taken off the wire, so that the client gets to see why
/// it was refused.
const DRAIN: usize = 10;

/// The bytes of a body, and the room that they take.
#[derive(Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    /// Given back when dropped.
    pub(super) room: Option<Turn>,
}

/// Receives a body.
///
/// # Errors
/// 413 where it is too large, 408 where it does not arrive in time, 400 where it breaks off.
pub(super) async fn receive(body: axum::body::Body, turns: &Turns) -> Result<Bytes, Status> {
    let limits = turns.limits();
    let received = timeout(limits.body, whole(body, limits.body_bytes, turns)).await;
    received.unwrap_or_else(|_| Err(Status::body_timeout(limits.body)))
}

async fn whole(mut body: axum::body::Body, most: usize, turns: &Turns) -> Result<Bytes, Status> {
    let announced = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let too_large = announced.is_some_and(|announced| announced > most);
    let mut received = Bytes::default();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Status::bad_request(format!("the body broke off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if too_large || length > most {
            // What is refused need not be kept.
            received = Bytes::default();
            if length > most.saturating_mul(DRAIN) {
                break;
            }
            continue;
        }
        if length > SMALL && received.room.is_none() {
            // Taken at once, so that no two bodies wait for each other.
            received.room = turns.room_for_body(announced.unwrap_or(most)).await;
        }
        received.bytes.extend_from_slice(&data);
    }
    if too_large || length > most {
        return Err(Status::failure(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {most}"),
        ));
    }
    Ok(received)
}
