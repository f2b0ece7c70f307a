//! Sets the defaults of a kind, and copies an object into another one that is already there.
//!
//! Defaulting is explicit: decoding an object, `Default::default()` and conversions never set a
//! default. A deep copy shares nothing with its source. `deep_copy_into` reuses the memory that
//! its target has, for loops that copy again and again.

use std::error::Error;

use hubgen_kubernetes::core::v1::Pod;
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::DeepCopy;
use hubgen_kubernetes::machinery::yaml;

const POD: &str = r#"{
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
    "spec": {"containers": [{"name": "web", "image": "example.com/web"}]}
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let scheme = hubgen_kubernetes::scheme();
    let (mut object, _) = scheme.decode(POD.as_bytes())?;
    // Some defaults are the current time; a program passes the time of its clock.
    object.set_defaults(&Context { now: "2026-01-01T00:00:00Z".parse()? });
    println!("{}", yaml::from_json(&object.encode()?)?);

    let pod = object.value.downcast_ref::<Pod>().ok_or("expected a Pod")?;
    let mut copy = pod.deep_copy();
    copy.spec.containers[0].image = "example.com/web:2".into();
    println!("the source: {}", pod.spec.containers[0].image);
    println!("the copy:   {}", copy.spec.containers[0].image);

    let before = copy.spec.containers.as_ptr();
    pod.deep_copy_into(&mut copy);
    println!("after deep_copy_into, equal: {}", copy == *pod);
    println!("it reused the list of containers: {}", copy.spec.containers.as_ptr() == before);
    Ok(())
}
