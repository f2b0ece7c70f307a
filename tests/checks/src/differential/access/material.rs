//! Certificates, tokens and keys, of which both servers know.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair};

use super::jwt::Key;

/// The key of RSA that signs some tokens of the issuer. It is here because nothing at hand makes such keys; it protects nothing.
const RSA: &str = include_str!("issuer.pem");

/// The tokens of users.
pub const TOKENS: &str =
    "admin-token,admin,1,\"system:masters\"\nuser-token,ada,2,\"developers, others\"\nplain-token,bob,3\n";

/// A folder with all of them.
pub struct Material {
    folder: PathBuf,
    pub clients: Authority,
    pub proxies: Authority,
    /// Signs the tokens of service accounts.
    pub accounts: Key,
    /// Sign the tokens of the issuer: the first and the next one, and one of RSA.
    pub first: Key,
    pub next: Key,
    pub rsa: Key,
    /// The port of the issuer.
    pub port: u16,
}

/// Something that signs certificates.
pub struct Authority {
    pub issuer: Issuer<'static, KeyPair>,
    /// Its own certificate in PEM.
    pub pem: String,
}

impl Authority {
    /// A new one, or the same one again if there is a key.
    fn named(name: &str, key: KeyPair) -> Self {
        let params = authority(name);
        let pem = params.self_signed(&key).expect("a key signs").pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub fn new(name: &str) -> Self {
        Self::named(name, new_key())
    }

    pub fn below(&self, params: CertificateParams) -> Self {
        let key = new_key();
        let pem = params.signed_by(&key, &self.issuer).expect("a key signs").pem();
        Self { issuer: Issuer::new(params, key), pem }
    }
}

pub fn new_key() -> KeyPair {
    KeyPair::generate().expect("the system has random numbers")
}

/// What is in a certificate that signs others.
pub fn authority(name: &str) -> CertificateParams {
    let mut params = named(name, &[]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
}

/// What is in a certificate of a user: the name and at most two groups.
pub fn named(name: &str, groups: &[&str]) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    if !name.is_empty() {
        params.distinguished_name.push(DnType::CommonName, name);
    }
    // The library has each attribute once, under each of its names.
    let names = [DnType::OrganizationName, DnType::CustomDnType(vec![2, 5, 4, 10])];
    for (attribute, group) in names.into_iter().zip(groups) {
        params.distinguished_name.push(attribute, *group);
    }
    params
}

impl Material {
    /// Opens a folder, and makes what is missing in it.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn open(folder: &Path) -> Result<Self, String> {
        let context = |error: std::io::Error| format!("{}: {error}", folder.display());
        fs::create_dir_all(folder).map_err(context)?;
        let key = |name: &str| -> Result<KeyPair, String> {
            let path = folder.join(name);
            if !path.exists() {
                fs::write(&path, new_key().serialize_pem()).map_err(context)?;
            }
            let pem = fs::read_to_string(&path).map_err(context)?;
            KeyPair::from_pem(&pem).map_err(|error| format!("{}: {error}", path.display()))
        };
        let signing = |name: &str| key(name).map(|key| Key::Ec(key.serialize_der()));
        let port = folder.join("port");
        if !port.exists() {
            let free = std::net::TcpListener::bind(("127.0.0.1", 0))
                .and_then(|free| free.local_addr())
                .map_err(context)?;
            fs::write(&port, free.port().to_string()).map_err(context)?;
        }
        let port = fs::read_to_string(&port).map_err(context)?;
        let rsa = pem::parse(RSA).map_err(|error| error.to_string())?;
        let mut made = Self {
            folder: folder.to_owned(),
            clients: Authority::named("clients", key("ca.key")?),
            proxies: Authority::named("proxies", key("proxy-ca.key")?),
            accounts: signing("sa.key")?,
            first: signing("first.key")?,
            next: signing("next.key")?,
            rsa: Key::Rsa(rsa.into_contents()),
            port: port.trim().parse().map_err(|_| format!("expected a port, found {port:?}"))?,
        };
        hubgen_serve::Tls::in_folder(folder, ["127.0.0.1".to_owned()]).map_err(|error| error.to_string())?;
        let authority = fs::read_to_string(made.path(hubgen_serve::CERTIFICATE)).map_err(context)?;
        for (name, content) in [
            ("ca.crt", made.clients.pem.clone()),
            ("proxy-ca.crt", made.proxies.pem.clone()),
            ("sa.pub", key("sa.key")?.public_key_pem()),
            ("tokens.csv", TOKENS.to_owned()),
            ("authentication.yaml", made.configuration(&authority)),
        ] {
            if !folder.join(name).exists() {
                fs::write(folder.join(name), content).map_err(context)?;
            }
        }
        // A signature is another one each time, and the server knows that of the file.
        made.clients.pem = fs::read_to_string(made.path("ca.crt")).map_err(context)?;
        Ok(made)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The URL of the issuer, of which there are three: with a name, with an address as a name, and with a uid.
    pub fn issuer(&self, which: &str) -> String {
        format!("https://127.0.0.1:{}/{which}", self.port)
    }

    fn configuration(&self, authority: &str) -> String {
        let indented: String = authority.lines().map(|line| format!("      {line}\n")).collect();
        let jwt = |which: &str, mappings: &str| {
            format!(
                "- issuer:\n    url: {}\n    audiences: [hubgen, others]\n    audienceMatchPolicy: MatchAny\n    \
                 certificateAuthority: |\n{indented}  claimMappings:\n{mappings}",
                self.issuer(which)
            )
        };
        let names =
            "    username: {claim: sub, prefix: 'oidc:'}\n    groups: {claim: groups, prefix: 'team:'}\n";
        let emails = "    username: {claim: email, prefix: ''}\n";
        let uids = "    username: {claim: name, prefix: 'u:'}\n    uid: {claim: id}\n  claimValidationRules:\n  - claim: tenant\n    \
                    requiredValue: red\n";
        format!(
            "apiVersion: apiserver.config.k8s.io/v1beta1\nkind: AuthenticationConfiguration\njwt:\n{}{}{}",
            jwt("names", names),
            jwt("emails", emails),
            jwt("uids", uids)
        )
    }

    /// The flags that a kube-apiserver and `hubgen serve` understand.
    pub fn flags(&self) -> Vec<String> {
        let file = |flag: &str, name: &str| format!("--{flag}={}", self.path(name).display());
        let mut flags = vec![
            file("client-ca-file", "ca.crt"),
            file("requestheader-client-ca-file", "proxy-ca.crt"),
            file("token-auth-file", "tokens.csv"),
            file("authentication-config", "authentication.yaml"),
            file("service-account-key-file", "sa.pub"),
            file("service-account-signing-key-file", "sa.key"),
        ];
        let others = [
            "requestheader-allowed-names=proxy,another",
            "requestheader-username-headers=X-Remote-User",
            "requestheader-uid-headers=X-Remote-Uid",
            "requestheader-group-headers=X-Remote-Group",
            "requestheader-extra-headers-prefix=X-Remote-Extra-",
            "service-account-issuer=https://accounts.example",
            "service-account-jwks-uri=https://accounts.example/keys",
            "api-audiences=api,https://accounts.example",
        ];
        flags.extend(others.iter().map(|flag| format!("--{flag}")));
        flags
    }

    /// What nobody may write into a log.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn secrets(&self) -> Result<Vec<String>, String> {
        let mut secrets: Vec<String> =
            TOKENS.lines().filter_map(|line| line.split(',').next()).map(str::to_owned).collect();
        for name in ["sa.key", "apiserver.key"] {
            let pem = fs::read_to_string(self.path(name)).map_err(|error| format!("{name}: {error}"))?;
            secrets.extend(pem.lines().filter(|line| !line.starts_with('-')).map(str::to_owned));
        }
        Ok(secrets)
    }
}
