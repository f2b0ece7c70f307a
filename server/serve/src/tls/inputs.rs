//! The files of certificates, and what follows from them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::{default_provider, sign::any_supported_type};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};

use super::clients::Unverified;
use crate::Error;

/// The protocols that the server offers, the best first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// All that the TLS of a server depends on.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Inputs {
    pub(super) certificate: Input,
    pub(super) key: Input,
    /// The certificates that sign those of clients.
    pub(super) clients: Option<Clients>,
}

/// The files with the certificates that sign those of clients.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Clients {
    pub(super) bundles: Vec<Input>,
    /// Whether a client with another certificate gets no connection.
    pub(super) is_verified: bool,
}

/// PEM of a file, or that of nobody else.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    is_file: bool,
    pub(super) content: Vec<u8>,
}

impl Input {
    pub(super) fn file(path: &Path) -> Result<Self, Error> {
        let path = path.to_owned();
        match std::fs::read(&path) {
            Ok(content) => Ok(Self { path, is_file: true, content }),
            Err(error) => Err(Error::Read { path, error }),
        }
    }

    /// What is made here, and never changes.
    #[cfg(feature = "self-signed")]
    pub(super) fn made(content: String) -> Self {
        Self { path: "the new certificate".into(), is_file: false, content: content.into_bytes() }
    }

    async fn read_again(&self) -> io::Result<Self> {
        let mut new = self.clone();
        if self.is_file {
            new.content = tokio::fs::read(&self.path).await?;
        }
        Ok(new)
    }

    fn wrong(&self, message: impl Into<String>) -> Error {
        Error::Certificate { path: self.path.clone(), message: message.into() }
    }

    fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, Error> {
        let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&self.content).collect();
        let chain = chain.map_err(|error| self.wrong(format!("expected certificates in PEM: {error}")))?;
        if chain.is_empty() {
            return Err(self.wrong("expected a certificate in PEM, found none"));
        }
        Ok(chain)
    }
}

impl Inputs {
    pub(super) async fn read_again(&self) -> io::Result<Self> {
        let clients = match &self.clients {
            Some(Clients { bundles, is_verified }) => {
                let mut new = Clients { bundles: Vec::new(), is_verified: *is_verified };
                for bundle in bundles {
                    new.bundles.push(bundle.read_again().await?);
                }
                Some(new)
            }
            None => None,
        };
        Ok(Self {
            certificate: self.certificate.read_again().await?,
            key: self.key.read_again().await?,
            clients,
        })
    }

    /// The TLS of new connections.
    pub(super) fn config(&self) -> Result<ServerConfig, Error> {
        let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider supports the default versions of TLS");
        let builder = match &self.clients {
            Some(clients) => builder.with_client_cert_verifier(verifier(clients)?),
            None => builder.with_no_client_auth(),
        };
        let certified = SingleCertAndKey::from(self.certified()?);
        let mut config = builder.with_cert_resolver(Arc::new(certified));
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
        Ok(config)
    }

    fn certified(&self) -> Result<CertifiedKey, Error> {
        let chain = self.certificate.certificates()?;
        let key = PrivateKeyDer::from_pem_slice(&self.key.content)
            .map_err(|error| self.key.wrong(format!("expected a private key in PEM: {error}")))?;
        let signing = any_supported_type(&key).map_err(|error| self.key.wrong(error.to_string()))?;
        let certified = CertifiedKey::new(chain, signing);
        match certified.keys_match() {
            Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(certified),
            Err(error) => Err(self.key.wrong(format!("the key does not belong to the certificate: {error}"))),
        }
    }
}

/// Decides in the handshake about the certificates of clients. No client needs one.
fn verifier(clients: &Clients) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    let mut roots = RootCertStore::empty();
    for bundle in &clients.bundles {
        for certificate in bundle.certificates()? {
            roots.add(certificate).map_err(|error| bundle.wrong(error.to_string()))?;
        }
    }
    if !clients.is_verified {
        return Ok(Arc::new(Unverified::new(&roots)));
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
        .allow_unauthenticated()
        .build()
        .map_err(|error| clients.bundles[0].wrong(error.to_string()))
}
