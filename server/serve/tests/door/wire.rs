//! Clients that send any bytes, over plain TCP and over TLS.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use hubgen_serve::{Limits, Tls};
use tokio::net::TcpSocket;
use tokio::runtime;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::running::{PATIENCE, Running};

/// How a client talks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    pub is_tls: bool,
    pub is_http2: bool,
}

pub const HTTP1: [Way; 2] = [Way { is_tls: false, is_http2: false }, Way { is_tls: true, is_http2: false }];
pub const HTTP2: [Way; 2] = [Way { is_tls: false, is_http2: true }, Way { is_tls: true, is_http2: true }];
pub const ALL: [Way; 4] = [HTTP1[0], HTTP1[1], HTTP2[0], HTTP2[1]];

/// A server, and clients that talk in one way.
pub struct Side {
    pub running: Running,
    pub way: Way,
    bundle: Vec<u8>,
}

impl Side {
    pub fn start(way: Way, limits: Limits) -> Self {
        Self::start_with(way, limits, crate::handler::Shared::default())
    }

    pub fn start_with(way: Way, limits: Limits, shared: crate::handler::Shared) -> Self {
        let tls = way.is_tls.then(|| Tls::self_signed(["localhost"]).unwrap());
        let bundle = tls.as_ref().map(|tls| tls.ca_bundle().to_vec()).unwrap_or_default();
        Self { running: Running::start_with(shared, limits, tls), way, bundle }
    }

    /// A new connection, after the handshake if there is one.
    pub fn connect(&self) -> Connection {
        let tcp = self.tcp();
        let inner = match self.way.is_tls {
            false => Inner::Plain(tcp),
            true => Inner::Tls(Box::new(tls(tcp, &self.bundle, self.way.is_http2))),
        };
        Connection(inner)
    }

    /// A new connection without a handshake. Its receive buffer is small: systems have let one grow by itself until it held
    /// all of an answer of 32 MiB that nobody read.
    pub fn tcp(&self) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(256 << 10).unwrap();
        let runtime = runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let address = self.running.address;
        let stream = runtime.block_on(async { socket.connect(address).await?.into_std() }).unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A new connection of HTTP/1.1 that has sent something.
    pub fn sent(&self, bytes: impl AsRef<[u8]>) -> Connection {
        let mut connection = self.connect();
        connection.send(bytes);
        connection
    }

    /// Checks that a client that behaves is served.
    #[track_caller]
    pub fn check(&self) {
        let mut connection = Self::connect(self);
        if self.way.is_http2 {
            let mut client = crate::http2_attacks::Frames::new(connection, &[]);
            client.get(1, "/ok");
            assert_eq!(client.body_of(1), b"ok");
        } else {
            connection.send("GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            assert!(connection.rest().ends_with("\r\n\r\nok"));
        }
    }
}

fn tls(tcp: TcpStream, bundle: &[u8], is_http2: bool) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(bundle).unwrap()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let protocol: &[u8] = if is_http2 { b"h2" } else { b"http/1.1" };
    config.alpn_protocols = vec![protocol.to_vec()];
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), tcp);
    stream.conn.complete_io(&mut stream.sock).unwrap();
    assert_eq!(stream.conn.alpn_protocol(), Some(protocol));
    stream
}

pub struct Connection(Inner);

enum Inner {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Connection {
    fn stream(&mut self) -> &mut dyn ReadWrite {
        match &mut self.0 {
            Inner::Plain(stream) => stream,
            Inner::Tls(stream) => stream,
        }
    }

    #[track_caller]
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream().write_all(bytes.as_ref()).unwrap();
        self.stream().flush().unwrap();
    }

    /// Sends what the server still takes.
    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let stream = self.stream();
        stream.write_all(bytes.as_ref()).and_then(|()| stream.flush()).is_ok()
    }

    /// Reads something; `None` at the end, however it comes.
    #[track_caller]
    pub fn read(&mut self, bytes: &mut [u8]) -> Option<usize> {
        match self.stream().read(bytes) {
            Ok(0) => None,
            Ok(count) => Some(count),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("the connection stays open");
            }
            // A reset is an end, and so is one of TLS without a farewell.
            Err(_) => None,
        }
    }

    /// Reads until the server closes the connection.
    #[track_caller]
    pub fn rest(&mut self) -> String {
        let (mut all, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
        while let Some(count) = self.read(&mut buffer) {
            all.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&all).into_owned()
    }

    /// Reads until the text ends in something.
    #[track_caller]
    pub fn read_until(&mut self, end: &str) -> String {
        self.read_while(|all| !all.ends_with(end))
    }

    #[track_caller]
    pub fn read_while(&mut self, is_part: impl Fn(&str) -> bool) -> String {
        let (mut all, mut buffer) = (String::new(), [0; 1024]);
        while is_part(&all) {
            let count = self.read(&mut buffer).unwrap_or_else(|| panic!("it ends after {all:?}"));
            all.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        all
    }

    pub fn close_for_writing(&mut self) {
        let tcp = match &self.0 {
            Inner::Plain(stream) => stream,
            Inner::Tls(stream) => &stream.sock,
        };
        let _ = tcp.shutdown(Shutdown::Write);
    }
}

trait ReadWrite: Read + Write {}

impl<T: Read + Write> ReadWrite for T {}
