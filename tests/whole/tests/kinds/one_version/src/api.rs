//! An API with one version, and everything that a definition can contain.

use std::collections::BTreeMap;

use hubgen_kubernetes::apps::v1::ControllerRevision;
use hubgen_kubernetes::core::v1::PodTemplateSpec;
use hubgen_kubernetes::meta::v1::{Condition, LabelSelector, ObjectMeta};
use hubgen_machinery::json::Raw;
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap};

/// What clusters may do: "all" or 'some'.
///
/// An example:
/// ```yaml
/// spec:
///     yes: true
///
///     text: a\b
/// ```
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Policy", namespaced, storage, status)]
#[kind(
    short("po", "pol"),
    category("all"),
    deprecated = "use \"v2\"",
    selectable(".spec.text", ".spec.small")
)]
#[kind(scale(spec = ".spec.small", status = ".status.count", selector = ".status.selector"))]
#[kind(column("Ready" => ".status.ready"))]
#[kind(column("Text" => ".spec.text", priority = 1, description = "What it is.", format = "byte"))]
#[kind(column("Any" => ".spec.list[0]", type = "string"))]
#[kind(column("Age" => ".metadata.creationTimestamp"))]
#[kind(
    column("Small" => ".spec.small"),
    column("Large" => ".spec.large"),
    column("Count" => ".spec.count"),
    column("Number" => ".spec.fraction"),
    column("Single" => ".spec.single")
)]
#[kind(column("Time" => ".spec.time"), column("Micro" => ".spec.micro"), column("For" => ".spec.duration"))]
#[kind(column("Size" => ".spec.quantity"), column("Port" => ".spec.port"), column("Color" => ".spec.color"))]
#[kind(label("app", "demo"), annotation("example.com/owner", "us"), preserve_unknown_fields = false)]
#[kind(conversion = r#"{"strategy": "None"}"#)]
#[object(cel("self.metadata.name != 'none'", "another name"), title = "Policy")]
pub struct Policy {
    /// Its name, among others.
    pub metadata: ObjectMeta,
    /** What is wanted.
     *
     *   - more
     */
    #[field(required)]
    pub spec: PolicySpec,
    pub status: Option<PolicyStatus>,
}

#[derive(ApiType)]
#[object(min_properties = 1, cel("has(self.text)"))]
pub struct PolicySpec {
    #[field(minimum = -1, exclusive_maximum = 10.5, multiple_of = 0.5, cel("self > 0.0", "positive"), cel("true"))]
    pub limited: f64,
    #[field(pattern = r#"^["\a-z]*$"#, min_length = 1, max_length = 5, example = "\"a\"")]
    pub pattern: Str,
    #[field(min_items = 1, items(max_properties = 3, values(format = "hostname")))]
    pub nested_maps: Vec<StrMap<Str>>,
    #[field(one_of("1", "2"), keywords = r#"{"format": null, "not": {"enum": [3]}}"#)]
    pub number: i64,
    /// A comment beside a whole schema.
    #[field(schema = r#"{"type": "string", "maxLength": 3}"#)]
    pub whole: Option<Raw>,
    /// Instead of what its type is.
    #[field(title = "A field.", cel("self == self"))]
    pub limited_part: Option<Limited>,
    ///   Text with spaces in front,  
    ///and without.
    ///
    ///
    pub yes: bool,
    #[field(default = "3")]
    pub small: Option<i32>,
    pub large: Option<i64>,
    pub short: u16,
    #[field(default = "7")]
    pub count: Option<u32>,
    pub counts: Vec<u64>,
    #[field(default = "0.1", minimum = -1)]
    pub single: f32,
    pub singles: Vec<f32>,
    #[field(required)]
    pub fraction: f64,
    #[field(default = "\"a\"", one_of("a", "b"))]
    pub text: Str,
    pub bytes: Vec<u8>,
    pub time: Option<Time>,
    pub micro: Option<MicroTime>,
    pub duration: Duration,
    #[field(default = "\"1Gi\"")]
    pub quantity: Option<Quantity>,
    pub port: IntOrString,
    pub anything: Option<Raw>,
    pub color: Color,
    pub colors: Vec<Color>,
    #[field(one_of)]
    pub size: Option<Size>,
    pub sizes: Vec<Size>,
    pub list: Vec<Str>,
    #[field(list = set)]
    pub set: Vec<Str>,
    #[field(list = atomic)]
    pub atomic: Vec<i64>,
    /// Their type is described, too.
    #[field(list = map("name"))]
    pub parts: Vec<Part>,
    #[field(list = set)]
    pub set_of_objects: Vec<Part>,
    pub nested: BTreeMap<String, Vec<Part>>,
    #[field(atomic)]
    pub labels: StrMap<Str>,
    #[field(atomic)]
    pub selector: Option<LabelSelector>,
    pub either: Option<Either>,
    pub extra: Option<Extra>,
    #[field(required)]
    pub required_or_null: Option<Str>,
    #[field(required, default = "\"x\"")]
    pub required_with_default: Option<Str>,
    pub optional_or_null: Option<Option<i32>>,
    #[field(omit = never)]
    pub always: Option<Part>,
    #[field(value)]
    pub zero_time: Option<Time>,
    #[field(default = "{\"name\": \"y\"}")]
    pub object: Option<Part>,
    pub tree: Option<Box<Tree>>,
    /// Of Kubernetes.
    pub template: Option<Box<PodTemplateSpec>>,
    pub revision: Option<Box<ControllerRevision>>,
}

/// `example.com/v1beta1` PolicyStatus, as if the generator had written it.
#[derive(ApiType)]
pub struct PolicyStatus {
    /// A fact.
    pub ready: bool,
    pub count: i32,
    pub selector: Str,
    #[field(list = map("type"))]
    pub conditions: Vec<Condition>,
}

/// A part: of any kind.
#[derive(ApiType)]
pub struct Part {
    #[doc = "Its name."]
    pub name: Str,
    #[field(name = "hostIP", default = "1")]
    pub host_ip: Option<i32>,
}

/// Contains itself.
#[derive(ApiType)]
pub struct Tree {
    /// Smaller.
    pub left: Option<Box<Tree>>,
    pub right: Option<Box<Tree>>,
}

#[derive(ApiType)]
pub struct Extra {
    pub plugin: Option<Str>,
    /// All else.
    #[field(rest)]
    pub others: StrMap<Raw>,
}

/// One of two.
#[derive(ApiType)]
pub enum Either {
    First(Part),
    /// The other one.
    Second(Tree),
}

/// A word has no schema of its own.
#[derive(ApiType)]
pub enum Color {
    /// As blood.
    #[default]
    Red,
    #[field(name = "dark-blue")]
    DarkBlue,
}

#[derive(ApiType)]
pub enum Size {
    Small,
    Large,
    #[field(other)]
    Other(Str),
}

// The fewest attributes, in a crate that has the run time only through another one.
#[derive(ApiType)]
#[api(crate = "hubgen_kubernetes::machinery")]
#[kind(group = "example.com", version = "v1beta1", kind = "Gadget", storage)]
pub struct Gadget {
    pub metadata: ObjectMeta,
    pub color: Color,
    pub text: hubgen_kubernetes::machinery::Str,
    pub parts: hubgen_kubernetes::machinery::StrMap<Part>,
}

// All names, and a struct with another one.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1beta1", kind = "Mouse", storage, served = false, deprecated)]
#[kind(plural = "mice", singular = "one-mouse", list = "Mice")]
#[kind(scale(spec = ".spec.replicas", status = ".status.replicas"))]
pub struct Rodent {
    pub metadata: ObjectMeta,
}

#[derive(ApiType)]
#[object(title = "A type.", cel("self.a != ''"))]
/// After the attributes.
pub struct Limited {
    pub a: Str,
}
