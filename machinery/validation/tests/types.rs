//! Types whose derive is all that they have: defaults and validation without generated code.

use std::collections::BTreeMap;

use hubgen_machinery::reflect::{ApiType as _, Reflect};
use hubgen_machinery::scalar::{Duration, IntOrString, Quantity};
use hubgen_machinery::{ApiType, Str, StrMap, defaults, json};
use hubgen_validation::{Schema, schema_of, validate};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts and numbers of which schemas allow more than the types do.
#[derive(ApiType)]
struct Formats {
    #[field(default = "\"1h0m0s\"")]
    duration: Option<Duration>,
    #[field(default = "\"1Gi\"")]
    quantity: Option<Quantity>,
    #[field(default = "80")]
    port: Option<IntOrString>,
}

/// Defaults of all sorts of other fields, at all depths.
#[derive(ApiType)]
struct Policy {
    #[field(default = "3")]
    small: Option<i32>,
    #[field(default = "true")]
    yes: Option<bool>,
    #[field(default = "5000000000")]
    large: i64,
    #[field(default = "0.5")]
    fraction: f64,
    #[field(default = "\"a \\\"b\\\"\"")]
    text: Str,
    #[field(default = "\"AAEC\"")]
    bytes: Vec<u8>,
    #[field(default = "\"Blue\"")]
    color: Option<Color>,
    #[field(default = "\"Large\"")]
    size: Size,
    #[field(default = "[1, 2]")]
    list: Vec<i32>,
    #[field(default = "{\"a\": \"b\"}")]
    labels: StrMap<Str>,
    #[field(default = "{\"name\": \"n\", \"inner\": [{}]}")]
    object: Option<Part>,
    part: Part,
    parts: Vec<Part>,
    by_name: StrMap<Part>,
    nested: BTreeMap<String, Vec<StrMap<Part>>>,
    #[field(required, default = "\"x\"")]
    required: Option<Str>,
    #[field(default = "1")]
    nullable: Option<Option<i32>>,
    either: Option<Either>,
}

#[derive(ApiType)]
struct Part {
    name: Option<Str>,
    #[field(default = "7")]
    count: Option<i32>,
    inner: Vec<Part2>,
}

#[derive(ApiType)]
struct Part2 {
    #[field(default = "\"deep\"")]
    text: Str,
}

/// Schemas have no recursion, so that those of the API server have no defaults inside of another tree.
#[derive(ApiType)]
struct Tree {
    #[field(default = "\"deep\"")]
    text: Str,
    below: Option<Box<Tree>>,
}

#[derive(ApiType)]
enum Either {
    First(Part),
    Second(Part2),
}

#[derive(ApiType)]
enum Color {
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

fn encoded(object: &dyn Reflect) -> Value {
    serde_json::from_slice(&json::encode(object).unwrap()).unwrap()
}

fn decoded(value: &Value) -> Policy {
    json::decode(value.to_string().as_bytes()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Setting defaults on an object is the same as setting those of its schema on its JSON.
    #[test]
    fn defaults_are_those_of_the_schema(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let schema = schema_of::<Policy>();
        let generated = schema.generate(&bytes, &[]).expect("the schema has no alternatives");
        let mut policy = decoded(&generated);
        let mut expected = encoded(&policy);
        schema.set_defaults(&mut expected);
        defaults::set(&mut policy);
        prop_assert_eq!(encoded(&policy), encoded(&decoded(&expected)));
        let before = encoded(&policy);
        defaults::set(&mut policy);
        prop_assert_eq!(encoded(&policy), before);
    }
}

/// The schemas of quantities and of numbers or texts are upstream's. They allow values that Go's types refuse, and ours,
/// too. Such an object is refused with the path of the value and the reason. Limits of the field close the gap for numbers.
#[test]
fn what_a_schema_allows_and_its_type_refuses_is_named() {
    let schema = schema_of::<Formats>();
    for (value, error) in [
        (
            json!({"quantity": "1E.5"}),
            "line 1, column 13, quantity: expected a quantity with a whole number as its exponent, such as 12e6, found \
             `1E.5`",
        ),
        (
            json!({"port": 5_000_000_000_i64}),
            "line 1, column 9, port: expected a 32-bit integer or a string, found 5000000000",
        ),
        (
            json!({"port": -5_000_000_000_i64}),
            "line 1, column 9, port: expected a 32-bit integer or a string, found -5000000000",
        ),
    ] {
        schema.validate(&value).unwrap();
        let refused = json::decode::<Formats>(value.to_string().as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(refused.to_string(), error);
    }
    // A text may have any digits.
    let port = json!({"port": "5000000000"});
    let decoded: Formats = json::decode(port.to_string().as_bytes()).unwrap();
    assert_eq!(decoded.port, Some("5000000000".into()));

    #[derive(ApiType)]
    struct Limited {
        #[field(minimum = -2147483648, maximum = 2147483647)]
        port: Option<IntOrString>,
    }
    let errors = schema_of::<Limited>().validate(&json!({"port": 5_000_000_000_i64})).unwrap_err();
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["port: Invalid value: 5000000000: port in body should be less than or equal to 2147483647"]
    );
    schema_of::<Limited>().validate(&json!({"port": "http"})).unwrap();
}

/// Without an oracle: what the property compares could both be wrong.
#[test]
fn absent_fields_get_their_defaults_and_others_stay() {
    let mut policy = Policy::default();
    defaults::set(&mut policy);
    assert_eq!(
        encoded(&policy),
        json!({
            "small": 3, "yes": true, "large": 5_000_000_000_i64, "fraction": 0.5, "text": "a \"b\"", "bytes": "AAEC",
            "color": "Blue", "size": "Large", "list": [1, 2],
            "labels": {"a": "b"}, "object": {"name": "n", "count": 7, "inner": [{"text": "deep"}]}, "part": {"count": 7},
            "required": "x", "nullable": 1,
        })
    );
    let mut formats = Formats::default();
    defaults::set(&mut formats);
    assert_eq!(encoded(&formats), json!({"duration": "1h0m0s", "quantity": "1Gi", "port": 80}));
    let all = json!({
        "small": 0, "yes": false, "large": 1, "fraction": 1.5, "text": "t", "bytes": "AA==", "color": "Red", "size": "other", "list": [0], "labels": {"": ""},
        "object": {"count": 0}, "part": {"count": 1, "inner": [{"text": "t"}]},
        "parts": [{"count": 2}], "byName": {"a": {"count": 3}}, "nested": {"a": [{"b": {"count": 4}}]},
        "required": "", "nullable": null, "either": {"second": {"text": "v"}},
    });
    let mut policy = decoded(&all);
    defaults::set(&mut policy);
    assert_eq!(encoded(&policy), all);
}

#[test]
fn defaults_are_set_in_what_is_present() {
    let mut policy = decoded(&json!({
        "part": {"inner": [{}]}, "parts": [{}], "byName": {"a": {}}, "nested": {"a": [{"b": {}}]},
        "either": {"first": {}},
    }));
    defaults::set(&mut policy);
    let found = encoded(&policy);
    assert_eq!(found["part"], json!({"count": 7, "inner": [{"text": "deep"}]}));
    for pointer in ["/parts/0", "/byName/a", "/nested/a/0/b", "/either/first"] {
        assert_eq!(found.pointer(pointer), Some(&json!({"count": 7})), "{pointer}");
    }
    let mut tree: Tree = json::decode(br#"{"below": {"below": {}}}"#).unwrap();
    defaults::set(&mut tree);
    let leaf = json!({"text": "deep"});
    assert_eq!(encoded(&tree), json!({"text": "deep", "below": {"text": "deep", "below": leaf}}));
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget", storage)]
struct Widget {
    #[field(required, omit = empty)]
    name: Str,
    #[field(one_of("small", "large"))]
    sizes: Vec<Str>,
    #[field(list = set)]
    set: Vec<i32>,
    #[field(list = map("name"))]
    parts: Vec<Port>,
    ratio: f64,
    color: Option<Size>,
}

#[derive(ApiType)]
struct Port {
    #[field(required)]
    name: Str,
    #[field(required, omit = empty)]
    number: Option<i32>,
}

#[test]
fn errors_have_the_words_and_paths_of_the_api_server() {
    let port = |name: &str, number| Port { name: name.into(), number };
    let valid = || Widget {
        name: "a".into(),
        sizes: vec!["small".into()],
        set: vec![1, 2],
        parts: vec![port("a", Some(1)), port("b", Some(1))],
        color: Some(Size::Small),
        ..Widget::default()
    };
    validate(&valid()).unwrap();
    let check = |change: &dyn Fn(&mut Widget), expected: &[&str]| {
        let mut widget = valid();
        change(&mut widget);
        let found: Vec<String> = validate(&widget).unwrap_err().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    };
    check(&|widget| widget.name.clear(), &["name: Required value"]);
    check(
        &|widget| widget.sizes.push("huge".into()),
        &[r#"sizes[1]: Unsupported value: "huge": supported values: "small", "large""#],
    );
    check(&|widget| widget.set.push(2), &["set[2]: Duplicate value: 2"]);
    check(&|widget| widget.parts[1].name = "a".into(), &[r#"parts[1]: Duplicate value: {"name":"a"}"#]);
    check(&|widget| widget.parts[0].number = None, &["parts[0].number: Required value"]);
    check(
        &|widget| widget.color = Some(Size::Other("pink".into())),
        &[r#"color: Unsupported value: "pink": supported values: "Small", "Large""#],
    );
    check(
        &|widget| widget.ratio = f64::NAN,
        &["ratio: Invalid value: <no JSON>: expected a finite number, found NaN"],
    );
}

/// The schema is that of the definition, and compiled once.
#[test]
fn the_schema_is_that_of_the_definition() {
    use hubgen_machinery::crd::HasCrd;
    let schema = schema_of::<Widget>();
    assert!(std::sync::Arc::ptr_eq(&schema, &schema_of::<Widget>()));
    let kinds = Schema::compile_crd(&Widget::crd().value()).unwrap();
    let wrong = json!({"name": 1, "parts": [{}], "metadata": []});
    let errors = |schema: &Schema| schema.validate(&wrong).unwrap_err().to_string();
    assert_eq!(errors(&schema), errors(&kinds[0].schema));
}

#[derive(ApiType)]
struct Late {
    inner: Vec<LateInner>,
}

#[derive(ApiType)]
struct LateInner {
    #[field(default = "[1, \"2\"]")]
    numbers: Vec<i32>,
}

#[test]
fn a_wrong_default_names_type_and_field() {
    let error = defaults::check(Late::describe()).unwrap_err().to_string();
    let expected = "LateInner.numbers: the default [1, \"2\"] does not fit the field\n  ";
    assert!(error.starts_with(expected), "{error}");
    let panic = |call: fn()| *std::panic::catch_unwind(call).unwrap_err().downcast::<String>().unwrap();
    assert!(panic(|| drop(schema_of::<Late>())).starts_with(expected));
    assert!(panic(|| defaults::set(&mut LateInner::default())).starts_with(expected));
}

#[derive(ApiType)]
struct Outside {
    #[field(one_of("a", "b"), default = "\"c\"")]
    letter: Str,
}

/// A default of the right type that the schema does not allow.
#[test]
#[should_panic = "the schema of Outside is invalid:\nopenAPIV3Schema.properties[letter].default"]
fn an_invalid_default_is_an_error_of_the_schema() {
    let _ = schema_of::<Outside>();
}
