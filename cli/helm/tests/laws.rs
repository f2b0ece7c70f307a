//! What holds for every release.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use hubgen_helm::{Edit, Release};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::io::{Read, Write};

fn packed(json: &str, compresses: bool) -> String {
    if !compresses {
        return BASE64_STANDARD.encode(json);
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(json.as_bytes()).expect("written");
    BASE64_STANDARD.encode(encoder.finish().expect("finished"))
}

fn unpacked(text: &str, was_compressed: bool) -> String {
    let bytes = BASE64_STANDARD.decode(text).expect("base64");
    if !was_compressed {
        return String::from_utf8(bytes).expect("UTF-8");
    }
    let mut json = String::new();
    GzDecoder::new(&*bytes).read_to_string(&mut json).expect("gzip");
    json
}

/// JSON of any shape, not deep.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z<é\"]{1,8}", inner), 0..4).prop_map(object),
        ]
    })
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect())
}

/// A release with members in any order, among them some that nobody knows.
fn any_release() -> impl Strategy<Value = Value> {
    let hook = prop_oneof![
        any_value().prop_map(|other| json!({"name": "h", "other": other})),
        (any_value(), ".{0,20}")
            .prop_map(|(other, text)| json!({"other": other, "manifest": text, "weight": 1})),
        Just(Value::Null),
    ];
    let info = (any_value(), prop::option::of(".{0,20}"));
    let others = prop::collection::vec(("[a-z]{9,12}", any_value()), 0..4);
    (others, info, prop::option::of(".{0,40}"), prop::option::of(prop::collection::vec(hook, 0..4)))
        .prop_flat_map(|(others, (info, description), manifest, hooks)| {
            let mut members: Map<String, Value> = others.into_iter().collect();
            members.insert("name".to_owned(), "a".into());
            members.insert("info".to_owned(), json!({"first": info}));
            if let Some(description) = description {
                members["info"]["description"] = description.into();
            }
            members.extend(manifest.map(|manifest| ("manifest".to_owned(), manifest.into())));
            members.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks.into())));
            let members: Vec<(String, Value)> = members.into_iter().collect();
            Just(members).prop_shuffle().prop_map(object)
        })
}

proptest! {
    #[test]
    fn opening_and_closing_is_the_identity(
        release in any_release(), compresses in any::<bool>(), is_wide in any::<bool>(),
    ) {
        let json = if is_wide { format!("{release:#}\n") } else { release.to_string() };
        let opened = Release::open(&packed(&json, compresses)).map_err(|mistake| TestCaseError::fail(mistake.to_string()))?;
        prop_assert_eq!(opened.json(), &json);
        prop_assert_eq!(unpacked(&opened.close(), compresses), json);
        let again = Release::open(&opened.close());
        prop_assert_eq!(again, Ok(opened));
    }

    #[test]
    fn edits_change_manifests_and_the_description(release in any_release(), text in ".{0,20}") {
        let opened = Release::open(&packed(&release.to_string(), true)).expect("a release");
        let edits: Vec<Edit> = opened.manifests().map(|_| Edit::Text(text.clone())).collect();
        let new: Value = serde_json::from_str(opened.with(&edits, "noted").json()).expect("JSON");
        let mut expected = release.clone();
        if expected.get("manifest").is_some() {
            expected["manifest"] = text.clone().into();
        }
        for hook in expected.get_mut("hooks").and_then(Value::as_array_mut).into_iter().flatten() {
            if hook.get("manifest").is_some() {
                hook["manifest"] = text.clone().into();
            }
        }
        let old = release["info"]["description"].as_str().unwrap_or_default();
        expected["info"]["description"] =
            if old.is_empty() { "noted".to_owned() } else { format!("{old}; noted") }.into();
        // As text, because the order of members counts.
        prop_assert_eq!(new.to_string(), expected.to_string());
    }
}
