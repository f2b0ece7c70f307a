//! Signed claims: JSON Web Signatures (RFC 7515) in their compact form, with ES256.
//!
//! The kept library for this, `jsonwebtoken`, brings a second implementation of cryptography, which needs a C toolchain or
//! has an open advisory for RSA; `ring` is here with TLS in any case.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use ring::{digest, error};
use serde_json::{Value, json};

/// A key that signs, on the curve P-256.
pub(super) struct Key {
    pair: EcdsaKeyPair,
    /// Names the key: the digest of its public part.
    id: String,
    random: SystemRandom,
}

impl Key {
    /// A new key.
    pub(super) fn generate() -> Self {
        Self::from_pkcs8(&Self::new_pkcs8()).expect("a new key is a key")
    }

    /// A new key in PKCS#8.
    pub(super) fn new_pkcs8() -> Vec<u8> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .expect("the system has random numbers");
        document.as_ref().to_vec()
    }

    /// A key in PKCS#8.
    pub(super) fn from_pkcs8(document: &[u8]) -> Result<Self, error::KeyRejected> {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document, &random)?;
        let id = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, pair.public_key().as_ref()));
        Ok(Self { pair, id, random })
    }

    /// Signs claims.
    pub(super) fn sign(&self, claims: &Value) -> Result<String, error::Unspecified> {
        let header = json!({"alg": "ES256", "kid": self.id});
        let encoded = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encoded(&header), encoded(claims));
        let signature = self.pair.sign(&self.random, signed.as_bytes())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The claims of a token that this key has signed.
    pub(super) fn open(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
        let header: Value = serde_json::from_slice(&decoded(header)?).ok()?;
        // Any other algorithm is not this key's, and `none` is no signature.
        if header["alg"] != "ES256" || header["kid"] != *self.id {
            return None;
        }
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref());
        public.verify(signed.as_bytes(), &decoded(signature)?).ok()?;
        serde_json::from_slice(&decoded(claims)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_key_has_signed_is_opened() {
        let key = Key::generate();
        let claims = json!({"sub": "a"});
        let token = key.sign(&claims).unwrap();
        assert_eq!(key.open(&token), Some(claims));
        assert_eq!(Key::generate().open(&token), None);
        let parts: Vec<&str> = token.split('.').collect();
        let [header, claims, signature] = parts[..] else { panic!("{token}") };
        let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let unsigned = encoded(r#"{"alg":"none"}"#);
        let other = encoded(r#"{"sub":"b"}"#);
        for forged in [
            format!("{header}.{other}.{signature}"),
            format!("{unsigned}.{claims}."),
            format!("{unsigned}.{claims}.{signature}"),
            format!("{header}.{claims}."),
            format!("{header}.{claims}"),
            String::new(),
        ] {
            assert_eq!(key.open(&forged), None, "{forged}");
        }
    }
}
