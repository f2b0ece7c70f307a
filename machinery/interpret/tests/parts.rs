//! Objects that rules take apart, of which both sides have a part at the same names: the code that
//! the generator prints, compiled from its expected crate, and the interpreter.

#![allow(missing_docs)]
// The features of the expected crate are none of this one.
#![allow(unexpected_cfgs)]

use std::path::Path;
use std::sync::Arc;

use hubgen_documents::{rules, schema};
use hubgen_interpret::{NewObject, Version};
use hubgen_laws::objects::Source;
use hubgen_laws::versions::{AnyObject, Convertible};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{Convert, Functions};
use hubgen_machinery::json;
use hubgen_model::TypeId;

/// A copy from the crate's `lib.rs`, which cannot be included because it switches modules on by
/// feature.
#[rustfmt::skip]
mod families {
    use hubgen_machinery::scheme::FamilyRow;

    /// The versions of Certificate.
    pub static CERTIFICATE: FamilyRow = FamilyRow {
        members: &[
            ("parts.example.com", "v1alpha1", "Certificate"),
            ("parts.example.com", "v1", "Certificate"),
        ],
        storage: ("parts.example.com", "v1", "Certificate"),
        words: &[
            ("algorithm", "ECDSA"),
            ("algorithm", "RSA"),
            ("keyAlgorithm", "ecdsa"),
            ("keyAlgorithm", "rsa"),
        ],
    };
}
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/parts/expected/parts/src/v1/mod.rs"]
mod v1;
#[rustfmt::skip]
#[allow(dead_code, unused_imports)]
#[path = "../../../codegen/codegen/tests/generate/parts/expected/parts/src/v1alpha1/mod.rs"]
mod v1alpha1;

fn empty(id: &TypeId) -> AnyObject {
    match &*id.group_version.version {
        "v1" => Box::new(v1::Certificate::default()),
        "v1alpha1" => Box::new(v1alpha1::Certificate::default()),
        _ => panic!("unexpected type {id}"),
    }
}

fn compiled() -> [versions::Version; 2] {
    [versions::Version::of::<v1alpha1::Certificate>(), versions::Version::of::<v1::Certificate>()]
}

/// Calls `look` with the interpreted versions, and with the words of the rules.
fn interpreted(look: impl Fn(&[Version], &[(&str, &str)])) {
    let case =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/generate/parts/schemas");
    let api = schema::read_dir(&case).unwrap();
    let rules = rules::read_dir(&case.join("rules")).unwrap().rules;
    let plan = Arc::new(hubgen_plan::build(&api, &rules).unwrap().conversions.remove(0));
    let new: Arc<NewObject> = Arc::new(empty);
    let version = |at| Version::new(&plan, at, &new, &Functions::default()).unwrap().unwrap();
    look(&[version(0), version(1)], &plan.words().into_iter().collect::<Vec<_>>());
}

#[test]
fn all_laws_hold() {
    interpreted(|versions, words| {
        let [old, hub] = compiled();
        versions::check(&[&old, &hub], words, 1000).unwrap();
        versions::check(&[&versions[0], &versions[1]], words, 1000).unwrap();
    });
}

#[test]
fn interpreted_objects_convert_as_compiled_ones() {
    interpreted(|versions, words| {
        let [old, _] = compiled();
        let mut converted = 0;
        for bytes in (0..400).map(objects::bytes) {
            let object = old.generate(&mut Source::new(&bytes, words));
            let hub = old.generate_hub(&mut Source::new(&bytes, words));
            for (found, expected) in [
                (versions[0].try_to_hub(&*object), old.try_to_hub(&*object)),
                (versions[0].try_from_hub(&*hub), old.try_from_hub(&*hub)),
            ] {
                // A generated word may be one that no rule lists.
                assert_eq!(found.is_ok(), expected.is_ok());
                if let (Ok(found), Ok(expected)) = (found, expected) {
                    versions::same(&*found, &*expected).unwrap();
                    converted += 1;
                }
            }
        }
        assert!(converted > 400, "{converted}");
    });
}

/// The `spec` of an object.
fn spec(object: &dyn hubgen_machinery::reflect::Reflect) -> String {
    let text = String::from_utf8(json::encode(object).unwrap()).unwrap();
    let start = text.find("\"spec\":").map_or(text.len() - 1, |at| at + 7);
    text[start..text.len() - 1].to_owned()
}

/// An object is present on one side if it is present on the other, and if a field in it has a value.
#[test]
fn empty_objects_stay() {
    for (old, hub, back) in [
        ("{}", "{}", "{}"),
        (r#"{"key":{}}"#, r#"{"key":{}}"#, r#"{"key":{}}"#),
        (r#"{"keyAlgorithm":"rsa"}"#, r#"{"key":{"algorithm":"RSA"}}"#, r#"{"keyAlgorithm":"rsa","key":{}}"#),
        (
            r#"{"organization":["a"],"town":"b"}"#,
            r#"{"subject":{"organizations":["a"],"address":{"city":"b"}}}"#,
            r#"{"subject":{"address":{}},"organization":["a"],"town":"b"}"#,
        ),
        (
            r#"{"subject":{"countries":["a"],"owner":"b"},"key":{"size":1}}"#,
            r#"{"subject":{"countries":["a"]},"key":{"size":1},"owner":"b"}"#,
            r#"{"subject":{"countries":["a"],"owner":"b"},"key":{"size":1}}"#,
        ),
    ] {
        let object = format!("{{\"spec\":{old}}}");
        let object: v1alpha1::Certificate = json::decode(object.as_bytes()).unwrap();
        let found = object.to_hub();
        assert_eq!(spec(&found), hub);
        assert_eq!(spec(&v1alpha1::Certificate::from_hub(found).unwrap()), back);
    }
}
