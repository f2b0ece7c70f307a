//! Tests the commands `hubgen decode` and `hubgen encode`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use hubgen_kubernetes::machinery::protobuf::Envelope;
use serde_json::{Value, json};

pub fn hubgen(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hubgen-under-test"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
pub fn done(arguments: &[&str], input: &[u8]) -> Vec<u8> {
    let output = hubgen(arguments, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[track_caller]
pub fn text(arguments: &[&str], input: &[u8]) -> String {
    String::from_utf8(done(arguments, input)).unwrap()
}

#[track_caller]
fn refused(arguments: &[&str], input: &[u8]) -> String {
    refused_with(1, arguments, input)
}

#[track_caller]
fn refused_with(code: i32, arguments: &[&str], input: &[u8]) -> String {
    let output = hubgen(arguments, input);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

const INGRESS: &str = "\
apiVersion: extensions/v1beta1
kind: Ingress
metadata:
  name: web
spec:
  backend:
    serviceName: web
    servicePort: 80
status:
  loadBalancer: {}
";

#[test]
fn round_trips_in_every_form() {
    let raw = done(&["encode"], INGRESS.as_bytes());
    assert!(Envelope::is_one(&raw));
    for form in ["raw", "base64", "hex"] {
        let bytes = done(&["encode", "-o", form], INGRESS.as_bytes());
        let yaml = text(&["decode"], &bytes);
        assert!(yaml.starts_with("apiVersion: extensions/v1beta1\nkind: Ingress\n"), "{yaml}");
        assert_eq!(done(&["encode"], yaml.as_bytes()), raw, "{form}");
    }
    // `etcdctl get --print-value-only` ends the value with a line break.
    assert_eq!(done(&["decode"], &[&raw[..], b"\n"].concat()), done(&["decode"], &raw));
    let compact = text(&["encode", "--media", "json"], INGRESS.as_bytes());
    assert_eq!(done(&["encode"], text(&["decode"], compact.as_bytes()).as_bytes()), raw);
}

#[test]
fn a_removed_version_converts_to_the_newest() {
    let raw = done(&["encode"], INGRESS.as_bytes());
    let object: Value =
        serde_json::from_slice(&done(&["decode", "--to", "newest", "-o", "json"], &raw)).unwrap();
    assert_eq!(object["apiVersion"], "networking.k8s.io/v1");
    assert_eq!(object["spec"]["defaultBackend"], json!({"service": {"name": "web", "port": {"number": 80}}}));
}

#[test]
fn a_bare_message_needs_a_kind() {
    let raw = done(&["encode"], INGRESS.as_bytes());
    let message = Envelope::decode(&raw).unwrap().raw;
    let named = text(&["decode", "--as", "extensions/v1beta1/Ingress"], message);
    assert_eq!(named, text(&["decode"], &raw));
    let output = hubgen(&["decode"], message);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("help: if it is a bare message, name its kind with --as"), "{stderr}");
    let error = refused_with(2, &["decode", "--as", "extensions/v1beta1/Ingres"], message);
    assert!(error.contains("this kind is not known"), "{error}");
}

#[test]
fn errors_in_one_of_many_values_do_not_affect_the_others() {
    use base64::Engine;
    let encode = |bytes: &[u8]| base64::prelude::BASE64_STANDARD.encode(bytes);
    let ingress = done(&["encode"], INGRESS.as_bytes());
    let strange = Envelope {
        api_version: "example.com/v9",
        kind: "Strange",
        raw: b"\x0a\x02hi",
        ..Envelope::default()
    };
    let broken = &ingress[..ingress.len() - 12];
    let pairs = [
        ("/registry/ingress/default/web", &ingress[..]),
        ("/registry/strange/one", &strange.encode()),
        ("/registry/ingress/default/broken", broken),
        ("/registry/example.com/gears/g", br#"{"apiVersion":"example.com/v1","kind":"Gear","size":3}"#),
    ];
    let kvs: Vec<Value> = pairs
        .iter()
        .map(|(key, value)| json!({"key": encode(key.as_bytes()), "value": encode(value)}))
        .collect();
    let dump = json!({"header": {"revision": 7}, "kvs": kvs, "count": 4}).to_string();
    let output = hubgen(&["decode", "-o", "json"], dump.as_bytes());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("/registry/strange/one: no kind \"Strange\""), "{stderr}");
    assert!(stderr.contains("/registry/ingress/default/broken: byte "), "{stderr}");
    let lines: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["object"]["kind"], "Ingress");
    assert!(lines[1]["wire"].as_str().unwrap().contains("1: \"hi\""), "{}", lines[1]);
    assert_eq!(
        lines[2],
        json!({"key": "/registry/example.com/gears/g", "object": {"apiVersion": "example.com/v1", "kind": "Gear", "size": 3}})
    );
    let yaml = String::from_utf8(hubgen(&["decode"], dump.as_bytes()).stdout).unwrap();
    assert!(yaml.starts_with("# /registry/ingress/default/web\napiVersion: extensions/v1beta1\n"), "{yaml}");
    assert!(
        yaml.contains(
            "---\n# /registry/strange/one\n# envelope: apiVersion \"example.com/v9\", kind \"Strange\"\n"
        ),
        "{yaml}"
    );
}

/// Lists and watch events contain their objects in separate envelopes.
#[test]
fn embedded_objects() {
    const LIST: &str = "\
apiVersion: v1
kind: List
metadata: {}
items:
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: a
- apiVersion: example.com/v1
  kind: Gear
- apiVersion: apps/v1beta1
  kind: Deployment
  metadata:
    name: b
";
    let raw = done(&["encode"], LIST.as_bytes());
    let envelopes = raw.windows(4).filter(|window| *window == b"k8s\0").count();
    assert_eq!(envelopes, 3);
    let list: Value = serde_json::from_slice(&done(&["decode", "-o", "json"], &raw)).unwrap();
    assert_eq!(list["kind"], "List");
    assert_eq!(list["items"][0]["kind"], "ConfigMap");
    assert_eq!(list["items"][1], json!({"apiVersion": "example.com/v1", "kind": "Gear"}));
    assert_eq!(list["items"][2]["apiVersion"], "apps/v1beta1");
    assert_eq!(list["items"][2]["metadata"]["name"], "b");
    assert_eq!(done(&["encode"], list.to_string().as_bytes()), raw);
    let shown = text(&["decode", "-o", "wire"], &raw);
    assert!(shown.contains("envelope: apiVersion \"apps/v1beta1\", kind \"Deployment\"\n"), "{shown}");
    assert!(shown.contains("1 name: \"b\"\n"), "{shown}");

    let event = json!({"type": "ADDED", "object": list["items"][0]});
    let raw = done(&["encode"], event.to_string().as_bytes());
    assert!(raw.starts_with(b"k8s\0\x0a\x04\x0a\x00\x12\x00\x12"));
    let again: Value = serde_json::from_slice(&done(&["decode", "-o", "json"], &raw)).unwrap();
    assert_eq!(again, event);
    assert_eq!(
        text(&["decode", "-o", "wire"], &raw).lines().next(),
        Some("envelope: apiVersion \"\", kind \"\"")
    );

    let strange = Envelope { api_version: "v9", kind: "Strange", ..Envelope::default() }.encode();
    let mut message = vec![0x12, strange.len() as u8 + 2, 0x0a, strange.len() as u8];
    message.extend(&strange);
    let list = Envelope { api_version: "v1", kind: "List", raw: &message, ..Envelope::default() };
    let error = refused(&["decode"], &list.encode());
    assert!(error.contains("items[0]: no kind \"Strange\" is registered for version \"v9\""), "{error}");
}

/// A watch stream in protobuf, recorded from a kube-apiserver.
#[test]
fn a_watch_is_shown_event_by_event() {
    const WATCH: &[u8] = include_bytes!("../../recorded/protobuf/watch.bin");
    let shown = text(&["decode"], WATCH);
    let heads: Vec<&str> = shown.split("---\n").map(|event| event.lines().last().unwrap()).collect();
    assert_eq!(heads, ["type: ADDED", "type: MODIFIED", "type: DELETED", "type: ERROR"], "{shown}");
    let events: Vec<Value> = serde_json::Deserializer::from_slice(&done(&["decode", "-o", "json"], WATCH))
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(events[1]["object"]["data"], json!({"k": "w"}));
    assert_eq!(events[3]["object"]["kind"], "Status");
    let error = refused(&["decode"], &WATCH[..WATCH.len() - 1]);
    assert_eq!(
        error,
        "error: <stdin>: byte 608: expected a frame of 183 bytes, found the end after 182: the last event is not \
         whole\n  help: cut the input off before that byte\n"
    );
}

/// The object contains fields of a newer server.
#[test]
fn unknown_fields_are_counted_and_shown_on_the_wire() {
    let raw = done(&["encode"], INGRESS.as_bytes());
    let envelope = Envelope::decode(&raw).unwrap();
    let with = |unknown: &[u8]| {
        let message = [envelope.raw, unknown].concat();
        Envelope { raw: &message, ..envelope }.encode()
    };
    // `spec: {1000: "x"}`, which is merged with the existing spec, and field 2000 of the object.
    for (unknown, warning, lines) in [
        (&b"\x12\x04\xc2\x3e\x01x"[..], "1 unknown field is not shown", ["1000: \"x\""].as_slice()),
        (b"\x12\x04\xc2\x3e\x01x\x80\x7d\x07", "2 unknown fields are not shown", &["1000: \"x\"", "2000: 7"]),
    ] {
        let newer = with(unknown);
        for format in ["json", "yaml"] {
            let output = hubgen(&["decode", "-o", format], &newer);
            assert!(output.status.success());
            let expected = format!("warning: <stdin>: {warning}\n  help: -o wire shows all fields\n");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), expected);
            let quiet = hubgen(&["decode", "--quiet"], &newer);
            assert_eq!((quiet.status.code(), quiet.stderr.len()), (Some(0), 0));
            assert_eq!(output.stdout, done(&["decode", "-o", format], &raw));
        }
        let shown = text(&["decode", "-o", "wire"], &newer);
        assert!(lines.iter().all(|line| shown.contains(line)), "{shown}");
    }
    assert!(hubgen(&["decode"], &raw).stderr.is_empty());
}

#[test]
fn the_wire_is_shown_with_names() {
    let raw = done(&["encode"], INGRESS.as_bytes());
    let shown = text(&["decode", "-o", "wire"], &raw);
    assert!(shown.starts_with("envelope: apiVersion \"extensions/v1beta1\", kind \"Ingress\"\n"), "{shown}");
    assert!(shown.contains("1 name: \"web\""), "{shown}");
    assert!(shown.contains("2 servicePort: "), "{shown}");
    // Bytes that are not a message are shown up to the error.
    let shown = text(&["decode", "-o", "wire"], &raw[..40]);
    assert!(shown.contains("broken"), "{shown}");
}

#[test]
fn input_that_cannot_be_encoded_is_refused() {
    let error = refused(&["encode"], b"apiVersion: v1\nkind: Pod\nspecs: {}\n");
    let expected = "\
error: v1 Pod has no such field
   ,-[<stdin>:3:1]
 2 | kind: Pod
 3 | specs: {}
   : ^^^^|^^^^
   :     `-- specs
   `----
  help: correct its name, or remove it: it would be lost

";
    assert_eq!(error, expected);
    let error = refused(&["encode"], b"apiVersion: v1\nkind: Pot\n");
    assert!(error.starts_with("error: no kind \"Pot\"") && error.contains("[<stdin>:1:1]"), "{error}");
    let error = refused(&["encode"], format!("{INGRESS}---\n{INGRESS}").as_bytes());
    assert!(error.contains("use -o base64 or -o hex"), "{error}");
    assert_eq!(
        text(&["encode", "-o", "hex"], format!("{INGRESS}---\n{INGRESS}").as_bytes()).lines().count(),
        2
    );
    assert!(refused(&["encode"], b"").contains("expected an object"));
    assert!(refused(&["decode"], b"").contains("expected bytes"));
}

#[test]
fn programs_read_errors_as_json() {
    let report = |arguments: &[&str], input: &[u8]| -> Value {
        let output = hubgen(arguments, input);
        assert_eq!(output.status.code(), Some(1));
        serde_json::from_slice(&output.stderr).unwrap()
    };
    let found = report(&["encode", "--json"], b"apiVersion: v1\nkind: Pod\nspecs: {}\n");
    let expected = json!({
        "severity": "error", "file": "<stdin>", "line": 3, "column": 1, "path": "specs",
        "message": "v1 Pod has no such field",
        "help": "correct its name, or remove it: it would be lost",
    });
    assert_eq!(found, json!({"ok": false, "diagnostics": [expected]}));
    // JSON is text, so its errors have a line and a column.
    let found = report(&["decode", "--json"], b"{\"apiVersion\": \"v1\", \"kind\": \"Pod\",\n \"spec\": 3}");
    assert_eq!((&found["ok"], &found["values"]), (&json!(false), &json!(1)));
    let error = &found["diagnostics"][0];
    assert_eq!((&error["line"], &error["column"], &error["path"]), (&json!(2), &json!(10), &json!("spec")));

    let output = hubgen(&["encode", "--json"], INGRESS.as_bytes());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "{\"ok\":true,\"diagnostics\":[]}\n");
    let output = hubgen(&["decode", "--json", "-o", "json"], &output.stdout);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "{\"ok\":true,\"values\":1,\"diagnostics\":[]}\n");
    assert!(serde_json::from_slice::<Value>(&output.stdout).is_ok());
}
