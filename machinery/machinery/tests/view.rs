//! Views: structs with some of the fields of another struct.

use hubgen_machinery::json::Raw;
use hubgen_machinery::reflect::{ApiType as _, Numbered, UnknownFields, Value};
use hubgen_machinery::scalar::{IntOrString, Time};
use hubgen_machinery::{ApiType, Str, StrMap, json, protobuf};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget", namespaced, storage)]
struct Widget {
    #[field(number = 1)]
    metadata: Metadata,
    #[field(number = 2)]
    spec: WidgetSpec,
    #[field(number = 3)]
    status: Option<Box<WidgetStatus>>,
}

#[derive(ApiType)]
struct Metadata {
    #[field(number = 1)]
    name: Str,
    #[field(number = 3)]
    labels: StrMap<Str>,
    #[field(number = 8, value)]
    created: Option<Time>,
}

#[derive(ApiType)]
struct WidgetSpec {
    #[field(number = 1)]
    replicas: Option<i32>,
    #[field(number = 2, name = "hostIP")]
    host_ip: Str,
    #[field(number(3, 1, 2))]
    deep: Str,
    #[field(number(3, 1, 1))]
    deeper: Vec<Part>,
    #[field(number(3, 2))]
    port: Option<IntOrString>,
    #[field(number(4, 1))]
    parts: StrMap<Part>,
    #[field(number = 5, required)]
    required: Str,
}

#[derive(ApiType)]
struct Part {
    #[field(number = 1)]
    name: Str,
    #[field(number = 2)]
    size: i64,
}

#[derive(ApiType)]
struct WidgetStatus {
    #[field(number = 1)]
    ready: bool,
    #[field(number = 2)]
    message: Str,
}

#[derive(ApiType)]
#[view(Widget)]
struct WidgetView {
    // In another order than those of the whole.
    status: Option<StatusView>,
    metadata: MetadataView,
    spec: SpecView,
}

#[derive(ApiType)]
#[view(Metadata)]
struct MetadataView {
    created: Option<Time>,
    name: String,
    labels: StrMap<Str>,
}

#[derive(ApiType)]
#[view(WidgetSpec)]
struct SpecView {
    port: Option<IntOrString>,
    parts: StrMap<PartView>,
    host_ip: Str,
    deep: Str,
    deeper: Vec<PartView>,
    required: Str,
}

#[derive(ApiType)]
#[view(Part)]
struct PartView {
    size: i64,
}

#[derive(ApiType)]
#[view(WidgetStatus)]
struct StatusView {
    ready: bool,
}

#[derive(ApiType)]
#[view(Widget)]
struct NothingView {}

/// A view with whole objects in it.
#[derive(ApiType)]
#[view(Widget)]
struct HalfView {
    spec: WidgetSpec,
}

const JSON: &str = r#"{
    "apiVersion": "example.com/v1", "kind": "Widget", "more": [{"x": 1}, null],
    "metadata": {"name": "a", "labels": {"b": "c"}, "created": "2026-01-02T03:04:05Z", "managedFields": [{}]},
    "spec": {"replicas": 3, "hostIP": "1.2.3.4", "deep": "d", "deeper": [{"name": "n", "size": 4}], "port": 80,
        "parts": {"p": {"name": "m", "size": 5}}, "required": "r"},
    "status": {"ready": true, "message": "fine"}
}"#;

fn whole() -> Widget {
    let mut widget: Widget = json::decode(JSON.as_bytes()).unwrap();
    widget.spec.replicas = Some(0);
    widget
}

fn check(view: &WidgetView) {
    assert_eq!(view.metadata.name, "a");
    assert_eq!(view.metadata.labels["b"], "c");
    assert_eq!(view.metadata.created, "2026-01-02T03:04:05Z".parse().ok());
    assert_eq!(view.spec.port, Some(IntOrString::Int(80)));
    assert_eq!((&*view.spec.host_ip, &*view.spec.deep, &*view.spec.required), ("1.2.3.4", "d", "r"));
    assert_eq!(view.spec.deeper.iter().map(|part| part.size).collect::<Vec<_>>(), [4]);
    assert_eq!(view.spec.parts["p"].size, 5);
    assert!(view.status.as_ref().unwrap().ready);
}

#[test]
fn json_is_decoded_without_the_rest() {
    check(&json::decode(JSON.as_bytes()).unwrap());
    check(&serde_json::from_str(JSON).unwrap());
}

#[test]
fn protobuf_is_decoded_without_the_rest() {
    check(&protobuf::decode(&protobuf::encode(&whole())).unwrap());
}

/// What a view does not have is no mistake of whoever wrote the object.
#[test]
fn fields_that_a_view_lacks_are_not_unknown() {
    let mut view = WidgetView::default();
    let decoded = json::decode_into(JSON.as_bytes(), &mut view).unwrap();
    assert_eq!((decoded.unknown, decoded.more_unknown), (Vec::<String>::new(), 0));
    assert_eq!(decoded.kind, "Widget");
    assert_eq!(WidgetView::describe().unknown, UnknownFields::Skipped);
}

/// A view is decoded from its own output, in both formats, and has names, numbers and rules of the whole.
#[test]
fn views_are_written_as_the_whole_would_be() {
    let view: WidgetView = json::decode(JSON.as_bytes()).unwrap();
    let text = String::from_utf8(json::encode(&view).unwrap()).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"kind":"Widget","apiVersion":"example.com/v1","status":{"ready":true},"#,
            r#""metadata":{"created":"2026-01-02T03:04:05Z","name":"a","labels":{"b":"c"}},"#,
            r#""spec":{"port":80,"parts":{"p":{"size":5}},"hostIP":"1.2.3.4","deep":"d","deeper":[{"size":4}],"required":"r"}}"#,
        )
    );
    let bytes = protobuf::encode(&view);
    assert_eq!(protobuf::decode::<WidgetView>(&bytes).unwrap(), view);
    // The whole reads what the view wrote, and nothing else is in it.
    let whole: Widget = protobuf::decode(&bytes).unwrap();
    assert_eq!(whole.spec.replicas, None);
    assert_eq!(
        json::encode(&whole).unwrap(),
        json::encode(&json::decode::<Widget>(text.as_bytes()).unwrap()).unwrap()
    );
    // An empty view is empty in the same way as the whole: a required text is written, and so is an absent time.
    let (view, whole) = (WidgetView::default(), Widget::default());
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&json::encode(&view).unwrap()).unwrap(),
        serde_json::from_slice::<serde_json::Value>(&json::encode(&whole).unwrap()).unwrap(),
    );
    assert_eq!(protobuf::encode(&view), protobuf::encode(&whole));
}

#[test]
fn what_is_wrong_is_an_error_with_its_path_also_in_views() {
    let error = json::decode::<WidgetView>(br#"{"spec": {"parts": {"p": {"size": "x"}}}}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 35, spec.parts.p.size: expected a 64-bit integer, found a string"
    );
    // JSON that is skipped is still JSON.
    let error = json::decode::<PartView>(br#"{"name": "a\q", "size": 1}"#).unwrap_err();
    assert!(error.to_string().contains("after a backslash"), "{error}");
}

#[test]
fn a_view_may_have_whole_objects_and_no_fields() {
    let half: HalfView = json::decode(JSON.as_bytes()).unwrap();
    assert_eq!(half.spec.replicas, Some(3));
    let nothing: NothingView = json::decode(JSON.as_bytes()).unwrap();
    assert_eq!(json::encode(&nothing).unwrap(), br#"{"kind":"Widget","apiVersion":"example.com/v1"}"#);
    assert_eq!(size_of::<NothingView>(), 0);
}

/// Several fields of one message that JSON inlines are in one message, in the order of their numbers.
#[test]
fn inlined_messages_contain_the_fields_of_the_view() {
    fn show(message: &[Numbered]) -> String {
        let entries = message.iter().map(|entry| match entry {
            Numbered::Field { number, position, .. } => format!("{number}={position}"),
            Numbered::Inlined { number, message } => format!("{number}({})", show(message)),
        });
        entries.collect::<Vec<_>>().join(" ")
    }
    assert_eq!(show(&SpecView::describe().message), "2=2 3(1(1=4 2=3) 2=0) 4(1=1) 5=5");
    assert_eq!(show(&WidgetSpec::describe().message), "1=0 2=1 3(1(1=3 2=2) 2=4) 4(1=5) 5=6");
    assert_eq!(show(&NothingView::describe().message), "");
}

/// A type has all its fields unless it is a view.
#[test]
fn the_whole_of_a_view_is_known_to_the_compiler() {
    fn whole<V: Value<Whole = W>, W>() {}
    whole::<Widget, Widget>();
    whole::<WidgetView, Widget>();
    whole::<Option<Vec<PartView>>, Option<Vec<Part>>>();
    whole::<Option<Box<PartView>>, Option<Part>>();
    whole::<Raw, Raw>();
}

/// A field of the name `metadata` may be anything, and fields of types without fields have no size.
#[test]
fn fields_are_found_whatever_is_beside_them() {
    #[derive(ApiType)]
    struct Empty {}

    #[derive(ApiType)]
    struct Strange {
        first: Empty,
        metadata: Option<Str>,
        second: Empty,
        third: Empty,
        part: Option<Box<Part>>,
    }

    #[derive(ApiType)]
    #[view(Strange)]
    struct StrangeView {
        third: Empty,
        metadata: Option<Str>,
        part: Option<Box<PartView>>,
        first: Empty,
    }

    let json = br#"{"first":{},"metadata":"m","second":{},"third":{},"part":{"name":"n","size":1}}"#;
    let view: StrangeView = json::decode(json).unwrap();
    assert_eq!(view.metadata.as_deref(), Some("m"));
    let expected = br#"{"third":{},"metadata":"m","part":{"size":1},"first":{}}"#;
    assert_eq!(String::from_utf8(json::encode(&view).unwrap()).unwrap(), String::from_utf8_lossy(expected));
}

/// A view may be of another view, and counts as one of the whole of that.
#[test]
fn views_of_views_are_views_of_the_whole() {
    #[derive(ApiType)]
    #[view(WidgetView)]
    struct Smaller {
        spec: SmallerSpec,
    }

    #[derive(ApiType)]
    #[view(SpecView)]
    struct SmallerSpec {
        host_ip: Str,
        deeper: Vec<PartView>,
    }

    #[derive(ApiType)]
    #[view(Widget)]
    struct OfWhole {
        spec: SmallerSpec,
    }

    let smaller: Smaller = json::decode(JSON.as_bytes()).unwrap();
    assert_eq!((&*smaller.spec.host_ip, smaller.spec.deeper[0].size), ("1.2.3.4", 4));
    let of_whole: OfWhole = protobuf::decode(&protobuf::encode(&whole())).unwrap();
    assert_eq!(of_whole.spec, smaller.spec);
    assert_eq!(Smaller::describe().kind, Widget::describe().kind);
}

/// A view without numbers is one of a whole without numbers.
#[test]
fn views_of_types_without_numbers_have_none() {
    #[derive(ApiType)]
    struct Plain {
        a: i32,
        b: Str,
    }

    #[derive(ApiType)]
    #[view(Plain)]
    struct PlainView {
        b: Str,
    }

    let plain = Plain { a: 1, b: "c".into() };
    let view: PlainView = json::decode(&json::encode(&plain).unwrap()).unwrap();
    assert_eq!(view.b, "c");
    assert!(PlainView::describe().message.is_empty());
}
