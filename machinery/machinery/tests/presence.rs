//! Fields that distinguish an absent value, `null` and an empty one.

#![allow(missing_docs)]

use hubgen_machinery::reflect::{DeepCopy, Slot, is_unset};
use hubgen_machinery::{ApiType, Str, StrMap, json, yaml};

#[derive(ApiType)]
struct Part {
    size: Option<Option<i32>>,
}

#[derive(ApiType)]
struct Holder {
    text: Option<Option<Str>>,
    number: Option<Option<i64>>,
    list: Option<Option<Vec<Str>>>,
    part: Option<Option<Part>>,
    boxed: Option<Option<Box<Part>>>,
    optional_list: Option<Vec<Str>>,
    optional_map: Option<StrMap<Str>>,
    #[field(required)]
    list_of_all: Vec<Str>,
    #[field(required)]
    map_of_all: StrMap<i32>,
    #[field(required)]
    nullable: Option<Str>,
    #[field(required)]
    name: Str,
}

const EMPTY: &str = r#"{"listOfAll":[],"mapOfAll":{},"nullable":null,"name":""}"#;

/// JSON of each state, besides the required fields.
const STATES: [&str; 9] = [
    "",
    r#""text":null,"number":null,"list":null,"part":null,"boxed":null,"#,
    r#""text":"","number":0,"list":[],"part":{},"boxed":{},"#,
    r#""text":"a","number":-1,"list":["a"],"part":{"size":null},"boxed":{"size":null},"#,
    r#""part":{"size":1},"boxed":{"size":0},"#,
    r#""optionalList":[],"optionalMap":{},"#,
    r#""optionalList":["a"],"optionalMap":{"a":"b"},"#,
    r#""text":null,"optionalList":[],"#,
    r#""boxed":null,"optionalMap":{},"#,
];

fn json_of(state: &str) -> String {
    EMPTY.replacen('{', &format!("{{{state}"), 1)
}

fn decoded(state: &str) -> Holder {
    json::decode(json_of(state).as_bytes()).unwrap()
}

#[test]
fn json_comes_back_as_it_was() {
    for state in STATES {
        assert_eq!(json::encode(&decoded(state)).unwrap(), json_of(state).as_bytes());
    }
}

#[test]
fn all_states_are_different() {
    for (one, a) in STATES.iter().enumerate() {
        for (other, b) in STATES.iter().enumerate() {
            assert_eq!(decoded(a) == decoded(b), one == other, "{a} {b}");
        }
    }
}

#[test]
fn null_is_a_value() {
    let holder = decoded(STATES[1]);
    assert_eq!((&holder.text, &holder.number, &holder.list), (&Some(None), &Some(None), &Some(None)));
    assert_eq!((&holder.part, &holder.boxed), (&Some(None), &Some(None)));
    let object: &dyn hubgen_machinery::reflect::Reflect = &holder;
    let slot = object.field("text").unwrap();
    assert!(matches!(slot, Slot::Null) && !is_unset(true, &slot) && !slot.is_zero());
    assert!(format!("{holder:?}").contains("text: Some(None)"), "{holder:?}");
}

/// Where `null` is not a value of its own, it means absent, or empty if the field cannot be absent.
#[test]
fn other_fields_read_null_as_absent() {
    let holder: Holder = json::decode(
        br#"{"optionalList":null,"optionalMap":null,"listOfAll":null,"mapOfAll":null,"name":null,"nullable":null}"#,
    )
    .unwrap();
    assert_eq!(holder, decoded(""));
}

#[test]
fn yaml_and_serde_keep_every_state() {
    for state in STATES {
        let holder = decoded(state);
        let text = yaml::from_json(&json::encode(&holder).unwrap()).unwrap();
        assert_eq!(json::decode::<Holder>(&yaml::to_json(&text).unwrap()).unwrap(), holder, "{text}");
        let json = serde_json::to_string(&holder).unwrap();
        assert_eq!(json, json_of(state));
        assert_eq!(serde_json::from_str::<Holder>(&json).unwrap(), holder);
        let bytes = postcard::to_allocvec(&holder).unwrap();
        assert_eq!(postcard::from_bytes::<Holder>(&bytes).unwrap(), holder, "{state}");
    }
}

#[test]
fn copies_are_equal() {
    for state in STATES {
        let holder = decoded(state);
        assert_eq!(holder.deep_copy(), holder);
        assert_eq!(holder.clone(), holder);
        for other in STATES {
            let mut target = decoded(other);
            holder.deep_copy_into(&mut target);
            assert_eq!(target, holder, "{state} over {other}");
        }
    }
}
