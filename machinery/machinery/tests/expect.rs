//! Words that have no counterpart are refused, wherever they are.

use std::collections::BTreeMap;

use hubgen_machinery::ApiType;
use hubgen_machinery::convert::{ConvertError, expect};

#[derive(ApiType)]
struct Certificate {
    algorithm: String,
    keys: Vec<Key>,
    names: BTreeMap<String, Key>,
    usages: Vec<String>,
    key: Option<Key>,
    curve: Option<Curve>,
}

/// An enum without other words.
#[derive(ApiType)]
enum Curve {
    #[field(name = "rsa")]
    Known,
    Unknown,
}

#[derive(ApiType)]
struct Key {
    algorithm: Option<String>,
}

fn key(algorithm: &str) -> Key {
    Key { algorithm: Some(algorithm.to_owned()) }
}

/// The field that is refused, and the word in it.
fn refused(certificate: &Certificate, path: &str) -> Option<(String, String)> {
    match expect(certificate, path, &["rsa", "ecdsa"]) {
        Ok(()) => None,
        Err(ConvertError::UnknownWord { path, word, known }) => {
            assert_eq!(known, ["rsa", "ecdsa"]);
            Some((path, word))
        }
        Err(error) => panic!("{error}"),
    }
}

fn at(path: &str, word: &str) -> Option<(String, String)> {
    Some((path.to_owned(), word.to_owned()))
}

#[test]
fn an_unknown_word_is_refused_wherever_it_is() {
    let certificate = Certificate {
        algorithm: "RSA".to_owned(),
        keys: vec![key("rsa"), Key::default(), key("dsa")],
        names: BTreeMap::from([("a".to_owned(), key("ecdsa")), ("b".to_owned(), key("x"))]),
        usages: vec!["rsa".to_owned(), "sign".to_owned()],
        key: Some(key(" rsa")),
        curve: Some(Curve::Unknown),
    };
    assert_eq!(refused(&certificate, "algorithm"), at("algorithm", "RSA"));
    assert_eq!(refused(&certificate, "keys.algorithm"), at("keys[2].algorithm", "dsa"));
    assert_eq!(refused(&certificate, "names.algorithm"), at("names[b].algorithm", "x"));
    assert_eq!(refused(&certificate, "usages"), at("usages[1]", "sign"));
    assert_eq!(refused(&certificate, "key.algorithm"), at("key.algorithm", " rsa"));
    assert_eq!(refused(&certificate, "curve"), at("curve", "Unknown"));
    let known = Certificate { curve: Some(Curve::Known), ..Certificate::default() };
    assert_eq!(refused(&known, "curve"), None);
}

#[test]
fn what_is_absent_or_empty_contains_no_word() {
    let certificate = Certificate { keys: vec![key(""), key("rsa")], ..Certificate::default() };
    for path in ["algorithm", "keys.algorithm", "names.algorithm", "usages", "key.algorithm"] {
        assert_eq!(refused(&certificate, path), None, "{path}");
    }
}

#[test]
fn the_error_names_the_field_the_word_and_the_words_that_are_known() {
    let certificate = Certificate { keys: vec![key("dsa")], ..Certificate::default() };
    let error = expect(&certificate, "keys.algorithm", &["rsa", "ecdsa"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "keys[0].algorithm: the value `dsa` has no counterpart in the other version; expected one of `rsa`, `ecdsa`"
    );
}
