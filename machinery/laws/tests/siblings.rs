//! What one version allows and another refuses after conversion.

use hubgen_laws::{Definitions, check_with};
use hubgen_machinery::convert::{Annotations, Convert, ConvertError};
use hubgen_machinery::scheme::{ConversionRow, FamilyRow, KindRow, Kinds, Scheme};
use hubgen_machinery::{ApiType, Str};
use serde_json::{Value, json};

#[derive(ApiType)]
struct Metadata {
    name: Str,
    namespace: Str,
    labels: Annotations,
    annotations: Annotations,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Shop")]
struct OldShop {
    metadata: Metadata,
    endpoint: Option<Endpoint>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Shop")]
struct Shop {
    metadata: Metadata,
    endpoint: Option<Endpoint>,
}

#[derive(ApiType)]
struct Endpoint {
    host: Option<Str>,
    port: Option<i64>,
}

impl Convert for Shop {
    type Hub = Self;

    fn to_hub(self) -> Self {
        self
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

impl Convert for OldShop {
    type Hub = Shop;

    fn to_hub(self) -> Shop {
        Shop { metadata: self.metadata, endpoint: self.endpoint }
    }

    fn from_hub(hub: Shop) -> Result<Self, ConvertError> {
        Ok(Self { metadata: hub.metadata, endpoint: hub.endpoint })
    }
}

static SHOP: FamilyRow = FamilyRow {
    members: &[("example.com", "v1beta1", "Shop"), ("example.com", "v1", "Shop")],
    storage: ("example.com", "v1", "Shop"),
    words: &[],
};

/// The conversion of v1, with the paths that it accepts.
const fn v1(may_be_invalid: &'static [&'static str]) -> ConversionRow {
    match ConversionRow::of::<Shop>() {
        ConversionRow::Hub { empty_hub, to_hub, from_hub, canonical, json, .. } => {
            ConversionRow::Hub { empty_hub, to_hub, from_hub, canonical, may_be_invalid, json }
        }
        other => other,
    }
}

macro_rules! kinds {
    ($($path:literal),*) => {{
        static KINDS: Kinds = &[
            KindRow { family: Some(&SHOP), conversion: ConversionRow::of::<OldShop>(), ..KindRow::of::<OldShop>() },
            KindRow { family: Some(&SHOP), conversion: v1(&[$($path),*]), ..KindRow::of::<Shop>() },
        ];
        let mut scheme = Scheme::new();
        scheme.register(KINDS);
        scheme
    }};
}

/// The definition, with the schemas of the endpoint's fields at both versions.
fn definitions(old: [Value; 2], new: [Value; 2]) -> Definitions {
    let version = |name: &str, [host, port]: [Value; 2]| {
        let endpoint = json!({"type": "object", "properties": {"host": host, "port": port}});
        let schema = json!({"type": "object", "properties": {"endpoint": endpoint}});
        json!({"name": name, "schema": {"openAPIV3Schema": schema}})
    };
    let mut definitions = Definitions::default();
    let spec = json!({"group": "example.com", "names": {"kind": "Shop"}, "versions": [version("v1beta1", old), version("v1", new)]});
    definitions
        .add(&json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec}))
        .unwrap();
    definitions
}

/// v1 refuses empty hosts and ports.
fn stricter() -> Definitions {
    definitions(
        [json!({"type": "string", "enum": ["", "a"]}), json!({"type": "integer"})],
        [json!({"type": "string", "minLength": 1}), json!({"type": "integer", "minimum": 1})],
    )
}

#[test]
fn paths_that_a_sibling_refuses_are_listed() {
    let error = check_with(&kinds!(), &stricter(), 200).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[0], "what one version allows, another refuses after conversion, at 3 paths");
    let starts = [
        "example.com/v1 Shop: endpoint.host: Invalid value: \"\": endpoint.host in body should be at least 1 chars long",
        "example.com/v1 Shop: endpoint.port: Invalid value: ",
    ];
    for start in starts {
        assert!(lines.iter().any(|line| line.starts_with(start)), "{start}\n{error}");
    }
    // v1 allows any text, and v1beta1 two words.
    assert!(error.contains("example.com/v1beta1 Shop: endpoint.host: Unsupported value: "), "{error}");
    let example =
        lines.iter().position(|line| line.starts_with(starts[0])).map(|index| lines[index + 1]).unwrap();
    let object =
        example.strip_prefix("  of an object that example.com/v1beta1 Shop allows: ").expect(example);
    let smallest = json!({"apiVersion": "example.com/v1beta1", "kind": "Shop", "metadata": {"name": "a"}, "endpoint": {"host": ""}});
    assert_eq!(serde_json::from_str::<Value>(object).unwrap(), smallest);
}

#[test]
fn rules_accept_paths_by_name() {
    let any = definitions(
        [json!({"type": "string"}), json!({"type": "integer"})],
        [json!({"type": "string", "minLength": 1}), json!({"type": "integer", "minimum": 1})],
    );
    let checked = check_with(&kinds!("endpoint.host", "endpoint.port"), &any, 5).unwrap();
    assert_eq!(checked.accepted, 2);
    assert!(
        checked.to_string().ends_with("; rules accept that converted objects may be invalid at 2 paths"),
        "{checked}"
    );
    let error = check_with(&kinds!("endpoint.host"), &any, 5).unwrap_err().to_string();
    assert!(
        error.starts_with("what one version allows, another refuses after conversion, at 1 paths\n"),
        "{error}"
    );
    assert!(error.contains("endpoint.port: "), "{error}");
}

/// That rules in CEL were not checked is no path that anybody could accept.
#[test]
fn unchecked_rules_are_no_path_of_their_own() {
    let rule = json!([{"rule": "self != 'b'", "message": "not b"}]);
    let strict = json!({"type": "string", "minLength": 1, "x-kubernetes-validations": rule});
    let port = json!({"type": "integer"});
    let both = definitions([json!({"type": "string"}), port.clone()], [strict, port]);
    let error = check_with(&kinds!(), &both, 200).unwrap_err().to_string();
    assert!(
        error.starts_with("what one version allows, another refuses after conversion, at 1 paths\n"),
        "{error}"
    );
    assert!(check_with(&kinds!("endpoint.host"), &both, 200).is_ok());
}

#[test]
fn a_stale_acceptance_is_an_error() {
    let same = [json!({"type": "string"}), json!({"type": "integer"})];
    let error =
        check_with(&kinds!("endpoint.host"), &definitions(same.clone(), same), 5).unwrap_err().to_string();
    assert_eq!(
        error,
        "example.com/v1 Shop: endpoint.host: no object was found that is invalid here after a conversion; remove it from \
         `may-be-invalid` of this version"
    );
}

/// What a client reads and writes back gets the version's defaults.
#[test]
fn defaults_fill_what_a_version_requires() {
    let field = json!({"type": "integer"});
    let mut definitions =
        definitions([json!({"type": "string"}), field.clone()], [json!({"type": "string"}), field]);
    assert!(check_with(&kinds!(), &definitions, 50).is_ok());
    let host = |host: Value| {
        let endpoint = json!({"type": "object", "required": ["host"], "properties": {"host": host, "port": {"type": "integer"}}});
        json!({"type": "object", "properties": {"endpoint": endpoint}})
    };
    let with = |old: Value, new: Value| {
        let versions = [("v1beta1", old), ("v1", new)]
            .map(|(name, schema)| json!({"name": name, "schema": {"openAPIV3Schema": schema}}));
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {"group": "example.com", "names": {"kind": "Shop"}, "versions": versions}})
    };
    let lenient = json!({"type": "object", "properties": {"endpoint": {"type": "object", "properties": {
        "host": {"type": "string"}, "port": {"type": "integer"}
    }}}});
    definitions = Definitions::default();
    definitions.add(&with(lenient.clone(), host(json!({"type": "string", "default": "a"})))).unwrap();
    assert!(check_with(&kinds!(), &definitions, 50).is_ok());
    definitions = Definitions::default();
    definitions.add(&with(lenient, host(json!({"type": "string"})))).unwrap();
    let error = check_with(&kinds!(), &definitions, 50).unwrap_err().to_string();
    assert!(error.contains("example.com/v1 Shop: endpoint.host: Required value"), "{error}");
}
