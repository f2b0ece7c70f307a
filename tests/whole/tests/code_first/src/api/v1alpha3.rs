//! The Certificate of `v1alpha3`.

use hubgen_kubernetes::meta::v1::ObjectMeta;
use hubgen_machinery::{ApiType, Str, StrMap};

use super::v1::{CertificateUsage, ConditionStatus};

#[derive(ApiType)]
#[kind(group = "cert-manager.io", version = "v1alpha3", kind = "Certificate", status)]
#[kind(may_be_invalid("spec.keyAlgorithm"))]
#[kind(column("Ready" => r#".status.conditions[?(@.type=="Ready")].status"#, type = "string"))]
#[kind(column("Secret" => ".spec.secretName"))]
#[kind(column("Issuer" => ".spec.issuerRef.name", priority = 1))]
#[kind(column("Status" => r#".status.conditions[?(@.type=="Ready")].message"#, type = "string", priority = 1))]
#[kind(column("Age" => ".metadata.creationTimestamp"))]
pub struct Certificate {
    pub metadata: ObjectMeta,
    pub spec: Option<CertificateSpec>,
    pub status: Option<CertificateStatus>,
}

#[derive(ApiType)]
pub struct CertificateJks {
    #[field(required)]
    pub create: bool,
    #[field(required)]
    pub password_secret_ref: SecretRef,
}

#[derive(ApiType)]
pub struct CertificateKeystores {
    pub jks: Option<CertificateJks>,
    pub pkcs12: Option<CertificateJks>,
}

#[derive(ApiType)]
pub struct CertificatePrivateKey {
    pub rotation_policy: Option<Str>,
}

#[derive(ApiType)]
pub struct CertificateSecretTemplate {
    pub annotations: Option<StrMap<Str>>,
    pub labels: Option<StrMap<Str>>,
}

#[derive(ApiType)]
pub struct CertificateSpec {
    pub common_name: Option<Str>,
    pub dns_names: Option<Vec<Str>>,
    pub duration: Option<Str>,
    #[field(name = "emailSANs")]
    pub email_sans: Option<Vec<Str>>,
    pub encode_usages_in_request: Option<bool>,
    pub ip_addresses: Option<Vec<Str>>,
    #[field(name = "isCA")]
    pub is_ca: Option<bool>,
    #[field(required)]
    pub issuer_ref: IssuerRef,
    #[field(one_of)]
    pub key_algorithm: Option<CertificateKeyAlgorithm>,
    #[field(one_of)]
    pub key_encoding: Option<CertificateKeyEncoding>,
    #[field(keywords = r#"{"format":null}"#)]
    pub key_size: Option<i64>,
    pub keystores: Option<CertificateKeystores>,
    pub private_key: Option<CertificatePrivateKey>,
    pub renew_before: Option<Str>,
    pub revision_history_limit: Option<i32>,
    #[field(required)]
    pub secret_name: Str,
    pub secret_template: Option<CertificateSecretTemplate>,
    pub subject: Option<CertificateSubject>,
    #[field(name = "uriSANs")]
    pub uri_sans: Option<Vec<Str>>,
    #[field(one_of)]
    pub usages: Option<Vec<CertificateUsage>>,
}

/// A value of `keyAlgorithm` of [`CertificateSpec`].
#[derive(ApiType)]
pub enum CertificateKeyAlgorithm {
    /// `rsa`.
    #[field(name = "rsa")]
    Rsa,
    /// `ecdsa`.
    #[field(name = "ecdsa")]
    Ecdsa,
    /// A word that the schema does not list.
    #[field(other)]
    Other(Str),
}

/// A value of `keyEncoding` of [`CertificateSpec`].
#[derive(ApiType)]
pub enum CertificateKeyEncoding {
    /// `pkcs1`.
    #[field(name = "pkcs1")]
    Pkcs1,
    /// `pkcs8`.
    #[field(name = "pkcs8")]
    Pkcs8,
    /// A word that the schema does not list.
    #[field(other)]
    Other(Str),
}

#[derive(ApiType)]
pub struct CertificateStatus {
    pub conditions: Option<Vec<Condition>>,
    #[field(format = "date-time")]
    pub last_failure_time: Option<Str>,
    pub next_private_key_secret_name: Option<Str>,
    #[field(format = "date-time")]
    pub not_after: Option<Str>,
    #[field(format = "date-time")]
    pub not_before: Option<Str>,
    #[field(format = "date-time")]
    pub renewal_time: Option<Str>,
    #[field(keywords = r#"{"format":null}"#)]
    pub revision: Option<i64>,
}

#[derive(ApiType)]
pub struct CertificateSubject {
    pub countries: Option<Vec<Str>>,
    pub localities: Option<Vec<Str>>,
    pub organizational_units: Option<Vec<Str>>,
    pub organizations: Option<Vec<Str>>,
    pub postal_codes: Option<Vec<Str>>,
    pub provinces: Option<Vec<Str>>,
    pub serial_number: Option<Str>,
    pub street_addresses: Option<Vec<Str>>,
}

#[derive(ApiType)]
pub struct Condition {
    #[field(format = "date-time")]
    pub last_transition_time: Option<Str>,
    pub message: Option<Str>,
    pub observed_generation: Option<i64>,
    pub reason: Option<Str>,
    #[field(required, one_of)]
    pub status: ConditionStatus,
    #[field(required)]
    pub type_: Str,
}

#[derive(ApiType)]
pub struct IssuerRef {
    pub group: Option<Str>,
    pub kind: Option<Str>,
    #[field(required)]
    pub name: Str,
}

#[derive(ApiType)]
pub struct SecretRef {
    pub key: Option<Str>,
    #[field(required)]
    pub name: Str,
}
