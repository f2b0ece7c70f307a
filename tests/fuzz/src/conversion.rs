//! Conversion of JSON as it came, beside that of typed objects.

use std::sync::{Arc, LazyLock};

use hubgen_machinery::scheme::{KindEntry, Object, Scheme};
use serde_json::Value;

use crate::peer;

static SCHEME: LazyLock<Scheme> = LazyLock::new(|| {
    let mut scheme = hubgen_example_backups::api::scheme();
    hubgen_example_cert_manager::api::cert_manager::register(&mut scheme);
    scheme
});

/// Every version of every kind, but for lists.
static KINDS: LazyLock<Vec<&Arc<KindEntry>>> =
    LazyLock::new(|| SCHEME.kinds().filter(|entry| entry.family.is_some()).collect());

/// The first byte selects the version that the document after it becomes.
pub fn check(data: &[u8]) {
    let Some((choice, json)) = data.split_first() else { return };
    let to = KINDS[usize::from(*choice) % KINDS.len()];
    let converted = match SCHEME.convert_json(json, to) {
        Ok(converted) => converted,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(peer::is_json(&converted));
    // serde_json refuses numbers beyond a float, which stay as they came.
    let [Some(before), Some(value)] = [json, &converted].map(value) else { return };
    assert_eq!(
        (value["apiVersion"].as_str(), value["kind"].as_str()),
        (Some(&*to.api_version()), Some(&*to.kind))
    );
    for name in ["name", "namespace", "uid"] {
        assert_eq!(value["metadata"][name], before["metadata"][name]);
    }
    assert_eq!(SCHEME.convert_json(&converted, to).ok().as_ref(), Some(&converted));
    typed(json, &converted, to);
    // With the stash, if it has one.
    for other in &*KINDS {
        if let Ok(back) = SCHEME.convert_json(&converted, other) {
            assert!(peer::is_json(&back));
            typed(&converted, &back, other);
        }
    }
}

/// An object that has all its types converts to the same object as the JSON, as the hub sees it: an absent `spec` of a
/// partial object stays absent, and a typed object may get an empty one.
fn typed(json: &[u8], converted: &[u8], to: &Arc<KindEntry>) {
    let Ok((object, _)) = SCHEME.decode(json) else { return };
    let Ok(expected) = SCHEME.convert(object, to) else { return };
    let (found, _) = Object::decode(to, converted).expect("what converts as an object is one");
    let (group, version, kind) = to.storage();
    let hub = SCHEME.kind(group, version, kind).expect("a family has its storage version");
    let [expected, found] = [expected, found].map(|object| SCHEME.convert(object, hub).map(|hub| text(&hub)));
    assert_eq!(found.map_err(|error| error.to_string()), expected.map_err(|error| error.to_string()));
}

fn text(object: &Object) -> String {
    String::from_utf8(object.encode().expect("it was decoded")).expect("JSON is text")
}

fn value(json: &[u8]) -> Option<Value> {
    peer::json(&peer::without_lone_surrogates(json))
}
