//! Who sent a request, as extensions of the request.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio_rustls::rustls::pki_types::CertificateDer;

/// The address of the client of a request. Every request has one among its extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub SocketAddr);

/// The certificates that the client of a request has shown, its own first, each in DER. They are verified with the
/// [bundle of the server](crate::Tls::client_ca). A request without a client certificate has no such extension.
#[derive(Clone, Debug)]
pub struct PeerCertificates(Arc<[CertificateDer<'static>]>);

impl PeerCertificates {
    pub(crate) fn new(chain: &[CertificateDer<'static>]) -> Self {
        Self(chain.into())
    }

    /// The certificate of the client itself.
    pub fn own(&self) -> &[u8] {
        // A chain that was verified has at least this one.
        self.0.first().map_or(&[], |certificate| certificate.as_ref())
    }

    /// All certificates, the client's own first.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(AsRef::as_ref)
    }
}

/// The client of a connection.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) address: PeerAddress,
    pub(crate) certificates: Option<PeerCertificates>,
}
