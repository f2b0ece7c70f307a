//! Types with every shape of field.

use std::collections::BTreeMap;
use std::fmt::Debug;

use hubgen_machinery::json::{self, Raw};
use hubgen_machinery::reflect::{self, OrArray, OrBool, OrStrings, Strings};
use hubgen_machinery::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use hubgen_machinery::{ApiType, Str, StrMap, protobuf, yaml};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::peer;

/// Types that JSON and protobuf support without Kubernetes' rules.
#[derive(ApiType)]
pub struct Plain {
    #[field(number = 1)]
    pub flag: bool,
    #[field(number = 2)]
    pub small: i32,
    #[field(number = 3)]
    pub large: i64,
    #[field(number = 4)]
    pub ratio: f64,
    #[field(number = 5)]
    pub name: String,
    #[field(number = 6)]
    pub data: Vec<u8>,
    #[field(number = 7)]
    pub inner: Inner,
    #[field(number = 8)]
    pub maybe_flag: Option<bool>,
    #[field(number = 9)]
    pub maybe_small: Option<i32>,
    #[field(number = 10)]
    pub maybe_large: Option<i64>,
    #[field(number = 11)]
    pub maybe_ratio: Option<f64>,
    #[field(number = 12)]
    pub maybe_name: Option<String>,
    #[field(number = 13)]
    pub maybe_inner: Option<Inner>,
    #[field(number = 14)]
    pub flags: Vec<bool>,
    #[field(number = 15)]
    pub smalls: Vec<i32>,
    #[field(number = 16)]
    pub larges: Vec<i64>,
    #[field(number = 17)]
    pub ratios: Vec<f64>,
    #[field(number = 18)]
    pub names: Vec<String>,
    #[field(number = 19)]
    pub inners: Vec<Inner>,
    #[field(number = 20)]
    pub labels: StrMap<Str>,
    #[field(number = 21)]
    pub counts: BTreeMap<String, i64>,
    #[field(number = 22)]
    pub blobs: StrMap<Vec<u8>>,
    #[field(number = 23)]
    pub parts: StrMap<Inner>,
    // `second` and `first` are in one nested message on the wire, in another order than in JSON, and after a field with
    // a larger number.
    #[field(number = 2000)]
    pub far: Option<i64>,
    #[field(number(24, 2))]
    pub second: Option<String>,
    #[field(number(24, 1))]
    pub first: i32,
}

/// A type that contains itself.
#[derive(ApiType)]
pub struct Inner {
    #[field(number = 1)]
    pub id: i32,
    #[field(number = 2)]
    pub children: Vec<Inner>,
    #[field(number = 3)]
    pub note: Option<String>,
}

/// [`Plain`] in an earlier release.
#[derive(ApiType)]
pub struct Older {
    #[field(number = 2)]
    pub small: i32,
    #[field(number = 7)]
    pub inner: OlderInner,
    #[field(number = 13)]
    pub maybe_inner: Option<OlderInner>,
    #[field(number = 16)]
    pub larges: Vec<i64>,
    #[field(number = 19)]
    pub inners: Vec<OlderInner>,
    #[field(number = 20)]
    pub labels: BTreeMap<String, String>,
    #[field(number = 23)]
    pub parts: StrMap<OlderInner>,
    #[field(number(24, 1))]
    pub first: i32,
}

/// [`Inner`] in an earlier release.
#[derive(ApiType)]
pub struct OlderInner {
    #[field(number = 2)]
    pub children: Vec<OlderInner>,
    #[field(number = 3)]
    pub note: Option<String>,
}

/// Types that only Kubernetes has.
#[derive(ApiType)]
pub struct Special {
    #[field(number = 1)]
    pub leaves: Leaves,
    #[field(number = 2)]
    pub free: Raw,
    #[field(number = 3)]
    pub frees: Vec<Raw>,
    #[field(number = 4)]
    pub verbs: Strings,
    #[field(number = 5)]
    pub extra: StrMap<Strings>,
    #[field(number = 6)]
    pub amounts: BTreeMap<String, Quantity>,
    #[field(number = 7)]
    pub or_bool: Option<OrBool<Inner>>,
    #[field(number = 8)]
    pub or_array: Option<OrArray<Inner>>,
    #[field(number = 9)]
    pub or_strings: Option<OrStrings<Inner>>,
    #[field(number = 10)]
    pub color: Option<Color>,
    #[field(number = 11)]
    pub shape: Option<Shape>,
    #[field(number = 12)]
    pub ports: Vec<IntOrString>,
    #[field(number = 13, value)]
    pub created: Option<Time>,
}

/// A kind.
#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Root")]
pub struct Root {
    #[field(number = 1)]
    pub spec: Special,
    #[field(number = 2)]
    pub any: Raw,
    #[field(number = 3)]
    pub items: Vec<Raw>,
}

/// Scalars with their own text format.
#[derive(ApiType)]
pub struct Leaves {
    #[field(number = 1)]
    pub time: Option<Time>,
    #[field(number = 2)]
    pub micro: Option<MicroTime>,
    #[field(number = 3)]
    pub wait: Option<Duration>,
    #[field(number = 4)]
    pub amount: Option<Quantity>,
    #[field(number = 5)]
    pub port: Option<IntOrString>,
}

/// An enum without values.
#[derive(ApiType)]
pub enum Color {
    #[default]
    Red,
    Green,
}

/// An enum with values.
#[derive(ApiType)]
pub enum Shape {
    #[default]
    #[field(number = 1)]
    Round(Inner),
    #[field(number = 2)]
    Square(Inner),
}

/// The traits that the derive implements.
pub trait Object: reflect::ApiType + PartialEq + Debug + Serialize + DeserializeOwned {
    /// Replaces a value that JSON does not distinguish from another one with the one that is read back.
    fn normalize(&mut self) {}
}

impl Object for Plain {}
impl Object for Inner {}
impl Object for Older {}
impl Object for Leaves {}

impl Object for Special {
    /// Upstream writes `null` for a union that is an empty list.
    fn normalize(&mut self) {
        if matches!(&self.or_array, Some(OrArray::Array(values)) if values.is_empty()) {
            self.or_array = None;
        }
        if matches!(&self.or_strings, Some(OrStrings::Strings(names)) if names.is_empty()) {
            self.or_strings = None;
        }
    }
}

/// Encodes and decodes an object in every format and compares the results with the object.
#[track_caller]
pub fn survives<T: Object>(object: &T) {
    survives_json(object);
    survives_protobuf(object);
}

/// Encodes and decodes an object as JSON and as YAML, also through serde, and compares the results with the object.
#[track_caller]
pub fn survives_json<T: Object>(object: &T) {
    let text = json::encode(object).unwrap();
    let shown = String::from_utf8_lossy(&text).into_owned();
    let read = |bytes: &[u8]| json::decode::<T>(bytes).unwrap_or_else(|error| panic!("{error} in {shown}"));
    assert_eq!(read(&text), *object, "JSON {shown}");
    let value: T = match serde_json::from_slice(&text) {
        Ok(value) => value,
        // serde_json refuses lone surrogates, which stored JSON may contain.
        Err(error) => {
            assert!(peer::json(&text).is_none(), "{error} in {shown}");
            return;
        }
    };
    let is_same = |found: T| assert_same(&found, object);
    is_same(value);
    is_same(read(&serde_json::to_vec(object).expect("JSON can represent it")));
    let yaml = yaml::from_json(&text).expect("encoded JSON");
    is_same(read(&yaml::to_json(&yaml).unwrap_or_else(|error| panic!("{error} in\n{yaml}"))));
}

/// Checks that two objects are equal except for details of free-form JSON: serde and YAML keep the values, but not the
/// digits of numbers, and of duplicate names only the last.
#[track_caller]
pub fn assert_same<T: Object>(found: &T, expected: &T) {
    let value = |object: &T| {
        peer::json(&peer::without_lone_surrogates(&json::encode(object).unwrap())).expect("encoded JSON")
    };
    assert!(peer::same(&value(found), &value(expected)), "{found:?}\nfor\n{expected:?}");
}

/// Encodes and decodes an object as protobuf and compares the result with the object.
#[track_caller]
pub fn survives_protobuf<T: Object>(object: &T) {
    let bytes = protobuf::encode(object);
    let again: T = protobuf::decode(&bytes).unwrap_or_else(|error| panic!("{error} in {bytes:02x?}"));
    // The encoded bytes are compared, because NaN does not equal itself.
    assert_eq!(protobuf::encode(&again), bytes, "{again:?}\nafter\n{object:?}");
    // An infinite number, or a text that is no JSON, is the same error on both sides.
    assert_eq!(json::encode(&again), json::encode(object));
}
