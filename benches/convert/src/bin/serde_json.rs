//! Decodes and encodes the same objects with serde_json, as untyped values and
//! as k8s-openapi's types, to compare with a conversion.

use std::hint::black_box;

use bench_convert::{Job, job};
use bench_counting::repeat;
use k8s_openapi::api::{apps, autoscaling};
use k8s_openapi::serde;
use serde_json::Value;

fn main() {
    let Job { json, words } = job();
    match &*words.iter().map(String::as_str).collect::<Vec<_>>() {
        ["value", count] => run::<Value>(&json, count),
        // k8s-openapi has no older version, so the same object is read at the newer one.
        ["deployment" | "identical", count] => {
            let text = String::from_utf8(json).expect("JSON is UTF-8");
            run::<apps::v1::Deployment>(text.replace("extensions/v1beta1", "apps/v1").as_bytes(), count);
        }
        ["hpa-up", count] => run::<autoscaling::v1::HorizontalPodAutoscaler>(&json, count),
        ["hpa-down", count] => run::<autoscaling::v2::HorizontalPodAutoscaler>(&json, count),
        _ => panic!("expected FILE, then `value|deployment|identical|hpa-up|hpa-down COUNT`"),
    }
}

fn run<T: serde::de::DeserializeOwned + serde::Serialize>(json: &[u8], count: &str) {
    repeat(count, || {
        let object: T = serde_json::from_slice(black_box(json)).expect("the object is valid");
        drop(black_box(serde_json::to_vec(&object).expect("JSON can represent the object")));
    });
}
