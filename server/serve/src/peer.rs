//! Who sent a request, as extensions of the request.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::CertificateDer;

/// The address of the client of a request. Every request has one among its extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The certificates that the client of a request has shown, its own first, each in DER. With
/// [`Tls::client_ca`](crate::Tls::client_ca) they are verified; with [`Tls::ask_clients`](crate::Tls::ask_clients) it is only
/// known that the client has the key of the first one. A request without a client certificate has no such extension.
#[derive(Clone, Debug)]
pub struct PeerCertificates(Arc<[CertificateDer<'static>]>);

impl PeerCertificates {
    pub(crate) fn new(chain: &[CertificateDer<'static>]) -> Self {
        Self(chain.into())
    }

    /// The certificate of the client itself.
    pub fn own(&self) -> &[u8] {
        // A client without any has no such extension.
        self.0.first().map_or(&[], |certificate| certificate.as_ref())
    }

    /// All certificates, the client's own first.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }
}

/// The chain of a client in a test of a handler, each in DER.
impl FromIterator<Vec<u8>> for PeerCertificates {
    fn from_iter<I: IntoIterator<Item = Vec<u8>>>(chain: I) -> Self {
        Self(chain.into_iter().map(CertificateDer::from).collect())
    }
}

/// The client of a connection.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: PeerAddress,
    pub(crate) certificates: Option<PeerCertificates>,
}
