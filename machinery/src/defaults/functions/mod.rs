//! Defaults that no constant says, each a function over one struct.
//!
//! A function gets the struct that the data names it for, whatever the
//! struct's Rust type; generation checks that it has the fields that are asked
//! for here. Like all defaults they leave alone what is set, and taking them
//! twice changes nothing.

mod access;
pub mod autoscaling;
pub mod csr;
pub mod custom_resource;
mod der;
pub mod flow_control;
pub mod image;
pub mod namespace;
pub mod node;
pub mod pod;
pub mod resources;
pub mod service;
pub mod taint;
pub mod template;
pub mod volume;
