//! Enums of words that keep the words that no variant has.

use hubgen_laws::objects::{Source, generate};
use hubgen_machinery::reflect::{
    ApiType as _, DeepCopy, Lent, Reflect, Slot, SlotMut, Type, equal, slots_equal,
};
use hubgen_machinery::{ApiType, Str, StrMap, json, protobuf, yaml};

#[derive(ApiType)]
enum Algorithm {
    #[field(name = "RSA")]
    Rsa,
    #[field(name = "ECDSA")]
    Ecdsa,
    Ed25519,
    #[field(other)]
    Other(Str),
}

/// The empty text is a word.
#[derive(ApiType)]
enum Policy {
    Always,
    #[field(name = "")]
    Unset,
    #[field(other)]
    Else(Str),
}

#[derive(ApiType)]
struct Key {
    #[field(number = 1, required, one_of)]
    algorithm: Algorithm,
    #[field(number = 2, one_of)]
    optional: Option<Algorithm>,
    #[field(number = 3, one_of)]
    list: Vec<Algorithm>,
    #[field(number = 4, one_of)]
    map: StrMap<Algorithm>,
    #[field(number = 5)]
    lists: StrMap<Vec<Algorithm>>,
    #[field(number = 6)]
    policy: Policy,
    #[field(number = 7)]
    boxed: Option<Box<Algorithm>>,
}

/// The same object, with strings.
#[derive(ApiType)]
struct Texts {
    #[field(number = 1)]
    algorithm: Str,
    #[field(number = 2)]
    optional: Option<Str>,
    #[field(number = 3)]
    list: Vec<Str>,
    #[field(number = 4)]
    map: StrMap<Str>,
    #[field(number = 5)]
    lists: StrMap<Vec<Str>>,
    #[field(number = 6)]
    policy: Str,
    #[field(number = 7)]
    boxed: Option<Str>,
}

const LONG: &str = "a word that is too long to be stored in place";

const FULL: &str = r#"{"algorithm":"ECDSA","optional":"DSA","list":["RSA","","a word that is too long to be stored in place"],"map":{"a":"RSA","b":"x"},"lists":{"a":["Ed25519","y"]},"policy":"Always","boxed":"RSA"}"#;

fn full() -> Key {
    json::decode(FULL.as_bytes()).unwrap()
}

#[test]
fn json_survives_a_round_trip_byte_for_byte() {
    let key = full();
    assert!(matches!(key.algorithm, Algorithm::Ecdsa));
    assert!(matches!(&key.optional, Some(Algorithm::Other(word)) if word == "DSA"));
    assert!(
        matches!(&*key.list, [Algorithm::Rsa, Algorithm::Other(empty), Algorithm::Other(long)] if empty.is_empty() && long == LONG)
    );
    assert!(matches!(key.policy, Policy::Always));
    assert_eq!(String::from_utf8(json::encode(&key).unwrap()).unwrap(), FULL);
    assert_eq!(serde_json::to_string(&key).unwrap(), FULL);
    assert!(serde_json::from_str::<Key>(FULL).unwrap() == key);
    let text = yaml::from_json(FULL.as_bytes()).unwrap();
    assert!(json::decode::<Key>(&yaml::to_json(&text).unwrap()).unwrap() == key);
}

#[test]
fn an_enum_alone_is_a_string_for_serde() {
    let words: Vec<Algorithm> = serde_json::from_str(r#"["RSA","DSA"]"#).unwrap();
    assert_eq!(words, ["RSA", "DSA"]);
    assert_eq!(serde_json::to_string(&words).unwrap(), r#"["RSA","DSA"]"#);
    assert!(serde_json::from_str::<Algorithm>("1").is_err());
}

#[test]
fn protobuf_is_that_of_strings() {
    let texts: Texts = json::decode(FULL.as_bytes()).unwrap();
    let bytes = protobuf::encode(&full());
    assert_eq!(bytes, protobuf::encode(&texts));
    assert!(protobuf::decode::<Key>(&bytes).unwrap() == full());
}

#[test]
fn the_empty_value_is_the_empty_text() {
    let key = Key::default();
    assert!(matches!(&key.algorithm, Algorithm::Other(word) if word.is_empty()));
    assert!(matches!(key.policy, Policy::Unset));
    assert!(key.fields().slots().all(|slot| slot.is_zero()));
    assert_eq!(json::encode(&key).unwrap(), br#"{"algorithm":""}"#);
    let mut key = full();
    for index in 0..key.fields().len() {
        key.write(index).clear();
    }
    assert!(key == Key::default());
    assert!(matches!(key.policy, Policy::Unset));
}

#[test]
fn a_known_word_is_always_its_variant() {
    for word in [Algorithm::from("RSA"), Str::from("RSA").into()] {
        assert!(matches!(word, Algorithm::Rsa));
        assert!(word == "RSA" && word == *"RSA" && word != "rsa");
        assert_eq!((word.as_str(), &*word.to_string(), &*format!("{word:>5}")), ("RSA", "RSA", "  RSA"));
        assert_eq!(Str::from(word), "RSA");
    }
    let long = Str::from(LONG);
    let Algorithm::Other(word) = Algorithm::from(long.clone()) else { unreachable!() };
    assert!(word.shares_with(&long));
    assert!(Str::from(Algorithm::Other(word)).shares_with(&long));
    assert!(matches!(Policy::from(""), Policy::Unset));
}

#[test]
fn copies_are_equal_and_reuse_what_they_can() {
    let key = full();
    assert!(key.deep_copy() == key);
    let mut target = Key { algorithm: Algorithm::Ed25519, list: vec!["x".into()], ..Key::default() };
    key.deep_copy_into(&mut target);
    assert!(target == key);
    let Algorithm::Other(word) = &key.list[2] else { unreachable!() };
    let Algorithm::Other(copy) = &target.list[2] else { unreachable!() };
    assert!(copy.shares_with(word));
    assert!(matches!(&*target.list, [Algorithm::Rsa, ..]));
    // A copy by reflection alone, as objects of unknown type are copied.
    let copy = Lent::new(&key) as &dyn Reflect;
    assert!(equal(&*copy.boxed_copy(), Lent::new(&key)));
}

#[test]
fn reflection_sees_strings() {
    let (key, texts): (_, Texts) = (full(), json::decode(FULL.as_bytes()).unwrap());
    for (word, text) in key.fields().slots().zip(texts.fields().slots()) {
        assert!(slots_equal(&word, &text));
    }
    assert!(matches!(Algorithm::describe_field(), Type::Words(["RSA", ..])));
    let mut key = key;
    let SlotMut::String(slot) = key.write(0) else { unreachable!() };
    assert!(slot.set_utf8(b"RSA") && !slot.set_utf8(b"\xff"));
    assert_eq!(slot.as_str(), "RSA");
    assert!(matches!(key.algorithm, Algorithm::Rsa));
    assert!(matches!(key.fields().slot(0), Slot::String(_)));
}

impl Algorithm {
    /// The type of the field `algorithm`.
    fn describe_field() -> Type {
        Key::describe().fields[0].ty.clone()
    }
}

#[test]
fn one_of_alone_lists_the_words_of_the_type() {
    for field in &Key::describe().fields[..4] {
        let words: Vec<&str> = field.facts.enumeration().iter().collect();
        assert_eq!(words, ["RSA", "ECDSA", "Ed25519"], "{}", field.name);
    }
    assert!(Key::describe().fields[4].facts.enumeration().is_empty());
}

#[test]
fn generated_objects_have_known_and_unknown_words() {
    let (mut known, mut unknown) = (0, 0);
    for seed in 0..400_u32 {
        let bytes: Vec<u8> = (0..200_u32).map(|at| (seed * 7919 + at * 104_729 + seed * at) as u8).collect();
        let key: Key = generate(&mut Source::new(&bytes, &[]));
        match key.algorithm {
            Algorithm::Other(word) if !word.is_empty() => unknown += 1,
            Algorithm::Other(_) => {}
            _ => known += 1,
        }
    }
    assert!(known > 100 && unknown > 20, "{known} known and {unknown} unknown");
}

/// An object with words is as large as one with strings.
#[test]
fn an_enum_takes_no_more_room_than_a_text() {
    assert_eq!(size_of::<Algorithm>(), size_of::<Str>());
    assert_eq!(size_of::<Option<Algorithm>>(), size_of::<Str>());
}
