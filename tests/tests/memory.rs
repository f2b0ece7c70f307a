//! How much memory an object takes that a client sends: at most 64 MiB, and 64 bytes for each of the body.

use allocation_counter::measure;
use hubgen_kubernetes::apiextensions::v1::JSONSchemaProps;
use hubgen_kubernetes::machinery::json;

/// Many properties, each of two bytes beside its key.
fn properties(keys: impl Iterator<Item = usize>) -> String {
    let all: Vec<String> = keys.map(|key| format!("\"{key:07}\":{{}}")).collect();
    format!("{{\"properties\":{{{}}}}}", all.join(","))
}

/// The most memory that decoding took, and whether it succeeded.
fn decoded(body: &str) -> (u64, bool) {
    let mut succeeded = false;
    let info = measure(|| succeeded = json::decode::<JSONSchemaProps>(body.as_bytes()).is_ok());
    (info.bytes_max, succeeded)
}

#[test]
fn maps_take_what_their_bodies_may_ask_for() {
    let count = 250_000;
    for (order, body) in [
        ("in order", properties(0..count)),
        ("backwards", properties((0..count).rev())),
        // Coprime to the count, so that every key comes once.
        ("spread", properties((0..count).map(|key| key * 7919 % count))),
    ] {
        let allowed = (64 << 20) + 64 * body.len() as u64;
        let (most, succeeded) = decoded(&body);
        assert!(!succeeded, "{order}: {count} schemas are too many for a body of {} bytes", body.len());
        assert!(
            most <= allowed,
            "{order}: {most} bytes for a body of {}, which may take {allowed}",
            body.len()
        );
    }
    // A schema without descriptions is no attack: this one has 1.5 MB, the most that etcd takes.
    let field = |number| format!(r#""field{number:05}":{{"type":"string"}}"#);
    let fields: Vec<String> = (0..1_500_000 / field(0).len()).map(field).collect();
    assert!(decoded(&format!("{{\"properties\":{{{}}}}}", fields.join(","))).1);
}
