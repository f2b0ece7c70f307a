//! Tokens, right ones and wrong ones.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384,
    RSA_PSS_SHA256, RsaKeyPair,
};
use ring::{digest, hmac};
use serde_json::{Value, json};

/// A key that signs tokens.
pub enum Key {
    Ec(Vec<u8>),
    Rsa(Vec<u8>),
}

pub fn encoded(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Key {
    /// The item of a set of keys.
    pub fn item(&self, id: &str) -> Value {
        match self {
            Self::Ec(document) => {
                let pair = ec(document);
                let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "use": "sig", "kid": id, "crv": "P-256", "alg": "ES256", "x": encoded(x), "y": encoded(y)})
            }
            Self::Rsa(document) => {
                let PublicKeyComponents { n, e } =
                    PublicKeyComponents::<Vec<u8>>::from(rsa(document).public());
                json!({"kty": "RSA", "use": "sig", "kid": id, "n": encoded(n), "e": encoded(e)})
            }
        }
    }

    /// The name that upstream gives a key on the curve P-256: the digest of its document.
    pub fn id(&self) -> String {
        let Self::Ec(document) = self else { return String::new() };
        let document = [HEAD, ec(document).public_key().as_ref()].concat();
        encoded(digest::digest(&digest::SHA256, &document))
    }

    fn signed(&self, algorithm: &str, text: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Ec(document) => ec(document).sign(&random, text).expect("it signs").as_ref().to_vec(),
            Self::Rsa(document) => {
                let pair = rsa(document);
                let mut signature = vec![0; pair.public().modulus_len()];
                let padding: &dyn ring::signature::RsaEncoding = match algorithm {
                    "PS256" => &RSA_PSS_SHA256,
                    "RS384" => &RSA_PKCS1_SHA384,
                    _ => &RSA_PKCS1_SHA256,
                };
                pair.sign(padding, &random, text, &mut signature).expect("it signs");
                signature
            }
        }
    }
}

/// What a document of a public key on the curve P-256 begins with.
const HEAD: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3,
    1, 7, 3, 0x42, 0,
];

fn ec(document: &[u8]) -> EcdsaKeyPair {
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document, &SystemRandom::new())
        .expect("it is a key")
}

fn rsa(document: &[u8]) -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(document).expect("it is a key")
}

/// A token with this header and these claims.
pub fn sign(key: &Key, header: &Value, claims: &Value) -> String {
    let text = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    let signature = key.signed(header["alg"].as_str().unwrap_or_default(), text.as_bytes());
    format!("{text}.{}", encoded(signature))
}

/// A token without a signature.
pub fn unsigned(claims: &Value) -> String {
    format!("{}.{}.", encoded(r#"{"alg":"none"}"#), encoded(claims.to_string()))
}

/// A token that is signed with a public key as if it were a secret.
pub fn shared(public: &[u8], id: &str, claims: &Value) -> String {
    let header = json!({"alg": "HS256", "kid": id});
    let text = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
    let signature = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, public), text.as_bytes());
    format!("{text}.{}", encoded(signature))
}

/// A token with other claims and the old signature.
pub fn altered(token: &str, change: impl FnOnce(&mut Value)) -> String {
    let parts: Vec<&str> = token.split('.').collect();
    let mut claims: Value = URL_SAFE_NO_PAD
        .decode(parts[1])
        .ok()
        .and_then(|claims| serde_json::from_slice(&claims).ok())
        .expect("a token has claims");
    change(&mut claims);
    format!("{}.{}.{}", parts[0], encoded(claims.to_string()), parts[2])
}

/// The claims of a token.
pub fn claims(token: &str) -> Value {
    let mut found = Value::Null;
    altered(token, |claims| found = claims.clone());
    found
}
