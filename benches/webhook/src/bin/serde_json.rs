//! The same conversion as people write it by hand: on `serde_json::Value`, or with structs of serde for both versions.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // The first word selects the way; the others are those of our program.
    match words.first().map(String::as_str) {
        Some("value") => bench_webhook::run(&words[1..], by_value),
        Some("typed") => bench_webhook::run(&words[1..], typed),
        way => panic!("expected `value` or `typed`, found {way:?}"),
    }
}

fn by_value(review: &[u8]) -> Vec<u8> {
    let mut review: Value = serde_json::from_slice(review).expect("it is JSON");
    let mut request = review["request"].take();
    let Value::Array(mut objects) = request["objects"].take() else { panic!("a list") };
    for object in &mut objects {
        object["apiVersion"] = request["desiredAPIVersion"].clone();
        if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) {
            convert_spec(spec);
        }
    }
    let answer = json!({
        "kind": "ConversionReview",
        "apiVersion": review["apiVersion"].take(),
        "response": {
            "uid": request["uid"].take(),
            "convertedObjects": objects,
            "result": {"status": "Success"},
        },
    });
    serde_json::to_vec(&answer).expect("JSON can represent it")
}

fn convert_spec(spec: &mut Map<String, Value>) {
    let mut key = match spec.remove("privateKey") {
        Some(Value::Object(key)) => key,
        _ => Map::new(),
    };
    for (from, to, words) in [
        ("keyAlgorithm", "algorithm", [("rsa", "RSA"), ("ecdsa", "ECDSA")]),
        ("keyEncoding", "encoding", [("pkcs1", "PKCS1"), ("pkcs8", "PKCS8")]),
    ] {
        if let Some(word) = spec.remove(from) {
            let found = words.iter().find(|(from, _)| word == *from).map(|(_, to)| Value::from(*to));
            key.insert(to.to_owned(), found.unwrap_or(word));
        }
    }
    if let Some(size) = spec.remove("keySize") {
        key.insert("size".to_owned(), size);
    }
    if !key.is_empty() {
        spec.insert("privateKey".to_owned(), Value::Object(key));
    }
    for (from, to) in [("uriSANs", "uris"), ("emailSANs", "emailAddresses")] {
        if let Some(value) = spec.remove(from) {
            spec.insert(to.to_owned(), value);
        }
    }
    if let Some(organizations) = spec.remove("organization") {
        let subject = spec.entry("subject").or_insert_with(|| json!({}));
        subject["organizations"] = organizations;
    }
}

#[derive(Deserialize)]
struct Review {
    #[serde(rename = "apiVersion")]
    api_version: String,
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    uid: String,
    objects: Vec<old::Certificate>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    kind: &'static str,
    api_version: String,
    response: Response,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    uid: String,
    converted_objects: Vec<new::Certificate>,
    result: Outcome,
}

#[derive(Serialize)]
struct Outcome {
    status: &'static str,
}

fn typed(review: &[u8]) -> Vec<u8> {
    let review: Review = serde_json::from_slice(review).expect("it is a review");
    let answer = Answer {
        kind: "ConversionReview",
        api_version: review.api_version,
        response: Response {
            uid: review.request.uid,
            converted_objects: review.request.objects.into_iter().map(new::Certificate::from).collect(),
            result: Outcome { status: "Success" },
        },
    };
    serde_json::to_vec(&answer).expect("JSON can represent it")
}

/// What both versions have alike.
mod both {
    use super::*;

    #[derive(Serialize, Deserialize)]
    pub struct IssuerRef {
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub kind: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub group: Option<String>,
    }

    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Subject {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub organizations: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub countries: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub organizational_units: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub localities: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub provinces: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub street_addresses: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub postal_codes: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub serial_number: Option<String>,
    }

    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct PrivateKey {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rotation_policy: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub algorithm: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub encoding: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub size: Option<i64>,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Condition {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub last_transition_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub message: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub observed_generation: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
        pub status: String,
        pub r#type: String,
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Status {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub conditions: Option<Vec<Condition>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub last_failure_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_private_key_secret_name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub not_after: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub not_before: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub renewal_time: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub revision: Option<i64>,
    }
}

mod old {
    use super::both::{IssuerRef, PrivateKey, Status, Subject};
    use super::*;

    #[derive(Deserialize)]
    pub struct Certificate {
        pub metadata: ObjectMeta,
        pub spec: Option<CertificateSpec>,
        pub status: Option<Status>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct CertificateSpec {
        pub common_name: Option<String>,
        pub dns_names: Option<Vec<String>>,
        pub duration: Option<String>,
        #[serde(rename = "emailSANs")]
        pub email_sans: Option<Vec<String>>,
        pub encode_usages_in_request: Option<bool>,
        pub ip_addresses: Option<Vec<String>>,
        #[serde(rename = "isCA")]
        pub is_ca: Option<bool>,
        pub issuer_ref: IssuerRef,
        pub key_algorithm: Option<String>,
        pub key_encoding: Option<String>,
        pub key_size: Option<i64>,
        pub keystores: Option<Value>,
        pub organization: Option<Vec<String>>,
        pub private_key: Option<PrivateKey>,
        pub renew_before: Option<String>,
        pub revision_history_limit: Option<i32>,
        pub secret_name: String,
        pub secret_template: Option<Value>,
        pub subject: Option<Subject>,
        #[serde(rename = "uriSANs")]
        pub uri_sans: Option<Vec<String>>,
        pub usages: Option<Vec<String>>,
    }
}

mod new {
    use super::both::{IssuerRef, PrivateKey, Status, Subject};
    use super::*;

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Certificate {
        pub api_version: &'static str,
        pub kind: &'static str,
        pub metadata: ObjectMeta,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub spec: Option<CertificateSpec>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub status: Option<Status>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct CertificateSpec {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub common_name: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub dns_names: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub duration: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub email_addresses: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub encode_usages_in_request: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub ip_addresses: Option<Vec<String>>,
        #[serde(rename = "isCA", skip_serializing_if = "Option::is_none")]
        pub is_ca: Option<bool>,
        pub issuer_ref: IssuerRef,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub keystores: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub private_key: Option<PrivateKey>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub renew_before: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub revision_history_limit: Option<i32>,
        pub secret_name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub secret_template: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub subject: Option<Subject>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub uris: Option<Vec<String>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub usages: Option<Vec<String>>,
    }

    fn word(word: String, words: [(&str, &str); 2]) -> String {
        words.iter().find(|(from, _)| word == *from).map_or(word, |(_, to)| (*to).to_owned())
    }

    impl From<old::Certificate> for Certificate {
        fn from(old: old::Certificate) -> Self {
            Self {
                api_version: "cert-manager.io/v1",
                kind: "Certificate",
                metadata: old.metadata,
                spec: old.spec.map(CertificateSpec::from),
                status: old.status,
            }
        }
    }

    impl From<old::CertificateSpec> for CertificateSpec {
        fn from(old: old::CertificateSpec) -> Self {
            let mut private_key = old.private_key;
            if old.key_algorithm.is_some() || old.key_encoding.is_some() || old.key_size.is_some() {
                let key = private_key.get_or_insert_default();
                key.algorithm =
                    old.key_algorithm.map(|text| word(text, [("rsa", "RSA"), ("ecdsa", "ECDSA")]));
                key.encoding =
                    old.key_encoding.map(|text| word(text, [("pkcs1", "PKCS1"), ("pkcs8", "PKCS8")]));
                key.size = old.key_size;
            }
            let mut subject = old.subject;
            if old.organization.is_some() {
                subject.get_or_insert_default().organizations = old.organization;
            }
            Self {
                common_name: old.common_name,
                dns_names: old.dns_names,
                duration: old.duration,
                email_addresses: old.email_sans,
                encode_usages_in_request: old.encode_usages_in_request,
                ip_addresses: old.ip_addresses,
                is_ca: old.is_ca,
                issuer_ref: old.issuer_ref,
                keystores: old.keystores,
                private_key,
                renew_before: old.renew_before,
                revision_history_limit: old.revision_history_limit,
                secret_name: old.secret_name,
                secret_template: old.secret_template,
                subject,
                uris: old.uri_sans,
                usages: old.usages,
            }
        }
    }
}
