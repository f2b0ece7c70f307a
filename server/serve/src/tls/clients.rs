//! Clients whose certificates the TLS handshake does not verify.

use tokio_rustls::rustls::client::danger::HandshakeSignatureValid;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::crypto::{
    WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature_with_raw_key,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, SubjectPublicKeyInfoDer, UnixTime};
use tokio_rustls::rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use tokio_rustls::rustls::{
    self, CertificateError, DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme,
};
use x509_parser::prelude::{FromDer, X509Certificate};

/// Lets a client show any certificate. The handshake proves only that the client has its key; what the certificate is worth, the
/// handler decides.
#[derive(Debug)]
pub(super) struct Unverified {
    /// The names of those who sign certificates of clients, by which a client chooses one.
    hints: Vec<DistinguishedName>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Unverified {
    /// Names those who sign certificates of clients.
    pub(super) fn new(roots: &RootCertStore) -> Self {
        let algorithms = default_provider().signature_verification_algorithms;
        Self { hints: roots.subjects(), algorithms }
    }
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
