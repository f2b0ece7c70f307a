//! Connections, mostly over TLS, with HTTP/1.1 for requests one after the other, and HTTP/2 for many watches.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};

use crate::Error;
use crate::credentials::User;

/// The media type of bodies.
pub const JSON: &str = "application/json";

/// The answer of a watch.
pub type Watch = Response<Incoming>;

/// A connection on which one request is sent at a time.
pub struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    host: String,
}

impl Connection {
    pub async fn http1(address: SocketAddr, user: User) -> Result<Self, Error> {
        let stream = connect(address, user, b"http/1.1").await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { sender, host: address.to_string() })
    }

    /// A connection without TLS.
    pub async fn plain(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { sender, host: address.to_string() })
    }

    /// Begins a watch, and returns the answer without its body. As long as that lasts, nothing else can be sent.
    pub async fn open(&mut self, path: &str) -> Result<Watch, Error> {
        let request = request("GET", path, &self.host, JSON, Vec::new())?;
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let code = response.status();
        if code == 200 { Ok(response) } else { Err(format!("a watch answers {code}").into()) }
    }

    /// Sends a request, and reads the whole answer. `media` is the type of the body, or of the answer if there is none.
    pub async fn send(
        &mut self,
        method: &str,
        path: &str,
        media: &str,
        body: Vec<u8>,
    ) -> Result<(u16, Bytes), Error> {
        let request = request(method, path, &self.host, media, body)?;
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let code = response.status().as_u16();
        Ok((code, response.into_body().collect().await?.to_bytes()))
    }
}

/// A connection that is shared by many requests at a time.
#[derive(Clone)]
pub struct Shared {
    sender: http2::SendRequest<Full<Bytes>>,
    host: String,
}

impl Shared {
    pub async fn http2(address: SocketAddr, user: User) -> Result<Self, Error> {
        let stream = connect(address, user, b"h2").await?;
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Self { sender, host: address.to_string() })
    }

    /// Begins a request, and returns the answer without its body.
    pub async fn open(&mut self, path: &str) -> Result<Response<Incoming>, Error> {
        let uri = format!("https://{}{path}", self.host);
        let request = Request::builder().uri(uri);
        self.sender.ready().await?;
        Ok(self.sender.send_request(request.body(Full::default())?).await?)
    }
}

fn request(
    method: &str,
    path: &str,
    host: &str,
    media: &str,
    body: Vec<u8>,
) -> Result<Request<Full<Bytes>>, Error> {
    let mut request = Request::builder().method(method).uri(path).header("host", host);
    if !media.is_empty() {
        request = request.header(if body.is_empty() { "accept" } else { "content-type" }, media);
    }
    Ok(request.body(Full::from(body))?)
}

async fn connect(address: SocketAddr, user: User, protocol: &[u8]) -> Result<TlsStream<TcpStream>, Error> {
    let (chain, key) = user.certificate()?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anything))
        .with_client_auth_cert(chain, key)?;
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from("localhost")?;
    Ok(TlsConnector::from(Arc::new(config)).connect(name, stream).await?)
}

/// Takes any certificate: the server is one that this program has started.
#[derive(Debug)]
struct Anything;

impl ServerCertVerifier for Anything {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, tokio_rustls::rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, tokio_rustls::rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, tokio_rustls::rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}
