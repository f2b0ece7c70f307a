//! `example.com/v1alpha1`.

use hubgen_machinery::*;
use hubgen_meta::v1::{LabelSelector, ObjectMeta};

// The version shares this type with `v1`.
use super::v1::CertStatus;

/// A certificate.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Cert", namespaced, status)]
#[kind(deprecated = "use v1")]
pub struct Cert {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: CertSpec,
    pub status: Option<CertStatus>,
}

#[derive(ApiType)]
pub struct CertSpec {
    #[field(required)]
    pub dns_names: Vec<Str>,
    pub key_secret: Str,
    pub issuer: Option<Str>,
    pub parts: Vec<Part>,
    pub extra: Option<Extra>,
    /// The newest version has nothing like it.
    #[field(removed)]
    pub contact: Option<Str>,
    /// Nobody needs it.
    #[field(dropped)]
    pub hint: Option<Str>,
    pub key_algorithm: Option<Str>,
    #[field(name = "type")]
    pub cert_type: Option<Str>,
    pub days: Option<i32>,
    pub labels: StrMap<Str>,
    pub selector: Option<LabelSelector>,
    pub usages: Option<Vec<Usage>>,
    pub owners: Vec<Str>,
    pub curves: Option<Vec<CurveName>>,
    pub renew: Option<Renew>,
    pub store: Option<Store>,
    /// An empty name is no name.
    #[field(empty_is_absent)]
    pub class: Option<Str>,
    pub timeout_seconds: Option<i64>,
    pub memory_mi: Option<i32>,
    pub surge_percent: Option<i32>,
    pub retries: Option<i32>,
    pub contacts: StrMap<Contact>,
    pub notes: StrMap<Str>,
    pub zone: Str,
    pub approved: bool,
    pub retain: Option<Str>,
}

#[derive(ApiType)]
pub struct Contact {
    pub mail: Option<Str>,
}

#[derive(ApiType)]
pub enum Store {
    Secret(SecretStore),
    Path(Str),
    Vault(VaultStore),
}

#[derive(ApiType)]
pub struct SecretStore {
    pub name: Str,
}

#[derive(ApiType)]
pub struct VaultStore {
    pub address: Str,
}

#[derive(ApiType)]
pub enum CurveName {
    #[field(name = "P-384")]
    P384,
    #[field(name = "P-256")]
    #[default]
    P256,
}

#[derive(ApiType)]
pub enum Renew {
    #[field(name = "never")]
    #[default]
    Never,
    #[field(name = "always")]
    Always,
}

/// What plugins add.
#[derive(ApiType)]
pub struct Extra {
    pub plugin: Option<Str>,
    #[field(rest)]
    pub others: StrMap<json::Raw>,
}

#[derive(ApiType)]
pub struct Part {
    #[field(empty_is_absent)]
    pub title: Option<Str>,
    /// Nor that.
    #[field(dropped)]
    pub shade: Option<Str>,
}

#[derive(ApiType)]
pub enum Usage {
    Sign,
    Encrypt,
    #[field(other)]
    Other(Str),
}
