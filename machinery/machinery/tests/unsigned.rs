//! Unsigned numbers in fields, lists, maps and unions of options.

use hubgen_laws::objects::Source;
use hubgen_machinery::reflect::{ApiType as _, Reflect, equal};
use hubgen_machinery::{ApiType, StrMap, json, structural, yaml};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(ApiType)]
struct Numbers {
    small: u16,
    medium: u32,
    large: u64,
    #[field(required)]
    required: u32,
    optional: Option<u32>,
    #[field(default = "4294967295")]
    defaulted: Option<u32>,
    list: Vec<u64>,
    map: StrMap<u16>,
    nullable: Option<Option<u64>>,
}

fn encoded(numbers: &Numbers) -> Value {
    serde_json::from_slice(&json::encode(numbers).unwrap()).unwrap()
}

fn largest() -> Value {
    json!({
        "small": u16::MAX, "medium": u32::MAX, "large": u64::MAX, "required": u32::MAX, "optional": u32::MAX,
        "defaulted": 1, "list": [0, 1, i64::MAX, i64::MAX as u64 + 1, u64::MAX], "map": {"a": 0, "b": u16::MAX},
        "nullable": u64::MAX,
    })
}

#[test]
fn all_values_come_back() {
    let numbers: Numbers = json::decode(largest().to_string().as_bytes()).unwrap();
    assert_eq!((numbers.small, numbers.medium, numbers.large), (u16::MAX, u32::MAX, u64::MAX));
    assert_eq!(numbers.list, [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX]);
    assert_eq!(encoded(&numbers), largest());
    assert_eq!(numbers.clone(), numbers);
    let text = yaml::from_json(&json::encode(&numbers).unwrap()).unwrap();
    assert_eq!(json::decode::<Numbers>(&yaml::to_json(&text).unwrap()).unwrap(), numbers);
    // serde, in a format that describes itself and in one that does not.
    assert_eq!(serde_json::to_value(&numbers).unwrap(), largest());
    assert_eq!(serde_json::from_value::<Numbers>(largest()).unwrap(), numbers);
    let bytes = postcard::to_allocvec(&numbers).unwrap();
    assert_eq!(postcard::from_bytes::<Numbers>(&bytes).unwrap(), numbers);
    assert_eq!(
        format!("{:?}", numbers.list),
        "[0, 1, 9223372036854775807, 9223372036854775808, 18446744073709551615]"
    );
    assert!(format!("{numbers:?}").contains("18446744073709551615"));
}

#[test]
fn zero_is_omitted_as_that_of_other_numbers() {
    assert_eq!(encoded(&Numbers::default()), json!({"required": 0}));
    let zero = Numbers { optional: Some(0), nullable: Some(None), ..Numbers::default() };
    assert_eq!(encoded(&zero), json!({"required": 0, "optional": 0, "nullable": null}));
}

#[test]
fn what_is_out_of_range_is_an_error_with_its_path() {
    let message = |json: &str| json::decode::<Numbers>(json.as_bytes()).unwrap_err().to_string();
    for (json, expected) in [
        (r#"{"medium":-1}"#, "line 1, column 11, medium: expected an integer from 0 to 4294967295, found -1"),
        (r#"{"small":65536}"#, "line 1, column 10, small: expected an integer from 0 to 65535, found 65536"),
        (
            r#"{"list":[0,-1]}"#,
            "line 1, column 12, list[1]: expected an integer from 0 to 18446744073709551615, found -1",
        ),
        (r#"{"map":{"a":1.5}}"#, "line 1, column 13, map.a: expected an integer from 0 to 65535, found 1.5"),
        (
            r#"{"large":18446744073709551616}"#,
            "line 1, column 10, large: expected an integer from 0 to 18446744073709551615, found 18446744073709551616",
        ),
        (
            r#"{"optional":"1"}"#,
            "line 1, column 13, optional: expected an integer from 0 to 4294967295, found a string",
        ),
        (
            r#"{"small":true}"#,
            "line 1, column 10, small: expected an integer from 0 to 65535, found a boolean",
        ),
    ] {
        assert_eq!(message(json), expected);
    }
    let error = serde_json::from_value::<Numbers>(json!({"medium": -1})).unwrap_err().to_string();
    assert!(error.contains("expected an integer from 0 to 4294967295, found -1"), "{error}");
}

#[test]
fn schemas_have_the_range() {
    let schema = structural::schema(Numbers::describe());
    let medium = json!({"type": "integer", "format": "int64", "minimum": 0, "maximum": 4_294_967_295_u32});
    assert_eq!(
        schema["properties"]["small"],
        json!({"type": "integer", "format": "int32", "minimum": 0, "maximum": 65_535})
    );
    assert_eq!(schema["properties"]["medium"], medium);
    assert_eq!(
        schema["properties"]["list"]["items"],
        json!({"type": "integer", "format": "int64", "minimum": 0})
    );
}

proptest! {
    #[test]
    fn generated_objects_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut numbers = Numbers::default();
        hubgen_laws::objects::fill(&mut numbers, &mut Source::new(&bytes, &[]));
        let decoded: Numbers = json::decode(&json::encode(&numbers).unwrap()).unwrap();
        prop_assert_eq!(&decoded, &numbers);
        let object = &numbers as &dyn Reflect;
        prop_assert!(equal(&*object.boxed_copy(), object));
    }
}
