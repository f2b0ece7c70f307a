//! The code blocks of the pages for users of kube, as doctests.

#[cfg(doctest)]
#[doc = include_str!("../../docs/from-kube.md")]
mod from_kube {}

#[cfg(doctest)]
#[doc = include_str!("../../docs/kube.md")]
mod kube {}

#[cfg(doctest)]
#[doc = include_str!("../../docs/testserver.md")]
mod testserver {}

#[cfg(doctest)]
#[doc = include_str!("../../docs/views.md")]
mod views {}
