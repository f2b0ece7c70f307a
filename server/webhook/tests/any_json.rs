//! What fields may contain although no type has it: deep values, and numbers that no 64-bit float can have.

use hubgen_machinery::ApiType;
use hubgen_machinery::convert::{Convert, ConvertError};
use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{IntOrString, Quantity};
use hubgen_machinery::scheme::{ConversionRow, FamilyRow, KindRow, Kinds, Scheme};
use hubgen_machinery::tree::{CompiledEdits, VersionEdits};
use hubgen_webhook::Webhook;
use serde_json::{Value, json};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Solver")]
struct Solver {
    config: Option<Raw>,
    port: Option<IntOrString>,
    size: Option<Quantity>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Solver")]
struct OldSolver {
    config: Option<Raw>,
    port: Option<IntOrString>,
    size: Option<Quantity>,
}

/// The version has all fields of the hub, and counts as one that may need a stash.
static EDITS: VersionEdits = VersionEdits { exact: false, ..VersionEdits::HUB };

impl Convert for OldSolver {
    type Hub = Solver;
    const JSON: Option<CompiledEdits> = Some(CompiledEdits::of(&EDITS));

    fn to_hub(self) -> Solver {
        Solver { config: self.config, port: self.port, size: self.size }
    }

    fn from_hub(hub: Solver) -> Result<Self, ConvertError> {
        Ok(Self { config: hub.config, port: hub.port, size: hub.size })
    }
}

impl Convert for Solver {
    type Hub = Self;
    const JSON: Option<CompiledEdits> = Some(CompiledEdits::of(&VersionEdits::HUB));

    fn to_hub(self) -> Self {
        self
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

static FAMILY: FamilyRow = FamilyRow {
    members: &[("example.com", "v1alpha1", "Solver"), ("example.com", "v1", "Solver")],
    storage: ("example.com", "v1", "Solver"),
    words: &[],
};

static KINDS: Kinds = &[
    KindRow {
        family: Some(&FAMILY),
        conversion: ConversionRow::of::<OldSolver>(),
        ..KindRow::of::<OldSolver>()
    },
    KindRow { family: Some(&FAMILY), conversion: ConversionRow::of::<Solver>(), ..KindRow::of::<Solver>() },
];

/// The answer to a review of an object with that `config` and those annotations.
fn answer(config: &str, annotations: Value) -> String {
    let mut scheme = Scheme::new();
    scheme.register(KINDS);
    let review = json!({
        "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
        "request": {"uid": "u", "desiredAPIVersion": "example.com/v1", "objects": [{
            "apiVersion": "example.com/v1alpha1", "kind": "Solver",
            "metadata": {"name": "s", "annotations": annotations}, "config": "CONFIG",
        }]},
    });
    let review = review.to_string().replace(r#""CONFIG""#, config);
    String::from_utf8(Webhook::new(scheme).review(review.as_bytes()).unwrap()).unwrap()
}

/// An annotation with a stash that is stale.
fn stash() -> Value {
    json!({"conversion.hubgen.dev/kept": "{}"})
}

/// Nobody reads it: it is copied.
#[test]
fn a_number_out_of_range_is_copied() {
    let answer = answer(r#"{"n":1e400}"#, json!({}));
    assert!(answer.contains(r#""config":{"n":1e400}"#) && answer.contains("Success"), "{answer}");
}

/// Schemas allow these values, and no type has them, upstream's neither.
#[test]
fn what_schemas_allow_and_types_refuse_is_copied() {
    let members = r#""port":5000000000,"size":"1E.5""#;
    let answer = answer(&format!("{{}},{members}"), json!({}));
    assert!(answer.contains(members) && answer.contains("Success"), "{answer}");
}

/// To restore what a stash has, the object is decoded.
#[test]
fn a_number_out_of_range_beside_a_stash_is_an_error() {
    let answer = answer(r#"{"n":1e400}"#, stash());
    let message =
        "objects[0], Solver s: config: expected a number that a 64-bit float can represent, found 1e400";
    assert!(answer.contains(message), "{answer}");
}

/// serde_json reads 128 levels if nobody tells it otherwise, and an object may have 512.
#[test]
fn a_deep_value_is_copied_also_beside_a_stash() {
    let config = format!("{}1{}", "[".repeat(400), "]".repeat(400));
    for annotations in [json!({}), stash()] {
        let answer = answer(&config, annotations);
        assert!(answer.contains(&config) && answer.contains("Success"), "{answer}");
    }
}
