//! Protobuf by its specification and by the reference server's rules. Whole
//! objects are compared with golden data in `checks`.

use std::collections::BTreeMap;

use hubgen_laws::objects::{self, Source};
use hubgen_machinery::ApiType;

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::protobuf::{self, Envelope, PartValue, parts};
use hubgen_machinery::reflect::{OrArray, OrBool, OrStrings, Strings, TypeMeta};
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use hubgen_machinery::scheme::{KindRow, Scheme, SchemeError};
use proptest::prelude::*;

#[derive(ApiType)]
struct Everything {
    #[field(number = 1)]
    flag: bool,
    #[field(number = 2)]
    small: i32,
    #[field(number = 3)]
    large: i64,
    #[field(number = 4)]
    ratio: f64,
    #[field(number = 5)]
    name: String,
    #[field(number = 6)]
    data: Vec<u8>,
    #[field(number = 7, value)]
    time: Option<Time>,
    #[field(number = 8)]
    later: Option<Time>,
    #[field(number = 9)]
    micro: Option<MicroTime>,
    #[field(number = 10)]
    wait: Option<Duration>,
    #[field(number = 11)]
    amount: Option<Quantity>,
    #[field(number = 12)]
    port: Option<IntOrString>,
    #[field(number = 13)]
    extension: Raw,
    #[field(number = 14)]
    inner: Inner,
    #[field(number = 15)]
    maybe: Option<Inner>,
    #[field(number = 16)]
    names: Vec<String>,
    #[field(number = 17)]
    numbers: Vec<i64>,
    #[field(number = 18)]
    ratios: Vec<f64>,
    #[field(number = 19)]
    inners: Vec<Inner>,
    #[field(number = 20)]
    labels: BTreeMap<String, String>,
    #[field(number = 21)]
    amounts: BTreeMap<String, Quantity>,
    #[field(number = 22)]
    extra: BTreeMap<String, Strings>,
    #[field(number = 23)]
    verbs: Strings,
    #[field(number = 24)]
    or_bool: Option<OrBool<Inner>>,
    #[field(number = 25)]
    or_array: Option<OrArray<Inner>>,
    #[field(number = 26)]
    or_strings: Option<OrStrings<Inner>>,
    // Not in the order of numbers, and in a nested message although flat in JSON.
    #[field(number(28, 2))]
    second: Option<String>,
    #[field(number(28, 1))]
    first: i32,
    #[field(number = 27)]
    last: Option<bool>,
    #[field(number = 29)]
    color: Option<Color>,
    #[field(number = 30)]
    shape: Option<Shape>,
    #[field(number = 31)]
    grid: Vec<Vec<i64>>,
    #[field(number = 32)]
    steps: Vec<Vec<Quantity>>,
    #[field(number = 33)]
    layers: Vec<BTreeMap<String, Inner>>,
    #[field(number = 34)]
    tree: BTreeMap<String, BTreeMap<String, String>>,
    #[field(number = 35)]
    groups: BTreeMap<String, Vec<Inner>>,
}

#[derive(ApiType)]
struct Inner {
    #[field(number = 1)]
    id: i32,
    #[field(number = 2)]
    children: Vec<Inner>,
    #[field(number = 3)]
    note: Option<String>,
}

#[derive(ApiType)]
enum Color {
    #[default]
    Red,
    Green,
}

#[derive(ApiType)]
enum Shape {
    #[default]
    #[field(number = 1)]
    Round(Inner),
    #[field(number = 2)]
    Square(Inner),
}

fn read(bytes: &[u8]) -> Result<String, String> {
    let object: Everything = protobuf::decode(bytes).map_err(|error| error.to_string())?;
    let zero = Everything::default();
    // The fields that are not zero, as JSON.
    let json = |object: &Everything| serde_json::to_value(object).unwrap();
    let (serde_json::Value::Object(found), serde_json::Value::Object(zero)) = (json(&object), json(&zero))
    else {
        unreachable!("a struct is a JSON object")
    };
    let found: serde_json::Map<_, _> =
        found.into_iter().filter(|(key, value)| zero.get(key) != Some(value)).collect();
    Ok(serde_json::Value::Object(found).to_string())
}

#[track_caller]
fn reads(bytes: &[u8], json: &str) {
    assert_eq!(read(bytes).as_deref(), Ok(json));
}

#[track_caller]
fn refuses(bytes: &[u8], message: &str) {
    assert_eq!(read(bytes).err().as_deref(), Some(message));
}

proptest! {
    /// Any object survives a round trip, and is encoded to the same bytes again.
    #[test]
    fn objects_survive_a_round_trip(seed: u64) {
        let bytes = objects::bytes(seed);
        let object: Everything = objects::generate(&mut Source::new(&bytes, &[]));
        let encoded = protobuf::encode(&object);
        let again: Everything = protobuf::decode(&encoded).unwrap();
        prop_assert_eq!(json::encode(&again).unwrap(), json::encode(&object).unwrap());
        prop_assert_eq!(protobuf::encode(&again), encoded);
    }

    /// A truncated object is an error or a smaller object.
    #[test]
    fn truncated_bytes_do_not_panic(seed: u64, cut: prop::sample::Index) {
        let bytes = objects::bytes(seed);
        let object: Everything = objects::generate(&mut Source::new(&bytes, &[]));
        let encoded = protobuf::encode(&object);
        let cut = cut.index(encoded.len());
        if let Err(error) = protobuf::decode::<Everything>(&encoded[..cut]) {
            prop_assert!(error.offset() <= cut, "{error}");
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>) {
        let _ = protobuf::decode::<Everything>(&bytes);
        let _ = Envelope::decode(&bytes);
        parts(&bytes).for_each(drop);
    }
}

#[test]
fn values_are_always_written_and_in_the_order_of_numbers() {
    let bytes = protobuf::encode(&Everything::default());
    let found: Vec<u32> = parts(&bytes).map(|part| part.unwrap().number).collect();
    assert_eq!(found, [1, 2, 3, 4, 5, 7, 13, 14, 28]);
    let mut object = Everything { last: Some(false), second: Some(String::new()), ..Everything::default() };
    object.labels = [("b", "2"), ("a", "1")].map(|(key, value)| (key.into(), value.into())).into();
    let bytes = protobuf::encode(&object);
    let found: Vec<_> =
        parts(&bytes).map(Result::unwrap).skip(8).map(|part| (part.number, part.value)).collect();
    assert_eq!(
        found,
        [
            (20, PartValue::Bytes(b"\x0a\x01a\x12\x011")),
            (20, PartValue::Bytes(b"\x0a\x01b\x12\x012")),
            (27, PartValue::Varint(0)),
            (28, PartValue::Bytes(&[0x08, 0, 0x12, 0])),
        ]
    );
}

#[test]
fn the_last_of_duplicate_scalars_is_used_and_duplicate_messages_are_merged() {
    reads(&[0x10, 1, 0x10, 2], r#"{"small":2}"#);
    reads(b"\x2a\x01a\x2a\x01b", r#"{"name":"b"}"#);
    let merged = [0x72, 2, 0x08, 1, 0x72, 4, 0x12, 2, 0x08, 2, 0x72, 4, 0x12, 2, 0x08, 3];
    reads(&merged, r#"{"inner":{"id":1,"children":[{"id":2},{"id":3}]}}"#);
    // The last of several values in an entry of a map is used, too.
    reads(b"\xa2\x01\x09\x0a\x01a\x12\x01x\x12\x01y", r#"{"labels":{"a":"y"}}"#);
    reads(&[0xa2, 1, 0, 0xa2, 1, 3, 0x12, 1, b'x'], r#"{"labels":{"":"x"}}"#);
    // Of entries with the same key, the last one is used, even if it has no value.
    reads(b"\xa2\x01\x06\x0a\x01a\x12\x01x\xa2\x01\x06\x0a\x01a\x12\x01y", r#"{"labels":{"a":"y"}}"#);
    reads(b"\xa2\x01\x06\x0a\x01a\x12\x01x\xa2\x01\x03\x0a\x01a", r#"{"labels":{"a":""}}"#);
}

#[test]
fn lists_of_numbers_may_be_packed() {
    reads(&[0x88, 1, 1, 0x88, 1, 2], r#"{"numbers":[1,2]}"#);
    reads(&[0x8a, 1, 3, 1, 0x80, 1, 0x88, 1, 2], r#"{"numbers":[1,128,2]}"#);
    let mut ratios = vec![0x92, 1, 16];
    ratios.extend([1.5_f64, -2.0].into_iter().flat_map(f64::to_le_bytes));
    reads(&ratios, r#"{"ratios":[1.5,-2.0]}"#);
}

#[test]
fn numbers_of_ten_bytes_are_truncated_to_their_type() {
    let minus_one = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1];
    reads(&[&[0x10][..], &minus_one].concat(), r#"{"small":-1}"#);
    reads(&[0x10, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], r#"{"small":1}"#);
    refuses(
        &[0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0],
        "byte 1, small: expected a number of at most 10 bytes, found a longer one",
    );
}

#[test]
fn unknown_fields_are_ignored() {
    let mut unknown = vec![0xa0, 6, 1];
    unknown.extend(b"\xa2\x06\x02ab");
    unknown.extend([0xa1, 6, 1, 2, 3, 4, 5, 6, 7, 8, 0xa5, 6, 1, 2, 3, 4]);
    // A group with a group in it.
    unknown.extend([0xa3, 6, 0x08, 1, 0x13, 0x14, 0xa4, 6]);
    unknown.extend([0x10, 7]);
    reads(&unknown, r#"{"small":7}"#);
}

#[test]
fn errors_contain_the_offset_and_the_field_path() {
    refuses(&[0x2a, 5, b'a'], "byte 1, name: expected 5 more bytes, found 1");
    refuses(&[0x2a, 1, 0xff], "byte 2, name: expected text in UTF-8, found an invalid byte");
    refuses(&[0x28, 1], "byte 0, name: expected bytes with their length (wire type 2), found wire type 0");
    refuses(
        &[0x9a, 1, 4, 0x12, 2, 0x08, 0x80],
        "byte 6, inners[0].children[0].id: expected the rest of a number, found the end",
    );
    refuses(&[0x07], "byte 0: expected a field number of at least 1, found 0");
    refuses(&[0xa6, 6], "byte 0: expected wire type 0 to 5, found 6");
    refuses(&[0xa4, 6], "byte 0: expected a field, found the end of group 100");
    refuses(&[0xa3, 6, 0x0c], "byte 2: expected the end of group 100, found the end of group 1");
    refuses(&[0xa3, 6], "byte 2: expected the end of group 100, found the end of the bytes");
    // A value in an entry must be valid even if another one follows it.
    refuses(
        b"\xaa\x01\x0d\x0a\x01a\x12\x03\x0a\x05x\x12\x03\x0a\x011",
        "byte 9, amounts.a: expected 5 more bytes, found 1",
    );
    assert!(read(&[0x5a, 3, 0x0a, 1, b'x']).unwrap_err().starts_with("byte 3, amount: expected a quantity"));
}

#[derive(ApiType)]
struct Many {
    #[field(number = 1)]
    all: Vec<Everything>,
    #[field(number = 2)]
    by_name: BTreeMap<String, Everything>,
}

/// Each element is two bytes in the input and hundreds of bytes in memory.
#[test]
fn memory_is_bounded_by_the_input() {
    let expected = |bytes: usize| {
        let allowed = (64 << 20) + 64 * bytes;
        format!(
            "expected objects that take at most {allowed} bytes of memory for {bytes} bytes of input, found more"
        )
    };
    let bytes = [0x0a, 0].repeat(400_000);
    let error = protobuf::decode::<Many>(&bytes).err().unwrap();
    assert_eq!((error.path(), error.message()), ("all", &*expected(bytes.len())));
    let bytes = [0x12, 4, 0x0a, 2, b'a', b'b'].repeat(400_000);
    let error = protobuf::decode::<Many>(&bytes).err().unwrap();
    assert_eq!((error.path(), error.message()), ("byName", &*expected(bytes.len())));
    // An absent element of a list takes as much memory as an object.
    let document = format!(r#"{{"all":[{}null]}}"#, "null,".repeat(3_000_000));
    let error = json::decode::<Many>(document.as_bytes()).err().unwrap();
    assert!(error.path().starts_with("all["), "{error}");
    assert_eq!(error.message(), expected(document.len()));
    let text = format!(r#"{{"all":[{{}}{}]}}"#, ",{}".repeat(399_999));
    let error = json::decode::<Many>(text.as_bytes()).err().unwrap();
    assert_eq!(error.message(), expected(text.len()));
    assert!(error.path().starts_with("all["), "{error}");
    let few = [0x0a, 0].repeat(1000);
    assert_eq!(protobuf::decode::<Many>(&few).unwrap().all.len(), 1000);
}

#[test]
fn depth_is_bounded() {
    let mut bytes = vec![0x08, 1];
    for _ in 0..100_000 {
        let mut outer = vec![0x12];
        let mut length = bytes.len();
        while length >= 0x80 {
            outer.push(length as u8 | 0x80);
            length >>= 7;
        }
        outer.push(length as u8);
        if bytes.len() > 1 << 20 {
            break;
        }
        outer.extend(&bytes);
        bytes = outer;
    }
    let error = protobuf::decode::<Inner>(&bytes).err().unwrap();
    assert_eq!(error.message(), "expected at most 256 nested messages, found more");
    let groups = [0xa3, 6].repeat(100_000);
    assert!(read(&groups).unwrap_err().contains("open groups"));
}

#[test]
fn times_that_are_not_set_are_empty_messages() {
    let unset = b"\x3a\x00\x42\x00";
    reads(unset, "{}");
    let bytes = protobuf::encode(&Everything {
        later: Some("1970-01-01T00:00:01Z".parse().unwrap()),
        micro: Some("1969-12-31T23:59:59.5Z".parse().unwrap()),
        ..Everything::default()
    });
    let found: Vec<_> = parts(&bytes).map(Result::unwrap).map(|part| (part.number, part.value)).collect();
    assert!(found.contains(&(7, PartValue::Bytes(&[]))));
    assert!(found.contains(&(8, PartValue::Bytes(&[0x08, 1, 0x10, 0]))));
    let micro = found.iter().find(|(number, _)| *number == 9).unwrap().1;
    let PartValue::Bytes(micro) = micro else { panic!("a time is a message") };
    let micro: Vec<_> = parts(micro).map(|part| part.unwrap().value).collect();
    assert_eq!(micro, [PartValue::Varint(u64::MAX), PartValue::Varint(500_000_000)]);
}

#[derive(ApiType)]
struct Texts {
    #[field(number = 1)]
    first: String,
    #[field(number = 2)]
    inner: Vec<InnerText>,
    #[field(number = 16)]
    data: Vec<u8>,
    #[field(number = 3000)]
    number: i64,
}

#[derive(ApiType)]
struct InnerText {
    #[field(number = 1)]
    text: String,
}

/// The bytes of a number, one after the other.
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn sized(number: u64, bytes: &[u8]) -> Vec<u8> {
    [&varint(number << 3 | 2), &varint(bytes.len() as u64), bytes].concat()
}

#[test]
fn texts_of_all_lengths_are_written_whole() {
    let lengths = (0..300).chain(1000..1050).chain([16_383, 16_384, 100_000, 1 << 21, 5 << 20]);
    for length in lengths {
        let text: String = ('!'..='~').cycle().take(length).collect();
        let inner = || InnerText { text: text.clone() };
        let data = text.clone().into_bytes();
        let object = Texts { first: text.clone(), inner: vec![inner(), inner()], data, number: 1 };
        let message = sized(2, &sized(1, text.as_bytes()));
        let data = if length == 0 { Vec::new() } else { sized(16, text.as_bytes()) };
        let expected =
            [sized(1, text.as_bytes()), message.clone(), message, data, varint(3000 << 3), vec![1]].concat();
        assert!(protobuf::encode(&object) == expected, "{length}");
    }
}

#[test]
fn numbers_of_all_sizes_are_written() {
    let around = |bit: u32| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1];
    for value in (0..64).flat_map(around).chain([u64::MAX, i64::MAX as u64]) {
        let bytes = protobuf::encode(&Texts { number: value as i64, ..Texts::default() });
        let expected = [&[0x0A, 0][..], &varint(3000 << 3), &varint(value)].concat();
        assert_eq!(bytes, expected, "{value:x}");
        assert_eq!(protobuf::decode::<Texts>(&bytes).unwrap().number, value as i64);
    }
}

#[test]
fn an_envelope_contains_the_kind_of_its_message() {
    let inner = Inner { id: 1, ..Inner::default() };
    let type_meta = TypeMeta { api_version: "v1", kind: "Inner" };
    let bytes =
        protobuf::Writer::scratch(|writer| protobuf::encode_enveloped(&inner, Some(type_meta), writer));
    assert_eq!(bytes, b"k8s\0\x0a\x0b\x0a\x02v1\x12\x05Inner\x12\x02\x08\x01\x1a\x00\x22\x00");
    let envelope = Envelope::decode(&bytes).unwrap();
    assert_eq!((envelope.api_version, envelope.kind, envelope.raw), ("v1", "Inner", &[8, 1][..]));
    let error = Envelope::decode(b"k8s").unwrap_err();
    assert_eq!(error.to_string(), "byte 0: expected the bytes [6b, 38, 73, 00], found [6b, 38, 73]");
    let error = Envelope::decode(b"k8s\0\x12\x05").unwrap_err();
    assert_eq!(error.to_string(), "byte 5: expected 5 more bytes, found 0");
    // Offsets of errors in the message count from the start of the envelope.
    let broken = Envelope { raw: &[8], ..Envelope::default() }.encode();
    let envelope = Envelope::decode(&broken).unwrap();
    let error = envelope.decode_into(&broken, &mut Inner::default()).unwrap_err();
    assert_eq!(error.to_string(), "byte 13, id: expected the rest of a number, found the end");
    let packed = Envelope { content_encoding: "gzip", ..Envelope::default() };
    assert!(packed.decode_into(b"", &mut Inner::default()).unwrap_err().message().contains("gzip"));
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Gear")]
struct Gear {
    #[field(number = 1)]
    metadata: Inner,
    #[field(number = 2)]
    spec: Everything,
    #[field(number = 3)]
    teeth: Option<Vec<i32>>,
    #[field(number = 4)]
    labels: Option<BTreeMap<String, String>>,
}

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Note")]
struct Note {
    #[field(number = 1)]
    text: String,
    #[field(number = none)]
    draft: String,
}

#[derive(ApiType)]
struct Plain {
    text: String,
}

#[derive(ApiType)]
struct Holder {
    #[field(number = 1)]
    plain: Option<OrBool<Plain>>,
}

/// A Scheme reads and writes kinds that are not Kubernetes'.
#[test]
fn custom_kinds_survive_a_round_trip() {
    let mut scheme = Scheme::new();
    scheme.register(const { &[KindRow::of::<Gear>(), KindRow::of::<Note>()] });
    let text = br#"{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"id":3},"spec":{"name":"g","grid":[[1],[],[-2,3]],"steps":[["1","2m"]],"layers":[{},{"a":{"id":1},"b":{}}],"tree":{"x":{},"y":{"z":"0"}},"groups":{"g":[{"id":1},{"id":2}]},"shape":{"square":{"id":4}}},"teeth":[5,6],"labels":{"l":"m","n":""}}"#;
    let (object, notes) = scheme.decode(text).unwrap();
    assert!(notes.unknown.is_empty(), "{:?}", notes.unknown);
    assert!(protobuf::covers(object.value.descriptor()));
    let bytes = object.encode_protobuf();
    let envelope = Envelope::decode(&bytes).unwrap();
    assert_eq!((envelope.api_version, envelope.kind), ("example.com/v1", "Gear"));
    let again = scheme.decode_protobuf(&bytes).unwrap();
    assert_eq!(
        String::from_utf8(again.encode().unwrap()).unwrap(),
        String::from_utf8(object.encode().unwrap()).unwrap()
    );
    assert_eq!(again.encode_protobuf(), bytes);
    let bare = scheme.decode_message(&object.entry, envelope.raw).unwrap();
    assert_eq!(bare, object);

    let stranger = Envelope { kind: "Wheel", ..envelope }.encode();
    let error = scheme.decode_protobuf(&stranger).unwrap_err();
    assert!(matches!(error, SchemeError::UnknownKind { .. }), "{error}");
}

#[test]
fn a_type_with_a_field_without_a_number_is_not_covered() {
    use hubgen_machinery::reflect::ApiType as _;
    assert!(protobuf::covers(Everything::describe()));
    for descriptor in [Note::describe(), Plain::describe(), Holder::describe()] {
        assert!(!protobuf::covers(descriptor), "{}", descriptor.name);
    }
}
