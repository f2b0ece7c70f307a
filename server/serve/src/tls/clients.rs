//! What becomes of the certificates of clients in the TLS handshake.

use std::sync::Arc;

use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::crypto::{
    WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature_with_raw_key,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer, UnixTime};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::{
    self, CertificateError, DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme,
};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::inputs::Clients;
use crate::Error;

/// Decides in the handshake about the certificates of clients. None of them demands a certificate.
pub(super) fn verifier(clients: &Clients) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    let mut roots = RootCertStore::empty();
    for bundle in &clients.bundles {
        for certificate in bundle.certificates()? {
            roots.add(certificate).map_err(|error| bundle.wrong(error.to_string()))?;
        }
    }
    if !clients.is_verified {
        let algorithms = default_provider().signature_verification_algorithms;
        return Ok(Arc::new(Unverified { hints: roots.subjects(), algorithms }));
    }
    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()))
        .allow_unauthenticated()
        .build()
        .map_err(|error| clients.bundles[0].wrong(error.to_string()))
}

/// Lets a client show any certificate. The handshake proves only that the client has its key; what the certificate is worth, the
/// handler decides.
#[derive(Debug)]
struct Unverified {
    /// The names of those who sign certificates of clients, by which a client chooses one.
    hints: Vec<DistinguishedName>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ClientCertVerifier for Unverified {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &self.hints
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        // The key alone, because the library reads no certificates of version 1, which `openssl x509 -req` makes.
        let (_, parsed) = X509Certificate::from_der(certificate)
            .map_err(|_| rustls::Error::InvalidCertificate(CertificateError::BadEncoding))?;
        let key = SubjectPublicKeyInfoDer::from(parsed.public_key().raw);
        verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
