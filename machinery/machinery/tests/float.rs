//! Numbers of 32 bits in fields, lists and maps.

use hubgen_laws::objects::Source;
use hubgen_machinery::reflect::{ApiType as _, Reflect, equal};
use hubgen_machinery::{ApiType, StrMap, json, protobuf, structural, yaml};
use proptest::prelude::*;
use serde_json::json;

#[derive(ApiType)]
struct Floats {
    #[field(number = 1)]
    plain: f32,
    #[field(number = 2, required)]
    required: f32,
    #[field(number = 3, default = "0.1")]
    optional: Option<f32>,
    #[field(number = 4)]
    list: Vec<f32>,
    #[field(number = 5)]
    map: StrMap<f32>,
}

fn text(value: f32) -> String {
    let json = json::encode(&Floats { required: value, ..Floats::default() }).unwrap();
    let text = String::from_utf8(json).unwrap();
    text.strip_prefix(r#"{"required":"#).and_then(|text| text.strip_suffix('}')).unwrap().to_owned()
}

/// What `json.Marshal` of Go writes for a `float32`: the fewest digits that are the number in 32 bits.
#[test]
fn numbers_are_written_as_go_does() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (0.1, "0.1"),
        (1.0 / 3.0, "0.33333334"),
        (16_777_216.0, "16777216"),
        (1e-6, "0.000001"),
        (9.99e-7, "9.99e-7"),
        (1e-10, "1e-10"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (f32::MAX, "3.4028235e+38"),
        (f32::from_bits(1), "1e-45"),
    ] {
        assert_eq!(text(value), expected);
    }
}

#[test]
fn all_values_come_back() {
    let json = r#"{"plain":0.1,"required":-2.5,"optional":0,"list":[0,1e-10,3.4028235e+38],"map":{"a":1}}"#;
    let floats: Floats = json::decode(json.as_bytes()).unwrap();
    assert_eq!(
        (floats.plain, floats.optional, &floats.list[..]),
        (0.1, Some(0.0), &[0.0, 1e-10, f32::MAX][..])
    );
    assert_eq!(String::from_utf8(json::encode(&floats).unwrap()).unwrap(), json);
    assert_eq!(floats.clone(), floats);
    let text = yaml::from_json(json.as_bytes()).unwrap();
    assert_eq!(json::decode::<Floats>(&yaml::to_json(&text).unwrap()).unwrap(), floats);
    // serde, in a format that describes itself and in one that does not.
    assert_eq!(serde_json::from_str::<Floats>(&serde_json::to_string(&floats).unwrap()).unwrap(), floats);
    let bytes = postcard::to_allocvec(&floats).unwrap();
    assert_eq!(postcard::from_bytes::<Floats>(&bytes).unwrap(), floats);
    assert!(format!("{floats:?}").contains("plain: 0.1, required: -2.5"));
}

/// The wire type of `float` is 5: four bytes in little-endian order.
#[test]
fn protobuf_has_four_bytes() {
    let floats = Floats {
        plain: 1.5,
        required: 0.0,
        optional: Some(-0.5),
        list: vec![1.0, 2.0],
        map: StrMap::from([("a", 0.25)]),
    };
    let bytes = protobuf::encode(&floats);
    #[rustfmt::skip]
    let expected = [
        0x0d, 0, 0, 0xc0, 0x3f,
        0x15, 0, 0, 0, 0,
        0x1d, 0, 0, 0, 0xbf,
        0x25, 0, 0, 0x80, 0x3f, 0x25, 0, 0, 0, 0x40,
        0x2a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0x80, 0x3e,
    ];
    assert_eq!(bytes, expected);
    assert_eq!(protobuf::decode::<Floats>(&bytes).unwrap(), floats);
    // Packed, as other writers may do.
    let packed = [0x22, 8, 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40];
    assert_eq!(protobuf::decode::<Floats>(&packed).unwrap().list, [1.0, 2.0]);
    let error = protobuf::decode::<Floats>(&[0x08, 1]).unwrap_err().to_string();
    assert!(error.contains("plain: expected a number in four bytes"), "{error}");
}

#[test]
fn what_is_no_number_of_32_bits_is_an_error_with_its_path() {
    let message = |json: &str| json::decode::<Floats>(json.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        message(r#"{"plain":1e39}"#),
        "line 1, column 10, plain: expected a 32-bit number, found 1e39"
    );
    assert_eq!(
        message(r#"{"list":[0,"1"]}"#),
        "line 1, column 12, list[1]: expected a 32-bit number, found a string"
    );
    let error = json::encode(&Floats { list: vec![0.0, f32::NAN], ..Floats::default() }).unwrap_err();
    assert_eq!(error.to_string(), "list[1]: expected a finite number, found NaN");
}

#[test]
fn equality_is_that_of_numbers() {
    let with = |plain: f32| Floats { plain, ..Floats::default() };
    assert_eq!(with(0.0), with(-0.0));
    assert_ne!(with(0.1), with(0.100_000_01));
    assert_ne!(with(f32::NAN), with(f32::NAN));
}

#[test]
fn schemas_have_the_format() {
    let schema = structural::schema(Floats::describe());
    let float = json!({"type": "number", "format": "float"});
    assert_eq!(schema["properties"]["plain"], float);
    assert_eq!(schema["properties"]["list"]["items"], float);
    assert_eq!(schema["properties"]["optional"]["default"], 0.1);
}

proptest! {
    #[test]
    fn generated_objects_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut floats = Floats::default();
        hubgen_laws::objects::fill(&mut floats, &mut Source::new(&bytes, &[]));
        let decoded: Floats = json::decode(&json::encode(&floats).unwrap()).unwrap();
        prop_assert_eq!(&decoded, &floats);
        prop_assert_eq!(&protobuf::decode::<Floats>(&protobuf::encode(&floats)).unwrap(), &floats);
        let object = &floats as &dyn Reflect;
        prop_assert!(equal(&*object.boxed_copy(), object));
    }

    #[test]
    fn any_number_comes_back(bits in any::<u32>()) {
        let value = f32::from_bits(bits);
        prop_assume!(value.is_finite());
        let json = format!(r#"{{"required":{}}}"#, text(value));
        prop_assert_eq!(json::decode::<Floats>(json.as_bytes()).unwrap().required.to_bits(), bits);
    }
}
