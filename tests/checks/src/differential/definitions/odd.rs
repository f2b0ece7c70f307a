//! What is asked once about the objects of each version: representations, selectors, subresources, and bodies that are no objects.

use serde_json::{Value, json};

/// The requests about one object of a collection, that is valid without its status, and about the collection.
pub(super) fn of(collection: &str, version: &Value, object: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    let one = format!("{collection}/{name}");
    out.push(json!({"method": "POST", "path": collection, "body": object}));
    let shown = [
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
        "application/vnd.kubernetes.protobuf",
        "application/vnd.kubernetes.protobuf, application/json",
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
        "application/yaml",
        "text/html",
    ];
    for accept in shown {
        // Only the metadata is ever in protobuf, whose bytes have revisions in them.
        if !accept.starts_with("application/vnd.kubernetes.protobuf;as=PartialObjectMetadata")
            && accept != "application/yaml"
        {
            out.push(json!({"method": "GET", "path": one, "accept": accept}));
            out.push(json!({"method": "GET", "path": format!("{collection}?labelSelector=none"), "accept": accept}));
        }
    }
    for part in ["status", "scale", "log", "unknown"] {
        out.push(json!({"method": "GET", "path": format!("{one}/{part}")}));
        out.push(json!({"method": "DELETE", "path": format!("{one}/{part}")}));
    }
    let selectable = version["selectableFields"].as_array().into_iter().flatten();
    let selectable =
        selectable.filter_map(|field| Some(field["jsonPath"].as_str()?.trim_start_matches('.').to_owned()));
    for field in selectable.chain(["metadata.name", "metadata.namespace", "spec.odd"].map(str::to_owned)) {
        out.push(json!({"method": "GET", "path": format!("{collection}?labelSelector=none&fieldSelector={field}%3Da")}));
    }
    out.extend(bodies(collection, &one, object));
    out.extend(updates(&one, object, !version["subresources"]["status"].is_null()));
    out.push(json!({"method": "DELETE", "path": one}));
    out.push(json!({"method": "GET", "path": one}));
    out
}

/// Bodies of all sorts. All requests are dry runs.
fn bodies(collection: &str, one: &str, object: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let mut post = |query: &str, media: &str, text: String| {
        out.push(json!({"method": "POST", "path": format!("{collection}?dryRun=All{query}"), "type": media, "text": text}));
    };
    let with = |place: &str, value: Value| {
        let mut other = object.clone();
        other["metadata"]["name"] = json!("other");
        let (parent, last) = place.rsplit_once('/').unwrap_or(("", place));
        other.pointer_mut(parent).expect("a parent")[last] = value;
        other.to_string()
    };
    for text in
        ["", "null", "[]", "1", "{", "{}", r#"{"kind": 1}"#, r#"{"metadata": 1}"#, r#"{"metadata": null}"#]
    {
        post("", "application/json", text.to_owned());
    }
    for (place, value) in places() {
        let text = with(place, value);
        for validation in ["", "&fieldValidation=Strict"] {
            post(validation, "application/json", text.clone());
        }
    }
    let twice = with("/metadata/labels", json!({"a": "b"})).replacen(r#""a":"b""#, r#""a":"b","a":"c""#, 1);
    let text = with("/kind", object["kind"].clone());
    let twice_whole = format!("{},{}", text.trim_end_matches('}'), &text[1..]);
    for validation in [
        "&fieldValidation=Strict",
        "&fieldValidation=Warn",
        "&fieldValidation=Ignore",
        "&fieldValidation=Odd",
    ] {
        post(validation, "application/json", twice.clone());
        if twice_whole.matches('{').count() == twice_whole.matches('}').count() {
            post(validation, "application/json", twice_whole.clone());
        }
    }
    for media in [
        "application/yaml",
        "text/plain",
        "application/vnd.kubernetes.protobuf",
        "application/merge-patch+json",
    ] {
        post("", media, text.clone());
    }
    let mut patch = |media: &str, query: &str, text: &str| {
        out.push(json!({"method": "PATCH", "path": format!("{one}?dryRun=All{query}"), "type": media, "text": text}));
    };
    let (json, merge) = ("application/json-patch+json", "application/merge-patch+json");
    for text in [
        "{}",
        "[]",
        r#"[{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}]"#,
        r#"[{"op": "test", "path": "/metadata/name", "value": "other"}]"#,
        r#"[{"op": "remove", "path": "/spec/none"}]"#,
        r#"[{"op": "replace", "path": "/kind", "value": "Other"}]"#,
        r#"[{"op": "replace", "path": "/apiVersion", "value": "v1"}]"#,
        r#"[{"op": "replace", "path": "/metadata/name", "value": "other"}]"#,
        r#"[{"op": "add", "path": "/unknown", "value": 1}]"#,
    ] {
        patch(json, "", text);
    }
    for text in [
        "[]",
        "{",
        "{}",
        r#"{"unknown": 1}"#,
        r#"{"metadata": {"labels": {"a": 1}}}"#,
        r#"{"metadata": {"uid": "u"}}"#,
        r#"{"metadata": {"labels": {"not a label!": "x y"}}}"#,
        r#"{"metadata": {"ownerReferences": [{}]}}"#,
        r#"{"metadata": {"generation": 7, "creationTimestamp": "2000-01-01T00:00:00Z"}}"#,
        r#"{"status": null}"#,
    ] {
        patch(merge, "", text);
        patch(merge, "&fieldValidation=Strict", text);
    }
    patch("application/strategic-merge-patch+json", "", "{}");
    patch("application/apply-patch+yaml", "", &object.to_string());
    patch("application/apply-patch+yaml", "&fieldManager=a", "{}");
    patch(
        "application/apply-patch+yaml",
        "&fieldManager=a",
        &with("/metadata/unknown", json!(1)).replace("\"other\"", &object["metadata"]["name"].to_string()),
    );
    patch("application/apply-patch+yaml", "&fieldManager=a", &object.to_string());
    patch("application/apply-patch+cbor", "&fieldManager=a", &object.to_string());
    out
}

/// Replacements of an object, each wrong in one place. All requests are dry runs.
fn updates(one: &str, object: &Value, has_status: bool) -> Vec<Value> {
    let mut out = Vec::new();
    for (place, value) in places() {
        let mut next = object.clone();
        next["metadata"]["resourceVersion"] = json!("$RV");
        let (parent, last) = place.rsplit_once('/').unwrap_or(("", place));
        next.pointer_mut(parent).expect("a parent")[last] = value;
        for part in ["", "/status"].into_iter().filter(|part| has_status || part.is_empty()) {
            out.push(json!({"method": "PUT", "path": format!("{one}{part}?dryRun=All"), "body": next}));
        }
    }
    out
}

/// Places of an object, with values that are wrong or odd there.
fn places() -> [(&'static str, Value); 23] {
    [
        ("/kind", json!("Other")),
        ("/kind", json!("")),
        ("/kind", json!(1)),
        ("/apiVersion", json!("v1")),
        ("/apiVersion", json!("other.example.com/v1")),
        ("/metadata/name", json!(5)),
        ("/metadata/name", json!("Upper")),
        ("/metadata/namespace", json!("elsewhere")),
        ("/metadata/labels", json!({"a": 1})),
        ("/metadata/labels", json!({"a": null})),
        ("/metadata/labels", json!({"not a label!": "x y"})),
        ("/metadata/annotations", json!([])),
        ("/metadata/ownerReferences", json!([{}])),
        ("/metadata/finalizers", json!(["a", "b.c/d", "no finalizer"])),
        ("/metadata/uid", json!("u")),
        ("/metadata/resourceVersion", json!("1")),
        ("/metadata/creationTimestamp", json!("yesterday")),
        ("/metadata/unknown", json!({"a": 1})),
        ("/metadata/managedFields", json!([{"manager": "x"}])),
        ("/unknown", json!(1)),
        ("/spec", json!(null)),
        ("/status", json!(null)),
        ("/status", json!({})),
    ]
}
