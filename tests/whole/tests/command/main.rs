//! The command line.

#[path = "../../support/client.rs"]
mod client;
#[path = "../../support/process.rs"]
mod process;

mod changes;
mod closed_pipe;
mod convert;
mod convert_repository;
mod decode;
mod examples;
mod explain;
mod explain_conversion;
mod helm_release;
mod help;
mod hub_change;
mod input;
mod report;
mod repository;
mod snapshot;
mod validate;
mod velero;
