//! The reviews that are measured, and what the programs print.

use std::fmt::Write;

use bench_counting::{repeat, requested};

/// A review that wants Certificates of `v1alpha2` at `v1`.
///
/// Each is as an API server sends it: with what a person applied, the fields of two managers, and a status.
pub fn review(objects: usize) -> Vec<u8> {
    let mut out = String::from(
        r#"{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"7d1f8c0e-1b55-4a0e-9d3b-0a3c2f6f4e11","desiredAPIVersion":"cert-manager.io/v1","objects":["#,
    );
    for index in 0..objects {
        if index > 0 {
            out.push(',');
        }
        write!(out, r#"{{"apiVersion":"cert-manager.io/v1alpha2","kind":"Certificate","metadata":{{"annotations":{{"team.example.com/owner":"web"}},"creationTimestamp":"2021-03-04T05:06:07Z","generation":2,"labels":{{"app":"web-{index}","team":"web"}},"managedFields":[{{"apiVersion":"cert-manager.io/v1alpha2","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:commonName":{{}},"f:dnsNames":{{}},"f:duration":{{}},"f:issuerRef":{{"f:kind":{{}},"f:name":{{}}}},"f:keyAlgorithm":{{}},"f:keyEncoding":{{}},"f:keySize":{{}},"f:organization":{{}},"f:renewBefore":{{}},"f:secretName":{{}},"f:uriSANs":{{}},"f:usages":{{}}}}}},"manager":"kubectl","operation":"Apply","time":"2021-03-04T05:06:07Z"}},{{"apiVersion":"cert-manager.io/v1","fieldsType":"FieldsV1","fieldsV1":{{"f:status":{{".":{{}},"f:conditions":{{}},"f:notAfter":{{}},"f:revision":{{}}}}}},"manager":"controller","operation":"Update","subresource":"status","time":"2021-03-04T05:07:07Z"}}],"name":"web-{index}","namespace":"default","resourceVersion":"{}","uid":"3f0d5a52-8d0f-4c0e-8f3e-{index:012}"}},"spec":{{"commonName":"web-{index}.example.com","dnsNames":["web-{index}.example.com","www.web-{index}.example.com","api.web-{index}.example.com"],"duration":"2160h","issuerRef":{{"kind":"ClusterIssuer","name":"ca"}},"keyAlgorithm":"rsa","keyEncoding":"pkcs1","keySize":2048,"organization":["example"],"renewBefore":"360h","secretName":"web-{index}-tls","uriSANs":["spiffe://cluster.local/ns/default/sa/web-{index}"],"usages":["server auth","client auth"]}},"status":{{"conditions":[{{"lastTransitionTime":"2021-03-04T05:07:07Z","message":"Certificate is up to date and has not expired","reason":"Ready","status":"True","type":"Ready"}}],"notAfter":"2021-06-02T05:07:07Z","revision":1}}}}"#, 1000 + index)
            .expect("a string takes everything");
    }
    out.push_str("]}}");
    out.into_bytes()
}

/// Runs `OBJECTS time COUNT`, `OBJECTS bytes` or `OBJECTS answer` with a conversion of reviews: prints nanoseconds and
/// allocations, the bytes that one review requests from the allocator, or the answer to compare.
///
/// # Panics
/// When the command line is another one.
pub fn run(words: &[String], convert: impl Fn(&[u8]) -> Vec<u8>) {
    let review =
        words.first().and_then(|objects| objects.parse().ok()).map(review).expect("a number of objects");
    match &*words[1..].iter().map(String::as_str).collect::<Vec<_>>() {
        ["time", count] => {
            repeat(count, || drop(std::hint::black_box(convert(std::hint::black_box(&review)))))
        }
        ["bytes"] => println!("{}", requested(|| drop(std::hint::black_box(convert(&review))))),
        ["answer"] => println!("{}", String::from_utf8(convert(&review)).expect("JSON is UTF-8")),
        _ => panic!("expected OBJECTS, then `time COUNT`, `bytes` or `answer`"),
    }
}
