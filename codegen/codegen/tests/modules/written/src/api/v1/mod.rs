//! `example.com/v1`.

mod key;

use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_meta::v1 as meta;

pub use self::key::{Algorithm, PrivateKey};

/// A certificate.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Cert", namespaced, storage, status, short("ct", "cts"))]
#[kind(column("Ready" => ".status.ready"), column("Secret" => ".spec.secretName", priority = 1))]
#[kind(may_be_invalid("spec.dnsNames", "spec.secretName"))]
#[from(v1alpha1, words("spec.keyAlgorithm" => "spec.privateKey.algorithm", "rsa" = "RSA", "ecdsa" = "ECDSA"))]
#[from(v1alpha1, words("spec.renew" => "spec.renew", "never" = "Never", "always" = "Always"))]
#[from(v1alpha1, moved("spec.issuer" => "spec.issuerRef.name"))]
#[from(v1alpha1, number("spec.timeoutSeconds" => "spec.timeout", duration = "s"))]
#[from(v1alpha1, number("spec.memoryMi" => "spec.memory", quantity = "Mi"), number("spec.surgePercent" => "spec.surge", percent))]
#[from(v1alpha1, number("spec.retries" => "spec.retries", text))]
#[from(v1alpha1, keyed("spec.contacts" => "spec.contacts", key = "name"))]
#[from(v1alpha1, keyed("spec.notes" => "spec.notes", key = "title", value = "text"))]
#[from(v1alpha1, table("spec.zone" => "spec.zones", ["{zone}"] => [["{zone}"]]))]
#[from(v1alpha1, table(
    "spec.approved", "spec.retain" => "spec.approval",
    [true, "{}"] => ["Approved"],
    [false, "{days} days"] => ["Retained {days}"],
    [false, ""] => ["Pending"],
))]
#[from(v1alpha1, function("crate::owners", "spec.owners: Vec<Str>" => "spec.owners: StrMap<Str>", reads("metadata.name: Str")))]
pub struct Cert {
    pub metadata: meta::ObjectMeta,
    #[field(required)]
    pub spec: CertSpec,
    pub status: Option<CertStatus>,
}

/// What a certificate should be.
#[derive(ApiType)]
pub struct CertSpec {
    /// The names in the certificate.
    #[field(required, list = set)]
    pub dns_names: Vec<Str>,
    #[field(renamed(v1alpha1 = "keySecret"))]
    pub secret_name: Str,
    #[field(added)]
    pub rotation: Option<Box<Rotation>>,
    pub issuer_ref: Option<Reference>,
    pub parts: Vec<Part>,
    pub extra: Option<Extra>,
    pub private_key: Option<PrivateKey>,
    /// A name in Rust that does not follow from the name in JSON.
    #[field(name = "type")]
    pub cert_type: Option<Str>,
    #[field(default = "90")]
    pub days: Option<i32>,
    pub labels: Labels,
    pub selector: Option<hubgen_meta::v1::LabelSelector>,
    pub usages: Option<Vec<Usage>>,
    pub owners: StrMap<Str>,
    pub curves: Option<Vec<Curve>>,
    pub renew: Option<Renew>,
    pub store: Option<Store>,
    #[field(min_length = 1)]
    pub class: Option<Str>,
    pub timeout: Option<Str>,
    pub memory: Option<Quantity>,
    pub surge: Option<Str>,
    pub retries: Option<Str>,
    #[field(list = map("name"))]
    pub contacts: Vec<Contact>,
    pub notes: Vec<Note>,
    pub zones: Vec<Str>,
    pub approval: Option<Str>,
}

/// The older version has these in a map, by their names.
#[derive(ApiType)]
pub struct Contact {
    #[field(required)]
    pub name: Str,
    pub mail: Option<Str>,
}

#[derive(ApiType)]
pub struct Note {
    #[field(required)]
    pub title: Str,
    #[field(required)]
    pub text: Str,
}

/// What plugins add.
#[derive(ApiType)]
pub struct Extra {
    pub plugin: Option<Str>,
    #[field(rest)]
    pub others: StrMap<Raw>,
}

#[derive(ApiType)]
pub struct Reference {
    pub name: Option<Str>,
    #[field(added)]
    pub namespace: Option<Str>,
}

#[derive(ApiType)]
pub struct Part {
    #[field(renamed(v1alpha1 = "title"))]
    pub name: Option<Str>,
    #[field(added)]
    pub size: Option<i32>,
}

/// An alias.
type Labels = StrMap<Str>;

/// Both versions have these words, and enums of their own.
#[derive(ApiType)]
pub enum Usage {
    Sign,
    Encrypt,
    #[field(other)]
    Other(Str),
}

/// No other words, in both versions, whose enums have different names.
#[derive(ApiType)]
pub enum Curve {
    #[field(name = "P-256")]
    #[default]
    Small,
    #[field(name = "P-384")]
    Large,
}

/// Exactly one of these, in both versions.
#[derive(ApiType)]
pub enum Store {
    Secret(SecretStore),
    Vault(VaultStore),
    #[field(renamed(v1alpha1 = "path"))]
    File(Str),
}

#[derive(ApiType)]
pub struct SecretStore {
    pub name: Str,
}

#[derive(ApiType)]
pub struct VaultStore {
    #[field(renamed(v1alpha1 = "address"))]
    pub url: Str,
    #[field(added)]
    pub role: Option<Str>,
}

#[derive(ApiType)]
pub enum Renew {
    #[default]
    Never,
    Always,
}

#[derive(ApiType)]
#[unknown(refuse)]
pub struct Rotation {
    pub policy: Option<Str>,
    pub before: Option<Box<Rotation>>,
}

#[derive(ApiType)]
pub struct CertStatus {
    pub ready: bool,
    pub not_after: Option<Time>,
}
