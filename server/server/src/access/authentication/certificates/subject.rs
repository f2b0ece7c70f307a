//! Whom a certificate names.

use ring::digest::{SHA256, digest};
use x509_parser::asn1_rs::{Any, Tag};
use x509_parser::certificate::X509Certificate;
use x509_parser::der_parser::{Oid, oid};
use x509_parser::oid_registry::{OID_X509_COMMON_NAME, OID_X509_ORGANIZATION_NAME};
use x509_parser::prelude::FromDer;

use crate::access::User;

/// The attribute with the uid of a user, which is Kubernetes' own.
const UID: Oid<'static> = oid!(1.3.6.1.4.1.57683.2);
/// The extra field with the identity of the credentials.
pub(in crate::access) const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";

/// The common name of a certificate; empty if it has none. Of several, the last one counts.
pub(super) fn common_name(certificate: &[u8]) -> Result<String, String> {
    Ok(texts(&parsed(certificate)?, &OID_X509_COMMON_NAME).pop().flatten().unwrap_or_default())
}

/// The user whom a certificate names: its common name, and its organizations as groups. `None` without a common name.
///
/// # Errors
/// If it has several uids, or one that is no text or empty.
pub(super) fn user(certificate: &[u8]) -> Result<Option<User>, String> {
    let name = common_name(certificate)?;
    if name.is_empty() {
        return Ok(None);
    }
    let parsed = parsed(certificate)?;
    let uid = match &*texts(&parsed, &UID) {
        [] => String::new(),
        [Some(uid)] if !uid.is_empty() => uid.clone(),
        [_] => return Err("expected a uid that is a text, found an empty one or no text".to_owned()),
        several => return Err(format!("expected one uid, found {}", several.len())),
    };
    let fingerprint: String =
        digest(&SHA256, certificate).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Some(User {
        name,
        uid,
        groups: texts(&parsed, &OID_X509_ORGANIZATION_NAME).into_iter().flatten().collect(),
        extra: [(CREDENTIAL.to_owned(), vec![format!("X509SHA256={fingerprint}")])].into(),
    }))
}

fn parsed(certificate: &[u8]) -> Result<X509Certificate<'_>, String> {
    X509Certificate::from_der(certificate).map(|(_, parsed)| parsed).map_err(|error| error.to_string())
}

/// The values of an attribute of the subject, in order; `None` for one that is no text.
fn texts(certificate: &X509Certificate<'_>, attribute: &Oid<'_>) -> Vec<Option<String>> {
    certificate.subject().iter_by_oid(attribute).map(|found| text(found.attr_value())).collect()
}

/// A text in any of the alphabets of names.
fn text(value: &Any<'_>) -> Option<String> {
    let bytes = value.as_bytes();
    match value.tag() {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::NumericString => {
            String::from_utf8(bytes.to_vec()).ok()
        }
        // Taken for ISO 8859-1, as everybody does.
        Tag::TeletexString => Some(bytes.iter().map(|&byte| char::from(byte)).collect()),
        Tag::BmpString => {
            let units: Vec<u16> =
                bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}
