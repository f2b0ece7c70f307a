//! An API in plain Rust: a module for each version.

#![allow(unreachable_pub, reason = "this is the module of a library")]

pub mod generated;
pub mod v1;
pub mod v1alpha1;
