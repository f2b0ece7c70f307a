//! Kinds of a repository, whose types are made at run time.

use std::path::Path;

use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_migrate::{Known, Target};
use hubgen_stored::{Decoded, Decoder};

const ISSUER: &str = r#"{"apiVersion":"cert-manager.io/v1alpha2","kind":"Issuer","metadata":{"name":"a"},"spec":{"ca":{"secretName":"b"}}}"#;

fn known() -> Known {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/cert-manager/hubgen.toml");
    Known::new(Some(Path::new(config))).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

#[test]
fn they_convert() {
    let known = known();
    let decoder = Decoder { target: Some(&Target::Newest), ..Decoder::new(&known) };
    let decoded = decoder.decode(ISSUER.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let Decoded::Object(object, warnings) = decoded else { panic!("its kind is known") };
    assert_eq!(object["apiVersion"], "cert-manager.io/v1");
    assert_eq!(object["spec"]["ca"]["secretName"], "b");
    assert_eq!(warnings, []);
}

/// They have no messages, but bytes may say that they are one.
#[test]
fn their_wire_form_has_numbers_only() {
    let known = known();
    let entry = known.scheme.named("cert-manager.io/v1", "Issuer").unwrap();
    let decoder = Decoder { kind: Some(entry), ..Decoder::new(&known) };
    let message = b"\x0a\x02hi";
    assert_eq!(decoder.wire(message), "     0  1: \"hi\"\n");
    let envelope =
        Envelope { api_version: "cert-manager.io/v1", kind: "Issuer", raw: message, ..Envelope::default() };
    let shown = decoder.wire(&envelope.encode());
    assert!(shown.starts_with("envelope: apiVersion \"cert-manager.io/v1\", kind \"Issuer\"\n"), "{shown}");
    assert!(shown.ends_with("  1: \"hi\"\n"), "{shown}");
}
