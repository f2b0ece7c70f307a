//! The derive, tested on types like those that users write.

use std::collections::BTreeMap;

use hubgen_machinery::crd::{Crd, GeneratedCrd, HasCrd};
use hubgen_machinery::reflect::{ApiType as _, DeepCopy, Fact, Kind, Reflect, Slot, equal};
use hubgen_machinery::scalar::{IntOrString, Quantity, Time};
use hubgen_machinery::{ApiType, Str, json};

#[derive(ApiType)]
struct Meta {
    name: String,
    labels: BTreeMap<String, String>,
    #[field(value, omit = zero)]
    creation_timestamp: Option<Time>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
struct Widget {
    metadata: Meta,
    spec: Spec,
}

#[derive(ApiType)]
struct Spec {
    #[field(required, omit = never)]
    parts: Vec<Part>,
    replicas: Option<i32>,
    paused: bool,
    /// A Go struct, so it is always written.
    port: IntOrString,
    limits: BTreeMap<String, Quantity>,
    color: Color,
    action: Option<Action>,
    #[field(name = "clusterIP")]
    cluster_ip: String,
    secret: Vec<u8>,
    seen: BTreeMap<String, Option<Time>>,
    #[field(omit = never)]
    selector: Option<Meta>,
}

#[derive(ApiType)]
struct Part {
    name: String,
    weight: f64,
}

#[derive(ApiType)]
enum Color {
    #[field(name = "")]
    Unset,
    Red,
    #[field(name = "light-blue")]
    LightBlue,
}

#[derive(ApiType)]
enum Action {
    Exec(Part),
    HttpGet(BTreeMap<String, String>),
}

const FULL: &str = r#"{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"w","labels":{"a":"b"},"creationTimestamp":"2020-01-02T03:04:05Z"},"spec":{"parts":[{"name":"p","weight":1.5},{"name":"q"}],"replicas":0,"paused":true,"port":"http","limits":{"cpu":"100m"},"color":"light-blue","action":{"exec":{"name":"x"}},"clusterIP":"10.0.0.1","secret":"aGk=","seen":{"a":"2020-01-02T03:04:05Z","b":null},"selector":{}}}"#;

fn full() -> Widget {
    json::decode(FULL.as_bytes()).unwrap()
}

#[test]
fn json_survives_a_round_trip_byte_for_byte() {
    assert_eq!(String::from_utf8(json::encode(&full()).unwrap()).unwrap(), FULL);
}

#[test]
fn empty_objects_write_the_fields_with_omit_never() {
    let empty = String::from_utf8(json::encode(&Widget::default()).unwrap()).unwrap();
    assert_eq!(
        empty,
        r#"{"kind":"Widget","apiVersion":"example.com/v1","metadata":{},"spec":{"parts":null,"port":0,"selector":null}}"#
    );
}

#[derive(ApiType)]
struct Counted {
    #[field(value, omit = zero)]
    count: Count,
}

#[derive(ApiType)]
struct Count {
    exact: Option<i32>,
}

/// `omit = zero` omits a field that is not set. The Unix epoch is a time that is
/// set, and a struct with a pointer to 0 is not zero.
#[test]
fn omit_zero_writes_what_is_set() {
    let text = r#"{"count":{"exact":0}}"#;
    let counted: Counted = json::decode(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(json::encode(&counted).unwrap()).unwrap(), text);
    assert_eq!(json::encode(&Counted::default()).unwrap(), b"{}");
    let text = r#"{"name":"w","creationTimestamp":"1970-01-01T00:00:00Z"}"#;
    let meta: Meta = json::decode(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(json::encode(&meta).unwrap()).unwrap(), text);
    assert_eq!(serde_json::to_string(&meta).unwrap(), text);
}

#[test]
fn a_kind_has_constants_for_group_version_and_kind() {
    assert_eq!((Widget::GROUP, Widget::VERSION, Widget::KIND), ("example.com", "v1", "Widget"));
    assert_eq!(Widget::API_VERSION, "example.com/v1");
}

#[derive(ApiType)]
struct Shelf {
    parts: BTreeMap<String, Part>,
}

#[test]
fn the_last_of_entries_with_the_same_key_is_used_without_merging() {
    let text = r#"{"parts":{"a":{"name":"first","weight":1},"a":{"weight":2}}}"#;
    let expected = Part { weight: 2.0, ..Part::default() };
    assert_eq!(json::decode::<Shelf>(text.as_bytes()).unwrap().parts["a"], expected);
    assert_eq!(serde_json::from_str::<Shelf>(text).unwrap().parts["a"], expected);
}

#[test]
fn null_is_absent_and_the_last_of_duplicates_is_used() {
    let text =
        r#"{"spec":{"replicas":1,"paused":true,"paused":null,"replicas":2,"replicas":3,"parts":[null]}}"#;
    let mut widget = Widget::default();
    let decoded = json::decode_into(text.as_bytes(), &mut widget).unwrap();
    assert_eq!((widget.spec.replicas, widget.spec.paused, widget.spec.parts.len()), (Some(3), false, 1));
    assert_eq!(decoded.duplicate, ["spec.paused", "spec.replicas", "spec.replicas"]);
}

/// A body of 3 MB can contain a million unknown fields, each below a name of a megabyte.
#[test]
fn the_number_and_length_of_reported_paths_are_limited() {
    let unknown: Vec<String> = (0..5000).map(|at| format!("\"f{at}\":1")).collect();
    let twice = vec!["\"name\":\"a\""; 5000].join(",");
    let long = "k".repeat(100_000);
    let text = format!(r#"{{"{long}":1,"spec":{{"parts":[{{{},{twice}}}]}}}}"#, unknown.join(","));
    let mut widget = Widget::default();
    let decoded = json::decode_into(text.as_bytes(), &mut widget).unwrap();
    assert_eq!((decoded.unknown.len(), decoded.more_unknown), (json::MAX_PATHS, 4901));
    assert_eq!(decoded.unknown[1], "spec.parts[0].f0");
    assert!(decoded.unknown[0].len() < 2000 && decoded.unknown[0].ends_with('…'));
    assert_eq!((decoded.duplicate.len(), decoded.more_duplicate), (json::MAX_PATHS, 4899));
    let below = format!(r#"{{"parts":{{"{long}":{{"foo":1}}}}}}"#);
    let mut shelf = Shelf::default();
    let decoded = json::decode_into(below.as_bytes(), &mut shelf).unwrap();
    assert!(decoded.unknown[0].len() < 2000 && decoded.unknown[0].ends_with(".foo"), "{:?}", decoded.unknown);
}

#[test]
fn unknown_fields_are_ignored_and_reported() {
    let text = r#"{"spec":{"parts":[{"name":"a"},{"nme":{"x":[1]},"name":"b"}],"bar":1},"foo":null}"#;
    let mut widget = Widget::default();
    let decoded = json::decode_into(text.as_bytes(), &mut widget).unwrap();
    assert_eq!(decoded.unknown, ["spec.parts[1].nme", "spec.bar", "foo"]);
    assert_eq!(widget.spec.parts[1].name, "b");
}

#[test]
fn errors_contain_the_field_path() {
    let wrong = |text: &str| json::decode::<Widget>(text.as_bytes()).unwrap_err().to_string();
    let error = wrong(r#"{"spec":{"parts":[{},{"weight":"heavy"}]}}"#);
    assert!(error.contains("spec.parts[1].weight: expected"), "{error}");
    let error = wrong(r#"{"spec":{"color":"green"}}"#);
    assert!(error.contains("spec.color: expected one of ") && error.contains("light-blue"), "{error}");
    let error = wrong(r#"{"spec":{"secret":"%"}}"#);
    assert!(error.contains("spec.secret: expected base64"), "{error}");
}

#[test]
fn serde_reads_and_writes_the_same_json() {
    let through_serde: Widget = serde_json::from_str(FULL).unwrap();
    assert_eq!(through_serde, full());
    assert_eq!(serde_json::to_string(&through_serde).unwrap(), FULL);
    let other = FULL.replace("\"Widget\"", "\"Gadget\"");
    let error = serde_json::from_str::<Widget>(&other).unwrap_err().to_string();
    assert!(error.contains("expected kind `Widget`, found `Gadget`"), "{error}");
}

#[test]
fn serde_works_with_a_format_that_is_not_self_describing() {
    let bytes = postcard::to_allocvec(&full()).unwrap();
    assert_eq!(postcard::from_bytes::<Widget>(&bytes).unwrap(), full());
    let empty = postcard::to_allocvec(&Widget::default()).unwrap();
    assert_eq!(postcard::from_bytes::<Widget>(&empty).unwrap(), Widget::default());
}

#[test]
fn copies_are_independent_and_reuse_allocations() {
    let source = full();
    let mut copy = source.deep_copy();
    assert_eq!(copy, source);
    let kept = copy.spec.parts[0].name.as_ptr();
    copy.spec.parts[0].name.make_ascii_uppercase();
    assert_eq!(source.spec.parts[0].name, "p");
    source.deep_copy_into(&mut copy);
    assert_eq!(copy, source);
    assert_eq!(copy.spec.parts[0].name.as_ptr(), kept);
}

#[test]
fn equality_compares_every_field() {
    let mut other = full();
    assert!(equal(&other, &full()));
    other.spec.limits.insert("cpu".into(), "101m".parse().unwrap());
    assert!(!equal(&other, &full()));
    assert!(!equal(&Meta::default(), &Part::default()));
}

#[test]
fn an_enum_of_values_is_an_object_with_one_member() {
    let action: Action = json::decode(br#"{"httpGet":{"path":"/"}}"#).unwrap();
    assert!(matches!(&action, Action::HttpGet(get) if get["path"] == "/"));
    assert_eq!(json::encode(&action).unwrap(), br#"{"httpGet":{"path":"/"}}"#);
}

#[test]
fn an_enum_of_values_refuses_other_members() {
    let text = r#"{"tcp":{}}"#;
    let message = "tcp: unknown field; Action has no field of this name";
    let error = json::decode::<Action>(text.as_bytes()).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with(message), "{error}");
    let error = serde_json::from_str::<Action>(text).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("unknown field `tcp`"), "{error}");
}

#[test]
fn an_enum_of_values_loses_no_member() {
    let decoded = |text: &str| {
        let json: Result<Action, String> = json::decode(text.as_bytes()).map_err(|error| error.to_string());
        let serde: Result<Action, String> = serde_json::from_str(text).map_err(|error| error.to_string());
        assert_eq!(json.as_ref().ok(), serde.as_ref().ok(), "{text}");
        json
    };
    for text in [
        r#"{"exec":null,"httpGet":{"path":"/"}}"#,
        r#"{"httpGet":{"path":"/"},"exec":null}"#,
        r#"{"httpGet":{"path":"/"}}"#,
    ] {
        assert!(matches!(decoded(text), Ok(Action::HttpGet(get)) if get["path"] == "/"), "{text}");
    }
    let error = decoded(r#"{"exec":{},"httpGet":{}}"#).unwrap_err();
    assert!(
        error.ends_with("httpGet: expected one field with a value; the object also has `exec`"),
        "{error}"
    );
    let error = decoded(r#"{"tcp":{}}"#).unwrap_err();
    assert!(error.contains("tcp: unknown field; Action has no field of this name"), "{error}");
}

#[test]
fn read_passes_all_fields_in_order() {
    let widget = full();
    let spec = &widget.spec;
    let fields = spec.fields();
    let names: Vec<_> = fields.iter().map(|(field, _)| field.name.clone()).collect();
    assert_eq!(fields.len(), names.len());
    assert!(matches!(fields.slot(1), Slot::Int32(0)));
    assert_eq!(names[..2], ["parts", "replicas"]);
}

#[test]
fn debug_output_omits_zero_fields() {
    let part = Part { name: "p".into(), ..Part::default() };
    assert_eq!(format!("{part:?}"), r#"Part { name: "p" }"#);
}

#[derive(ApiType)]
struct Crate {
    #[field(number = 1)]
    lid: Option<Box<Part>>,
}

#[test]
fn an_optional_field_can_be_boxed() {
    let json = r#"{"lid":{"name":"a","weight":1}}"#;
    let full: Crate = json::decode(json.as_bytes()).unwrap();
    assert_eq!(full.lid.as_deref().map(|lid| &*lid.name), Some("a"));
    assert_eq!(json::encode(&full).unwrap(), json.as_bytes());
    let mut copy = full.deep_copy();
    assert_eq!(copy, full);
    // Copies use the box that is there.
    let before = copy.lid.as_deref().map(std::ptr::from_ref);
    full.deep_copy_into(&mut copy);
    assert_eq!(copy.lid.as_deref().map(std::ptr::from_ref), before);
    Crate::default().deep_copy_into(&mut copy);
    assert_eq!(copy, Crate { lid: None });
    assert_eq!(json::encode(&copy).unwrap(), b"{}");
    assert_eq!(Crate { lid: Some(Box::new(Part { name: "a".into(), weight: 1.0 })) }, full);
}

#[derive(ApiType)]
struct Texts {
    texts: Vec<Str>,
    optional: Vec<Option<String>>,
    owned: Vec<String>,
}

/// Lists of strings are read in batches: of every length around a batch, with an element that needs
/// more care at every position.
#[test]
fn lists_of_texts_are_read_completely_and_have_no_spare_room() {
    for length in 0..20 {
        for special in 0..=length {
            let text = |at: usize| if at == special { "a\"b".to_owned() } else { format!("text {at}") };
            let texts: Vec<String> = (0..length).map(text).collect();
            let list = serde_json::to_string(&texts).unwrap();
            let read: Texts =
                json::decode(format!(r#"{{"texts":{list},"optional":{list},"owned":{list}}}"#).as_bytes())
                    .unwrap();
            assert_eq!(read.texts, texts);
            assert_eq!(read.texts.capacity(), length);
            assert_eq!(read.owned, texts);
            assert!(read.optional.iter().map(Option::as_deref).eq(texts.iter().map(|text| Some(&**text))));
        }
    }
    let read: Texts = json::decode(br#"{"texts":["a",null,"b"],"optional":["a",null]}"#).unwrap();
    assert_eq!(read.texts, ["a", "", "b"]);
    assert_eq!(read.optional, [Some("a".to_owned()), None]);
    let error = json::decode::<Texts>(br#"{"texts":["a",3]}"#).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 15, texts[1]: expected a string, found a number");
}

/// Numbers beyond 64 bits with a sign keep their digits in quantities, through serde as well.
#[test]
fn large_amounts_through_serde_are_exact() {
    #[derive(ApiType)]
    struct Amounts {
        limits: BTreeMap<String, Quantity>,
    }
    let json = r#"{"limits":{"cpu":15532559262904483820}}"#;
    let own: Amounts = json::decode(json.as_bytes()).unwrap();
    let through_serde: Amounts = serde_json::from_str(json).unwrap();
    assert_eq!(through_serde, own);
    assert_eq!(own.limits["cpu"], "15532559262904483820".parse().unwrap());
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Old", storage)]
struct Old {}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Young", storage, column("Ready" => ".ready"))]
struct Young {
    ready: Vec<bool>,
}

impl GeneratedCrd for Old {
    fn generated_crd() -> Crd {
        Crd::generated("olds.example.com", r#"{"spec":{"versions":[{"name":"v1"},{"name":"v1beta1"}]}}"#)
    }
}

/// A definition of one version would remove the others from the cluster.
#[test]
fn a_generated_definition_replaces_that_of_the_derive() {
    let names: Vec<_> = Old::crd().value()["spec"]["versions"].as_array().unwrap().clone();
    assert_eq!(names, [serde_json::json!({"name": "v1"}), serde_json::json!({"name": "v1beta1"})]);
}

#[test]
#[should_panic = "Young: the type of the column \"Ready\" does not follow from `.ready`; name a field of the kind, or add \
                  the type: `type = \"string\"`"]
fn a_column_has_a_type() {
    let _ = Young::crd();
}

#[derive(ApiType)]
struct Told {
    #[field(since = "1.9", until = "1.20")]
    age: Option<i32>,
    #[field(patch("merge", "retainKeys"), merge_key = "name")]
    parts: Vec<Part>,
    #[field(omit = exact)]
    names: Vec<Str>,
}

#[test]
fn facts_are_those_of_the_attributes() {
    let [age, parts, _] = &Told::describe().fields[..] else { panic!("three fields") };
    assert_eq!((age.facts.since(), age.facts.until()), (Some("1.9"), Some("1.20")));
    assert_eq!((parts.facts.since(), parts.facts.until()), (None, None));
    let strategies = parts.facts.iter().find_map(|fact| match fact {
        Fact::Patch(words) => Some(words.iter().collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(strategies.unwrap(), ["merge", "retainKeys"]);
    assert_eq!(parts.facts.keys().iter().collect::<Vec<_>>(), ["name"]);
}

/// `omit = exact` writes an empty list as it is, and `omit = never` as `null`.
#[test]
fn omit_exact_writes_what_is_empty() {
    assert_eq!(json::encode(&Told::default()).unwrap(), br#"{"names":[]}"#);
}
