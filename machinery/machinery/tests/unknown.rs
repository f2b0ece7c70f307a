//! Unknown fields of an object that a newer server wrote survive decoding and
//! encoding.

use std::collections::BTreeMap;

use hubgen_laws::objects::Source;
use hubgen_laws::{objects, versions};
use hubgen_machinery::ApiType;
use hubgen_machinery::protobuf::{self, Unknown, decode_keeping, encode_with, parts};
use hubgen_machinery::reflect::ApiType as _;
use hubgen_machinery::scalar::Time;
use proptest::prelude::*;

/// Declares the same types for an older and for a newer program.
macro_rules! types {
    ($module:ident, { $($outer:tt)* }, { $($inner:tt)* }, { $($port:tt)* }) => {
        mod $module {
            use super::*;
            use hubgen_machinery::reflect::{OrArray, OrBool, OrStrings, Strings};

            #[derive(ApiType)]
            pub struct Outer {
                #[field(number = 2)]
                pub name: String,
                #[field(number = 4)]
                pub inner: Inner,
                #[field(number = 5)]
                pub maybe: Option<Inner>,
                #[field(number = 6)]
                pub inners: Vec<Inner>,
                #[field(number = 7, list = map("port", "protocol"))]
                pub ports: Vec<Port>,
                #[field(number = 8, patch = "merge", merge_key = "protocol")]
                pub merged: Vec<Port>,
                #[field(number = 9)]
                pub labels: BTreeMap<String, String>,
                #[field(number = 10)]
                pub by_name: BTreeMap<String, Inner>,
                #[field(number = 11)]
                pub tree: BTreeMap<String, BTreeMap<String, Inner>>,
                #[field(number = 12)]
                pub grid: Vec<Vec<Inner>>,
                #[field(number = 13)]
                pub or_bool: Option<OrBool<Inner>>,
                #[field(number = 14)]
                pub or_array: Option<OrArray<Inner>>,
                #[field(number = 15)]
                pub or_strings: Option<OrStrings<Inner>>,
                #[field(number = 16)]
                pub verbs: Strings,
                #[field(number = 17)]
                pub time: Option<Time>,
                #[field(number(18, 1))]
                pub flat: i32,
                #[field(number(18, 3))]
                pub flat_inner: Inner,
                #[field(number = 19)]
                pub choice: Option<Choice>,
                $($outer)*
            }

            #[derive(ApiType)]
            pub struct Inner {
                #[field(number = 1)]
                pub id: i32,
                #[field(number = 3)]
                pub children: Vec<Inner>,
                $($inner)*
            }

            #[derive(ApiType)]
            pub struct Port {
                #[field(number(1, 2))]
                pub protocol: String,
                #[field(number = 3)]
                pub port: i32,
                $($port)*
            }

            #[derive(ApiType)]
            pub enum Choice {
                #[field(number = 1)]
                One(Inner),
                #[field(number = 2)]
                Other(Inner),
            }
        }
    };
}

types!(old, {}, {}, {});
types!(new, {
    #[field(number = 1)]
    first: String,
    #[field(number = 3)]
    between: Vec<Inner>,
    #[field(number = 1000)]
    last: Option<i64>,
    #[field(number(18, 2))]
    flat_too: f64,
}, {
    #[field(number = 2)]
    note: Option<String>,
    #[field(number = 100)]
    pub weight: i64,
}, {
    #[field(number(1, 1))]
    pub before: bool,
    #[field(number = 4)]
    pub after: BTreeMap<String, String>,
});

fn generate<T: hubgen_machinery::reflect::ApiType>(seed: u64) -> T {
    objects::generate(&mut Source::new(&objects::bytes(seed), &[]))
}

#[track_caller]
fn same(found: &[u8], expected: &new::Outer) {
    let found: new::Outer = protobuf::decode(found).unwrap();
    versions::same(&found, expected).unwrap();
}

proptest! {
    /// An object that an older program reads and writes keeps its bytes.
    #[test]
    fn bytes_survive_a_round_trip_through_an_older_program(seed: u64) {
        let newer: new::Outer = generate(seed);
        let bytes = protobuf::encode(&newer);
        let (older, unknown) = decode_keeping::<old::Outer>(&bytes).unwrap();
        prop_assert_eq!(encode_with(&older, &unknown), &bytes[..]);
        // Without the unknown fields, only known fields are written.
        let plain = protobuf::encode(&older);
        let (_, none) = decode_keeping::<old::Outer>(&plain).unwrap();
        prop_assert!(none.is_empty());
        prop_assert_eq!(encode_with(&older, &none), plain);
    }

    /// Only what the older program changes is changed.
    #[test]
    fn changes_of_an_older_program_keep_unknown_fields(seed: u64) {
        let mut newer: new::Outer = generate(seed);
        for (ports, start) in [(&mut newer.ports, 0), (&mut newer.merged, 1000)] {
            for (port, index) in ports.iter_mut().zip(start..) {
                port.port = index;
                port.protocol = format!("protocol {index}");
            }
        }
        let (mut older, unknown) = decode_keeping::<old::Outer>(&protobuf::encode(&newer)).unwrap();
        older.name.push('!');
        newer.name.push('!');
        older.flat += 1;
        newer.flat += 1;
        older.ports.reverse();
        newer.ports.reverse();
        let turn = usize::from(older.merged.len() > 1);
        older.merged.rotate_left(turn);
        newer.merged.rotate_left(turn);
        older.inners.pop();
        newer.inners.pop();
        older.by_name.insert(String::new(), old::Inner::default());
        newer.by_name.entry(String::new()).and_modify(|inner| {
            inner.id = 0;
            inner.children.clear();
        }).or_default();
        older.ports.insert(0, old::Port { port: -1, ..old::Port::default() });
        newer.ports.insert(0, new::Port { port: -1, ..new::Port::default() });
        older.maybe = None;
        newer.maybe = None;
        same(&encode_with(&older, &unknown), &newer);
    }

    /// Unknown fields are kept wherever they are in their messages.
    #[test]
    fn fields_may_be_in_any_order(seed: u64, at: prop::sample::Index) {
        let newer: new::Outer = generate(seed);
        let bytes = protobuf::encode(&newer);
        let starts: Vec<usize> = parts(&bytes).map(|part| part.unwrap().offset).collect();
        let middle = starts[at.index(starts.len())];
        let rotated = [&bytes[middle..], &bytes[..middle]].concat();
        let (older, unknown) = decode_keeping::<old::Outer>(&rotated).unwrap();
        let again = encode_with(&older, &unknown);
        prop_assert_eq!(Unknown::collect(old::Outer::describe(), &again).unwrap(), unknown);
        same(&again, &protobuf::decode(&rotated).unwrap());
    }

    #[test]
    fn any_bytes_that_decode_survive_a_round_trip(bytes: Vec<u8>) {
        if let Ok((older, unknown)) = decode_keeping::<old::Outer>(&bytes) {
            let again = encode_with(&older, &unknown);
            let (once_more, still_unknown) = decode_keeping::<old::Outer>(&again).unwrap();
            versions::same(&once_more, &older).unwrap();
            // Unknown fields of a union's member that another member replaced are dropped.
            prop_assert!(still_unknown.count() <= unknown.count());
            prop_assert_eq!(encode_with(&once_more, &still_unknown), again);
        }
        let _ = Unknown::collect(old::Outer::describe(), &bytes);
    }
}

/// Messages of scalars, map entries, nested lists and unions may contain
/// unknown fields, too.
#[test]
fn unknown_fields_of_messages_that_are_not_structs() {
    for (bytes, count) in [
        // A time, with its field 3.
        (&b"\x8a\x01\x06\x08\x01\x10\x00\x18\x05"[..], 1),
        // A map entry of `labels`, with its field 3.
        (b"\x4a\x08\x0a\x01a\x12\x01b\x18\x05", 1),
        // A message around a list of strings, with its field 2.
        (b"\x82\x01\x05\x0a\x01a\x10\x05", 1),
        // A union that is a boolean, with its field 3.
        (b"\x6a\x04\x08\x01\x18\x05", 1),
        // A group, a double and a float.
        (b"\xa3\x06\x08\x01\xa4\x06\xa9\x06\x01\x02\x03\x04\x05\x06\x07\x08\xad\x06\x01\x02\x03\x04", 3),
    ] {
        let (older, unknown) = decode_keeping::<old::Outer>(bytes).unwrap();
        assert_eq!(unknown.count(), count, "{bytes:02x?}");
        let again = encode_with(&older, &unknown);
        assert!(again.windows(bytes.len()).any(|window| window == bytes), "{bytes:02x?} in {again:02x?}");
    }
}

#[test]
fn duplicate_messages_are_merged() {
    // `inner` twice: { id: 1, 100: 5, children: [{ 100: 6 }] }, { children: [{ id: 2, 100: 7 }] }.
    let bytes = b"\x22\x0a\x08\x01\xa0\x06\x05\x1a\x03\xa0\x06\x06\x22\x07\x1a\x05\x08\x02\xa0\x06\x07";
    let newer: new::Outer = protobuf::decode(bytes).unwrap();
    let weights: Vec<i64> = newer.inner.children.iter().map(|child| child.weight).collect();
    assert_eq!((newer.inner.weight, &weights[..]), (5, &[6, 7][..]));
    let (older, unknown) = decode_keeping::<old::Outer>(bytes).unwrap();
    assert_eq!(unknown.count(), 3);
    same(&encode_with(&older, &unknown), &newer);
}

#[test]
fn the_last_of_entries_with_the_same_key_is_used() {
    // by_name: { a: { 100: 5 } }, { a: { id: 1 } }.
    let bytes = b"\x52\x08\x0a\x01a\x12\x03\xa0\x06\x05\x52\x07\x0a\x01a\x12\x02\x08\x01";
    let (older, unknown) = decode_keeping::<old::Outer>(bytes).unwrap();
    assert!(unknown.is_empty());
    assert_eq!(older.by_name["a"].id, 1);
}

#[test]
fn depth_is_bounded() {
    let mut bytes = vec![];
    for _ in 0..20_000 {
        let mut outer = vec![0x1a];
        let mut length = bytes.len();
        while length >= 0x80 {
            outer.push(length as u8 | 0x80);
            length >>= 7;
        }
        outer.push(length as u8);
        outer.extend(&bytes);
        bytes = outer;
    }
    for before in [&b""[..], b"\xa0\x06\x05"] {
        let bytes = [before, &bytes].concat();
        let error = Unknown::collect(old::Inner::describe(), &bytes).unwrap_err();
        assert_eq!(error.message(), "expected at most 256 nested messages, found more");
    }
}

/// If a union contains both a value and a list, the value is used and the list
/// is skipped, even if its bytes are invalid.
#[test]
fn the_unused_member_of_a_union_is_not_read() {
    let message = [0x72, 8, 0x0a, 2, 0x08, 1, 0x12, 2, 0x08, 0x80];
    let plain: old::Outer = protobuf::decode(&message).unwrap();
    let (object, unknown) = decode_keeping::<old::Outer>(&message).unwrap();
    assert_eq!(object, plain);
    assert!(unknown.is_empty());
}
