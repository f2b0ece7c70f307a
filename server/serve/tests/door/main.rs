//! The door: what clients may do to it over each protocol, and what handlers get from it.
//!
//! Tests wait for events, not for times. Where a deadline must not be exceeded, it is far away.

mod attacks;
mod drain;
mod handler;
mod http2_attacks;
mod requests;
mod running;
mod tls;
mod wire;
