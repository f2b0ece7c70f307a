//! The operator `words`: the code that the generator prints for it, compiled from the generator's
//! expected crate, and the interpreter, run on the same rules.

#![allow(missing_docs)]
// The features of the expected crate are none of this one.
#![allow(unexpected_cfgs)]

use std::sync::Arc;

use std::path::Path;

use hubgen_documents::{rules, schema};
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::versions::{self, AnyObject, Convertible};
use hubgen_machinery::Str;

use hubgen_machinery::convert::{Convert, ConvertError, Functions};
use hubgen_machinery::scheme::{Object, Scheme, SchemeError};
use hubgen_model::TypeId;
use hubgen_model::rules::{By, Rule, Rules};
use hubgen_plan::FamilyPlan;

/// A copy from the crate's `lib.rs`, which cannot be included because it switches modules on by
/// feature.
#[rustfmt::skip]
mod families {
    use hubgen_machinery::scheme::FamilyRow;

    /// The versions of Certificate.
    pub static CERTIFICATE: FamilyRow = FamilyRow {
        members: &[
            ("words.example.com", "v1alpha1", "Certificate"),
            ("words.example.com", "v1alpha2", "Certificate"),
            ("words.example.com", "v1", "Certificate"),
        ],
        storage: ("words.example.com", "v1", "Certificate"),
        words: &[
            ("algorithm", "ECDSA"),
            ("algorithm", "Ed25519"),
            ("algorithm", "RSA"),
            ("algorithm", "ecdsa"),
            ("algorithm", "rsa"),
            ("keyAlgorithm", "ecdsa"),
            ("keyAlgorithm", "ed25519"),
            ("keyAlgorithm", "rsa"),
            ("usage", "encrypt"),
            ("usage", "sign"),
        ],
    };

    /// The versions of Seal.
    pub static SEAL: FamilyRow = FamilyRow {
        members: &[
            ("words.example.com", "v1alpha1", "Seal"),
            ("words.example.com", "v1alpha2", "Seal"),
            ("words.example.com", "v1", "Seal"),
        ],
        storage: ("words.example.com", "v1", "Seal"),
        words: &[
            ("colour", "black"),
            ("colour", "red"),
            ("wax", "bone black"),
            ("wax", "madder"),
            ("wax", "soot"),
        ],
    };
}
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/words/expected/words/src/v1/mod.rs"]
mod v1;
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/words/expected/words/src/v1alpha1/mod.rs"]
mod v1alpha1;
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/words/expected/words/src/v1alpha2/mod.rs"]
mod v1alpha2;

#[test]
fn the_families_are_those_of_the_crate() {
    let families = |text: &'static str| {
        let start = text.find("mod families {").unwrap();
        let end = text[start..].find("\n}\n").unwrap();
        &text[start..start + end]
    };
    let of_crate = include_str!("../../../codegen/codegen/tests/generate/words/expected/words/src/lib.rs");
    assert_eq!(families(include_str!("words.rs")), families(of_crate));
}

/// The plans of the rules, after `change` has altered them.
fn plans(change: &dyn Fn(&mut Rules)) -> Vec<FamilyPlan> {
    let case =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/generate/words/schemas");
    let api = schema::read_dir(&case).unwrap();
    let mut rules = rules::read_dir(&case.join("rules")).unwrap().rules;
    rules.iter_mut().for_each(change);
    hubgen_plan::build(&api, &rules).unwrap().conversions
}

fn empty(id: &TypeId) -> AnyObject {
    match (&*id.group_version.version, &*id.name) {
        ("v1", "Certificate") => Box::new(v1::Certificate::default()),
        ("v1alpha2", "Certificate") => Box::new(v1alpha2::Certificate::default()),
        ("v1alpha1", "Certificate") => Box::new(v1alpha1::Certificate::default()),
        ("v1", "Seal") => Box::new(v1::Seal::default()),
        ("v1alpha2", "Seal") => Box::new(v1alpha2::Seal::default()),
        ("v1alpha1", "Seal") => Box::new(v1alpha1::Seal::default()),
        _ => panic!("unexpected type {id}"),
    }
}

/// Calls `look` with a version of the kind, interpreted by the rules.
fn interpreted(plans: &[FamilyPlan], kind: &str, look: &dyn Fn(&dyn Convertible)) {
    let plan = plans.iter().find(|plan| plan.family.kind == kind).unwrap();
    let member = plan.members.iter().position(|member| member.group_version.version == "v1alpha2").unwrap();
    let new: Arc<NewObject> = Arc::new(empty);
    look(&Version::new(&Arc::new(plan.clone()), member, &new, &Functions::default()).unwrap().unwrap());
}

/// Calls `look` with a version of the kind, first compiled and then interpreted.
fn each(kind: &str, compiled: versions::Version, look: &dyn Fn(&dyn Convertible)) {
    look(&compiled);
    interpreted(&plans(&|_| {}), kind, look);
}

fn certificates(look: &dyn Fn(&dyn Convertible)) {
    each("Certificate", versions::Version::of::<v1alpha2::Certificate>(), look);
}

fn text(text: &str) -> Option<Str> {
    Some(text.into())
}

fn old(algorithm: &str, usage: Option<&str>, signer: Option<&str>) -> v1alpha2::Certificate {
    v1alpha2::Certificate {
        spec: v1alpha2::CertificateSpec {
            key_algorithm: algorithm.into(),
            usage: usage.map(Into::into),
            signers: vec![v1alpha2::Signer { name: "a".into(), algorithm: signer.map(Into::into) }],
        },
        ..Default::default()
    }
}

fn new(algorithm: &str, usage: Option<&str>, signer: &str) -> v1::Certificate {
    let key = v1::PrivateKey { algorithm: algorithm.into(), ..Default::default() };
    v1::Certificate {
        spec: v1::CertificateSpec {
            private_key: (!algorithm.is_empty()).then_some(key),
            usage: usage.map(Into::into),
            signers: vec![v1::Signer { name: "a".into(), algorithm: signer.into() }],
        },
        ..Default::default()
    }
}

#[test]
fn each_value_converts_and_comes_back() {
    certificates(&|version| {
        for (own, hub) in [
            (old("rsa", Some("sign"), Some("ecdsa")), new("RSA", Some("encrypt"), "ECDSA")),
            (old("ed25519", Some("encrypt"), None), new("Ed25519", Some("sign"), "")),
            (old("", None, None), new("", None, "")),
            (old("ecdsa", Some(""), Some("rsa")), new("ECDSA", Some(""), "RSA")),
        ] {
            versions::same(&*version.to_hub(&own).unwrap(), &hub).unwrap();
            versions::same(&*version.from_hub(&hub).unwrap(), &own).unwrap();
        }
    });
    each("Seal", versions::Version::of::<v1alpha2::Seal>(), &|version| {
        let own = v1alpha2::Seal { wax: "bone black".into(), ..Default::default() };
        let hub = v1::Seal { colour: text("black"), ..Default::default() };
        versions::same(&*version.to_hub(&own).unwrap(), &hub).unwrap();
        versions::same(&*version.from_hub(&hub).unwrap(), &own).unwrap();
    });
}

/// Versions with equal fields share code only if they have equal rules.
#[test]
fn each_version_has_its_own_values() {
    let wax = |wax: &str| v1alpha1::Seal { wax: wax.into(), ..Default::default() };
    assert_eq!(wax("soot").try_to_hub().unwrap().colour, text("red"));
    assert_eq!(wax("madder").try_to_hub().unwrap().colour, text("black"));
    assert!(wax("bone black").try_to_hub().is_err());
    // These have equal rules.
    let certificate =
        |algorithm| v1alpha1::Certificate { spec: old(algorithm, None, None).spec, ..Default::default() };
    assert_eq!(certificate("rsa").try_to_hub().unwrap(), new("RSA", None, ""));
    assert_eq!(
        certificate("RSA").try_to_hub().unwrap_err(),
        old("RSA", None, None).try_to_hub().unwrap_err()
    );
}

/// The message of the error.
fn refusal(result: Result<AnyObject, ConvertError>) -> String {
    match result {
        Ok(object) => panic!("{} is not refused", object.descriptor().name),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_unknown_value_is_refused_in_both_directions() {
    let message = |path: &str, word: &str, known: &str| {
        format!("{path}: the value `{word}` has no counterpart in the other version; expected one of {known}")
    };
    certificates(&|version| {
        for (object, expected) in [
            (old("dsa", None, None), message("spec.keyAlgorithm", "dsa", "`rsa`, `ecdsa`, `ed25519`")),
            (old("RSA", None, None), message("spec.keyAlgorithm", "RSA", "`rsa`, `ecdsa`, `ed25519`")),
            (old("", Some("Sign"), None), message("spec.usage", "Sign", "`sign`, `encrypt`")),
            (
                old("rsa", None, Some("ed25519")),
                message("spec.signers[0].algorithm", "ed25519", "`rsa`, `ecdsa`"),
            ),
        ] {
            assert_eq!(refusal(version.try_to_hub(&object)), expected);
        }
        for (hub, expected) in [
            (new("rsa", None, ""), message("spec.privateKey.algorithm", "rsa", "`RSA`, `ECDSA`, `Ed25519`")),
            (new("RSA", None, "Ed25519"), message("spec.signers[0].algorithm", "Ed25519", "`RSA`, `ECDSA`")),
        ] {
            assert_eq!(refusal(version.try_from_hub(&hub)), expected);
        }
    });
}

/// A Scheme converts objects of clients, so it refuses unknown values.
#[test]
fn a_scheme_refuses_an_unknown_value() {
    let mut scheme = Scheme::default();
    scheme.register(v1::KINDS);
    scheme.register(v1alpha2::KINDS);
    let kind = |version| scheme.kind("words.example.com", version, "Certificate").unwrap();
    let object = |algorithm| Object {
        entry: Arc::clone(kind("v1alpha2")),
        value: Box::new(old(algorithm, None, None)),
    };
    assert!(scheme.convert(object("rsa"), kind("v1")).is_ok());
    let Err(SchemeError::Convert(error)) = scheme.convert(object("dsa"), kind("v1")) else {
        panic!("the value is not refused")
    };
    assert!(matches!(&error, ConvertError::UnknownWord { word, .. } if word == "dsa"), "{error}");
}

/// Conversions that do not refuse unknown values lose none of them and never map two to one.
#[test]
fn unknown_values_are_never_lost() {
    let mut seen = Vec::new();
    for word in ["rsa", "RSA", "ecdsa", "ECDSA", "ed25519", "Ed25519", "dsa", "Rsa"] {
        let hub = old(word, None, None).to_hub();
        let found = hub.spec.private_key.unwrap().algorithm;
        assert!(!seen.contains(&found), "{found}");
        seen.push(found);
    }
    assert_eq!(seen, ["RSA", "rsa", "ECDSA", "ecdsa", "Ed25519", "ed25519", "dsa", "Rsa"]);
}

#[test]
fn all_laws_hold() {
    let plans = plans(&|_| {});
    for plan in &plans {
        let words: Vec<(&str, &str)> = plan.words().into_iter().collect();
        assert!(words.iter().any(|(name, _)| *name == "algorithm" || *name == "colour"), "{words:?}");
        let (plan, new): (_, Arc<NewObject>) = (Arc::new(plan.clone()), Arc::new(empty));
        let version = |at| Version::new(&plan, at, &new, &Functions::default()).unwrap().unwrap();
        let members = (0..plan.members.len()).map(version);
        let interpreted: Vec<_> = members.collect();
        let interpreted: Vec<&dyn Convertible> =
            interpreted.iter().map(|version| version as &dyn Convertible).collect();
        versions::check(&interpreted, &words, 400).unwrap();
    }
    let words = plans.iter().flat_map(FamilyPlan::words).collect::<Vec<_>>();
    let certificate = versions::Version::of::<v1alpha2::Certificate>();
    let twin = versions::Version::of::<v1alpha1::Certificate>();
    versions::check(&[&certificate, &twin, &versions::Version::of::<v1::Certificate>()], &words, 400)
        .unwrap();
    let seals = [versions::Version::of::<v1alpha1::Seal>(), versions::Version::of::<v1alpha2::Seal>()];
    versions::check(&[&seals[0], &seals[1], &versions::Version::of::<v1::Seal>()], &words, 400).unwrap();
}

/// Objects with every value that some table contains.
fn all_words() -> Vec<v1alpha2::Certificate> {
    ["rsa", "ecdsa", "ed25519"]
        .into_iter()
        .flat_map(|word| {
            [("sign", "rsa"), ("encrypt", "ecdsa")]
                .map(|(usage, signer)| old(word, Some(usage), Some(signer)))
        })
        .collect()
}

fn tables(rules: &mut Rules) -> Vec<&mut Vec<(String, String)>> {
    let versions = rules.versions.values_mut();
    let all = versions.flat_map(|version| {
        version.rules.iter_mut().chain(version.types.values_mut().flat_map(|(_, rules)| rules.iter_mut()))
    });
    all.filter_map(|rule| match &mut rule.value {
        Rule::Move { by: By::Words(words), .. } => Some(&mut words.pairs),
        _ => None,
    })
    .collect()
}

/// A table with one error converts some object differently than the compiled one.
#[test]
fn every_wrong_table_is_detected() {
    type Mutation = fn(&mut Vec<(String, String)>, usize);
    let mutations: [Mutation; 4] = [
        |words, at| drop(words.remove(at)),
        |words, at| words[at].0.push('x'),
        |words, at| words[at].1.push('x'),
        |words, at| {
            let next = (at + 1) % words.len();
            let word = words[at].1.clone();
            words[at].1 = std::mem::replace(&mut words[next].1, word);
        },
    ];
    let mut count = 0;
    for (table, len) in [(0, 3), (1, 2), (2, 2)] {
        for (at, spoil) in (0..len).flat_map(|at| mutations.iter().map(move |spoil| (at, spoil))) {
            let plans = plans(&|rules| {
                if rules.kind.value == "Certificate" {
                    let words = tables(rules).swap_remove(table);
                    assert_eq!(words.len(), len);
                    spoil(words, at);
                }
            });
            interpreted(&plans, "Certificate", &|version| {
                let differs = |own: &v1alpha2::Certificate| {
                    let compiled = own.clone().try_to_hub().unwrap();
                    !version.try_to_hub(own).is_ok_and(|hub| versions::same(&*hub, &compiled).is_ok())
                };
                assert!(all_words().iter().any(differs), "table {table}, value {at}");
            });
            count += 1;
        }
    }
    assert_eq!(count, 28);
}
