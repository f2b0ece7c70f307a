//! Receives the whole body of a request, within limits.

use axum::body::Body;
use hubgen_serve::body::{Received, Refusal};

use super::turns::Turns;
use crate::wire::Status;

/// Receives a body.
///
/// # Errors
/// 413 if the body is too large, 408 if it does not arrive in time, 429 if there is no memory for it, 400 if it is
/// incomplete.
pub(super) async fn receive(body: Body, turns: &Turns) -> Result<Received, Status> {
    let received = hubgen_serve::body::receive(body, &turns.body, &turns.bodies).await;
    received.map_err(|refusal| match refusal {
        Refusal::TooLarge(most) => Status::failure(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {most}"),
        ),
        Refusal::TooSlow(time) => Status::body_timeout(time),
        Refusal::Overload => Status::too_many_requests(),
        Refusal::Incomplete(error) => Status::bad_request(format!("cannot read the body: {error}")),
    })
}
