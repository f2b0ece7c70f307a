//! Reviews and their answers.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use hubgen_example_cert_manager::api;
use hubgen_webhook::Webhook;
use serde_json::{Value, json};

fn review(version: &str, desired: &str, objects: Value) -> Value {
    json!({
        "kind": "ConversionReview",
        "apiVersion": format!("apiextensions.k8s.io/{version}"),
        "request": {"uid": "a-1", "desiredAPIVersion": desired, "objects": objects},
    })
}

fn answer(review: &Value) -> Value {
    let answer = Webhook::new(api::scheme()).review(review.to_string().as_bytes()).unwrap();
    serde_json::from_slice(&answer).unwrap()
}

fn certificate(version: &str, name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": format!("cert-manager.io/{version}"),
        "kind": "Certificate",
        "metadata": {"name": name, "namespace": "default", "uid": "u", "managedFields": [{"manager": "m"}]},
        "spec": spec,
    })
}

/// The message of a review that failed.
fn failure(answer: &Value) -> &str {
    assert_eq!(answer["response"]["convertedObjects"], json!([]));
    assert_eq!(answer["response"]["result"]["status"], "Failure");
    answer["response"]["result"]["message"].as_str().unwrap()
}

#[test]
fn objects_of_several_kinds_and_versions_are_converted_in_order() {
    for version in ["v1", "v1beta1"] {
        let objects = json!([
            certificate("v1alpha2", "a", json!({"keySize": 4096})),
            certificate("v1beta1", "b", json!({"uriSANs": ["x"]})),
            certificate("v1", "c", json!({"uris": []})),
            {"apiVersion": "cert-manager.io/v1beta1", "kind": "Issuer", "metadata": {"name": "i"}},
        ]);
        let expected = json!([
            certificate("v1", "a", json!({"privateKey": {"size": 4096}})),
            certificate("v1", "b", json!({"uris": ["x"]})),
            certificate("v1", "c", json!({"uris": []})),
            {"apiVersion": "cert-manager.io/v1", "kind": "Issuer", "metadata": {"name": "i"}},
        ]);
        let answer = answer(&review(version, "cert-manager.io/v1", objects));
        assert_eq!(
            answer,
            json!({
                "kind": "ConversionReview",
                "apiVersion": format!("apiextensions.k8s.io/{version}"),
                "response": {"uid": "a-1", "convertedObjects": expected, "result": {"status": "Success"}},
            })
        );
    }
}

#[test]
fn a_review_without_objects_succeeds() {
    for objects in [json!([]), Value::Null] {
        let answer = answer(&review("v1", "cert-manager.io/v1", objects));
        assert_eq!(answer["response"]["result"]["status"], "Success");
        assert_eq!(answer["response"]["convertedObjects"], json!([]));
    }
}

#[test]
fn one_object_that_does_not_convert_fails_the_review() {
    let good = certificate("v1alpha2", "good", json!({}));
    let cases = [
        (
            certificate("v1alpha2", "bad", json!({"keyAlgorithm": 1})),
            "objects[1], Certificate default/bad: spec.keyAlgorithm: expected a string, found a number",
        ),
        (
            certificate("v9", "bad", json!({})),
            "objects[1], Certificate default/bad: no kind \"Certificate\" is registered for version \"cert-manager.io/v9\"",
        ),
        (
            json!({"apiVersion": "cert-manager.io/v1", "kind": "Cert", "metadata": {"name": "n"}}),
            "objects[1], Cert n: this webhook has no kind \"Cert\" at the version \"cert-manager.io/v1\"",
        ),
        (
            json!({"kind": "Certificate"}),
            "objects[1], Certificate: expected `apiVersion` and `kind` in the object, found no `apiVersion`",
        ),
        (json!(5), "objects[1]: expected an object, found a number"),
        (
            json!({"apiVersion": "cert-manager.io/v1alpha2", "kind": "CertificateList", "items": []}),
            "objects[1], CertificateList: expected one object, found a list; send its items, each as one of `objects`",
        ),
        (
            json!({"apiVersion": "cert-manager.io/v1alpha2", "kind": "Certificate", "metadata": {"name": 5}}),
            "objects[1], Certificate: metadata.name: expected a string, found a number",
        ),
    ];
    for (bad, message) in cases {
        let answer = answer(&review("v1", "cert-manager.io/v1", json!([good, bad])));
        assert_eq!(failure(&answer), message);
    }
}

/// The answer has the field and the function's words.
#[test]
fn a_function_that_refuses_an_object_says_why() {
    let webhook = Webhook::new(hubgen_example_backups::api::scheme());
    let backup = |tags: Value| {
        json!({
            "apiVersion": "backup.example.com/v1alpha1",
            "kind": "Backup",
            "metadata": {"name": "b", "namespace": "default"},
            "spec": {"schedule": "daily", "tags": tags},
        })
    };
    let converted = |tags| {
        let review = review("v1", "backup.example.com/v1", json!([backup(json!([])), backup(tags)]));
        let answer = webhook.review(review.to_string().as_bytes()).unwrap();
        serde_json::from_slice::<Value>(&answer).unwrap()
    };
    let answer = converted(json!(["team=web", "team=mail"]));
    assert_eq!(
        failure(&answer),
        "objects[1], Backup default/b: spec.tags: crate::tags: the tag `team` is there twice"
    );
    let answer = converted(json!(["team=web"]));
    assert_eq!(answer["response"]["result"]["status"], "Success");
    assert_eq!(answer["response"]["convertedObjects"][1]["spec"]["tags"], json!({"team": "web"}));
}

#[test]
fn an_unknown_version_is_named() {
    let answer = answer(&review("v1", "cert-manager.io/v2", json!([certificate("v1", "a", json!({}))])));
    assert_eq!(
        failure(&answer),
        "objects[0], Certificate default/a: this webhook has no kind \"Certificate\" at the version \"cert-manager.io/v2\""
    );
}

#[test]
fn what_is_no_review_is_an_error() {
    let webhook = Webhook::new(api::scheme());
    let cases = [
        ("", "the body is not JSON: "),
        ("[]", "review: expected an object, found an array"),
        (
            "{}",
            "review: expected a ConversionReview of apiextensions.k8s.io/v1 or apiextensions.k8s.io/v1beta1, found `kind` none and `apiVersion` none",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}"#,
            "review: expected a member `request`, found none",
        ),
        (
            r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}"#,
            "review: expected a ConversionReview of apiextensions.k8s.io/v1 or apiextensions.k8s.io/v1beta1, found `kind` \"AdmissionReview\" and `apiVersion` \"admission.k8s.io/v1\"",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":5}"#,
            "request: expected an object, found a number",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"","desiredAPIVersion":"a/b","objects":[]}}"#,
            "request.uid: expected a text that identifies the request, found an empty one",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":1,"desiredAPIVersion":"a/b","objects":[]}}"#,
            "request.uid: expected a string, found a number",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1","uid":"2","desiredAPIVersion":"a/b","objects":[]}}"#,
            "request.uid: expected this member once, found it twice",
        ),
        (
            r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"1","desiredAPIVersion":"a/b","objects":{}}}"#,
            "request.objects: expected an array, found an object",
        ),
    ];
    for (body, message) in cases {
        let error = webhook.review(body.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

/// Which of the two counts would decide what the object is.
#[test]
fn an_object_with_a_member_twice_does_not_convert() {
    for (object, message) in [
        (r#""kind":"Certificate","spec":{},"spec":{}"#, "spec: the object has this member twice; remove one"),
        (
            r#""kind":"Certificate","metadata":{"name":"a","name":"b"}"#,
            "metadata.name: the object has this member twice",
        ),
        (r#""kind":"Certificate","kind":"Issuer""#, "kind: the object has this member twice; remove one"),
    ] {
        let review = format!(
            r#"{{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{{"uid":"1","desiredAPIVersion":"cert-manager.io/v1","objects":[{{"apiVersion":"cert-manager.io/v1alpha2",{object}}}]}}}}"#
        );
        let answer = Webhook::new(api::scheme()).review(review.as_bytes()).unwrap();
        let answer = serde_json::from_slice(&answer).unwrap();
        assert!(failure(&answer).contains(message), "{answer}");
    }
}

/// What a subscriber of `tracing` gets.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(text)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is logged while a review of these objects is answered.
fn logged(objects: Value) -> String {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || answer(&review("v1", "cert-manager.io/v1", objects)));
    let text = log.0.lock().unwrap().clone();
    String::from_utf8(text).unwrap()
}

#[test]
fn failures_and_unread_stashes_are_logged() {
    let good = certificate("v1alpha2", "good", json!({}));
    assert_eq!(logged(json!([good])), "");
    let bad = certificate("v1alpha2", "bad", json!({"keyAlgorithm": 1}));
    assert_eq!(
        logged(json!([good, bad])),
        " WARN hubgen_webhook::webhook: not converted: objects[1], Certificate default/bad: spec.keyAlgorithm: expected a \
         string, found a number uid=\"a-1\" desired=\"cert-manager.io/v1\" objects=2\n"
    );
    let mut old = good;
    let stash =
        r#"{"hub":"cert-manager.io/v9","seen":"0000000000000000","delta":{"fields":{"size":{"is":3}}}}"#;
    old["metadata"]["annotations"] = json!({hubgen_machinery::convert::STASH: stash});
    let log = logged(json!([old]));
    let expected = "objects[0], Certificate default/good: the annotation";
    assert!(log.contains(expected) && log.contains("size, in the terms of cert-manager.io/v9"), "{log}");
}
