//! Embedded objects: as JSON, or in envelopes that a Scheme decodes.

use hubgen_machinery::ApiType;
use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::protobuf::{self, Envelope, WatchEvent};
use hubgen_machinery::scheme::{KindRow, Scheme};

#[derive(ApiType)]
struct Meta {
    #[field(number = 1)]
    name: String,
}

#[derive(ApiType)]
#[kind(version = "v1", kind = "List")]
struct List {
    #[field(number = 1)]
    metadata: Meta,
    #[field(number = 2, omit = never)]
    items: Vec<Raw>,
}

#[derive(ApiType)]
#[kind(version = "v1", kind = "Pod")]
struct Pod {
    #[field(number = 1)]
    metadata: Meta,
    #[field(number = 2)]
    any: Raw,
}

#[derive(ApiType)]
#[kind(version = "v1", kind = "Note")]
struct Note {
    text: String,
}

#[derive(ApiType)]
struct Event {
    #[field(number = 1, name = "type")]
    kind_of_event: String,
    #[field(number = 2, omit = never)]
    object: Raw,
}

fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    scheme.register(
        const {
            &[
                KindRow::of::<List>(),
                KindRow::of::<Pod>(),
                KindRow::of::<Note>(),
                KindRow {
                    type_meta: None,
                    ..KindRow::new("meta.k8s.io/v1", "WatchEvent", || {
                        Box::new(Event { ..Default::default() })
                    })
                },
            ]
        },
    );
    scheme
}

fn pod(name: &str) -> Vec<u8> {
    let text = format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}"}}}}"#);
    scheme().decode(text.as_bytes()).unwrap().0.encode_protobuf()
}

/// A list in protobuf, with these items.
fn list(items: &[&[u8]]) -> Vec<u8> {
    let mut raw = vec![];
    for item in items {
        let mut extension = vec![0x0a];
        varint(item.len(), &mut extension);
        extension.extend(*item);
        raw.push(0x12);
        varint(extension.len(), &mut raw);
        raw.extend(extension);
    }
    Envelope { api_version: "v1", kind: "List", raw: &raw, ..Envelope::default() }.encode()
}

fn varint(mut value: usize, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read(bytes: &[u8]) -> Result<String, String> {
    let object = scheme().decode_protobuf(bytes).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(object.encode().unwrap()).unwrap())
}

#[test]
fn objects_in_envelopes_survive_a_round_trip_through_json() {
    let bytes = list(&[&pod("a"), br#"{"kind":"Gear","apiVersion":"example.com/v1"}"#, &pod("b")]);
    let text = read(&bytes).unwrap();
    assert_eq!(
        text,
        r#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"any":null},{"kind":"Gear","apiVersion":"example.com/v1"},{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"},"any":null}]}"#
    );
    let scheme = scheme();
    let again = scheme.encode_protobuf(&scheme.decode(text.as_bytes()).unwrap().0);
    assert_eq!(read(&again).unwrap(), text);
    // The list's own metadata is always written; the rest is unchanged.
    let (was, is) = (Envelope::decode(&bytes).unwrap(), Envelope::decode(&again).unwrap());
    assert_eq!(is.raw[..4], [0x0a, 2, 0x0a, 0]);
    assert_eq!(&is.raw[4..], was.raw);
}

#[test]
fn an_event_contains_an_object() {
    let pod = pod("a");
    let event = WatchEvent { event_type: "ADDED", object: &pod }.encode();
    let bytes = Envelope { raw: &event, ..Envelope::default() }.encode();
    let text =
        r#"{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"any":null}}"#;
    assert_eq!(read(&bytes).as_deref(), Ok(text));
    let scheme = scheme();
    let object = scheme.decode_protobuf(&bytes).unwrap();
    assert_eq!(scheme.encode_protobuf(&object), bytes);
    assert_eq!(scheme.decode_message(&object.entry, &event).unwrap(), object);
}

#[test]
fn objects_that_protobuf_does_not_cover_stay_json() {
    let text = br#"{"apiVersion":"v1","kind":"List","items":[{"kind":"Note","apiVersion":"v1","text":"x"},{"kind":"Pod","apiVersion":"v1","more":1}]}"#;
    let scheme = scheme();
    let object = scheme.decode(text).unwrap().0;
    assert_eq!(scheme.encode_protobuf(&object), object.encode_protobuf());
}

#[test]
fn json_may_be_in_an_envelope() {
    let json = Envelope { raw: br#"{"a":1}"#, content_type: "application/json", ..Envelope::default() };
    assert!(read(&list(&[&json.encode()])).unwrap().ends_with(r#""items":[{"a":1}]}"#));
}

#[test]
fn errors_contain_the_offset_and_the_field_path() {
    let wrong = |item: &[u8]| read(&list(&[b"{}", item])).unwrap_err();
    let strange = Envelope { api_version: "v9", kind: "Strange", ..Envelope::default() };
    let error = wrong(&strange.encode());
    assert_eq!(error, "byte 28, items[1]: no kind \"Strange\" is registered for version \"v9\"");
    let broken = Envelope { api_version: "v1", kind: "Pod", raw: &[0x0a, 5], ..Envelope::default() };
    let error = wrong(&broken.encode());
    assert_eq!(error, "byte 46, items[1].metadata: expected 5 more bytes, found 0");
    let packed = Envelope { content_encoding: "gzip", ..broken };
    assert!(wrong(&packed.encode()).contains("found gzip"));
    // Without a Scheme.
    let error = protobuf::decode::<List>(Envelope::decode(&list(&[&pod("a")])).unwrap().raw).err().unwrap();
    assert_eq!(
        error.to_string(),
        "byte 4, items[0]: expected JSON, found \"Pod\" of version \"v1\" in an envelope, which only a Scheme can read"
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| (0..depth).fold(pod("a"), |inner, _| list(&[&inner]));
    assert!(read(&nested(8)).is_ok());
    let error = read(&nested(9)).unwrap_err();
    assert!(error.contains("expected at most 8 nested envelopes"), "{error}");
    assert!(read(&nested(5_000)).is_err());
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Crate")]
struct Crate {
    #[field(number = 1)]
    items: Vec<Item>,
}

#[derive(ApiType)]
struct Item {
    #[field(number = 1)]
    content: Raw,
}

/// A crate whose second item contains these bytes.
fn crate_with(content: &[u8]) -> Vec<u8> {
    let message = |number: u8, bytes: &[u8]| [&[number << 3 | 2, bytes.len() as u8], bytes].concat();
    let item = |content: &[u8]| message(1, &message(1, &message(1, content)));
    [item(b"{}"), item(content)].concat()
}

/// As upstream, a reader of protobuf does not look at JSON in fields. Whoever writes it as JSON does.
#[test]
fn broken_json_from_protobuf_is_an_error_where_it_is_used() {
    let bytes = crate_with(b"{\"a\":}");
    let mut read: Crate = protobuf::decode(&bytes).unwrap();
    assert_eq!(protobuf::encode(&read), bytes);
    assert_eq!(read.clone(), read);

    let error = json::encode(&read).unwrap_err();
    assert_eq!(error.path(), "items[1].content");
    assert_eq!(error.to_string(), "items[1].content: invalid JSON: expected a value, found `}`");
    let mut out = b"before".to_vec();
    json::encode_into(&read, None, &mut out).unwrap_err();
    assert_eq!(out, b"before");
    assert!(read.items[1].content.to_value().is_err());
    assert!(read.items[1].content.check().is_err());
    assert!(serde_json::to_string(&read).is_err());

    // A Scheme, and so a server, checks at once.
    let mut scheme = Scheme::new();
    scheme.register(const { &[KindRow::of::<Crate>()] });
    let error = scheme.decode_message(scheme.named("example.com/v1", "Crate").unwrap(), &bytes).unwrap_err();
    assert!(error.to_string().contains("items[1].content: invalid JSON"), "{error}");
}

#[test]
fn json_from_protobuf_is_made_compact_where_it_is_used() {
    let mut read: Crate = protobuf::decode(&crate_with(b"{ \"a\" : \"<\" }")).unwrap();
    let expected = r#"{"kind":"Crate","apiVersion":"example.com/v1","items":[{"content":{}},{"content":{"a":"\u003c"}}]}"#;
    assert_eq!(String::from_utf8(json::encode(&read).unwrap()).unwrap(), expected);
    assert_eq!(read.items[1].content.as_str(), "{ \"a\" : \"<\" }");
    assert_eq!(read.items[1].content.to_value().unwrap(), serde_json::json!({"a": "<"}));
    read.items[1].content.check().unwrap();
    assert_eq!(read.items[1].content.as_str(), r#"{"a":"\u003c"}"#);
}

#[derive(ApiType)]
struct Measured {
    values: Vec<f64>,
}

#[test]
fn a_number_that_json_cannot_represent_is_an_error() {
    let error = json::encode(&Measured { values: vec![0.0, f64::INFINITY] }).unwrap_err();
    assert_eq!(error.to_string(), "values[1]: expected a finite number, found inf");
}

/// Through serde, which gives no text, a value is that of a tree.
#[test]
fn serde_writes_the_text_of_a_tree() {
    let texts = [
        "null",
        "true",
        "0",
        "-1",
        "18446744073709551615",
        "1.5",
        "1e-9",
        "1e+300",
        "\"\"",
        r#""<\u2028 \u0001 \"\\ é \ud83d\ude00""#,
        "[]",
        "{}",
        "[[],{},[null,[1]]]",
        r#"{"a":[],"b":{},"":{"a<":null,"c":[true,{"d":0.1}]}}"#,
        r#"{"f:spec":{"k:{\"name\":\"a\"}":{".":{},"v:\"b\"":{}}}}"#,
        r#"{"$serde_json::private::Number":"1"}"#,
    ];
    for text in texts {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        let expected = Raw::from(&value);
        assert_eq!(serde_json::from_str::<Raw>(text).unwrap(), expected);
        assert_eq!(serde_json::from_value::<Raw>(value.clone()).unwrap(), expected);
        assert_eq!(Raw::new(text.as_bytes()).unwrap().to_value().unwrap(), value);
    }
    for wrong in ["", "[1,", "{\"a\":}", "{1:2}", "1e999"] {
        assert!(serde_json::from_str::<Raw>(wrong).is_err(), "{wrong}");
    }
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    assert!(serde_json::from_str::<Raw>(&deep).is_err(), "serde_json limits the depth");
}
