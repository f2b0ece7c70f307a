//! The certificate of the server and those of its clients, which are read again when their files change.

mod clients;
#[cfg(feature = "self-signed")]
pub(crate) mod folder;
mod inputs;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tracing::{info, warn};

use self::inputs::{Clients, Input, Inputs};
use crate::Error;

/// How often files are compared with what was read.
const INTERVAL: Duration = Duration::from_secs(2);

/// The certificate of a server and its key, and optionally the certificates by which it knows its clients.
#[derive(Clone)]
pub struct Tls {
    inputs: Inputs,
    current: Arc<RwLock<Arc<ServerConfig>>>,
    reloads: Reloads,
}

/// How often changed files were read. Clones count together.
#[derive(Clone, Debug, Default)]
pub struct Reloads(Arc<[AtomicU64; 2]>);

impl Reloads {
    /// How often new certificates were taken from changed files.
    pub fn succeeded(&self) -> u64 {
        self.0[0].load(Relaxed)
    }

    /// How often changed files had none that could be taken.
    pub fn failed(&self) -> u64 {
        self.0[1].load(Relaxed)
    }

    fn count(&self, is_success: bool) {
        self.0[usize::from(!is_success)].fetch_add(1, Relaxed);
    }
}

impl Tls {
    /// A certificate and its key in PEM files, such as those of a mounted Secret. When the files change, new
    /// connections get the new certificate; those that are open stay open. Files that do not fit each other change
    /// nothing.
    ///
    /// # Errors
    /// When a file cannot be read or has no PEM, or when the key does not belong to the certificate.
    pub fn files(certificate: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, Error> {
        let (certificate, key) = (Input::file(certificate.as_ref())?, Input::file(key.as_ref())?);
        Self::load(Inputs { certificate, key, clients: None })
    }

    /// A new certificate that signs itself, for development: for example for `localhost`, or
    /// `my-webhook.my-namespace.svc`, by which an API server knows a Service. It is another one each time, valid for
    /// ten years. [`ca_bundle`](Self::ca_bundle) is what clients need to know it.
    ///
    /// # Errors
    /// When a name is no DNS name or IP address.
    #[cfg(feature = "self-signed")]
    pub fn self_signed<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|error| Error::SelfSigned(error.to_string()))?;
        let certificate = Input::made(made.cert.pem());
        let key = Input::made(made.signing_key.serialize_pem());
        Self::load(Inputs { certificate, key, clients: None })
    }

    fn load(inputs: Inputs) -> Result<Self, Error> {
        let current = Arc::new(RwLock::new(Arc::new(inputs.config()?)));
        Ok(Self { inputs, current, reloads: Reloads::default() })
    }

    /// Asks clients for certificates that those in a PEM file have signed. Requests of such a client have
    /// [`PeerCertificates`](crate::PeerCertificates). A client without a certificate is served, too; the handler
    /// decides about its requests. One with a wrong certificate gets no connection. The file is read again when it
    /// changes.
    ///
    /// # Errors
    /// When the file cannot be read, or has no certificate that can sign.
    pub fn client_ca(self, bundle: impl AsRef<Path>) -> Result<Self, Error> {
        let clients = Clients { bundles: vec![Input::file(bundle.as_ref())?], is_verified: true };
        Self::load(Inputs { clients: Some(clients), ..self.inputs })
    }

    /// Asks clients for certificates, and hands what they show to the handler as
    /// [`PeerCertificates`](crate::PeerCertificates) without a look at who signed it. The handler verifies it, and can tell the
    /// client in HTTP that it is wrong. `bundles` are PEM files with certificates that sign those of clients: their names help
    /// a client to choose one. They are read again when they change.
    ///
    /// # Errors
    /// When a file cannot be read, or has no certificate that can sign.
    pub fn ask_clients<P: AsRef<Path>>(self, bundles: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        let bundles: Result<_, _> = bundles.into_iter().map(|bundle| Input::file(bundle.as_ref())).collect();
        let clients = Clients { bundles: bundles?, is_verified: false };
        Self::load(Inputs { clients: Some(clients), ..self.inputs })
    }

    /// The certificate in PEM. For a certificate that signs itself, clients know it by this. It is the `caBundle` of a
    /// webhook, before base64.
    pub fn ca_bundle(&self) -> &[u8] {
        &self.inputs.certificate.content
    }

    /// How often changed files were read.
    pub fn reloads(&self) -> Reloads {
        self.reloads.clone()
    }

    /// Accepts a connection with the certificates of now.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&current))
    }

    /// Reads the files again, whenever they have changed, for ever.
    pub(crate) async fn keep_fresh(self) {
        let mut inputs = self.inputs;
        let mut refused = None;
        loop {
            tokio::time::sleep(INTERVAL).await;
            // A file that is being replaced may be away for a moment.
            let Ok(new) = inputs.read_again().await else { continue };
            if new == inputs || refused.as_ref() == Some(&new) {
                continue;
            }
            match new.config() {
                Ok(config) => {
                    *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                    info!("{}: read a new certificate", new.certificate.path.display());
                    inputs = new;
                    self.reloads.count(true);
                }
                // The other file may not be written yet.
                Err(error) => {
                    warn!("the certificate stays the former one: {error}");
                    refused = Some(new);
                    self.reloads.count(false);
                }
            }
        }
    }
}
