//! Certificates of the server and of clients.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hubgen_serve::{Limits, Tls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::crypto::ring::sign::any_supported_type;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::sign::{CertifiedKey, SingleCertAndKey};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::running::{PATIENCE, Running};

/// Writes a new certificate and its key. Returns the certificate.
fn write(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    // In two steps, as a certificate that is copied.
    fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

/// Something that signs certificates of clients.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    fn client(&self) -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["client".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.der().clone(), PrivateKeyDer::Pkcs8(key.serialize_der().into()))
    }
}

/// Asks who the client is. `None` if there is no answer.
fn who(
    running: &Running,
    server: &CertificateDer<'static>,
    client: Option<(CertificateDer<'static>, PrivateKeyDer<'static>)>,
) -> Option<String> {
    let mut roots = RootCertStore::empty();
    roots.add(server.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match client {
        // The resolver does not check that the key belongs to the certificate.
        Some((certificate, key)) => {
            let certified = CertifiedKey::new(vec![certificate], any_supported_type(&key).unwrap());
            config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        }
        None => config.with_no_client_auth(),
    };
    let tcp = TcpStream::connect(running.address).unwrap();
    tcp.set_read_timeout(Some(PATIENCE)).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), tcp);
    stream.write_all(b"GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").ok()?;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    Some(answer.split_once("\r\n\r\n")?.1.to_owned())
}

#[test]
fn clients_show_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let server = write(folder.path());
    let (authority, other) = (Authority::new(), Authority::new());
    let ca = folder.path().join("ca.crt");
    fs::write(&ca, &authority.pem).unwrap();
    let tls = Tls::files(folder.path().join("tls.crt"), folder.path().join("tls.key")).unwrap();
    let running = Running::start(Limits::default(), Some(tls.client_ca(&ca).unwrap()));
    assert!(who(&running, &server, Some(authority.client())).unwrap().ends_with(" 1"));
    assert!(who(&running, &server, None).unwrap().ends_with(" 0"));
    assert_eq!(who(&running, &server, Some(other.client())), None);
    // The bundle is read again.
    fs::write(&ca, &other.pem).unwrap();
    let start = Instant::now();
    while who(&running, &server, Some(other.client())).is_none() {
        assert!(start.elapsed() < PATIENCE, "the new bundle is not read");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(who(&running, &server, Some(authority.client())), None);
}

#[test]
fn a_handler_sees_unverified_certificates() {
    let folder = tempfile::tempdir().unwrap();
    let server = write(folder.path());
    let (authority, other) = (Authority::new(), Authority::new());
    let ca = folder.path().join("ca.crt");
    fs::write(&ca, &authority.pem).unwrap();
    let tls = Tls::files(folder.path().join("tls.crt"), folder.path().join("tls.key")).unwrap();
    let running = Running::start(Limits::default(), Some(tls.ask_clients([&ca]).unwrap()));
    assert!(who(&running, &server, Some(authority.client())).unwrap().ends_with(" 1"));
    assert!(who(&running, &server, Some(other.client())).unwrap().ends_with(" 1"));
    assert!(who(&running, &server, None).unwrap().ends_with(" 0"));
    // But the client must have the key of what it shows.
    let ((certificate, _), (_, key)) = (authority.client(), other.client());
    assert_eq!(who(&running, &server, Some((certificate, key))), None);
}

#[test]
fn a_certificate_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let old = write(folder.path());
    let tls = Tls::files(folder.path().join("tls.crt"), folder.path().join("tls.key")).unwrap();
    let reloads = tls.reloads();
    let running = Running::start(Limits::default(), Some(tls));
    assert!(who(&running, &old, None).is_some());
    // A file that does not fit the other changes nothing.
    let key = fs::read(folder.path().join("tls.key")).unwrap();
    fs::write(folder.path().join("tls.key"), "none").unwrap();
    let start = Instant::now();
    while reloads.failed() == 0 {
        assert!(start.elapsed() < PATIENCE, "the wrong file is not noticed");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(who(&running, &old, None).is_some());
    fs::write(folder.path().join("tls.key"), key).unwrap();
    let new = write(folder.path());
    while who(&running, &new, None).is_none() {
        assert!(start.elapsed() < PATIENCE, "the new certificate is not served");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(reloads.succeeded() > 0);
}

#[test]
fn bad_files_are_errors_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let [certificate, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map(|name| folder.path().join(name));
    let error = || Tls::files(&certificate, &key).err().unwrap().to_string();
    assert!(error().starts_with(&certificate.display().to_string()));
    write(folder.path());
    let old = fs::read(&certificate).unwrap();
    let tls = Tls::files(&certificate, &key).unwrap();
    assert!(tls.clone().client_ca(&ca).err().unwrap().to_string().contains("ca.crt: "));
    fs::write(&ca, "none").unwrap();
    let wrong = tls.client_ca(&ca).err().unwrap().to_string();
    assert!(wrong.contains("ca.crt: expected a certificate in PEM, found none"), "{wrong}");
    write(folder.path());
    fs::write(&certificate, old).unwrap();
    assert!(error().contains("tls.key: the key does not belong to the certificate"), "{}", error());
    fs::write(&key, "no key").unwrap();
    assert!(error().contains("tls.key: expected a private key in PEM"), "{}", error());
    fs::write(&certificate, "none").unwrap();
    assert!(error().contains("tls.crt: expected a certificate in PEM, found none"), "{}", error());
}
