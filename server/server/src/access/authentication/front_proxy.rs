//! Users of whom a trusted proxy tells in headers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::http::HeaderMap;
use axum::http::request::Parts;

use super::Found;
use super::certificates::{self, TrustedProxies};
use super::reread::FileError;
use crate::access::User;
use crate::access::headers::{extra_key, text};

/// Users of whom a proxy tells in headers such as `X-Remote-User` (`--requestheader-client-ca-file`), if the proxy has a
/// certificate that proves who it is.
pub struct FrontProxy {
    proxies: TrustedProxies,
    headers: FrontProxyHeaders,
}

/// The headers in which a proxy tells who sends a request. Each list can be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontProxyHeaders {
    /// Those of the name; the first one that a request has counts.
    pub user: Vec<String>,
    /// Those of the uid; the first one that a request has counts.
    pub uid: Vec<String>,
    /// Those of the groups, which all count.
    pub groups: Vec<String>,
    /// What headers of extra fields begin with: the rest is the name of the field, with `%2f` for `/`.
    pub extra: Vec<String>,
}

impl FrontProxy {
    /// Trusts proxies whose certificates those in a PEM file have signed, and which have one of these common names, or any
    /// if there are none. The file is read again when it changes.
    ///
    /// # Errors
    /// If it cannot be read, or has no certificate.
    pub fn signed_by(
        bundle: impl Into<PathBuf>,
        names: Vec<String>,
        headers: FrontProxyHeaders,
    ) -> Result<Self, FileError> {
        Ok(Self { proxies: TrustedProxies::signed_by(&bundle.into(), names)?, headers })
    }

    /// Whether a certificate is in both of two PEM files. Who has a certificate that one of them has signed could tell who it is
    /// if both kinds of clients may have any name.
    ///
    /// # Errors
    /// If one cannot be read, or has no certificate.
    pub fn shares_certificates(one: impl AsRef<Path>, other: impl AsRef<Path>) -> Result<bool, FileError> {
        certificates::overlap(one.as_ref(), other.as_ref())
    }

    /// Of whom a proxy tells.
    pub(super) fn find(&self, head: &Parts) -> Found {
        match self.proxies.check(head) {
            None => Found::Nobody,
            Some(Err(error)) => Found::Wrong(format!("the certificate of the proxy: {error}")),
            Some(Ok(())) => match self.headers.user(&head.headers) {
                Some(user) => Found::User(user),
                None => Found::Nobody,
            },
        }
    }
}

impl FrontProxyHeaders {
    fn user(&self, headers: &HeaderMap) -> Option<User> {
        let name = first(headers, &self.user)?;
        Some(User {
            name,
            uid: first(headers, &self.uid).unwrap_or_default(),
            groups: self.groups.iter().flat_map(|header| values(headers, header)).collect(),
            extra: self.extra(headers),
        })
    }

    fn extra(&self, headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
        let mut extra = BTreeMap::<_, Vec<_>>::new();
        for prefix in &self.extra {
            let prefix = prefix.to_ascii_lowercase();
            for (header, value) in headers {
                // Names of headers are in small letters here.
                if let Some(key) = header.as_str().strip_prefix(&prefix) {
                    extra.entry(extra_key(key)).or_default().push(text(value.as_bytes()));
                }
            }
        }
        extra
    }
}

/// The first of these headers with a text. Of a header that is there several times, the first one counts.
fn first(headers: &HeaderMap, names: &[String]) -> Option<String> {
    let found = names.iter().filter_map(|name| headers.get(name)).map(|value| text(value.as_bytes()));
    found.into_iter().find(|value| !value.is_empty())
}

/// All texts of a header that are not empty.
fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    let found = headers.get_all(name).iter().map(|value| text(value.as_bytes()));
    found.filter(|value| !value.is_empty()).collect()
}
