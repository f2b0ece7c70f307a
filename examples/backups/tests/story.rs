//! One object, written at the oldest version, read at the newest, changed there, and read again.

use std::net::SocketAddr;

use hubgen_example_backups::api::{scheme, v1, v1alpha1, v1beta1};
use hubgen_machinery::convert::{Convert, STASH};
use hubgen_machinery::{Str, json, yaml};

const OLD: &str = "\
apiVersion: backup.example.com/v1alpha1
kind: Backup
metadata: {name: web}
spec:
  schedule: '@daily'
  bucket: copies
  compression: gz
  copies: 3
  tags: [stage=test, team=web]
  verbose: true
";

fn old() -> v1alpha1::Backup {
    json::decode(&yaml::to_json(OLD).unwrap()).unwrap()
}

#[test]
fn an_old_object_is_read_at_every_version_and_comes_back() {
    let beta = v1beta1::Backup::from_hub(old().to_hub()).unwrap();
    assert_eq!(beta.spec.target.as_ref().unwrap().bucket.as_deref(), Some("copies"));
    assert_eq!(beta.spec.compression, Some(v1beta1::Compression::Gzip));
    assert_eq!(beta.spec.tags, ["stage=test", "team=web"]);

    let new = v1::Backup::from_hub(beta.to_hub()).unwrap();
    assert_eq!(new.spec.target.as_ref().unwrap().bucket.as_deref(), Some("copies"));
    assert_eq!(new.spec.compression, Some(v1::Compression::Gzip));
    assert_eq!(new.spec.keep, Some(3));
    assert_eq!(new.spec.tags.get("team").map(|value| &**value), Some("web"));

    // The newest version does not have `verbose`: an annotation keeps it.
    assert_eq!(v1alpha1::Backup::from_hub(new.to_hub()).unwrap(), old());
}

#[test]
fn an_edit_at_the_newest_version_is_seen_at_the_oldest() {
    let mut new = v1::Backup::from_hub(old().to_hub()).unwrap();
    new.spec.tags.insert("stage", "live".into());
    new.spec.compression = Some(v1::Compression::Zstd);
    new.spec.target.as_mut().unwrap().region = Some("north".into());

    let changed = v1alpha1::Backup::from_hub(new.to_hub()).unwrap();
    assert_eq!(changed.spec.tags, ["stage=live", "team=web"]);
    assert_eq!(changed.spec.compression, Some(v1beta1::Compression::Zstd));
    assert_eq!(changed.spec.verbose, Some(true));

    // The oldest version does not have `region`.
    let new = v1::Backup::from_hub(changed.to_hub()).unwrap();
    assert_eq!(new.spec.target.unwrap().region.as_deref(), Some("north"));
}

/// The oldest version allows any text where the others have an address.
#[test]
fn texts_and_addresses_stay_as_they_came() {
    let proxies: [Str; 3] = ["proxy.example.com:3128".into(), "[0:0::1]:80".into(), "".into()];
    let mut old = old();
    old.spec.proxies = proxies.to_vec();
    old.spec.address = Some("0::1".into());
    let new = v1::Backup::from_hub(old.clone().to_hub()).unwrap();
    let values: Vec<_> = new.spec.proxies.iter().map(|proxy| proxy.get().map(SocketAddr::port)).collect();
    assert_eq!(values, [None, Some(80), None]);

    // Decoded and written, and converted without being decoded.
    let json = json::encode(&new).unwrap();
    assert_eq!(json::decode::<v1::Backup>(&json).unwrap(), new);
    assert_eq!(v1alpha1::Backup::from_hub(new.to_hub()).unwrap(), old);
    let json = String::from_utf8(json).unwrap();
    assert!(json.contains(r#""proxies":["proxy.example.com:3128","[0:0::1]:80",""]"#), "{json}");
    assert_eq!(json::decode::<v1alpha1::Backup>(converted(&json, "v1alpha1").as_bytes()).unwrap(), old);
}

/// Converts the JSON of a Backup to a version, without decoding it.
fn converted(object: &str, version: &str) -> String {
    let scheme = scheme();
    let to = scheme.named(&format!("backup.example.com/{version}"), "Backup").unwrap();
    String::from_utf8(scheme.convert_json(object.as_bytes(), to).unwrap()).unwrap()
}

#[test]
fn a_partial_object_has_what_the_annotation_keeps() {
    let new = r#"{"apiVersion":"backup.example.com/v1","kind":"Backup","metadata":{"name":"web"},"spec":{"target":{"region":"north"},"keep":3}}"#;
    let old = converted(new, "v1alpha1");
    let stash: serde_json::Value = serde_json::from_str(&old).unwrap();
    let stash = stash["metadata"]["annotations"][STASH].as_str().unwrap();
    let without = r#"{"apiVersion":"backup.example.com/v1alpha1","kind":"Backup","metadata":{"name":"web"},"spec":{"copies":3}}"#;
    assert_eq!(
        old.replace(&format!(r#","annotations":{{"{STASH}":{}}}"#, serde_json::Value::from(stash)), ""),
        without
    );

    // As with typed objects.
    let typed: v1::Backup = json::decode(new.as_bytes()).unwrap();
    let typed = v1alpha1::Backup::from_hub(typed.to_hub()).unwrap();
    assert_eq!(typed.metadata.annotations.get(STASH).map(|text| &**text), Some(stash));

    let edited = old.replace(r#""copies":3"#, r#""copies":4"#);
    let expected = new.replace(r#""keep":3"#, r#""keep":4"#);
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&converted(&edited, "v1")), value(&expected));

    // A client that strips annotations loses what only they had.
    let stripped = r#"{"apiVersion":"backup.example.com/v1","kind":"Backup","metadata":{"name":"web"},"spec":{"keep":3}}"#;
    assert_eq!(value(&converted(without, "v1")), value(stripped));
}
