//! Keys that sign.

use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::rsa;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, KeyPair,
    RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

use super::public::{Curve, PublicKey};
use super::{der, encoded};

/// A key that signs.
pub(in crate::access) struct SigningKey {
    pair: Pair,
    public: PublicKey,
}

enum Pair {
    Rsa(RsaKeyPair),
    Ec(EcdsaKeyPair),
}

impl SigningKey {
    /// A new key on the curve P-256.
    pub(in crate::access) fn generate() -> Self {
        Self::from_pkcs8(&Self::new_pkcs8()).expect("a new key is a key")
    }

    /// A new key on the curve P-256 in PKCS#8.
    pub(in crate::access) fn new_pkcs8() -> Vec<u8> {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
            .expect("the system has random numbers");
        document.as_ref().to_vec()
    }

    /// A key in PKCS#8.
    pub(super) fn from_pkcs8(document: &[u8]) -> Result<Self, String> {
        let random = SystemRandom::new();
        let ec = |curve, algorithm| {
            EcdsaKeyPair::from_pkcs8(algorithm, document, &random).map(|pair| Self::of_ec(curve, pair))
        };
        ec(Curve::P256, &ECDSA_P256_SHA256_FIXED_SIGNING)
            .or_else(|_| ec(Curve::P384, &ECDSA_P384_SHA384_FIXED_SIGNING))
            .or_else(|_| RsaKeyPair::from_pkcs8(document).map(Self::of_rsa))
            .map_err(|error| error.to_string())
    }

    /// A key of RSA in PKCS#1.
    pub(super) fn from_pkcs1(document: &[u8]) -> Result<Self, String> {
        RsaKeyPair::from_der(document).map(Self::of_rsa).map_err(|error| error.to_string())
    }

    /// A key on a curve in the form of SEC 1.
    pub(super) fn from_sec1(document: &[u8]) -> Result<Self, String> {
        let [p256, p384] = [der::P256, der::P384].map(|curve| Self::from_pkcs8(&der::pkcs8(curve, document)));
        p256.or(p384)
    }

    fn of_ec(curve: Curve, pair: EcdsaKeyPair) -> Self {
        let public = PublicKey::ec(curve, pair.public_key().as_ref());
        Self { pair: Pair::Ec(pair), public }
    }

    fn of_rsa(pair: RsaKeyPair) -> Self {
        let components = rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public());
        let public = PublicKey::rsa(&components.n, &components.e);
        Self { pair: Pair::Rsa(pair), public }
    }

    /// The key that verifies what this one signs.
    pub(in crate::access) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs claims.
    pub(in crate::access) fn sign(&self, claims: &Value) -> Result<String, Unspecified> {
        let header = json!({"alg": self.public.algorithm_name(), "kid": self.public.id});
        let signed = format!("{}.{}", encoded(header.to_string()), encoded(claims.to_string()));
        let random = SystemRandom::new();
        let signature = match &self.pair {
            Pair::Ec(pair) => pair.sign(&random, signed.as_bytes())?.as_ref().to_vec(),
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature)?;
                signature
            }
        };
        Ok(format!("{signed}.{}", encoded(signature)))
    }
}
