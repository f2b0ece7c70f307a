//! Decodes values as an API server keeps them in etcd.
//!
//! Built-in kinds are protobuf messages in an envelope that begins with `k8s` and a zero byte and
//! names the version and kind. CustomResourceDefinitions and custom resources are JSON.
//! `hubgen decode` does the same on the command line.

use std::error::Error;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme, SchemeError};
use hubgen_kubernetes::machinery::yaml;

/// An Ingress at `extensions/v1beta1`, as `etcdctl get KEY --print-value-only | base64` prints it.
const INGRESS: &str = "azhzAAodChJleHRlbnNpb25zL3YxYmV0YTESB0luZ3Jlc3MSVQobCgRzaG9wEgAaB2RlZmF1bHQiACoAMgA4AEIAE\
    jIaMAoQc2hvcC5leGFtcGxlLmNvbRIcChoKGAoFL2NhcnQSDwoEY2FydBIHCAAQkD8aABoCCgAaACIA";

const DEFINITION: &[u8] = br#"{
    "apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com", "version": "v1", "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"}
    }
}"#;

/// A custom resource: the Scheme of the built-in kinds does not know it.
const WIDGET: &[u8] = br#"{"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": 3}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let scheme = hubgen_kubernetes::scheme();
    let stored = [
        ("/registry/ingress/default/shop", BASE64_STANDARD.decode(INGRESS)?),
        ("/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com", DEFINITION.to_vec()),
        ("/registry/example.com/widgets/default/one", WIDGET.to_vec()),
    ];
    for (key, value) in stored {
        println!("# {key}");
        match decode(&scheme, &value) {
            Ok(object) => println!("{}", yaml::from_json(&object.encode()?)?),
            Err(error) => println!("error: {error}"),
        }
    }
    Ok(())
}

/// Decodes a value, and converts it to the version at which hubgen stores the kind.
fn decode(scheme: &Scheme, value: &[u8]) -> Result<Object, SchemeError> {
    let object =
        if Envelope::is_one(value) { scheme.decode_protobuf(value)? } else { scheme.decode(value)?.0 };
    let (group, version, kind) = object.entry.storage();
    match scheme.kind(group, version, kind).cloned() {
        Some(storage) => scheme.convert(object, &storage),
        None => Ok(object),
    }
}
