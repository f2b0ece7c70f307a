//! Types of hubgen inside kube's `CustomResource`, through their `JsonSchema`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hubgen_core::v1::{Container, PodSpec};
use hubgen_machinery::crd::Crd;
use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap};
use hubgen_validation::Schema;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::ObjectMeta;
use kube::{CustomResource, CustomResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A type of a user of kube, with types of ours wherever one can be.
#[derive(CustomResource, Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Worker", namespaced)]
#[serde(rename_all = "camelCase")]
struct WorkerSpec {
    pod: PodSpec,
    init: Option<PodSpec>,
    containers: Vec<Container>,
    schedule: Schedule,
    schedules: BTreeMap<String, Schedule>,
    color: Color,
    colors: Option<Vec<Color>>,
    size: Option<Size>,
    limits: StrMap<Quantity>,
    quota: Option<Quantity>,
    port: Option<IntOrString>,
    started: Option<Time>,
    seen: Option<MicroTime>,
    timeout: Option<Duration>,
    name: Str,
    parameters: Option<Raw>,
}

#[derive(ApiType)]
struct Schedule {
    #[field(required)]
    cron: Str,
    #[field(list = map("day"))]
    exceptions: Vec<Exception>,
    source: Source,
}

#[derive(ApiType)]
struct Exception {
    day: i32,
    #[field(default = "true")]
    paused: Option<bool>,
}

/// An object with one of the fields.
#[derive(ApiType)]
enum Source {
    #[default]
    Inline(Str),
    Remote(Remote),
}

#[derive(ApiType)]
struct Remote {
    url: Str,
}

#[derive(ApiType)]
enum Color {
    #[default]
    Red,
    Blue,
}

#[derive(ApiType)]
enum Size {
    Small,
    Large,
    #[field(other)]
    Other(Str),
}

static DEFINITION: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(Worker::crd()).unwrap());

/// The schema of the spec's field at a path of properties.
fn field(path: &str) -> Value {
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    let pointer: String = path.split('.').map(|name| format!("/properties/{name}")).collect();
    DEFINITION.pointer(&format!("{spec}{pointer}")).unwrap_or_else(|| panic!("no {path}")).clone()
}

/// As the API server would: every rule of structural schemas, and every default.
#[test]
fn the_definition_is_accepted() {
    let kinds = Schema::compile_crd(&DEFINITION).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(kinds.len(), 1);
    let container = Container { name: "main".into(), ..Container::default() };
    let pod = PodSpec { containers: vec![container.clone()], ..PodSpec::default() };
    let spec = WorkerSpec {
        pod: pod.clone(),
        init: Some(pod),
        containers: vec![container],
        size: Some(Size::Large),
        limits: [(Str::from("cpu"), "1500m".parse().unwrap())].into_iter().collect(),
        quota: Some("1Gi".parse().unwrap()),
        port: Some(IntOrString::Int(80)),
        started: Some("2026-01-02T03:04:05Z".parse().unwrap()),
        parameters: Some(serde_json::from_value(json!({"any": ["thing"]})).unwrap()),
        ..WorkerSpec::default()
    };
    let worker = Worker { metadata: ObjectMeta::default(), spec };
    let object = serde_json::to_value(&worker).unwrap();
    kinds[0].schema.validate(&object).unwrap_or_else(|errors| panic!("{errors}\n{object:#}"));
    let mut pruned = object.clone();
    assert_eq!(kinds[0].schema.prune(&mut pruned), [""; 0]);
    let mut wrong = object;
    wrong["spec"]["color"] = json!("Green");
    wrong["spec"]["pod"]["containers"][0]["ports"] = json!([{"containerPort": "80"}]);
    let errors = kinds[0].schema.validate(&wrong).unwrap_err();
    assert_eq!(
        errors.to_string(),
        "spec.color: Unsupported value: \"Green\": supported values: \"Red\", \"Blue\"\n\
         spec.pod.containers[0].ports[0].containerPort: Invalid value: \"string\": \
         spec.pod.containers[0].ports[0].containerPort in body must be of type integer: \"string\""
    );
}

#[test]
fn facts_reach_the_definition() {
    assert_eq!(field("schedule")["required"], json!(["cron"]));
    let exceptions = field("schedule.exceptions");
    assert_eq!(exceptions["x-kubernetes-list-type"], "map");
    assert_eq!(exceptions["x-kubernetes-list-map-keys"], json!(["day"]));
    assert_eq!(exceptions["items"]["required"], json!(["day"]));
    assert_eq!(exceptions["items"]["properties"]["paused"]["default"], true);
    assert_eq!(field("schedule.source")["maxProperties"], 1);
    assert_eq!(field("color"), json!({"type": "string", "enum": ["Red", "Blue"]}));
    assert_eq!(field("quota")["x-kubernetes-int-or-string"], true);
    assert_eq!(field("quota")["nullable"], true);
    assert_eq!(field("init")["nullable"], true);
    assert_eq!(field("parameters")["x-kubernetes-preserve-unknown-fields"], true);
    assert_eq!(field("pod.containers")["x-kubernetes-list-map-keys"], json!(["name"]));
}

/// The definitions that hubgen makes are objects of k8s-openapi's type.
#[test]
fn definitions_are_values_of_other_types() {
    let crd = Crd::new(&DEFINITION).unwrap();
    assert_eq!(crd.name(), "workers.example.com");
    assert_eq!(crd.to::<CustomResourceDefinition>().unwrap(), Worker::crd());
}
