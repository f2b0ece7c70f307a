//! A conversion webhook that answers by a script, right or wrong.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, SanType, date_time_ymd};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

/// Asked for its address. Scripts are objects; an empty one has the objects answered as they are, but at the version that is
/// asked for. Their members:
///
/// - `set`, `remove`: what a review has instead, or lacks, by JSON pointers, in which `*` is every element of a list;
/// - `fill`: texts of so many letters, by pointers;
/// - `repeat`: how often each object is answered;
/// - `code`, `type`, `headers`, `body`: another response;
/// - `does`: `hang`, `close` the connection, or answer `half`.
pub struct Scripted {
    /// Its address, with a path.
    pub url: String,
    /// The certificate (PEM) of who signs its certificate, or should.
    pub authority: String,
    address: SocketAddr,
    config: Option<Arc<ServerConfig>>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    script: Mutex<Value>,
    /// The reviews that it has got.
    asked: Mutex<Vec<Value>>,
    /// The paths of their requests.
    paths: Mutex<Vec<String>>,
    /// Those who have connected.
    clients: Mutex<Vec<TcpStream>>,
    has_ended: Mutex<bool>,
}

impl Scripted {
    /// Starts it with a certificate: a `good` one, one that is `expired` or `early`, of an `other name` or `other authority`, or
    /// `none`.
    pub fn start(certificate: &str) -> Self {
        let (authority, config) = made(certificate);
        Self::listen(authority, config, TcpListener::bind("127.0.0.1:0").expect("a port is free"))
    }

    /// Another one in the place of one that was killed.
    pub fn restarted(&self) -> Self {
        let listener = loop {
            // Whoever listened may not be gone yet.
            match TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        };
        Self::listen(self.authority.clone(), self.config.clone(), listener)
    }

    fn listen(authority: String, config: Option<Arc<ServerConfig>>, listener: TcpListener) -> Self {
        let own_config = config.clone();
        let address = listener.local_addr().expect("it has an address");
        let shared = Arc::new(Shared { script: Mutex::new(json!({})), ..Shared::default() });
        let own = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if *own.has_ended.lock().unwrap() {
                    return;
                }
                own.clients.lock().unwrap().extend(stream.try_clone());
                let (own, config) = (Arc::clone(&own), config.clone());
                std::thread::spawn(move || match config {
                    Some(config) => {
                        let connection = ServerConnection::new(config).expect("the configuration is right");
                        let _ = own.serve(&mut StreamOwned::new(connection, &stream), &stream);
                    }
                    None => drop(own.serve(&mut &stream, &stream)),
                });
            }
        });
        Self { url: format!("https://{address}/convert"), authority, address, config: own_config, shared }
    }

    /// Answers by this script from now on.
    pub fn play(&self, script: Value) {
        *self.shared.script.lock().unwrap() = script;
    }

    /// The reviews that it has got, which it then forgets.
    pub fn asked(&self) -> Vec<Value> {
        std::mem::take(&mut *self.shared.asked.lock().unwrap())
    }

    /// The paths of all reviews that it has got.
    pub fn paths(&self) -> Vec<String> {
        self.shared.paths.lock().unwrap().clone()
    }

    /// How many connections it has had.
    pub fn connections(&self) -> usize {
        self.shared.clients.lock().unwrap().len()
    }

    /// Ends it, and all connections.
    pub fn kill(&self) {
        *self.shared.has_ended.lock().unwrap() = true;
        // It listens until somebody comes.
        let _ = TcpStream::connect(self.address);
        for client in self.shared.clients.lock().unwrap().iter() {
            let _ = client.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    /// Answers the reviews of one connection.
    fn serve(&self, stream: &mut (impl Read + Write), tcp: &TcpStream) -> std::io::Result<()> {
        let mut read = Vec::new();
        loop {
            let Some((path, review)) = review(stream, &mut read)? else { return Ok(()) };
            self.paths.lock().unwrap().push(path);
            self.asked.lock().unwrap().push(review.clone());
            let script = self.script.lock().unwrap().clone();
            match script["does"].as_str() {
                Some("hang") => return wait(stream),
                Some("close") => return tcp.shutdown(Shutdown::Both),
                _ => {}
            }
            let body = match script["body"].as_str() {
                Some(body) => body.to_owned(),
                None => answer(&review, &script).to_string(),
            };
            let code = script["code"].as_u64().unwrap_or(200);
            let ty = script["type"].as_str().unwrap_or("application/json");
            let is_half = script["does"] == "half";
            let length = if is_half { body.len() + 100 } else { body.len() };
            let mut head = format!("HTTP/1.1 {code} X\r\nContent-Type: {ty}\r\nContent-Length: {length}\r\n");
            for (name, value) in script["headers"].as_object().into_iter().flatten() {
                head.push_str(&format!("{name}: {}\r\n", value.as_str().unwrap_or_default()));
            }
            head.push_str("\r\n");
            stream.write_all(head.as_bytes())?;
            stream.write_all(body.as_bytes())?;
            stream.flush()?;
            if is_half {
                return tcp.shutdown(Shutdown::Both);
            }
        }
    }
}

/// Waits until the client goes.
fn wait(stream: &mut impl Read) -> std::io::Result<()> {
    while stream.read(&mut [0; 1024])? > 0 {}
    Ok(())
}

/// Reads the next review, with its path; `None` if the client is gone.
fn review(stream: &mut (impl Read + Write), read: &mut Vec<u8>) -> std::io::Result<Option<(String, Value)>> {
    let mut buffer = [0; 16 << 10];
    loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&read[..end]).into_owned();
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if read.len() >= end + 4 + length {
                let body = read.drain(..end + 4 + length).skip(end + 4).collect::<Vec<u8>>();
                return Ok(Some((path, serde_json::from_slice(&body).unwrap_or_default())));
            }
        }
        if !read.is_empty() && !b"POST ".starts_with(&read[..read.len().min(5)]) {
            // A client that wants TLS is told in HTTP that there is none.
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")?;
            return Ok(None);
        }
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            count => read.extend_from_slice(&buffer[..count]),
        }
    }
}

/// The review that answers another one by a script.
fn answer(review: &Value, script: &Value) -> Value {
    let request = &review["request"];
    let times = script["repeat"].as_u64().unwrap_or(1);
    let mut objects = Vec::new();
    for object in request["objects"].as_array().into_iter().flatten() {
        let mut object = object.clone();
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        (0..times).for_each(|_| objects.push(object.clone()));
    }
    let response =
        json!({"uid": request["uid"], "result": {"status": "Success"}, "convertedObjects": objects});
    let mut answer =
        json!({"kind": "ConversionReview", "apiVersion": review["apiVersion"], "response": response});
    let parts = |pointer: &str| pointer.split('/').skip(1).map(str::to_owned).collect::<Vec<_>>();
    for pointer in script["remove"].as_array().into_iter().flatten() {
        change(&mut answer, &parts(pointer.as_str().unwrap_or_default()), None);
    }
    for (pointer, value) in script["set"].as_object().into_iter().flatten() {
        change(&mut answer, &parts(pointer), Some(value));
    }
    for (pointer, count) in script["fill"].as_object().into_iter().flatten() {
        let count = usize::try_from(count.as_u64().unwrap_or_default()).unwrap_or_default();
        change(&mut answer, &parts(pointer), Some(&"x".repeat(count).into()));
    }
    answer
}

/// Sets or removes what is at a place.
fn change(at: &mut Value, parts: &[String], value: Option<&Value>) {
    let Some((first, rest)) = parts.split_first() else {
        if let Some(value) = value {
            *at = value.clone();
        }
        return;
    };
    if first == "*" {
        at.as_array_mut().into_iter().flatten().for_each(|at| change(at, rest, value));
    } else if rest.is_empty() && value.is_none() {
        at.as_object_mut().map(|members| members.shift_remove(first));
    } else if let (Value::Array(list), Ok(index)) = (&mut *at, first.parse::<usize>()) {
        list.get_mut(index).into_iter().for_each(|at| change(at, rest, value));
    } else {
        change(&mut at[first.as_str()], rest, value);
    }
}

/// A certificate of one's own, and the authority that a definition names.
fn made(certificate: &str) -> (String, Option<Arc<ServerConfig>>) {
    let authority = |name: &str| {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().expect("the system has random numbers");
        let certificate = params.self_signed(&key).expect("it can be signed");
        (certificate.pem(), Issuer::new(params, key))
    };
    let (named, issuer) = authority("authority");
    let (_, other) = authority("other authority");
    if certificate == "none" {
        return (named, None);
    }
    let mut params = CertificateParams::default();
    params.subject_alt_names = match certificate {
        "other name" => vec![SanType::DnsName("other.example".try_into().expect("a name"))],
        "service" => vec![SanType::DnsName("webhook.shop.svc".try_into().expect("a name"))],
        _ => vec![SanType::IpAddress([127, 0, 0, 1].into())],
    };
    (params.not_before, params.not_after) = match certificate {
        "expired" => (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1)),
        "early" => (date_time_ymd(2100, 1, 1), date_time_ymd(2101, 1, 1)),
        _ => (date_time_ymd(2020, 1, 1), date_time_ymd(2101, 1, 1)),
    };
    let key = KeyPair::generate().expect("the system has random numbers");
    let signer = if certificate == "other authority" { &other } else { &issuer };
    let signed = params.signed_by(&key, signer).expect("it can be signed");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("it is a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has them")
        .with_no_client_auth()
        .with_single_cert(vec![signed.der().clone()], key)
        .expect("the key is that of the certificate");
    (named, Some(Arc::new(config)))
}

/// One webhook for each certificate, started when it is first needed.
#[derive(Default)]
pub struct All(HashMap<String, Scripted>);

impl All {
    /// The webhook with a certificate.
    pub fn with(&mut self, certificate: &str) -> &Scripted {
        self.0.entry(certificate.to_owned()).or_insert_with(|| Scripted::start(certificate))
    }
}
