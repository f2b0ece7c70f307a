//! Malformed input causes an error with a position, and no panic, in the library, in `hubgen decode` and in a server.
#![cfg(unix)]

use std::io::Write;
use std::process::{Output, Stdio};

use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::protobuf::{self, Envelope};
use hubgen_kubernetes::machinery::scheme::Object;
use hubgen_laws::objects::{self, Source};

use crate::client::Answer;
use crate::process::{Process, hubgen};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const JSON: &str = "application/json";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The maximum size of a body, in bytes.
const BODY: usize = 3 << 20;

fn decode(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = hubgen()
        .arg("decode")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hubgen starts");
    // The command may exit before it has read everything.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    child.wait_with_output().expect("hubgen ends")
}

/// Runs `hubgen decode` on bytes that it must refuse, and returns its error.
#[track_caller]
fn refused(arguments: &[&str], input: &[u8]) -> String {
    let output = decode(arguments, input);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{error}{}", String::from_utf8_lossy(&output.stdout));
    error
}

/// Wraps a message in an envelope.
fn enveloped(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    Envelope { api_version, kind, raw: message, ..Envelope::default() }.encode()
}

/// Nests length-delimited fields, the outermost first, around innermost bytes.
fn nested(numbers: impl DoubleEndedIterator<Item = u32>, innermost: &[u8]) -> Vec<u8> {
    // Built from the inside, so that lengths are known, and backwards, so that no bytes are moved.
    let mut backwards: Vec<u8> = innermost.iter().rev().copied().collect();
    for number in numbers.rev() {
        let head =
            [varint(number << 3 | 2), varint(u32::try_from(backwards.len()).expect("a few MB"))].concat();
        backwards.extend(head.iter().rev());
    }
    backwards.reverse();
    backwards
}

fn varint(mut value: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A CustomResourceDefinition whose schema contains this many nested `not`s.
fn deep_definition(levels: usize) -> Vec<u8> {
    // spec.versions[0].schema.openAPIV3Schema, then its `not`.
    let numbers: Vec<u32> = [2, 7, 4, 1].into_iter().chain(std::iter::repeat_n(28, levels)).collect();
    enveloped("apiextensions.k8s.io/v1", "CustomResourceDefinition", &nested(numbers.into_iter(), b""))
}

/// Cuts generated objects of several kinds at every byte. The result is an error inside the bytes, with the field path
/// if a field is cut, or a smaller object if the cut is between two fields.
#[test]
fn truncated_objects() {
    let scheme = hubgen_kubernetes::scheme();
    let kinds = [
        ("v1", "Pod"),
        ("v1", "Node"),
        ("apps/v1", "Deployment"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("authorization.k8s.io/v1", "SubjectAccessReview"),
        ("extensions/v1beta1", "Ingress"),
    ];
    for (api_version, kind) in kinds {
        let entry = scheme.named(api_version, kind).expect("a known kind");
        let mut object = Object::new(entry);
        // Few bytes generate small objects, of which every prefix can be tested.
        objects::fill(&mut *object.value, &mut Source::new(&objects::bytes(7)[..60], &[]));
        let (enveloped, text) = (object.encode_protobuf(), object.encode().unwrap());
        assert!(enveloped.len() > 100 && text.len() > 100, "{entry}");
        let message = Envelope::decode(&enveloped).expect("an envelope").raw;
        let mut with_field = 0;
        for cut in 0..message.len() {
            if let Err(error) = protobuf::decode_into(&message[..cut], &mut *Object::new(entry).value) {
                assert!(error.offset() <= cut, "{entry}, byte {cut}: {error}");
                with_field += usize::from(!error.path().is_empty());
            }
        }
        assert!(
            with_field > message.len() / 4,
            "{entry}: {with_field} of {} errors have a field path",
            message.len()
        );
        for cut in 0..enveloped.len() {
            let _ = scheme.decode_protobuf(&enveloped[..cut]);
        }
        for cut in 0..text.len() {
            let read = json::decode_into(&text[..cut], &mut *Object::new(entry).value);
            let error = read.expect_err("a part of an object is not an object");
            assert!(error.offset() <= cut, "{entry}, byte {cut}: {error}");
        }
    }
}

#[test]
fn wrong_lengths() {
    // The length of metadata.name exceeds the remaining bytes.
    for (length, found) in [(6, 5), (0x7f, 5), (0x0fff_ffff, 5)] {
        let name = [&[0x0a][..], &varint(length), b"abcde"].concat();
        let pod = enveloped("v1", "Pod", &nested([1].into_iter(), &name));
        let error = refused(&[], &pod);
        assert!(
            error.contains(&format!("metadata.name: expected {length} more bytes, found {found}")),
            "{error}"
        );
        assert!(error.starts_with("error: <stdin>: v1 Pod: byte "), "{error}");
    }
    // The maximum length, and a length without an end.
    let longest = [&[0x0a][..], &[0xff; 9], &[1]].concat();
    assert!(
        refused(&[], &enveloped("v1", "Pod", &longest)).contains("expected 18446744073709551615 more bytes")
    );
    let endless = [&[0x0a][..], &[0xff; 40]].concat();
    assert!(
        refused(&[], &enveloped("v1", "Pod", &endless)).contains("expected a number of at most 10 bytes")
    );
    // An envelope whose length exceeds the bytes.
    let pod = enveloped("v1", "Pod", b"");
    let error = refused(&[], &[&pod[..4], &[0x12, 0x7f]].concat());
    assert!(error.contains("byte 5: expected 127 more bytes, found 0"), "{error}");
}

#[test]
fn nesting_of_100_000_levels() {
    let definition = deep_definition(100_000);
    assert!(definition.len() < BODY);
    let error = refused(&[], &definition);
    assert!(error.contains("expected at most 256 nested messages"), "{error}");
    assert!(error.contains("spec.versions[0].schema.openAPIV3Schema.not.not.not"), "{error}");
    // The wire format is also limited in depth.
    assert!(decode(&["-o", "wire"], &definition).status.success());
    // Groups without an end.
    let groups = enveloped("v1", "Pod", &[0xa3, 6].repeat(100_000));
    assert!(refused(&[], &groups).contains("expected at most 256 open groups"));
    // In JSON, in known and in unknown fields.
    let schema = format!(r#"{}{{}}{}"#, r#"{"not":"#.repeat(100_000), "}".repeat(100_000));
    for (object, path) in [
        (
            format!(r#"{{"spec":{{"versions":[{{"schema":{{"openAPIV3Schema":{schema}}}}}]}}"#),
            "-- spec.versions[0].schema.openAP…",
        ),
        (format!(r#"{{"nothing":{schema}"#), "-- nothing.not.not."),
        (format!(r#"{{"metadata":{{"annotations":{schema}}}"#), "-- metadata.annotations.not.not."),
    ] {
        let text =
            format!(r#"{object},"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition"}}"#);
        let error = refused(&[], text.as_bytes());
        assert!(error.contains("[<stdin>:1:") && error.contains(path), "{error}");
        assert!(error.contains("expected at most 512 nested"), "{error}");
    }
    assert!(decode(&[], deep_definition(50).as_slice()).status.success());
}

#[test]
fn three_mib_of_brackets() {
    for open in ["[", "{\"a\":", "{\"metadata\":", "[{\"x\":"] {
        let text = open.repeat(BODY / open.len());
        let error =
            refused(&[], format!("{{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"spec\":{text}").as_bytes());
        assert!(error.contains("[<stdin>:1:"), "{open}: {error}");
        // Bytes that are not an object are shown as bytes.
        let output = decode(&["-o", "wire"], text.as_bytes());
        assert!(output.status.code().is_some(), "{open}");
        let output = decode(&["--as", "v1/Pod"], text.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{open}");
    }
}

#[test]
fn invalid_text_and_numbers() {
    let pod = enveloped("v1", "Pod", &nested([1].into_iter(), b"\x0a\x03a\xffb"));
    let error = refused(&[], &pod);
    assert!(error.contains("metadata.name: expected text in UTF-8"), "{error}");
    let error = refused(&[], b"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xff\"}}");
    assert!(error.starts_with("error: expected UTF-8, found an invalid byte"), "{error}");
    assert!(error.contains("[<stdin>:1:53]") && error.contains("-- metadata.name\n"), "{error}");
    let pod = |field: &str| format!(r#"{{"apiVersion":"v1","kind":"Pod","spec":{{{field}}}}}"#);
    for (field, message) in [
        (r#""priority":2147483648"#, "spec.priority: expected a 32-bit integer, found 2147483648"),
        (r#""priority":-1e400"#, "spec.priority: expected a 32-bit integer, found -1e400"),
        (r#""priority":1.0"#, "spec.priority: expected a 32-bit integer, found 1.0"),
        (
            r#""terminationGracePeriodSeconds":9223372036854775808"#,
            "spec.terminationGracePeriodSeconds: expected a 64-bit integer, found 9223372036854775808",
        ),
        (r#""overhead":{"cpu":"1x"}"#, "spec.overhead.cpu: expected a quantity"),
        (
            r#""containers":[{"ports":[{"containerPort":99999999999}]}]"#,
            "spec.containers[0].ports[0].containerPort: expected a 32-bit integer, found 99999999999",
        ),
    ] {
        let error = refused(&[], pod(field).as_bytes());
        let (path, message) = message.split_once(": ").expect("a path and a message");
        assert!(error.starts_with(&format!("error: {message}")), "{field}: {error}");
        assert!(error.contains("[<stdin>:1:") && error.contains(&format!("-- {path}\n")), "{field}: {error}");
    }
}

#[test]
fn envelopes_of_another_kind() {
    let pod = enveloped("v1", "Pod", &nested([1].into_iter(), b"\x0a\x01p"));
    // A wrong prefix instead of the envelope's.
    for magic in [&b"k8s\x01"[..], b"K8s\0", b"\0\0\0\0"] {
        let error = refused(&["--as", "v1/Pod"], &[magic, &pod[4..]].concat());
        assert!(
            error.starts_with("error: <stdin>: byte ") && error.contains("this is not a message of v1 Pod"),
            "{error}"
        );
    }
    // A known envelope around another kind's bytes.
    let scheme = hubgen_kubernetes::scheme();
    let mut node = Object::new(scheme.named("v1", "Node").expect("a known kind"));
    objects::fill(&mut *node.value, &mut Source::new(&objects::bytes(3), &[]));
    let node = node.encode_protobuf();
    let message = Envelope::decode(&node).expect("an envelope").raw;
    let error = refused(&[], &enveloped("autoscaling/v2", "HorizontalPodAutoscaler", message));
    assert!(error.starts_with("error: <stdin>: autoscaling/v2 HorizontalPodAutoscaler: byte "), "{error}");
    assert!(error.contains(", spec.") || error.contains(", status."), "{error}");
}

/// A server refuses each of these, and continues.
#[test]
fn a_server_refuses_malformed_bodies() {
    let directory = tempfile::tempdir().expect("a folder");
    let server = Process::start(directory.path(), "");
    let send = |path: &str, media: &str, body: &[u8]| -> Answer {
        server.client.send("POST", path, &[("Content-Type", media)], body)
    };
    let message = |answer: Answer| answer.expect(400)["message"].as_str().expect("a message").to_owned();
    for media in [JSON, PROTOBUF, "application/yaml"] {
        for open in ["[", "{\"a\":"] {
            let answer = send(CONFIG_MAPS, media, open.repeat(BODY / open.len()).as_bytes());
            assert_eq!(answer.code, 400, "{media} {open}: {}", answer.body);
        }
    }
    let message_text = message(send(DEFINITIONS, PROTOBUF, &deep_definition(100_000)));
    assert!(
        message_text.contains("expected at most 256 nested messages") && message_text.contains("byte "),
        "{message_text}"
    );
    let long = enveloped("v1", "ConfigMap", &nested([1].into_iter(), b"\x0a\x7fabcde"));
    let message_text = message(send(CONFIG_MAPS, PROTOBUF, &long));
    assert!(message_text.contains("metadata.name: expected 127 more bytes, found 5"), "{message_text}");
    let broken = enveloped("v1", "ConfigMap", &nested([1].into_iter(), b"\x0a\x01\xff"));
    let message_text = message(send(CONFIG_MAPS, PROTOBUF, &broken));
    assert!(message_text.contains("metadata.name: expected text in UTF-8"), "{message_text}");
    let message_text =
        message(send(CONFIG_MAPS, JSON, br#"{"metadata":{"generation":9223372036854775808}}"#));
    assert!(message_text.contains("metadata.generation: expected a 64-bit integer"), "{message_text}");
    // Empty elements that would take more memory than a body of this size may.
    let pods = "/api/v1/namespaces/default/pods";
    let many = format!(r#"{{"spec":{{"containers":[{}{{}}]}}}}"#, "{},".repeat(900_000));
    let message_text = message(send(pods, JSON, many.as_bytes()));
    assert!(
        message_text.contains("spec.containers") && message_text.contains("bytes of memory for 2700"),
        "{message_text}"
    );
    let many = enveloped("v1", "Pod", &nested([2].into_iter(), &[0x12, 0].repeat(1_000_000)));
    let message_text = message(send(pods, PROTOBUF, &many));
    assert!(
        message_text.contains("spec.containers") && message_text.contains("bytes of memory for 2000"),
        "{message_text}"
    );
    server.client.post(CONFIG_MAPS, &serde_json::json!({"metadata": {"name": "after"}})).expect(201);
}
