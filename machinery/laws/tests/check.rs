//! Conversions with a fault that only valid objects show, and errors in what is given.

use std::fs;
use std::path::Path;

use hubgen_laws::{Definitions, check, check_kinds, check_with};
use hubgen_machinery::convert::{Annotations, Convert, ConvertError};
use hubgen_machinery::reflect::Type;
use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::scheme::{ConversionRow, FamilyRow, KindRow, Kinds, Scheme};
use hubgen_machinery::{ApiType, Str, StrMap, structural};
use hubgen_validation::Schema;
use serde_json::{Value, json};

#[derive(ApiType)]
struct Metadata {
    name: Str,
    namespace: Str,
    labels: Annotations,
    annotations: Annotations,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Job")]
struct OldJob {
    metadata: Metadata,
    spec: Option<OldSpec>,
}

#[derive(ApiType)]
struct OldSpec {
    timeout: Option<Str>,
    retries: Option<i64>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Job")]
struct Job {
    metadata: Metadata,
    spec: Option<Spec>,
}

#[derive(ApiType)]
struct Spec {
    limits: Option<Limits>,
    retries: Option<i64>,
}

#[derive(ApiType)]
struct Limits {
    timeout: Option<Str>,
}

impl Convert for Job {
    type Hub = Self;

    fn to_hub(self) -> Self {
        self
    }

    fn from_hub(hub: Self) -> Result<Self, ConvertError> {
        Ok(hub)
    }
}

/// Writes minutes as seconds: the same time, and other JSON.
impl Convert for OldJob {
    type Hub = Job;

    fn to_hub(self) -> Job {
        let spec = self.spec.map(|spec| {
            let minutes = |text: &Str| text.strip_suffix('m').and_then(|text| text.parse::<u32>().ok());
            let timeout = spec.timeout.map(|text| match minutes(&text) {
                Some(minutes) => format!("{}s", minutes * 60).into(),
                None => text,
            });
            Spec { limits: timeout.map(|timeout| Limits { timeout: Some(timeout) }), retries: spec.retries }
        });
        Job { metadata: self.metadata, spec }
    }

    fn from_hub(hub: Job) -> Result<Self, ConvertError> {
        let spec = hub.spec.map(|spec| {
            let timeout = spec.limits.and_then(|limits| limits.timeout);
            OldSpec { timeout, retries: spec.retries }
        });
        Ok(Self { metadata: hub.metadata, spec })
    }
}

static JOB: FamilyRow = FamilyRow {
    members: &[("example.com", "v1beta1", "Job"), ("example.com", "v1", "Job")],
    storage: ("example.com", "v1", "Job"),
    words: &[],
};

static KINDS: Kinds = &[
    KindRow { family: Some(&JOB), conversion: ConversionRow::of::<OldJob>(), ..KindRow::of::<OldJob>() },
    KindRow { family: Some(&JOB), conversion: ConversionRow::of::<Job>(), ..KindRow::of::<Job>() },
];

/// One version alone, which needs no conversion.
static ALONE: Kinds = &[KindRow::of::<Job>()];

fn scheme(kinds: Kinds) -> Scheme {
    let mut scheme = Scheme::new();
    scheme.register(kinds);
    scheme
}

/// A definition of some versions, each with the properties of its spec.
fn definitions(versions: &[(&str, Value)]) -> Definitions {
    let versions: Vec<Value> = versions
        .iter()
        .map(|(name, properties)| {
            let spec = json!({"type": "object", "properties": properties});
            let schema = json!({"type": "object", "properties": {"spec": spec}});
            json!({"name": name, "served": true, "storage": *name == "v1", "schema": {"openAPIV3Schema": schema}})
        })
        .collect();
    let mut definitions = Definitions::default();
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {"group": "example.com", "names": {"kind": "Job", "plural": "jobs"}, "versions": versions},
    });
    definitions.add(&json!({"apiVersion": "v1", "kind": "List", "items": [definition]})).unwrap();
    definitions
}

fn old(pattern: &str) -> (&'static str, Value) {
    ("v1beta1", json!({"timeout": {"type": "string", "pattern": pattern}, "retries": {"type": "integer"}}))
}

fn new() -> (&'static str, Value) {
    let limits = json!({"type": "object", "properties": {"timeout": {"type": "string"}}});
    ("v1", json!({"limits": limits, "retries": {"type": "integer"}}))
}

#[test]
fn the_smallest_object_and_its_path_are_reported() {
    let timeout = json!({"type": "string", "pattern": "^[a-z]+$"});
    let limits = json!({"type": "object", "required": ["timeout"], "properties": {"timeout": timeout}});
    let new = ("v1", json!({"limits": limits, "retries": {"type": "integer"}}));
    let error =
        check_with(&scheme(KINDS), &definitions(&[old("^[0-9]+[ms]$"), new]), 1000).unwrap_err().to_string();
    // The order of a Scheme is alphabetical.
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines[0],
        "Job (version 0 is example.com/v1, version 1 is example.com/v1beta1): version 1, JSON at the version → hub → \
         version: spec.timeout differs"
    );
    let expected = lines[1].strip_prefix("expected: ").unwrap();
    let expected: Value = serde_json::from_str(expected).unwrap();
    assert_eq!(expected["spec"], json!({"timeout": "0m"}));
}

/// Versions that cannot represent something lose it.
#[test]
fn what_only_the_hub_has_is_missed() {
    let error =
        check_with(&scheme(KINDS), &definitions(&[old("^[0-9]+s$"), new()]), 1000).unwrap_err().to_string();
    assert!(
        error.contains("version 0, JSON at the version → hub → each version → hub: spec.limits differs\n"),
        "{error}"
    );
    assert!(
        error.contains(
            r#"{"apiVersion":"example.com/v1","kind":"Job","metadata":{"name":"a"},"spec":{"limits":{}}}"#
        ),
        "{error}"
    );
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Task")]
struct Task {
    metadata: Metadata,
    spec: Option<Spec>,
}

/// Two kinds violate a law; one run shows both.
#[test]
fn each_kind_reports_its_violation() {
    static TWO: Kinds = &[KindRow::of::<Job>(), KindRow::of::<Task>()];
    let mut scheme = Scheme::new();
    scheme.register(TWO);
    let more = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"more": {"type": "string"}}}}});
    let definition = |kind: &str| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": {"group": "example.com", "names": {"kind": kind},
                "versions": [{"name": "v1", "schema": {"openAPIV3Schema": more}}]}})
    };
    let mut definitions = Definitions::default();
    for kind in ["Job", "Task"] {
        definitions.add(&definition(kind)).unwrap();
    }
    let error = check_with(&scheme, &definitions, 100).unwrap_err().to_string();
    for kind in ["Job (version 0", "Task (version 0"] {
        assert_eq!(error.matches(kind).count(), 1, "{error}");
    }
    // One of them alone.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-kinds");
    fs::create_dir_all(&folder).unwrap();
    for kind in ["Job", "Task"] {
        fs::write(folder.join(format!("{kind}.json")), definition(kind).to_string()).unwrap();
    }
    let error = check_kinds(&scheme, &folder, &["Task"], 100).unwrap_err().to_string();
    assert!(!error.contains("Job ("), "{error}");
    assert_eq!(
        check_kinds(&scheme, &folder, &["Jobs"], 100).unwrap_err().to_string(),
        "no kind with a definition is named \"Jobs\"; expected one of Job, Task"
    );
}

#[test]
fn a_single_version_is_checked() {
    let checked = check_with(&scheme(ALONE), &definitions(&[new()]), 100).unwrap();
    assert_eq!(checked.to_string(), "1 kinds, 1 versions, 300 objects: no law is violated");
    // The type lacks a field.
    let more = ("v1", json!({"more": {"type": "string"}}));
    let error = check_with(&scheme(ALONE), &definitions(&[more]), 100).unwrap_err().to_string();
    assert!(error.contains("spec.more differs\n"), "{error}");
}

/// A type that has one form for what its schema allows in two.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Job")]
struct Plain {
    metadata: Metadata,
    spec: PlainSpec,
}

#[derive(ApiType)]
struct PlainSpec {
    names: Vec<Str>,
    labels: Annotations,
    ready: bool,
    count: i32,
    text: Str,
    limits: Limits,
    parts: Option<Vec<PlainSpec>>,
    by_name: StrMap<Limits>,
}

#[test]
fn types_declare_what_is_the_same_as_an_absent_field() {
    let properties = json!({
        "names": {"type": "array", "items": {"type": "string"}, "nullable": true},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "ready": {"type": "boolean"},
        "count": {"type": "integer", "format": "int32"},
        "text": {"type": "string"},
        "limits": {"type": "object", "properties": {"timeout": {"type": "string", "nullable": true}}},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"ready": {"type": "boolean"}}}},
        "byName": {"type": "object", "additionalProperties": {"type": "object", "properties": {"timeout": {"type": "string"}}}},
    });
    static PLAIN: Kinds = &[KindRow::of::<Plain>()];
    let checked = check_with(&scheme(PLAIN), &definitions(&[("v1", properties)]), 1000).unwrap();
    assert_eq!(checked.objects, 3000);
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Job")]
struct Sized {
    metadata: Metadata,
    spec: Option<Size>,
}

#[derive(ApiType)]
struct Size {
    size: Option<Quantity>,
}

/// Schemas of quantities allow numbers, and texts that are no quantities.
#[test]
fn quantities_are_as_types_write_them() {
    let size = structural::schema_of_value(&Type::Quantity);
    let schema = Schema::compile(&json!({"type": "object", "properties": {"size": size}})).unwrap();
    for size in [json!(64), json!("1E.5")] {
        assert!(schema.validate(&json!({"size": size})).is_ok(), "{size}");
    }
    static SIZED: Kinds = &[KindRow::of::<Sized>()];
    check_with(&scheme(SIZED), &definitions(&[("v1", json!({"size": size}))]), 1000).unwrap();
}

#[test]
fn a_definition_without_a_version_is_named() {
    let error = check_with(&scheme(KINDS), &definitions(&[new()]), 1).unwrap_err().to_string();
    assert_eq!(
        error,
        "example.com/v1beta1 Job: its definition has no such version; write it anew with `hubgen crds`"
    );
}

#[test]
fn definitions_that_are_not_there() {
    let error = check_with(&scheme(KINDS), &Definitions::default(), 1).unwrap_err().to_string();
    assert_eq!(error, "no kind of the Scheme has a definition");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let error = check(&scheme(KINDS), folder, 1).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "{folder}: no CustomResourceDefinition of apiextensions.k8s.io/v1; write them with `hubgen crds`"
        )
    );
    assert!(check(&scheme(KINDS), "nowhere", 1).unwrap_err().to_string().starts_with("nowhere: "));
}
