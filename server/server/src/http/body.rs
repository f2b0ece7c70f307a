//! Receives the whole body of a request, within limits.

use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

use super::turns::{Permit, SMALL, Turns};
use crate::wire::Status;

/// How much of a too large body is still read, as a multiple of the maximum: a client that can
/// finish sending reads the error.
const DRAIN_FACTOR: usize = 10;

/// The bytes of a body, with the memory permit for them.
#[derive(Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    /// The permit for the memory of the body. Dropping it releases the memory.
    pub(super) permit: Option<Permit>,
}

/// Receives a body.
///
/// # Errors
/// 413 if the body is too large, 408 if it does not arrive in time, 400 if it is incomplete.
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
        let frame = frame.map_err(|error| Status::bad_request(format!("cannot read the body: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if too_large || length > most {
            // A refused body is not stored.
            received = Bytes::default();
            if length > most.saturating_mul(DRAIN_FACTOR) {
                break;
            }
            continue;
        }
        if length > SMALL && received.permit.is_none() {
            // The permit is for the whole body, so that no two bodies wait for each other.
            received.permit = turns.memory_for_body(announced.unwrap_or(most)).await;
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
