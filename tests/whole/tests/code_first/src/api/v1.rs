//! The Certificate of `v1`.

use hubgen_kubernetes::meta::v1::ObjectMeta;
use hubgen_machinery::{ApiType, Str, StrMap};

#[derive(ApiType)]
#[kind(group = "cert-manager.io", version = "v1", kind = "Certificate", namespaced, status, storage)]
#[kind(may_be_invalid("spec"))]
#[kind(short("cert", "certs"), category("cert-manager"))]
#[kind(column("Ready" => r#".status.conditions[?(@.type=="Ready")].status"#, type = "string"))]
#[kind(column("Secret" => ".spec.secretName"))]
#[kind(column("Issuer" => ".spec.issuerRef.name", priority = 1))]
#[kind(column("Status" => r#".status.conditions[?(@.type=="Ready")].message"#, type = "string", priority = 1))]
#[kind(column("Age" => ".metadata.creationTimestamp"))]
#[from(
    v1alpha2,
    moved(
        "spec.organization" => "spec.subject.organizations",
        "spec.uriSANs" => "spec.uris",
        "spec.emailSANs" => "spec.emailAddresses",
        "spec.keySize" => "spec.privateKey.size"
    ),
    words("spec.keyAlgorithm" => "spec.privateKey.algorithm", "rsa" = "RSA", "ecdsa" = "ECDSA", "Ed25519" = "Ed25519"),
    words("spec.keyEncoding" => "spec.privateKey.encoding", "pkcs1" = "PKCS1", "pkcs8" = "PKCS8")
)]
#[from(
    v1alpha3,
    moved(
        "spec.uriSANs" => "spec.uris",
        "spec.emailSANs" => "spec.emailAddresses",
        "spec.keySize" => "spec.privateKey.size"
    ),
    words("spec.keyAlgorithm" => "spec.privateKey.algorithm", "rsa" = "RSA", "ecdsa" = "ECDSA", "Ed25519" = "Ed25519"),
    words("spec.keyEncoding" => "spec.privateKey.encoding", "pkcs1" = "PKCS1", "pkcs8" = "PKCS8")
)]
#[from(v1beta1, moved("spec.uriSANs" => "spec.uris", "spec.emailSANs" => "spec.emailAddresses"))]
pub struct Certificate {
    pub metadata: ObjectMeta,
    #[field(required)]
    pub spec: CertificateSpec,
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
    #[field(one_of)]
    pub algorithm: Option<CertificatePrivateKeyAlgorithm>,
    #[field(one_of)]
    pub encoding: Option<CertificatePrivateKeyEncoding>,
    pub rotation_policy: Option<Str>,
    #[field(keywords = r#"{"format":null}"#)]
    pub size: Option<i64>,
}

/// A value of `algorithm` of [`CertificatePrivateKey`].
#[derive(ApiType)]
pub enum CertificatePrivateKeyAlgorithm {
    /// `RSA`.
    #[field(name = "RSA")]
    Rsa,
    /// `ECDSA`.
    #[field(name = "ECDSA")]
    Ecdsa,
    /// `Ed25519`.
    Ed25519,
    /// A word that the schema does not list.
    #[field(other)]
    Other(Str),
}

/// A value of `encoding` of [`CertificatePrivateKey`].
#[derive(ApiType)]
pub enum CertificatePrivateKeyEncoding {
    /// `PKCS1`.
    #[field(name = "PKCS1")]
    Pkcs1,
    /// `PKCS8`.
    #[field(name = "PKCS8")]
    Pkcs8,
    /// A word that the schema does not list.
    #[field(other)]
    Other(Str),
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
    pub email_addresses: Option<Vec<Str>>,
    pub encode_usages_in_request: Option<bool>,
    pub ip_addresses: Option<Vec<Str>>,
    #[field(name = "isCA")]
    pub is_ca: Option<bool>,
    #[field(required)]
    pub issuer_ref: IssuerRef,
    pub keystores: Option<CertificateKeystores>,
    pub private_key: Option<CertificatePrivateKey>,
    pub renew_before: Option<Str>,
    pub revision_history_limit: Option<i32>,
    #[field(required)]
    pub secret_name: Str,
    pub secret_template: Option<CertificateSecretTemplate>,
    pub subject: Option<CertificateSubject>,
    pub uris: Option<Vec<Str>>,
    #[field(one_of)]
    pub usages: Option<Vec<CertificateUsage>>,
}

/// A value of `usages` of [`CertificateSpec`].
#[derive(ApiType)]
pub enum CertificateUsage {
    /// `signing`.
    #[field(name = "signing")]
    Signing,
    /// `digital signature`.
    #[field(name = "digital signature")]
    DigitalSignature,
    /// `content commitment`.
    #[field(name = "content commitment")]
    ContentCommitment,
    /// `key encipherment`.
    #[field(name = "key encipherment")]
    KeyEncipherment,
    /// `key agreement`.
    #[field(name = "key agreement")]
    KeyAgreement,
    /// `data encipherment`.
    #[field(name = "data encipherment")]
    DataEncipherment,
    /// `cert sign`.
    #[field(name = "cert sign")]
    CertSign,
    /// `crl sign`.
    #[field(name = "crl sign")]
    CrlSign,
    /// `encipher only`.
    #[field(name = "encipher only")]
    EncipherOnly,
    /// `decipher only`.
    #[field(name = "decipher only")]
    DecipherOnly,
    /// `any`.
    #[field(name = "any")]
    Any,
    /// `server auth`.
    #[field(name = "server auth")]
    ServerAuth,
    /// `client auth`.
    #[field(name = "client auth")]
    ClientAuth,
    /// `code signing`.
    #[field(name = "code signing")]
    CodeSigning,
    /// `email protection`.
    #[field(name = "email protection")]
    EmailProtection,
    /// `s/mime`.
    #[field(name = "s/mime")]
    SMime,
    /// `ipsec end system`.
    #[field(name = "ipsec end system")]
    IpsecEndSystem,
    /// `ipsec tunnel`.
    #[field(name = "ipsec tunnel")]
    IpsecTunnel,
    /// `ipsec user`.
    #[field(name = "ipsec user")]
    IpsecUser,
    /// `timestamping`.
    #[field(name = "timestamping")]
    Timestamping,
    /// `ocsp signing`.
    #[field(name = "ocsp signing")]
    OcspSigning,
    /// `microsoft sgc`.
    #[field(name = "microsoft sgc")]
    MicrosoftSgc,
    /// `netscape sgc`.
    #[field(name = "netscape sgc")]
    NetscapeSgc,
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

/// A value of `status` of [`Condition`].
#[derive(ApiType)]
pub enum ConditionStatus {
    /// `True`.
    True,
    /// `False`.
    False,
    /// `Unknown`.
    Unknown,
    /// A word that the schema does not list.
    #[field(other)]
    Other(Str),
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
