//! An object of the older version is one of the newest version, too.

use demo::api::{v1, v1alpha1};
use hubgen_machinery::convert::Convert;
use hubgen_machinery::{json, yaml};

const OLD: &str = "
apiVersion: example.com/v1alpha1
kind: Demo
metadata: {name: web}
spec: {image: web, size: 2}
";

#[test]
fn older_objects_are_read() {
    let old: v1alpha1::Demo = json::decode(&yaml::to_json(OLD).unwrap()).unwrap();
    let mut new = v1::Demo::from_hub(old.to_hub()).unwrap();
    assert_eq!(new.spec.replicas, Some(2));

    // What the older version does not have is not lost.
    new.spec.paused = Some(true);
    let old = v1alpha1::Demo::from_hub(new.to_hub()).unwrap();
    let new = v1::Demo::from_hub(old.to_hub()).unwrap();
    assert_eq!(new.spec.paused, Some(true));
}
