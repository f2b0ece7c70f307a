//! The server: HTTP in front, then defaulting, the hub, admission and validation, and a store
//! that keeps the bytes.

pub mod store;
