//! Fields that contain one of several words are enums, at every version.

use hubgen_example_cert_manager::api::cert_manager::{v1, v1alpha2, v1beta1};
use hubgen_machinery::convert::Convert;
use hubgen_machinery::json;

fn size(key: &v1::CertificatePrivateKey) -> Option<i64> {
    use v1::CertificatePrivateKeyAlgorithm::{Ecdsa, Ed25519, Other, Rsa};
    match key.algorithm.as_ref()? {
        Rsa => Some(key.size.unwrap_or(2048)),
        Ecdsa => Some(key.size.unwrap_or(256)),
        Ed25519 => None,
        Other(word) => panic!("an algorithm that this program does not know: {word}"),
    }
}

#[test]
fn words_are_matched_after_a_conversion() {
    let old = br#"{"spec":{"dnsNames":["example.com"],"issuerRef":{"name":"ca"},"keyAlgorithm":"ecdsa","secretName":"tls","usages":["server auth"]}}"#;
    let old: v1alpha2::Certificate = json::decode(old).unwrap();
    assert!(matches!(
        old.spec.as_ref().unwrap().key_algorithm,
        Some(v1alpha2::CertificateKeyAlgorithm::Ecdsa)
    ));
    let new = old.to_hub();
    assert_eq!(size(new.spec.private_key.as_ref().unwrap()), Some(256));
    assert_eq!(new.spec.usages, Some(vec![v1::CertificateUsage::ServerAuth]));
    let back = v1alpha2::Certificate::from_hub(new).unwrap();
    assert_eq!(back.spec.unwrap().key_algorithm.unwrap(), "ecdsa");
}

/// A newer version of cert-manager may have more words.
#[test]
fn unknown_words_are_kept() {
    let text = r#"{"kind":"Certificate","apiVersion":"cert-manager.io/v1beta1","metadata":{},"spec":{"issuerRef":{"name":"ca"},"secretName":"tls","usages":["any","quantum"]}}"#;
    let old: v1beta1::Certificate = json::decode(text.as_bytes()).unwrap();
    let new = old.to_hub();
    let usages = new.spec.usages.as_deref().unwrap();
    assert!(matches!(&usages[1], v1::CertificateUsage::Other(word) if word == "quantum"));
    let back = v1beta1::Certificate::from_hub(new).unwrap();
    assert_eq!(String::from_utf8(json::encode(&back).unwrap()).unwrap(), text);
}
