//! The code blocks of the page for users of kube, as doctests.

#[cfg(doctest)]
#[doc = include_str!("../../docs/from-kube.md")]
mod from_kube {}
