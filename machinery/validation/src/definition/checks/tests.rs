//! What is allowed when a definition is created, and what an update may keep.

use serde_json::{Value, json};

use super::{Change, NonStructural, approval, errors, name_error, non_structural, status_errors};

fn widgets() -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "a": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
    }}}}});
    json!({
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "conversion": {"strategy": "None"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
        "status": {"storedVersions": ["v1"]},
    })
}

/// The definition with another value at each place.
fn with(changes: &[(&str, Value)]) -> Value {
    let mut definition = widgets();
    for (place, value) in changes {
        let (parent, name) = place.rsplit_once('/').unwrap();
        match definition.pointer_mut(parent).unwrap_or_else(|| panic!("{place}")) {
            Value::Array(items) if name == "-" => items.push(value.clone()),
            parent => parent[name] = value.clone(),
        }
    }
    definition
}

fn found(new: &Value, old: Option<&Value>, is_beta: bool) -> Vec<String> {
    let ca_mistake = |bundle: &str| (bundle == "d3Jvbmc=").then(|| "they are wrong".to_owned());
    let errors = errors(&Change { new, old, is_beta, ca_mistake: &ca_mistake });
    errors.iter().map(ToString::to_string).collect()
}

const SPEC: &str = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";

/// What is wrong in a new definition may stay in one that has it, and only there.
#[test]
fn an_update_may_keep_what_was_allowed() {
    let place = |rest: &str| format!("{SPEC}/{rest}");
    let fields: Vec<Value> = (0..9).map(|number| json!({"jsonPath": format!(".spec.f{number}")})).collect();
    let properties: serde_json::Map<_, _> =
        (0..9).map(|number| (format!("f{number}"), json!({"type": "string"}))).collect();
    let webhook = |versions: Value, bundle: &str| {
        let client = json!({"url": "https://a.example", "caBundle": bundle});
        json!({"strategy": "Webhook", "webhook": {"conversionReviewVersions": versions, "clientConfig": client}})
    };
    let established = json!([{"type": "Established", "status": "True"}]);
    let root = "spec.validation.openAPIV3Schema.properties[spec].properties";
    for (changes, expected) in [
        (
            vec![(place("a/type"), json!("file"))],
            vec![format!(
                "{root}[a].type: Unsupported value: \"file\": supported values: \"array\", \"boolean\", \"integer\", \
                 \"number\", \"object\", \"string\""
            )],
        ),
        (
            vec![(place("o"), json!({"type": "object", "properties": {"b": {"type": "string"}}, "default": {"c": 1}}))],
            vec![format!("{root}[o].default: Invalid value: {{\"c\":1}}: must not have unknown fields")],
        ),
        (
            vec![
                (place("tags/x-kubernetes-list-type"), json!("set")),
                (place("tags/items"), json!({"type": "object"})),
            ],
            vec![format!(
                "{root}[tags].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with \
                 x-kubernetes-list-type=set"
            )],
        ),
        (
            vec![
                (place("tags/x-kubernetes-list-type"), json!("set")),
                (place("tags/items/nullable"), json!(true)),
            ],
            vec![format!("{root}[tags].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set")],
        ),
        (
            vec![("/spec/conversion".to_owned(), webhook(json!(["v2"]), ""))],
            vec![
                "spec.conversion.conversionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1"
                    .to_owned(),
            ],
        ),
        (
            vec![
                (SPEC.to_owned(), properties.into()),
                ("/spec/versions/0/selectableFields".to_owned(), fields.into()),
            ],
            vec!["spec.selectableFields: Too many: 9: must have at most 8 items".to_owned()],
        ),
    ] {
        let changes: Vec<(&str, Value)> =
            changes.iter().map(|(place, value)| (place.as_str(), value.clone())).collect();
        let wrong = with(&changes);
        assert_eq!(found(&wrong, None, false), expected);
        assert_eq!(found(&wrong, Some(&widgets()), false), expected);
        assert_eq!(found(&wrong, Some(&wrong), false), [""; 0], "{changes:?}");
    }
    // Certificates may be wrong before a kind is established, and stay so afterwards.
    let bundle = with(&[("/spec/conversion", webhook(json!(["v1"]), "d3Jvbmc="))]);
    let expected =
        "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"d3Jvbmc=\": they are wrong"
            .to_owned();
    assert_eq!(found(&bundle, None, false), [""; 0]);
    assert_eq!(found(&bundle, Some(&widgets()), false), [""; 0]);
    assert_eq!(
        found(&bundle, Some(&with(&[("/status/conditions", established.clone())])), false),
        [expected]
    );
    let mut kept = bundle.clone();
    kept["status"]["conditions"] = established;
    assert_eq!(found(&bundle, Some(&kept), false), [""; 0]);
}

#[test]
fn some_fields_stay() {
    let changed = with(&[
        ("/spec/scope", json!("Cluster")),
        ("/spec/names/kind", json!("Other")),
        ("/spec/names/singular", json!("other")),
    ]);
    assert_eq!(found(&changed, Some(&widgets()), false), [""; 0]);
    let established = with(&[("/status/conditions", json!([{"type": "Established", "status": "True"}]))]);
    assert_eq!(
        found(&changed, Some(&established), false),
        [
            "spec.scope: Invalid value: \"Cluster\": field is immutable",
            "spec.names.kind: Invalid value: \"Other\": field is immutable",
        ]
    );
    let moved = with(&[("/spec/group", json!("b.c")), ("/spec/names/plural", json!("others"))]);
    assert_eq!(
        found(&moved, Some(&widgets()), false),
        [
            "spec.group: Invalid value: \"b.c\": field is immutable",
            "spec.names.plural: Invalid value: \"others\": field is immutable",
        ]
    );
}

/// Where the API server tells of a schema: where it would state it once for all versions that have the same.
#[test]
fn versions_share_what_is_the_same() {
    let wrong =
        json!({"name": "v2", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"a": {}}}}});
    let why = "type: Required value: must not be empty for specified object fields";
    let two = with(&[("/spec/versions/-", wrong.clone())]);
    assert_eq!(
        found(&two, None, false),
        [format!("spec.versions[1].schema.openAPIV3Schema.properties[a].{why}")]
    );
    let mut same = two;
    same["spec"]["versions"][0]["schema"] = wrong["schema"].clone();
    assert_eq!(found(&same, None, false), [format!("spec.validation.openAPIV3Schema.properties[a].{why}")]);
}

/// At `v1beta1`, much may be missing, and defaults are refused.
#[test]
fn v1beta1_is_less_strict() {
    let keeps = ("/spec/preserveUnknownFields", json!(true));
    let schema =
        ("/spec/versions/0/schema", json!({"openAPIV3Schema": {"properties": {"a": {"type": "file"}}}}));
    let old = with(&[keeps.clone(), schema.clone()]);
    assert_eq!(found(&old, None, true), [""; 0]);
    assert_eq!(
        found(&old, None, false),
        [
            "spec.validation.openAPIV3Schema.type: Required value: must not be empty at the root",
            "spec.validation.openAPIV3Schema.properties[a].type: Unsupported value: \"file\": supported values: \"array\", \
             \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields \
             to true in spec.versions[*].schema instead",
        ]
    );
    // What was written there can be written at `v1`, too.
    assert_eq!(found(&old, Some(&old), false), [""; 0]);
    // What is pruned needs a schema there, too.
    let pruned = with(&[("/spec/versions/0/schema", Value::Null)]);
    assert_eq!(
        found(&pruned, None, true),
        ["spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned"]
    );
    let default = with(&[(&format!("{SPEC}/a/default"), json!("b"))]);
    assert_eq!(
        found(&default, None, true),
        [
            "spec.validation.openAPIV3Schema.properties[spec].properties[a].default: Forbidden: must not be set (cannot set \
          default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
        ]
    );
    assert_eq!(found(&default, Some(&default), true), [""; 0]);
}

#[test]
fn names_statuses_and_approvals() {
    assert_eq!(name_error(&widgets()), None);
    let other = with(&[("/metadata/name", json!("widgets"))]);
    assert_eq!(
        name_error(&other).unwrap().to_string(),
        "metadata.name: Invalid value: \"widgets\": must be spec.names.plural+\".\"+spec.group"
    );
    let names = with(&[("/status/acceptedNames", json!({"plural": "", "kind": "A", "listKind": "A"}))]);
    let texts: Vec<String> = status_errors(&names).iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["status.acceptedNames.listKind: Invalid value: \"A\": kind and listKind may not be the same"]
    );
    assert_eq!(approval(&widgets()), None);
    for group in ["k8s.io", "a.k8s.io", "kubernetes.io", "a.kubernetes.io"] {
        assert!(approval(&with(&[("/spec/group", json!(group))])).is_some(), "{group}");
    }
    assert_eq!(approval(&with(&[("/spec/group", json!("notk8s.io"))])), None);
}

#[test]
fn old_definitions_are_not_structural() {
    assert_eq!(non_structural(&widgets()), None);
    let reference = with(&[(&format!("{SPEC}/a"), json!({"$ref": "#/b"}))]);
    let why = "OpenAPIV3Schema '$ref' is not supported".to_owned();
    assert_eq!(
        non_structural(&reference),
        Some(NonStructural::Unsupported { version: "v1".to_owned(), why })
    );
    let keeps = with(&[("/spec/preserveUnknownFields", json!(true)), (&format!("{SPEC}/a"), json!({}))]);
    let Some(NonStructural::Violations(all)) = non_structural(&keeps) else { panic!("violations") };
    assert_eq!(
        all.iter().map(|error| &*error.field).collect::<Vec<_>>(),
        [
            "spec.preserveUnknownFields",
            "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[a].type",
        ]
    );
}

/// Versions are shown as the API server's internal type has them.
#[test]
fn versions_are_shown_with_all_their_fields() {
    let columns = json!([{"name": "A", "type": "string", "jsonPath": ".spec.a"}]);
    let scale = json!({"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.a"});
    let two = with(&[
        ("/spec/versions/0/additionalPrinterColumns", columns),
        (
            "/spec/versions/-",
            json!({
                "name": "v2", "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}},
                "subresources": {"status": {}, "scale": scale},
            }),
        ),
        ("/status/storedVersions", json!(["v1", "v2"])),
    ]);
    let texts = found(&two, None, false);
    let [text] = &texts[..] else { panic!("{texts:?}") };
    assert!(
        text.starts_with("spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":true,"),
        "{text}"
    );
    for part in [
        r#""DeprecationWarning":null,"Schema":{"OpenAPIV3Schema":{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object""#,
        r#""Subresources":{"Status":{},"Scale":{"SpecReplicasPath":".spec.a","StatusReplicasPath":".status.a","LabelSelectorPath":null}}"#,
        r#""AdditionalPrinterColumns":[{"Name":"A","Type":"string","Format":"","Description":"","Priority":0,"JSONPath":".spec.a"}]"#,
        r#""SelectableFields":null}]: must have exactly one version marked as storage version"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}
