//! Tests the server over HTTP, with a store in memory and a small Scheme.

mod access;
mod admission;
mod apply;
mod authorization_webhook;
mod bad_input;
mod behaviour;
mod bounds;
mod certificates;
#[path = "../../../../tests/whole/support/client.rs"]
mod client;
mod conversion;
mod definitions;
mod discovery;
mod dry_run;
mod gate;
mod harness;
mod health;
mod impersonation;
mod initial;
mod kinds;
mod limits;
mod lists;
mod lives;
mod long_lists;
mod loopback;
mod loops;
mod metrics;
mod objects;
mod openapi;
mod partial;
mod patches;
mod process;
mod rbac;
mod reviews;
mod rules;
mod runtime;
mod schemas;
mod scheme;
#[path = "../../../../tests/whole/support/scripted.rs"]
mod scripted;
mod storage_versions;
mod tables;
mod tls;
mod tokens;
mod unknown;
mod unreadable;
mod validation;
mod versions;
#[path = "../../../../tests/whole/support/watch.rs"]
mod watch;
mod watches;
