//! What clients of servers elsewhere, webhooks and issuers, have in common: whom they trust.

use ureq::tls::{Certificate, PemItem, parse_pem};

/// The certificates of a text in PEM.
///
/// # Errors
/// If it is no PEM, or has no certificate.
pub(crate) fn certificates(pem: &[u8]) -> Result<Vec<Certificate<'static>>, String> {
    let mut found = Vec::new();
    for item in parse_pem(pem) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| error.to_string())? {
            found.push(certificate);
        }
    }
    if found.is_empty() { Err("expected certificates (PEM), found none".to_owned()) } else { Ok(found) }
}

/// The certificates that this machine trusts.
pub(crate) fn certificates_of_machine() -> Vec<Certificate<'static>> {
    let own = rustls_native_certs::load_native_certs();
    own.certs.iter().map(|own| Certificate::from_der(own).to_owned()).collect()
}
