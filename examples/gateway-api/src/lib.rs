//! The API of gateway-api 1.0: six kinds at up to two versions, which agree, so that no conversion needs a rule.
//!
//! `api` is generated from the schemas in `schemas`, which `hubgen import` made of the CustomResourceDefinitions.

pub mod api;
