//! JSON Web Tokens (RFC 7519) and their keys: signatures in compact form (RFC 7515), and sets of keys (RFC 7517).
//!
//! The kept library for this, `jsonwebtoken`, brings a second implementation of cryptography, which needs a C toolchain or
//! has an open advisory for RSA; `ring` is here with TLS in any case.

mod der;
mod pem;
mod public;
mod signing;
mod token;

pub(in crate::access) use self::pem::{private_keys, public_keys};
pub(in crate::access) use self::public::{Algorithm, PublicKey};
pub(in crate::access) use self::signing::SigningKey;
pub(in crate::access) use self::token::Token;

/// The bytes of a text in base64 for URLs, without padding.
fn decoded(text: &str) -> Option<Vec<u8>> {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).ok()
}

/// Bytes as a text in base64 for URLs, without padding.
fn encoded(bytes: impl AsRef<[u8]>) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}
