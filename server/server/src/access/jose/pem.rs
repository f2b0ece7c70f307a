//! Keys in files (PEM).

use pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::RSAPublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::{PublicKey, SigningKey};

/// The private keys of a file.
///
/// # Errors
/// If it is no PEM, or has a private key that cannot be used.
pub(in crate::access) fn private_keys(text: &[u8]) -> Result<Vec<SigningKey>, String> {
    let keys =
        blocks(text)?.into_iter().filter_map(|block| private(&block)).collect::<Result<Vec<_>, _>>()?;
    match keys.is_empty() {
        true => Err("expected a private key in PEM, found none".to_owned()),
        false => Ok(keys),
    }
}

/// The public keys of a file: those that it has, and those of its private keys and certificates.
///
/// # Errors
/// If it is no PEM, or has a key that cannot be used, or none.
pub(in crate::access) fn public_keys(text: &[u8]) -> Result<Vec<PublicKey>, String> {
    let keys = blocks(text)?.into_iter().filter_map(|block| public(&block)).collect::<Result<Vec<_>, _>>()?;
    match keys.is_empty() {
        true => Err("expected a key in PEM, found none".to_owned()),
        false => Ok(keys),
    }
}

fn blocks(text: &[u8]) -> Result<Vec<Pem>, String> {
    pem::parse_many(text).map_err(|error| error.to_string())
}

fn private(block: &Pem) -> Option<Result<SigningKey, String>> {
    match block.tag() {
        "PRIVATE KEY" => Some(SigningKey::from_pkcs8(block.contents())),
        "RSA PRIVATE KEY" => Some(SigningKey::from_pkcs1(block.contents())),
        "EC PRIVATE KEY" => Some(SigningKey::from_sec1(block.contents())),
        _ => None,
    }
}

fn public(block: &Pem) -> Option<Result<PublicKey, String>> {
    let contents = block.contents();
    match block.tag() {
        "PUBLIC KEY" => Some(match SubjectPublicKeyInfo::from_der(contents) {
            Ok((_, document)) => PublicKey::of_document(&document),
            Err(error) => Err(error.to_string()),
        }),
        "RSA PUBLIC KEY" => Some(match RSAPublicKey::from_der(contents) {
            Ok((_, key)) => Ok(PublicKey::rsa(key.modulus, key.exponent)),
            Err(error) => Err(error.to_string()),
        }),
        "CERTIFICATE" => Some(match X509Certificate::from_der(contents) {
            Ok((_, certificate)) => PublicKey::of_document(certificate.public_key()),
            Err(error) => Err(error.to_string()),
        }),
        _ => private(block).map(|key| key.map(|key| key.public().clone())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Token;
    use super::*;

    fn file(name: &str) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/keys/");
        std::fs::read(format!("{folder}{name}.pem")).unwrap()
    }

    #[test]
    fn keys_are_read_in_every_form_and_verify_what_they_sign() {
        let ids = include_str!("../../../tests/keys/ids.txt");
        let claims = json!({"sub": "a"});
        for ((family, forms, publics), id) in [
            ("rsa", ["pkcs1", "pkcs8"], &["public", "public-pkcs1"][..]),
            ("p384", ["sec1", "pkcs8"], &["public"]),
            ("p256", ["sec1", "pkcs8"], &["public", "certificate"]),
        ]
        .into_iter()
        .zip(ids.lines())
        {
            for form in forms {
                let text = file(&format!("{family}-{form}"));
                let key = private_keys(&text).unwrap().remove(0);
                let token = key.sign(&claims).unwrap();
                assert_eq!(public_keys(&text).unwrap(), [key.public().clone()]);
                for public in publics {
                    let public = public_keys(&file(&format!("{family}-{public}"))).unwrap().remove(0);
                    assert_eq!((&*public.id, &public), (id, key.public()), "{family} {form}");
                    assert_eq!(
                        Token::parse(&token).unwrap().verified([&public]),
                        Some(&claims),
                        "{family} {form}"
                    );
                    let again = PublicKey::of_item(&public.item()).unwrap();
                    assert_eq!(again, public);
                }
            }
        }
    }

    #[test]
    fn other_keys_are_refused() {
        assert!(private_keys(&file("p521")).is_err());
        assert!(private_keys(&file("p256-public")).is_err());
        assert_eq!(public_keys(b"nothing").err().unwrap(), "expected a key in PEM, found none");
        let several = [file("rsa-public"), file("p256-certificate"), file("p384-sec1")].concat();
        assert_eq!(public_keys(&several).unwrap().len(), 3);
    }
}
