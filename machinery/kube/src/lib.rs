//! Lets the clients of kube-rs work with types of hubgen.
//!
//! kube's `Api`, `watcher`, `reflector` and `Controller` work with every type that implements its trait `Resource`,
//! whose metadata is that of k8s-openapi. `Kube<T>` implements it for every kind of hubgen that servers store: those of
//! Kubernetes, those that are generated from definitions, and types of yours with `#[derive(ApiType)]`. It is used like
//! the object itself.
//!
//! There is a module for each major release of kube, and a feature for each module:
//!
//! | feature | module | kube | k8s-openapi |
//! | --- | --- | --- | --- |
//! | `kube-5` | `v5` | 5 | 0.29 |
//! | `kube-5-client` | the rest of `v5`: what talks to an API server | 5 | 0.29 |
//! | `kube-4` | `v4` | 4 | 0.28 |
//!
//! `k8s-openapi` needs a feature for a version of Kubernetes. The final crate chooses it, as with kube itself.
//!
//! # Why a wrapper
//!
//! `Resource::meta` returns a reference to the `ObjectMeta` of k8s-openapi, so that type has to be somewhere in memory.
//! A kind could contain it instead of ours, but then it would be no type of hubgen any more: its metadata would have
//! no protobuf, its strings would be no [`Str`](hubgen_machinery::Str), functions for all objects would not find a name
//! in it, and a new release of k8s-openapi would be another type of everybody's kinds. `Kube<T>` makes it of the
//! object's metadata when kube first asks for it.

#![allow(
    clippy::duplicate_mod,
    reason = "the code is the same for each major release of kube, with other crates"
)]

#[cfg(feature = "kube-4")]
pub mod v4;
#[cfg(feature = "kube-5")]
pub mod v5;
