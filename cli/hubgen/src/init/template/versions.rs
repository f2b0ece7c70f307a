//! An object of the older version is one of the newest version, too.

use hubgen_machinery::convert::Convert;
use hubgen_machinery::{json, yaml};

use $CRATE::api::{v1, v1alpha1};

type New = v1::$KIND;
type Old = v1alpha1::$KIND;

const OLD: &str = "
apiVersion: $GROUP/v1alpha1
kind: $KIND
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
