//! A conversion that panics, as a function of a user's own may.

use hubgen_machinery::ApiType;
use hubgen_machinery::convert::{Convert, ConvertError};
use hubgen_machinery::scheme::{ConversionRow, FamilyRow, KindRow, Kinds, Scheme};
use hubgen_webhook::Webhook;
use serde_json::{Value, json};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Share")]
struct Share {
    per_mille: i32,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1alpha1", kind = "Share")]
struct OldShare {
    parts: i32,
}

impl Convert for OldShare {
    type Hub = Share;

    fn to_hub(self) -> Share {
        Share { per_mille: 1000 / self.parts }
    }

    fn from_hub(hub: Share) -> Result<Self, ConvertError> {
        Ok(Self { parts: 1000 / hub.per_mille })
    }
}

impl Convert for Share {
    type Hub = Self;

    fn to_hub(self) -> Self {
        self
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

static FAMILY: FamilyRow = FamilyRow {
    members: &[("example.com", "v1alpha1", "Share"), ("example.com", "v1", "Share")],
    storage: ("example.com", "v1", "Share"),
    words: &[],
};

static KINDS: Kinds = &[
    KindRow {
        family: Some(&FAMILY),
        conversion: ConversionRow::of::<OldShare>(),
        ..KindRow::of::<OldShare>()
    },
    KindRow { family: Some(&FAMILY), conversion: ConversionRow::of::<Share>(), ..KindRow::of::<Share>() },
];

/// The answer has the message of the panic and names the object. The webhook converts on.
#[test]
fn a_conversion_that_panics_fails_its_review_only() {
    let mut scheme = Scheme::new();
    scheme.register(KINDS);
    let webhook = Webhook::new(scheme);
    let review = |parts: i32| {
        let objects = [4, parts].map(|parts| {
            json!({
                "apiVersion": "example.com/v1alpha1", "kind": "Share",
                "metadata": {"name": format!("of-{parts}")}, "parts": parts,
            })
        });
        let review = json!({
            "kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1",
            "request": {"uid": "u", "desiredAPIVersion": "example.com/v1", "objects": objects},
        });
        let answer = webhook.review(review.to_string().as_bytes()).unwrap();
        serde_json::from_slice::<Value>(&answer).unwrap()["response"].take()
    };
    assert_eq!(
        review(0),
        json!({
            "uid": "u", "convertedObjects": [],
            "result": {
                "status": "Failure",
                "message": "objects[1], Share of-0: the conversion panicked: attempt to divide by zero",
            },
        })
    );
    let answer = review(2);
    assert_eq!(answer["result"]["status"], "Success", "{answer}");
    assert_eq!(answer["convertedObjects"][1]["perMille"], 500);
}
