//! Users who are known by a certificate of the connection.

mod authorities;
mod subject;

use std::path::Path;

use axum::http::request::Parts;
use hubgen_serve::PeerCertificates;

use self::authorities::Authorities;
pub(in crate::access) use self::subject::CREDENTIAL;
use super::Found;
use super::reread::FileError;

/// Users by their certificates (`--client-ca-file`): the common name is the name, and the organizations are the groups.
///
/// The connection proves only that a client has the key of its certificate
/// ([`Tls::ask_clients`](crate::Tls::ask_clients)). A certificate that is worth nothing is answered with 401, as upstream does,
/// unless the request has a token that is valid.
pub struct ClientCertificates(Authorities);

impl ClientCertificates {
    /// Users whose certificates those in a PEM file have signed. The file is read again when it changes.
    ///
    /// # Errors
    /// If it cannot be read, or has no certificate.
    pub fn signed_by(bundle: impl AsRef<Path>) -> Result<Self, FileError> {
        Authorities::file(bundle.as_ref()).map(Self)
    }

    /// Who has the certificate of a connection.
    pub(super) fn find(&self, head: &Parts) -> Found {
        let Some(shown) = head.extensions.get::<PeerCertificates>() else { return Found::Nobody };
        match self.0.verify(shown).and_then(|()| subject::user(shown.own())) {
            Ok(Some(user)) => Found::User(user),
            Ok(None) => Found::Nobody,
            Err(error) => Found::Wrong(format!("the certificate of the client: {error}")),
        }
    }
}

/// Whether a certificate is in both files.
pub(super) fn overlap(one: &Path, other: &Path) -> Result<bool, FileError> {
    Ok(Authorities::file(one)?.overlap(&Authorities::file(other)?))
}

/// Certificates of programs that tell in headers who sends a request.
pub(super) struct TrustedProxies {
    authorities: Authorities,
    /// The common names that they may have; any if it is empty.
    names: Vec<String>,
}

impl TrustedProxies {
    pub(super) fn signed_by(bundle: &Path, names: Vec<String>) -> Result<Self, FileError> {
        Ok(Self { authorities: Authorities::file(bundle)?, names })
    }

    /// Whether a request comes from such a program; `None` if its connection has no certificate.
    pub(super) fn check(&self, head: &Parts) -> Option<Result<(), String>> {
        let shown = head.extensions.get::<PeerCertificates>()?;
        Some(self.authorities.verify(shown).and_then(|()| {
            let name = subject::common_name(shown.own())?;
            match self.names.is_empty() || self.names.contains(&name) {
                true => Ok(()),
                false => Err(format!("the common name {name:?} is not one of --requestheader-allowed-names")),
            }
        }))
    }
}
