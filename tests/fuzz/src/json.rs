//! JSON: as text that is stored, as values, and decoded into types of every shape.

use std::collections::BTreeMap;

use base64::Engine as _;
use hubgen_machinery::Str;
use hubgen_machinery::json::lexer::{ErrorKind, Lexer, MAX_DEPTH};
use hubgen_machinery::json::{self, Raw, writer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

use crate::shapes::{Inner, Object, Plain, Special, assert_same, survives_json};
use crate::{memory, peer};

/// Bytes of memory per byte of stored text: `<` takes six bytes, in a buffer that may have grown to twice the size that
/// it needs.
const RAW_MEMORY: u64 = 16;

pub fn check(data: &[u8]) {
    let is_json = peer::is_json(data);
    let is_shallow = !is_json || peer::depth(data) <= MAX_DEPTH;
    let passed = Lexer::new(data).and_then(|mut lexer| {
        lexer.skip()?;
        lexer.finish()
    });
    match &passed {
        Ok(()) => assert!(is_json && is_shallow),
        Err(error) => {
            assert!(!is_json || (!is_shallow && error.kind() == ErrorKind::TooDeep), "{error}");
            assert!(error.offset() <= data.len() && !error.message().is_empty());
        }
    }
    let value = peer::json(&peer::without_lone_surrogates(data));
    let value = value.filter(|_| is_shallow);
    raw(data, value.as_ref());
    typed::<Plain>(data, value.as_ref(), is_negative_zero);
    typed::<Special>(data, value.as_ref(), Number::is_f64);
    if let Some(value) = &value {
        plain(value);
    }
}

/// JSON without a type.
fn raw(data: &[u8], value: Option<&Value>) {
    let raw = memory::bounded(data.len(), RAW_MEMORY, || Raw::new(data));
    let (raw, value) = match (raw, value) {
        (Ok(raw), Some(value)) => (raw, value),
        (Err(error), None) => return assert!(error.offset() <= data.len(), "{error}"),
        (Ok(raw), None) => panic!("serde_json refuses {raw}"),
        (Err(error), Some(_)) => panic!("{error}, but serde_json accepts it"),
    };
    let found = raw.to_value().unwrap();
    assert!(peer::same(&found, value), "{found}\nfor\n{value}");
    assert_eq!(Raw::new(raw.as_str().as_bytes()).as_ref(), Ok(&raw));
    assert_eq!(names(&found), names(value));
    assert!(raw.as_str().len() <= 6 * data.len());
    let again =
        peer::json(&peer::without_lone_surrogates(raw.as_str().as_bytes())).expect("the stored text is JSON");
    assert_eq!(again, *value);
    let pretty = writer::pretty(raw.as_str().as_bytes());
    assert_eq!(Raw::new(&pretty).as_ref(), Ok(&raw));
    let written = Raw::from(value);
    assert!(peer::same(&written.to_value().unwrap(), &found), "{written}\nfor\n{found}");
}

/// The names of all members, in their order.
fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(elements) => elements.iter().flat_map(names).collect(),
        Value::Object(members) => {
            members.iter().flat_map(|(name, value)| [vec![name.as_str()], names(value)].concat()).collect()
        }
        _ => Vec::new(),
    }
}

/// JSON decoded into a type. `differs` returns whether serde_json changes a number in a way that matters to a field of
/// the type.
fn typed<T: Object>(data: &[u8], value: Option<&Value>, differs: fn(&Number) -> bool) {
    let mut object = T::default();
    let decoded = memory::decoded(data.len(), || json::decode_into(data, &mut object));
    let decoded = match decoded {
        Ok(decoded) => decoded,
        Err(error) => {
            assert!(error.offset() <= data.len() && !error.message().is_empty());
            return;
        }
    };
    // A number that no float can represent is skipped in an unknown field.
    assert!(value.is_some() || peer::is_json(data));
    let meta = json::type_meta(data).expect("`decode_into` accepts the same bytes");
    assert_eq!((&meta.api_version, &meta.kind), (&decoded.api_version, &decoded.kind));
    object.normalize();
    survives_json(&object);
    let Some(value) = value else { return };
    let has_once = peer::members(data) == peer::members_of(value);
    assert!(decoded.duplicate.is_empty() || !has_once);
    if any_number(value, differs) {
        return;
    }
    let once = serde_json::to_vec(value).expect("a value is JSON");
    let mut again = json::decode::<T>(&once).unwrap_or_else(|error| panic!("{error} in {value}"));
    again.normalize();
    assert_same(&again, &object);
    if has_once && let Ok(mut through_serde) = serde_json::from_slice::<T>(data) {
        through_serde.normalize();
        assert_same(&through_serde, &object);
    }
}

/// Whether the condition is true for any number in a value.
fn any_number(value: &Value, condition: fn(&Number) -> bool) -> bool {
    match value {
        Value::Number(number) => condition(number),
        Value::Array(elements) => elements.iter().any(|element| any_number(element, condition)),
        Value::Object(members) => members.values().any(|member| any_number(member, condition)),
        _ => false,
    }
}

/// serde_json reads -0 as a float, so it is not an integer. Like other floats it may be a quantity, which keeps its
/// digits.
fn is_negative_zero(number: &Number) -> bool {
    number.as_f64().is_some_and(|zero| zero == 0.0 && zero.is_sign_negative())
}

/// A value without duplicate names: hubgen decodes its text, serde decodes it into types with serde's own derive.
fn plain(value: &Value) {
    let text = serde_json::to_vec(value).expect("a value is JSON");
    let ours = json::decode::<Plain>(&text);
    let is_named = ["apiVersion", "kind"]
        .iter()
        .all(|name| matches!(value.get(name), None | Some(Value::Null | Value::String(_))));
    let theirs =
        PlainPeer::deserialize(value).ok().filter(|_| value.is_object() && is_named).map(Plain::from);
    match (ours, theirs) {
        (Ok(ours), Some(theirs)) => assert_eq!(ours, theirs),
        (Ok(ours), None) => panic!("serde refuses {value}, hubgen decodes {ours:?}"),
        (Err(error), Some(_)) => panic!("{error} in {value}, but serde accepts it"),
        (Err(_), None) => {}
    }
}

/// [`Plain`] with serde's own derive. `null` is absent everywhere, as in Go.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainPeer {
    flag: Option<bool>,
    small: Option<i32>,
    large: Option<i64>,
    ratio: Option<f64>,
    name: Option<String>,
    data: Option<Base64>,
    inner: Option<InnerPeer>,
    maybe_flag: Option<bool>,
    maybe_small: Option<i32>,
    maybe_large: Option<i64>,
    maybe_ratio: Option<f64>,
    maybe_name: Option<String>,
    maybe_inner: Option<InnerPeer>,
    flags: Option<Vec<Option<bool>>>,
    smalls: Option<Vec<Option<i32>>>,
    larges: Option<Vec<Option<i64>>>,
    ratios: Option<Vec<Option<f64>>>,
    names: Option<Vec<Option<String>>>,
    inners: Option<Vec<Option<InnerPeer>>>,
    labels: Option<BTreeMap<String, Option<String>>>,
    counts: Option<BTreeMap<String, Option<i64>>>,
    blobs: Option<BTreeMap<String, Option<Base64>>>,
    parts: Option<BTreeMap<String, Option<InnerPeer>>>,
    far: Option<i64>,
    second: Option<String>,
    first: Option<i32>,
}

#[derive(Default, Deserialize)]
struct InnerPeer {
    id: Option<i32>,
    children: Option<Vec<Option<InnerPeer>>>,
    note: Option<String>,
}

/// Bytes in base64. Line breaks are ignored, as in Go.
#[derive(Default)]
struct Base64(Vec<u8>);

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?.replace(['\n', '\r'], "");
        base64::prelude::BASE64_STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

fn list<A: Default, B>(list: Option<Vec<Option<A>>>, into: impl Fn(A) -> B) -> Vec<B> {
    list.unwrap_or_default().into_iter().map(|element| into(element.unwrap_or_default())).collect()
}

fn map<A: Default, B, C>(map: Option<BTreeMap<String, Option<A>>>, into: impl Fn(A) -> B) -> C
where
    C: FromIterator<(String, B)>,
{
    map.unwrap_or_default().into_iter().map(|(key, value)| (key, into(value.unwrap_or_default()))).collect()
}

fn it<T>(value: T) -> T {
    value
}

impl From<InnerPeer> for Inner {
    fn from(peer: InnerPeer) -> Self {
        Self { id: peer.id.unwrap_or_default(), children: list(peer.children, Self::from), note: peer.note }
    }
}

impl From<PlainPeer> for Plain {
    fn from(peer: PlainPeer) -> Self {
        Self {
            flag: peer.flag.unwrap_or_default(),
            small: peer.small.unwrap_or_default(),
            large: peer.large.unwrap_or_default(),
            ratio: peer.ratio.unwrap_or_default(),
            name: peer.name.unwrap_or_default(),
            data: peer.data.unwrap_or_default().0,
            inner: peer.inner.unwrap_or_default().into(),
            maybe_flag: peer.maybe_flag,
            maybe_small: peer.maybe_small,
            maybe_large: peer.maybe_large,
            maybe_ratio: peer.maybe_ratio,
            maybe_name: peer.maybe_name,
            maybe_inner: peer.maybe_inner.map(Inner::from),
            flags: list(peer.flags, it),
            smalls: list(peer.smalls, it),
            larges: list(peer.larges, it),
            ratios: list(peer.ratios, it),
            names: list(peer.names, it),
            inners: list(peer.inners, Inner::from),
            labels: map(peer.labels, Str::from),
            counts: map(peer.counts, it),
            blobs: map(peer.blobs, |base64| base64.0),
            parts: map(peer.parts, Inner::from),
            far: peer.far,
            second: peer.second,
            first: peer.first.unwrap_or_default(),
        }
    }
}
