//! A body that is decoded, or converted as JSON, takes at most 64 MiB plus 64 bytes per byte of the body.

use allocation_counter::measure;
use hubgen_kubernetes::apiextensions::v1::JSONSchemaProps;
use hubgen_kubernetes::core::v1::PodSpec;
use hubgen_kubernetes::machinery::{json, protobuf};

/// Many properties, each with a value of two bytes.
fn properties(keys: impl Iterator<Item = usize>) -> String {
    let all: Vec<String> = keys.map(|key| format!("\"{key:07}\":{{}}")).collect();
    format!("{{\"properties\":{{{}}}}}", all.join(","))
}

/// The maximum memory during decoding, and whether it succeeded.
fn decoded(body: &str) -> (u64, bool) {
    let mut succeeded = false;
    let info = measure(|| succeeded = json::decode::<JSONSchemaProps>(body.as_bytes()).is_ok());
    (info.bytes_max, succeeded)
}

#[test]
fn the_memory_of_maps_is_bounded() {
    let count = 250_000;
    for (order, body) in [
        ("in order", properties(0..count)),
        ("backwards", properties((0..count).rev())),
        // The factor is coprime to the count, so that every key occurs once.
        ("spread", properties((0..count).map(|key| key * 7919 % count))),
    ] {
        let allowed = (64 << 20) + 64 * body.len() as u64;
        let (most, succeeded) = decoded(&body);
        assert!(!succeeded, "{order}: {count} schemas are too many for a body of {} bytes", body.len());
        assert!(
            most <= allowed,
            "{order}: a body of {} bytes took {most} bytes of memory, allowed are {allowed}",
            body.len(),
        );
    }
    // A large schema without descriptions must be accepted: this one has 1.5 MB, the maximum that etcd stores.
    let field = |number| format!(r#""field{number:05}":{{"type":"string"}}"#);
    let fields: Vec<String> = (0..1_500_000 / field(0).len()).map(field).collect();
    assert!(decoded(&format!("{{\"properties\":{{{}}}}}", fields.join(","))).1);
}

/// Boxes, which few bytes of input fill: a schema in a schema, and a volume with the largest of its sources.
#[test]
fn the_memory_of_boxes_is_bounded() {
    let count = 300_000;
    let list = |element: &str| vec![element; count].join(",");
    let schemas = format!("{{\"allOf\":[{}]}}", list("{\"not\":{}}"));
    let items = format!("{{\"allOf\":[{}]}}", list("{\"items\":{}}"));
    // Field 1 is the list, 2 is the message with all sources, 29 is `ephemeral`.
    let message = [0x0a, 5, 0x12, 3, 0xea, 1, 0].repeat(count);
    for (name, input, decode) in [
        (
            "schemas",
            schemas.as_bytes(),
            (|input| json::decode::<JSONSchemaProps>(input).is_ok()) as fn(&[u8]) -> bool,
        ),
        ("items", items.as_bytes(), |input| json::decode::<JSONSchemaProps>(input).is_ok()),
        ("volumes", &message, |input| protobuf::decode::<PodSpec>(input).is_ok()),
    ] {
        let allowed = (64 << 20) + 64 * input.len() as u64;
        let mut succeeded = false;
        let info = measure(|| succeeded = decode(input));
        assert!(!succeeded, "{name}: {count} elements are too many for {} bytes", input.len());
        let most = info.bytes_max;
        // A list that grows has room for twice its elements.
        assert!(
            most <= 2 * allowed,
            "{name}: {} bytes took {most} bytes of memory, allowed are {allowed}",
            input.len()
        );
    }
}

/// Objects in which a conversion looks for fields, and which have none, or few. 32 bytes per byte suffice.
#[test]
fn the_memory_of_trees_is_bounded() {
    let scheme = hubgen_example_cert_manager::api::scheme();
    let v1 = scheme.named("cert-manager.io/v1", "Issuer").unwrap();
    let count = 50_000;
    for element in ["{}", r#"{"a":1}"#, r#"{"dns01":{}}"#, r#"{"dns01":{"acmedns":{}}}"#] {
        let object = format!(
            r#"{{"apiVersion":"cert-manager.io/v1alpha2","kind":"Issuer","spec":{{"acme":{{"solvers":[{}]}}}}}}"#,
            vec![element; count].join(",")
        );
        let allowed = 32 * object.len() as u64;
        let mut converted = Vec::new();
        let info = measure(|| converted = scheme.convert_json(object.as_bytes(), v1).unwrap());
        assert!(converted.len() >= object.len() - "alpha2".len(), "{element}");
        let most = info.bytes_max;
        assert!(
            most <= allowed,
            "{element}: {} bytes took {most} bytes of memory, allowed are {allowed}",
            object.len()
        );
    }
}
