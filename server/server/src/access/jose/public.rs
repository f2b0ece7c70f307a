//! Keys that verify signatures.

use ring::digest::{SHA256, digest};
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde_json::{Value, json};
use x509_parser::public_key::PublicKey as Parsed;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::{decoded, der, encoded};

/// How a token is signed (RFC 7518, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::access) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Ps384,
    Ps512,
    Es256,
    Es384,
    /// Nothing here verifies it: `ring` has no curve P-521.
    Es512,
}

impl Algorithm {
    const NAMES: [(&'static str, Self); 9] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("PS384", Self::Ps384),
        ("PS512", Self::Ps512),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
        ("ES512", Self::Es512),
    ];

    /// The algorithm of that name. None that shares a secret is known, and `none` is no signature.
    pub(in crate::access) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, algorithm)| *algorithm)
    }

    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Curve {
    P256,
    P384,
}

impl Curve {
    /// The bytes of a coordinate.
    fn size(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
        }
    }
}

/// A key that verifies signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::access) struct PublicKey {
    /// Names the key.
    pub(in crate::access) id: String,
    material: Material,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Material {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    Ec { curve: Curve, point: Vec<u8> },
}

impl PublicKey {
    pub(super) fn rsa(modulus: &[u8], exponent: &[u8]) -> Self {
        let id = encoded(digest(&SHA256, &der::rsa_document(modulus, exponent)));
        let [modulus, exponent] = [modulus, exponent].map(without_zeros);
        Self { id, material: Material::Rsa { modulus, exponent } }
    }

    pub(super) fn ec(curve: Curve, point: &[u8]) -> Self {
        let name = match curve {
            Curve::P256 => der::P256,
            Curve::P384 => der::P384,
        };
        let id = encoded(digest(&SHA256, &der::ec_document(name, point)));
        Self { id, material: Material::Ec { curve, point: point.to_vec() } }
    }

    /// The key with a point of somebody else.
    fn checked(curve: Curve, point: &[u8]) -> Result<Self, String> {
        match point {
            [4, coordinates @ ..] if coordinates.len() == 2 * curve.size() => Ok(Self::ec(curve, point)),
            _ => Err("expected an uncompressed point of the curve".to_owned()),
        }
    }

    /// The key of a document (`SubjectPublicKeyInfo`).
    pub(super) fn of_document(document: &SubjectPublicKeyInfo<'_>) -> Result<Self, String> {
        match document.parsed().map_err(|error| error.to_string())? {
            Parsed::RSA(key) => Ok(Self::rsa(key.modulus, key.exponent)),
            Parsed::EC(point) => {
                let curve = document.algorithm.parameters.as_ref().and_then(|curve| curve.as_oid().ok());
                match curve.as_ref().map(|curve| curve.as_bytes()) {
                    Some(der::P256) => Self::checked(Curve::P256, point.data()),
                    Some(der::P384) => Self::checked(Curve::P384, point.data()),
                    _ => Err("expected a key on the curve P-256 or P-384, found another curve".to_owned()),
                }
            }
            _ => Err("expected a key of RSA or on a curve, found another one".to_owned()),
        }
    }

    /// The key in an item of a set (RFC 7517); `None` if it signs nothing, or in a way that nothing here verifies.
    pub(in crate::access) fn of_item(item: &Value) -> Option<Self> {
        if item["use"].as_str().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |name: &str| decoded(item[name].as_str()?);
        let key = match item["kty"].as_str()? {
            "RSA" => Self::rsa(&bytes("n")?, &bytes("e")?),
            "EC" => {
                let curve = match item["crv"].as_str()? {
                    "P-256" => Curve::P256,
                    "P-384" => Curve::P384,
                    _ => return None,
                };
                Self::ec(curve, &[vec![4], bytes("x")?, bytes("y")?].concat())
            }
            _ => return None,
        };
        Some(Self { id: item["kid"].as_str().unwrap_or_default().to_owned(), ..key })
    }

    /// How a key of a server signs.
    pub(in crate::access) fn algorithm(&self) -> Algorithm {
        match &self.material {
            Material::Rsa { .. } => Algorithm::Rs256,
            Material::Ec { curve: Curve::P256, .. } => Algorithm::Es256,
            Material::Ec { curve: Curve::P384, .. } => Algorithm::Es384,
        }
    }

    /// The name of [`algorithm`](Self::algorithm).
    pub(in crate::access) fn algorithm_name(&self) -> &'static str {
        self.algorithm().name()
    }

    /// The item of a set, with its fields in upstream's order.
    pub(in crate::access) fn item(&self) -> Value {
        let (id, algorithm) = (&self.id, self.algorithm().name());
        match &self.material {
            Material::Rsa { modulus, exponent } => json!({
                "use": "sig", "kty": "RSA", "kid": id, "alg": algorithm, "n": encoded(modulus), "e": encoded(exponent),
            }),
            Material::Ec { curve, point } => {
                let name = match curve {
                    Curve::P256 => "P-256",
                    Curve::P384 => "P-384",
                };
                let (x, y) = point[1..].split_at(curve.size());
                json!({
                    "use": "sig", "kty": "EC", "kid": id, "crv": name, "alg": algorithm, "x": encoded(x), "y": encoded(y),
                })
            }
        }
    }

    /// Whether this key has signed a text in this way.
    pub(super) fn verify(&self, algorithm: Algorithm, signed: &[u8], by: &[u8]) -> bool {
        let verified = match (&self.material, algorithm) {
            (Material::Rsa { modulus, exponent }, algorithm) => {
                let parameters = match algorithm {
                    Algorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
                    Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
                    Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
                    Algorithm::Ps384 => &signature::RSA_PSS_2048_8192_SHA384,
                    Algorithm::Ps512 => &signature::RSA_PSS_2048_8192_SHA512,
                    Algorithm::Es256 | Algorithm::Es384 | Algorithm::Es512 => return false,
                };
                RsaPublicKeyComponents { n: modulus, e: exponent }.verify(parameters, signed, by)
            }
            (Material::Ec { curve: Curve::P256, point }, Algorithm::Es256) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).verify(signed, by)
            }
            (Material::Ec { curve: Curve::P384, point }, Algorithm::Es384) => {
                UnparsedPublicKey::new(&signature::ECDSA_P384_SHA384_FIXED, point).verify(signed, by)
            }
            (Material::Ec { .. }, _) => return false,
        };
        verified.is_ok()
    }
}

fn without_zeros(number: &[u8]) -> Vec<u8> {
    number.iter().copied().skip_while(|&byte| byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use x509_parser::prelude::FromDer;

    use super::*;

    #[test]
    fn a_point_of_another_form_is_refused() {
        for point in [&[][..], &[4], &[4; 64], &[2; 33], &[4; 97]] {
            let document = der::ec_document(der::P256, point);
            let (_, document) = SubjectPublicKeyInfo::from_der(&document).unwrap();
            assert!(PublicKey::of_document(&document).is_err(), "{point:?}");
        }
        let document = der::ec_document(der::P256, &[4; 65]);
        let (_, document) = SubjectPublicKeyInfo::from_der(&document).unwrap();
        assert_eq!(PublicKey::of_document(&document).unwrap().item()["crv"], "P-256");
    }
}
