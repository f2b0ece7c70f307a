//! One object, written at the oldest version, read at the newest, changed there, and read again.

use hubgen_example_backups::api::{v1, v1alpha1, v1beta1};
use hubgen_machinery::convert::Convert;
use hubgen_machinery::{json, yaml};

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
