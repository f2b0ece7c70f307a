//! The server, with our client, kubectl and client-go.

#[path = "../../support/client.rs"]
mod client;
#[path = "../../support/go.rs"]
mod go;
#[path = "../../support/process.rs"]
mod process;
#[path = "../../support/schemas.rs"]
mod schemas;

mod bad_input;
mod behaviour;
mod client_go;
mod cluster;
mod controllers;
mod envtest;
mod every_kind;
mod kubectl;
mod protobuf;
mod published;
mod releases;
mod report;
mod repository;
mod serve;
mod story;
mod subresources;
