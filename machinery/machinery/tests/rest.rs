//! Fields that a type does not have: dropped, kept in the rest, or refused.

#![allow(missing_docs)]

use std::collections::BTreeMap;

use hubgen_machinery::json::{Decoded, Raw};
use hubgen_machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types, TypesError};
use hubgen_machinery::reflect::{DeepCopy, Reflect, Slot, Type, UnknownFields};
use hubgen_machinery::{ApiType, Str, StrMap, json, yaml};

#[derive(ApiType)]
struct Part {
    size: Option<i32>,
    #[field(rest)]
    rest: StrMap<Raw>,
}

#[derive(ApiType)]
struct Plain {
    size: i32,
}

#[derive(ApiType)]
#[unknown(refuse)]
struct Strict {
    size: i32,
    plain: Plain,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
struct Widget {
    name: Str,
    part: Option<Part>,
    parts: Vec<Part>,
    by_name: StrMap<Part>,
    plain: Plain,
    #[field(rest)]
    others: BTreeMap<String, Raw>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "WidgetList")]
struct WidgetList {
    items: Vec<Widget>,
}

const WIDGET: &str = r#"{"kind":"Widget","apiVersion":"example.com/v1","name":"a","part":{"size":1,"*":0,"b":[1.50,null]},"parts":[{"x":{}},{"size":0}],"byName":{"k":{"z":"<"}},"plain":{"size":3},"a":1,"zz":null}"#;

fn raw(text: &str) -> Raw {
    text.parse().unwrap()
}

fn widget() -> Widget {
    json::decode(WIDGET.as_bytes()).unwrap()
}

fn text_of(object: &dyn Reflect) -> String {
    String::from_utf8(json::encode(object).unwrap()).unwrap()
}

#[test]
fn unknown_fields_come_back_after_the_others_sorted() {
    let widget = widget();
    assert_eq!(widget.others.keys().collect::<Vec<_>>(), ["a", "zz"]);
    let part = widget.part.as_ref().unwrap();
    assert_eq!((&part.rest["*"], &part.rest["b"]), (&raw("0"), &raw("[1.50,null]")));
    assert_eq!(text_of(&widget), WIDGET.replace('<', "\\u003c"));
    // In any order of the input.
    let part: Part = json::decode(br#"{"z":1,"size":2,"a":2}"#).unwrap();
    assert_eq!(text_of(&part), r#"{"size":2,"a":2,"z":1}"#);
    let only: Part = json::decode(br#"{"a":2}"#).unwrap();
    assert_eq!(text_of(&only), r#"{"a":2}"#);
}

#[test]
fn names_with_escapes_are_names_like_others() {
    let part: Part = json::decode(r#"{"\u0073ize":2,"\u0061":1,"q\"":2}"#.as_bytes()).unwrap();
    assert_eq!((part.size, &part.rest["a"], &part.rest["q\""]), (Some(2), &raw("1"), &raw("2")));
    assert_eq!(text_of(&part), r#"{"size":2,"a":1,"q\"":2}"#);
}

#[test]
fn kept_fields_are_not_listed_as_unknown_and_dropped_ones_are() {
    let mut widget = Widget::default();
    let json = br#"{"kind":"Widget","a":1,"plain":{"b":1},"part":{"c":1}}"#;
    let Decoded { unknown, kind, .. } = json::decode_into(json, &mut widget).unwrap();
    assert_eq!((unknown, &*kind), (vec!["plain.b".to_owned()], "Widget"));
    // `kind` and `apiVersion` belong to the kind, also in a list.
    let list = br#"{"items":[{"apiVersion":"example.com/v1","kind":"Widget","a":1}]}"#;
    let list: WidgetList = json::decode(list).unwrap();
    assert_eq!(list.items[0].others.keys().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn the_last_of_duplicate_unknown_fields_is_used_and_listed() {
    let mut part = Part::default();
    let decoded = json::decode_into(br#"{"a":1,"a":2}"#, &mut part).unwrap();
    assert_eq!(decoded.duplicate, ["a"]);
    assert_eq!(part.rest["a"], raw("2"));
}

#[test]
fn refused_fields_are_errors_with_their_path() {
    let strict: Strict = json::decode(br#"{"size":1,"plain":{"b":1}}"#).unwrap();
    assert_eq!((strict.size, strict.plain.size), (1, 0));
    let error = json::decode::<Strict>(br#"{"size":1,"a":{"b":1}}"#).unwrap_err();
    let expected = "line 1, column 15, a: unknown field; Strict has no field of this name";
    assert_eq!(error.to_string(), expected);
    let error = serde_json::from_str::<Strict>(r#"{"a":1}"#).unwrap_err();
    assert!(error.to_string().starts_with("unknown field `a`; Strict has none of this name"), "{error}");
}

#[test]
fn serde_and_yaml_agree_with_json() {
    // serde has no numbers with a zero at the end.
    let text = &*WIDGET.replace("1.50", "1.5");
    let widget: Widget = json::decode(text.as_bytes()).unwrap();
    let value = serde_json::to_value(&widget).unwrap();
    assert_eq!(value, serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(serde_json::from_str::<Widget>(text).unwrap(), widget);
    assert_eq!(serde_json::from_value::<Widget>(value).unwrap(), widget);
    let bytes = postcard::to_allocvec(&widget).unwrap();
    assert_eq!(postcard::from_bytes::<Widget>(&bytes).unwrap(), widget);
    let yaml = yaml::from_json(text.as_bytes()).unwrap();
    assert_eq!(json::decode::<Widget>(&yaml::to_json(&yaml).unwrap()).unwrap(), widget);
}

#[test]
fn copies_comparisons_and_debug_output_contain_the_rest() {
    let widget = widget();
    let mut copy = Widget::default();
    widget.deep_copy_into(&mut copy);
    assert_eq!(copy, widget);
    assert_eq!(widget.deep_copy(), widget);
    copy.part.as_mut().unwrap().rest.insert("new", raw("1"));
    assert_ne!(copy, widget);
    let part: Part = json::decode(br#"{"a":1}"#).unwrap();
    assert_eq!(format!("{part:?}"), r#"Part { *: {"a": 1} }"#);
}

#[test]
fn a_name_that_the_type_has_is_never_written_twice() {
    let mut widget = widget();
    for name in ["name", "kind", "apiVersion", "byName"] {
        widget.others.insert(name.to_owned(), raw("1"));
        let error = json::encode(&widget).unwrap_err();
        assert_eq!((error.path(), error.message()), (name, "expected a field that Widget does not have"));
        assert!(serde_json::to_string(&widget).is_err());
        widget.others.remove(name);
    }
    widget.parts[1].rest.insert("size", raw("1"));
    assert_eq!(json::encode(&widget).unwrap_err().path(), "parts[1].size");
}

#[test]
fn a_type_that_is_built_at_run_time_keeps_and_refuses_as_a_compiled_one() {
    let size = || FieldDef::new("size", TypeDef::Is(Type::Int32));
    let keeps = |fields| StructDef { fields, unknown: UnknownFields::Kept, ..StructDef::new("Part") };
    let types = Types::new(vec![
        keeps(vec![size(), FieldDef::rest()]),
        StructDef { fields: vec![size()], unknown: UnknownFields::Refused, ..StructDef::new("Strict") },
    ])
    .unwrap();
    let mut part = types.object(0);
    let json = br#"{"size":1,"*":0,"b":[1.50,null]}"#;
    assert_eq!(json::decode_into(json, &mut *part).unwrap().unknown, [""; 0]);
    assert_eq!(text_of(&*part).as_bytes(), json);
    assert!(matches!(part.field("*"), Some(Slot::Map(rest)) if rest.len() == 2));
    let error = json::decode_into(br#"{"b":1}"#, &mut *types.object(1)).unwrap_err();
    assert_eq!((error.path(), error.message()), ("b", "unknown field; Strict has no field of this name"));
    for fields in [vec![], vec![size()], vec![FieldDef::rest(), size()]] {
        assert_eq!(Types::new(vec![keeps(fields)]).err(), Some(TypesError::NoRest("Part".to_owned())));
    }
}

#[test]
fn memory_of_the_rest_is_bounded_by_the_input() {
    // As for other maps: a hundred thousand names in 1 MB.
    let members: Vec<String> = (0..100_000).map(|at| format!("\"a{at}\":0")).collect();
    let json = format!("{{{}}}", members.join(","));
    let part: Part = json::decode(json.as_bytes()).unwrap();
    assert_eq!(part.rest.len(), 100_000);
}
