//! Users who are known by the certificate of their connection, or of whom a proxy with a certificate tells.

use std::fs;
use std::path::Path;

use std::time::{Duration, Instant};

use hubgen_machinery::scheme::Scheme;
use hubgen_server::Tls;
use hubgen_server::access::{
    Access, Anonymous, Authenticated, Authenticators, ClientCertificates, FrontProxy, FrontProxyHeaders,
    Tokens,
};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::tls::{Certificate, ClientCert, PrivateKey, TlsConfig};

use crate::harness::{Harness, Setup};

const WHOAMI: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const UID: [u64; 8] = [1, 3, 6, 1, 4, 1, 57683, 2];

/// Something that signs certificates.
struct Authority(Issuer<'static, KeyPair>, rcgen::Certificate);

fn named(name: &str, groups: &str) -> CertificateParams {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    for (attribute, value) in [(DnType::CommonName, name), (DnType::OrganizationName, groups)] {
        if !value.is_empty() {
            params.distinguished_name.push(attribute, value);
        }
    }
    params
}

impl Authority {
    fn params(name: &str) -> CertificateParams {
        let mut params = named(name, "");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
    }

    fn new(name: &str) -> Self {
        let (params, key) = (Self::params(name), KeyPair::generate().unwrap());
        let certificate = params.self_signed(&key).unwrap();
        Self(Issuer::new(params, key), certificate)
    }

    fn below(&self, name: &str) -> Self {
        let (params, key) = (Self::params(name), KeyPair::generate().unwrap());
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Self(Issuer::new(params, key), certificate)
    }

    fn sign(&self, params: &CertificateParams, chain: &[&Self]) -> ClientCert {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let pem = std::iter::once(certificate.pem()).chain(chain.iter().map(|other| other.1.pem()));
        let chain: Vec<_> = pem.map(|pem| Certificate::from_pem(pem.as_bytes()).unwrap()).collect();
        ClientCert::new_with_certs(&chain, PrivateKey::from_pem(key.serialize_pem().as_bytes()).unwrap())
    }
}

/// A server that knows users by certificates of `ca.crt` and `proxy.crt` in a folder, and one by a token.
fn server(folder: &Path, anonymous: Anonymous) -> Harness {
    let (clients, proxies) = (folder.join("ca.crt"), folder.join("proxy.crt"));
    fs::write(folder.join("tokens.csv"), "secret,ada,1,\"developers\"\n").unwrap();
    let tls = Tls::self_signed(["localhost"]).unwrap().ask_clients([&clients, &proxies]).unwrap();
    let list = |header: &str| vec![header.to_owned()];
    let headers = FrontProxyHeaders {
        user: list("X-Remote-User"),
        uid: list("X-Remote-Uid"),
        groups: list("X-Remote-Group"),
        extra: list("X-Remote-Extra-"),
    };
    let authenticators = Authenticators {
        front_proxy: Some(FrontProxy::signed_by(proxies, list("proxy"), headers).unwrap()),
        certificates: Some(ClientCertificates::signed_by(clients).unwrap()),
        tokens: Some(Tokens::file(folder.join("tokens.csv")).unwrap()),
        anonymous,
        ..Authenticators::default()
    };
    let mut scheme = Scheme::new();
    hubgen_authentication::register(&mut scheme);
    let access = Access { authenticate: Box::new(authenticators), authorize: Box::new(Authenticated) };
    Setup::new().scheme(scheme).access(access).tls(tls).start()
}

/// Asks a server who the client is: the code, and the user.
fn who(server: &Harness, certificate: Option<&ClientCert>, headers: &[(&str, &str)]) -> (u16, Value) {
    let tls = TlsConfig::builder().disable_verification(true).client_cert(certificate.cloned());
    let agent = Agent::config_builder().tls_config(tls.build()).http_status_as_error(false);
    let agent: Agent = agent.build().into();
    let mut request = agent.post(format!("https://localhost:{}{WHOAMI}", server.client.0.port()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut answer = request.content_type("application/json").send("{}").unwrap();
    let body: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    let mut user = body["status"]["userInfo"].clone();
    if let Some(extra) = user.get_mut("extra").and_then(Value::as_object_mut) {
        let id = extra.remove("authentication.kubernetes.io/credential-id");
        assert!(id.is_none_or(|id| id[0].as_str().unwrap().starts_with("X509SHA256=")), "{body}");
    }
    (answer.status().as_u16(), user)
}

fn folder(clients: &Authority, proxies: &Authority) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ca.crt"), clients.1.pem()).unwrap();
    fs::write(folder.path().join("proxy.crt"), proxies.1.pem()).unwrap();
    folder
}

const TOKEN: (&str, &str) = ("Authorization", "Bearer secret");

#[test]
fn the_certificate_names_the_user() {
    let (authority, proxies) = (Authority::new("clients"), Authority::new("proxies"));
    let folder = folder(&authority, &proxies);
    let server = server(folder.path(), Anonymous::Everywhere);
    let bob = json!({"username": "bob", "groups": ["admins", "system:authenticated"], "extra": {}});
    let params = named("bob", "admins");
    let certificate = authority.sign(&params, &[]);
    assert_eq!(who(&server, Some(&certificate), &[]), (201, bob.clone()));
    // It counts before a token, whatever that is.
    assert_eq!(who(&server, Some(&certificate), &[TOKEN]), (201, bob.clone()));
    assert_eq!(who(&server, Some(&certificate), &[("Authorization", "Bearer other")]), (201, bob.clone()));
    // Others can have signed in between.
    let (first, other) = (authority.below("first"), Authority::new("other"));
    let second = first.below("second");
    assert_eq!(who(&server, Some(&second.sign(&params, &[&other, &first, &second])), &[]).1, bob);
    assert_eq!(who(&server, Some(&second.sign(&params, &[&second])), &[]).0, 401);
    // Headers of proxies count nothing.
    assert_eq!(who(&server, Some(&certificate), &[("X-Remote-User", "eve")]).1, bob);
    let mut with_uid = named("bob", "admins");
    with_uid.distinguished_name.push(DnType::CustomDnType(UID.to_vec()), "b-1");
    let found = who(&server, Some(&authority.sign(&with_uid, &[])), &[]).1;
    assert_eq!(found["uid"], "b-1");
    with_uid.distinguished_name.push(DnType::CustomDnType(UID.to_vec()), "");
    assert_eq!(who(&server, Some(&authority.sign(&with_uid, &[])), &[]).0, 401);
    for usage in [ExtendedKeyUsagePurpose::ClientAuth, ExtendedKeyUsagePurpose::Any] {
        let mut params = named("bob", "admins");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, usage];
        assert_eq!(who(&server, Some(&authority.sign(&params, &[])), &[]).1, bob);
    }
}

#[test]
fn a_wrong_certificate_is_nobody() {
    let (authority, proxies) = (Authority::new("clients"), Authority::new("proxies"));
    let folder = folder(&authority, &proxies);
    let everybody = server(folder.path(), Anonymous::Everywhere);
    let nobody = server(folder.path(), Anonymous::Nowhere);
    assert_eq!(who(&nobody, None, &[]).0, 401);
    assert_eq!(who(&everybody, None, &[]).0, 403);
    let changed = |change: &dyn Fn(&mut CertificateParams)| {
        let mut params = named("bob", "admins");
        change(&mut params);
        params
    };
    let fine = changed(&|_| {});
    let wrong = [
        Authority::new("clients").sign(&fine, &[]),
        proxies.sign(&fine, &[]),
        authority.sign(&changed(&|params| params.not_after = date_time_ymd(2020, 1, 1)), &[]),
        authority.sign(&changed(&|params| params.not_before = date_time_ymd(2999, 1, 1)), &[]),
        authority.sign(
            &changed(&|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth]),
            &[],
        ),
    ];
    for (index, certificate) in wrong.iter().enumerate() {
        for server in [&everybody, &nobody] {
            assert_eq!(who(server, Some(certificate), &[]), (401, Value::Null), "{index}");
            let ada =
                json!({"username": "ada", "uid": "1", "groups": ["developers", "system:authenticated"]});
            assert_eq!(who(server, Some(certificate), &[TOKEN]), (201, ada), "{index}");
            assert_eq!(
                who(server, Some(certificate), &[("Authorization", "Bearer other")]).0,
                401,
                "{index}"
            );
        }
    }
    // Without a name, it is no credential of a user. It is a wrong one of a proxy.
    let unnamed = authority.sign(&named("", "admins"), &[]);
    assert_eq!(who(&everybody, Some(&unnamed), &[]).0, 401);
    assert_eq!(who(&nobody, Some(&unnamed), &[]).0, 401);
}

#[test]
fn a_proxy_tells_who_asks() {
    let (authority, proxies) = (Authority::new("clients"), Authority::new("proxies"));
    let folder = folder(&authority, &proxies);
    let server = server(folder.path(), Anonymous::Everywhere);
    let proxy = proxies.sign(&named("proxy", ""), &[]);
    let told = [
        ("x-remote-user", "carl"),
        ("X-Remote-Uid", "c-1"),
        ("X-Remote-Group", "a"),
        ("X-Remote-Group", ""),
        ("X-Remote-Group", "b"),
        ("X-Remote-Extra-Example.com%2fTeam", "red"),
        ("X-Remote-Extra-example.com%2Fteam", "blue"),
    ];
    let carl = json!({
        "username": "carl", "uid": "c-1", "groups": ["a", "b", "system:authenticated"],
        "extra": {"example.com/team": ["red", "blue"]},
    });
    assert_eq!(who(&server, Some(&proxy), &told), (201, carl));
    // The certificate of a proxy is none of a user.
    assert_eq!(who(&server, Some(&proxy), &[]).0, 401);
    let other = proxies.sign(&named("other", ""), &[]);
    assert_eq!(who(&server, Some(&other), &told).0, 401);
    assert_eq!(who(&server, None, &told).0, 403);
}

#[test]
fn the_files_are_read_again() {
    let (authority, proxies) = (Authority::new("clients"), Authority::new("proxies"));
    let folder = folder(&authority, &proxies);
    let server = server(folder.path(), Anonymous::Everywhere);
    let (next, params) = (Authority::new("next"), named("bob", ""));
    let (old, new) = (authority.sign(&params, &[]), next.sign(&params, &[]));
    assert_eq!((who(&server, Some(&old), &[]).0, who(&server, Some(&new), &[]).0), (201, 401));
    fs::write(folder.path().join("ca.crt"), next.1.pem()).unwrap();
    let start = Instant::now();
    while who(&server, Some(&new), &[]).0 != 201 {
        assert!(start.elapsed() < Duration::from_secs(60), "the new file is not read");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(who(&server, Some(&old), &[]).0, 401);
}
