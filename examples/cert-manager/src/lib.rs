//! The API of cert-manager 1.5: six kinds, each at the versions `v1alpha2`, `v1alpha3`, `v1beta1` and `v1`, which differ.
//!
//! `api` is generated from the schemas in `schemas`, which `hubgen import` made of the CustomResourceDefinitions, and
//! from the conversion rules in `schemas/rules`, which people wrote.

pub mod api;
