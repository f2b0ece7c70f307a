//! Crates outside of this repository: those that somebody new makes, and those that build with our packages.

#[path = "../../support/client.rs"]
mod client;
#[path = "../../support/markdown.rs"]
mod markdown;
#[path = "../../support/pages.rs"]
mod pages;
#[path = "../../support/process.rs"]
mod process;
#[path = "../../support/terminal.rs"]
#[allow(dead_code, reason = "these crates are built, with a shell and no stand-ins")]
mod terminal;

mod crates;
mod newcomer;
mod packed;
