//! An object of the older version is one of the newest version, too.

use hubgen_machinery::convert::Convert;
use hubgen_machinery::{json, yaml};

use demo::api::{v1, v1alpha1};

type New = v1::Demo;
type Old = v1alpha1::Demo;

const OLD: &str = "
apiVersion: example.com/v1alpha1
kind: Demo
metadata: {name: web}
spec: {image: web, size: 2}
";

#[test]
fn older_objects_are_read() {
    let old: Old = json::decode(&yaml::to_json(OLD).unwrap()).unwrap();
    let mut new = New::from_hub(old.to_hub()).unwrap();
    assert_eq!(new.spec.replicas, Some(2));

    // What the older version does not have is not lost.
    new.spec.paused = Some(true);
    let old = Old::from_hub(new.to_hub()).unwrap();
    let new = New::from_hub(old.to_hub()).unwrap();
    assert_eq!(new.spec.paused, Some(true));
}
