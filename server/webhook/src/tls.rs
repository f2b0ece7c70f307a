//! The certificate of the server, which is read again when its files change.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::{default_provider, sign::any_supported_type};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{self, ServerConfig};
use tracing::{info, warn};

use crate::Error;
use crate::metrics::Metrics;

/// How often files are compared with what was read.
const INTERVAL: Duration = Duration::from_secs(2);

/// A certificate and its key.
#[derive(Clone)]
pub struct Tls {
    current: Arc<Current>,
    files: Option<Files>,
    bundle: Vec<u8>,
}

/// The files, and what they contained.
#[derive(Clone)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    content: (Vec<u8>, Vec<u8>),
}

/// The certificate that new connections get.
struct Current(RwLock<Arc<CertifiedKey>>);

impl Tls {
    /// A certificate and its key in PEM files, such as those of a mounted Secret. When the files change, new connections
    /// get the new certificate; those that are open stay open. Files that do not fit each other change nothing.
    ///
    /// # Errors
    /// When a file cannot be read or has no PEM, or when the key does not belong to the certificate.
    pub fn files(certificate: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, Error> {
        let (certificate, key) = (certificate.as_ref().to_owned(), key.as_ref().to_owned());
        let content = (read(&certificate)?, read(&key)?);
        let current = parse((&certificate, &content.0), (&key, &content.1))?;
        let bundle = content.0.clone();
        let files = Files { certificate, key, content };
        Ok(Self { current: Current::new(current), files: Some(files), bundle })
    }

    /// A new certificate that signs itself, for development: for example for `localhost`, or
    /// `my-webhook.my-namespace.svc`, by which an API server knows a Service. It is another one each time, valid for ten
    /// years. [`ca_bundle`](Self::ca_bundle) is what the definitions need.
    ///
    /// ```no_run
    /// # mod api { pub fn scheme() -> hubgen_machinery::scheme::Scheme { hubgen_machinery::scheme::Scheme::new() } }
    /// # use hubgen_webhook::Tls;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tls = Tls::self_signed(["localhost"])?;
    /// std::fs::write("tls.crt", tls.ca_bundle())?;
    /// hubgen_webhook::serve(api::scheme(), tls, "127.0.0.1:9443").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a name is no DNS name or IP address.
    #[cfg(feature = "self-signed")]
    pub fn self_signed<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let wrong = |error: rcgen::Error| Error::SelfSigned(error.to_string());
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let key = rcgen::generate_simple_self_signed(names).map_err(wrong)?;
        let (certificate, key) = (key.cert.pem().into_bytes(), key.signing_key.serialize_pem().into_bytes());
        let name = Path::new("the new certificate");
        let current = parse((name, &certificate), (name, &key))?;
        Ok(Self { current: Current::new(current), files: None, bundle: certificate })
    }

    /// The certificate in PEM. For a certificate that signs itself, this is the `caBundle` of the definitions, before
    /// base64.
    pub fn ca_bundle(&self) -> &[u8] {
        &self.bundle
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let current = Arc::clone(&self.current);
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .expect("the provider supports the default versions of TLS")
            .with_no_client_auth()
            .with_cert_resolver(current);
        TlsAcceptor::from(Arc::new(config))
    }

    /// Reads the files again, whenever they have changed, for ever.
    pub(crate) async fn keep_fresh(self, metrics: Arc<Metrics>) {
        let Some(mut files) = self.files else { return std::future::pending().await };
        let mut refused = None;
        loop {
            tokio::time::sleep(INTERVAL).await;
            let (Ok(certificate), Ok(key)) =
                (tokio::fs::read(&files.certificate).await, tokio::fs::read(&files.key).await)
            else {
                continue;
            };
            let content = (certificate, key);
            if content == files.content || Some(&content) == refused.as_ref() {
                continue;
            }
            match parse((&files.certificate, &content.0), (&files.key, &content.1)) {
                Ok(new) => {
                    self.current.set(new);
                    files.content = content;
                    metrics.reload(true);
                    info!("{}: read a new certificate", files.certificate.display());
                }
                // The other file may not be written yet.
                Err(error) => {
                    warn!("the certificate stays the former one: {error}");
                    refused = Some(content);
                    metrics.reload(false);
                }
            }
        }
    }
}

impl Current {
    fn new(key: CertifiedKey) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Arc::new(key))))
    }

    fn set(&self, key: CertifiedKey) {
        let mut current = self.0.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        *current = Arc::new(key);
    }
}

impl fmt::Debug for Current {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.0.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        Some(Arc::clone(&current))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| Error::Read { path: path.to_owned(), error })
}

fn parse(certificate: (&Path, &[u8]), key: (&Path, &[u8])) -> Result<CertifiedKey, Error> {
    let wrong = |path: &Path, message: String| Error::Certificate { path: path.to_owned(), message };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate.1).collect();
    let chain =
        chain.map_err(|error| wrong(certificate.0, format!("expected certificates in PEM: {error}")))?;
    if chain.is_empty() {
        return Err(wrong(certificate.0, "expected a certificate in PEM, found none".to_owned()));
    }
    let read = PrivateKeyDer::from_pem_slice(key.1)
        .map_err(|error| wrong(key.0, format!("expected a private key in PEM: {error}")))?;
    let signing = any_supported_type(&read).map_err(|error| wrong(key.0, error.to_string()))?;
    let certified = CertifiedKey::new(chain, signing);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(rustls::InconsistentKeys::Unknown)) => Ok(certified),
        Err(error) => Err(wrong(key.0, format!("the key does not belong to the certificate: {error}"))),
    }
}
