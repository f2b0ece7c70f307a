//! The types of Kubernetes, and of APIs made for tests: conversions, defaults, canonical forms, sizes, memory.

#[path = "../../support/schemas.rs"]
mod schemas;

mod allocations;
mod canonical;
mod cert_manager;
mod conversions;
mod defaults;
mod edits;
mod golden;
mod memory;
mod one_version;
mod run_time_json;
mod runtime;
mod runtime_scheme;
mod sizes;
