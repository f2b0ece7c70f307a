//! Maps compared with `BTreeMap`, and what their operations cost.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::reflect::DeepCopy;

/// A change of a map.
#[derive(Clone, Debug)]
enum Change {
    Insert(u8, i64),
    Add(u8, i64),
    Remove(u8),
    RemoveEntry(u8),
    PopFirst,
    PopLast,
    Extend(Vec<(u8, i64)>),
    Append(Vec<(u8, i64)>),
    Retain(i64),
    Double,
    Shrink,
    Copy,
    Clear,
}

fn change() -> impl Strategy<Value = Change> {
    let pair = || (any::<u8>(), any::<i64>());
    prop_oneof![
        30 => pair().prop_map(|(key, value)| Change::Insert(key, value)),
        10 => pair().prop_map(|(key, value)| Change::Add(key, value)),
        10 => any::<u8>().prop_map(Change::Remove),
        5 => any::<u8>().prop_map(Change::RemoveEntry),
        2 => Just(Change::PopFirst),
        2 => Just(Change::PopLast),
        2 => prop::collection::vec(pair(), 0..100).prop_map(Change::Extend),
        2 => prop::collection::vec(pair(), 0..20).prop_map(Change::Append),
        1 => (2..5i64).prop_map(Change::Retain),
        2 => Just(Change::Double),
        1 => Just(Change::Shrink),
        1 => Just(Change::Copy),
        1 => Just(Change::Clear),
    ]
}

/// Keys of one to three digits, so that their order is not that of the numbers.
fn key(number: u8) -> Str {
    number.to_string().into()
}

/// Makes the same change to a map and to its model. Results have to be equal.
fn apply(change: Change, map: &mut StrMap<i64>, model: &mut BTreeMap<Str, i64>) {
    match change {
        Change::Insert(at, value) => assert_eq!(map.insert(key(at), value), model.insert(key(at), value)),
        Change::Add(at, value) => {
            let add = |sum: &mut i64| *sum = sum.wrapping_add(value);
            let ours = map.entry(key(at)).and_modify(add).or_insert(value);
            assert_eq!(ours, model.entry(key(at)).and_modify(add).or_insert(value));
        }
        Change::Remove(at) => assert_eq!(map.remove(&key(at)), model.remove(&key(at))),
        Change::RemoveEntry(at) => {
            if let Entry::Occupied(entry) = map.entry(key(at)) {
                assert_eq!(Some(entry.remove_entry()), model.remove_entry(&key(at)));
            }
        }
        Change::PopFirst => assert_eq!(map.pop_first(), model.pop_first()),
        Change::PopLast => assert_eq!(map.pop_last(), model.pop_last()),
        Change::Extend(pairs) => {
            map.extend(pairs.iter().map(|(at, value)| (key(*at), *value)));
            model.extend(pairs.iter().map(|(at, value)| (key(*at), *value)));
        }
        Change::Append(pairs) => {
            let mut other = pairs.iter().map(|(at, value)| (key(*at), *value)).collect::<StrMap<i64>>();
            model.append(&mut other.clone().into());
            map.append(&mut other);
            assert!(other.is_empty());
        }
        Change::Retain(divisor) => {
            map.retain(|_, value| *value % divisor == 0);
            model.retain(|_, value| *value % divisor == 0);
        }
        Change::Double => {
            map.values_mut().for_each(|value| *value = value.wrapping_mul(2));
            model.values_mut().for_each(|value| *value = value.wrapping_mul(2));
        }
        Change::Shrink => map.shrink_to_fit(),
        Change::Copy => *map = map.deep_copy(),
        Change::Clear => {
            map.clear();
            model.clear();
        }
    }
}

/// Everything that can be read is equal.
fn assert_equal(map: &StrMap<i64>, model: &BTreeMap<Str, i64>) {
    assert_eq!(map.len(), model.len());
    assert_eq!(map.is_empty(), model.is_empty());
    assert_eq!(map.iter().len(), model.len());
    assert!(map.iter().eq(model));
    assert!(map.iter().rev().eq(model.iter().rev()));
    assert!(map.keys().eq(model.keys()));
    assert!(map.values().eq(model.values()));
    assert_eq!(map.first_key_value(), model.first_key_value());
    assert_eq!(map.last_key_value(), model.last_key_value());
    for number in 0..=u8::MAX {
        let key = key(number);
        assert_eq!(map.get(&key), model.get(&key));
        assert_eq!(map.get_key_value(&key), model.get_key_value(&key));
        assert_eq!(map.contains_key(&key), model.contains_key(&key));
    }
    assert_eq!(format!("{map:?}"), format!("{model:?}"));
}

proptest! {
    /// A map does what a `BTreeMap` does.
    #[test]
    fn a_map_is_its_model(changes in prop::collection::vec(change(), 0..200)) {
        let (mut map, mut model) = (StrMap::new(), BTreeMap::new());
        for change in changes {
            apply(change, &mut map, &mut model);
            prop_assert_eq!(map.len(), model.len());
        }
        assert_equal(&map, &model);
        let copy = map.clone();
        prop_assert_eq!(&copy, &map);
        prop_assert_eq!(copy.cmp(&map), std::cmp::Ordering::Equal);
        let mut target = StrMap::from([("1", 0), ("x", 1)]);
        map.deep_copy_into(&mut target);
        assert_equal(&target, &model);
        prop_assert!(map.iter_mut().map(|(key, value)| (key, &*value)).eq(&model));
        assert_equal(&map, &model);
        assert_equal(&StrMap::from(model.clone()), &model);
        prop_assert!(copy.into_iter().rev().eq(model.clone().into_iter().rev()));
        prop_assert!(target.clone().into_keys().eq(model.clone().into_keys()));
        prop_assert!(target.clone().into_values().eq(model.clone().into_values()));
        prop_assert_eq!(BTreeMap::<Str, i64>::from(map), model);
    }

    /// Reading the JSON of a map gives the map, in whichever order its members are.
    #[test]
    fn serde_reads_what_it_writes(pairs in prop::collection::hash_map("[a-z]{0,30}", any::<i64>(), 0..60)) {
        let map: StrMap<i64> = pairs.clone().into();
        prop_assert_eq!(&serde_json::from_str::<StrMap<i64>>(&serde_json::to_string(&pairs).unwrap()).unwrap(), &map);
        let sorted: BTreeMap<String, i64> = map.clone().into();
        prop_assert_eq!(serde_json::to_string(&map).unwrap(), serde_json::to_string(&sorted).unwrap());
    }
}

#[test]
fn a_map_is_as_large_as_a_slice() {
    assert_eq!(size_of::<StrMap<Str>>(), 16);
    const EMPTY: StrMap<Str> = StrMap::new();
    assert!(EMPTY.is_empty());
}

#[test]
fn a_map_can_be_used_wherever_its_values_can() {
    fn check<T: Send + Sync + Unpin + std::panic::UnwindSafe + std::panic::RefUnwindSafe>(_: T) {}
    check(StrMap::from([("a", 1)]));
}

#[test]
fn keys_and_indexes_are_texts_of_any_type() {
    let mut map = StrMap::from([("a", 1)]);
    map.insert(String::from("b"), 2);
    map.insert(Str::from("c"), 3);
    let (text, owned) = (Str::from("a"), String::from("b"));
    assert_eq!((map["c"], map[&text], map[&owned]), (3, 1, 2));
    assert_eq!((map.get(&text), map.get(&owned)), (Some(&1), Some(&2)));
}

#[test]
fn vacant_and_occupied_entries_have_keys() {
    let mut map = StrMap::from([("a", 1)]);
    let Entry::Occupied(mut entry) = map.entry("a") else { panic!("expected the entry") };
    assert_eq!((entry.key().as_str(), *entry.get()), ("a", 1));
    assert_eq!(entry.insert(2), 1);
    assert_eq!(entry.remove(), 2);
    let Entry::Vacant(entry) = map.entry("a") else { panic!("expected no entry") };
    assert_eq!(entry.key(), "a");
    assert_eq!(entry.into_key(), "a");
    assert_eq!(map.entry("a").key(), "a");
    assert!(map.is_empty());
}

/// How many pairs there is room for.
fn capacity<V>(map: &StrMap<V>) -> usize {
    match &map.0 {
        Pairs::Exact(pairs) => pairs.len(),
        Pairs::Growing(None) => 0,
        Pairs::Growing(Some(growing)) => growing.pairs.capacity(),
    }
}

#[test]
fn maps_that_were_collected_or_copied_have_no_room_for_more() {
    for len in [0, 1, FEW, FEW + 1, MANY + 5, 1000] {
        let map: StrMap<i64> = (0..len).rev().map(|at| (at.to_string(), at as i64)).collect();
        assert_eq!(capacity(&map), len);
        let mut grown = StrMap::new();
        grown.extend(map.clone());
        assert_eq!(capacity(&grown.clone()), len);
        assert_eq!(capacity(&grown.deep_copy()), len);
        grown.retain(|_, number| *number > 0);
        assert_eq!(capacity(&grown), len.saturating_sub(1));
    }
}

#[derive(hubgen_derive::ApiType)]
struct Maps {
    #[field(number = 1)]
    texts: StrMap<Str>,
    #[field(number = 2)]
    numbers: StrMap<i64>,
    #[field(number = 3)]
    parts: StrMap<Maps>,
}

/// Maps of so many entries, whose keys are inserted in that order.
fn maps(len: usize, order: fn(usize, usize) -> usize) -> Maps {
    let keys = || (0..len).map(move |at| (format!("key-{:04}", order(at, len)), at));
    Maps {
        texts: keys().map(|(key, at)| (key, at.to_string().into())).collect(),
        numbers: keys().map(|(key, at)| (key, at as i64)).collect(),
        parts: keys().map(|(key, _)| (key, Maps::default())).collect(),
    }
}

fn assert_exact(maps: &Maps, len: usize) {
    assert_eq!(capacity(&maps.texts), len);
    assert_eq!(capacity(&maps.numbers), len);
    assert_eq!(capacity(&maps.parts), len);
}

#[test]
fn decoded_maps_have_no_room_for_more() {
    for len in [0, 1, 2, 3, 8, 9, 40, 100] {
        for order in [|at, _| at, |at, len| len - at, |at, len| at * 7 % (len + 1)] {
            let maps = maps(len, order);
            let json = crate::json::encode(&maps).unwrap();
            let decoded = crate::json::decode::<Maps>(&json).unwrap();
            assert_eq!(decoded, maps);
            assert_exact(&decoded, len);
            let decoded = crate::protobuf::decode::<Maps>(&crate::protobuf::encode(&maps)).unwrap();
            assert_eq!(decoded, maps);
            assert_exact(&decoded, len);
            let mut copy = Maps::default();
            maps.deep_copy_into(&mut copy);
            assert_exact(&copy, len);
            assert_exact(&serde_json::from_slice(&json).unwrap(), len);
        }
    }
}

/// Entries of one map with those of others between them, descending, twice, and with several values.
#[test]
fn entries_of_any_order_are_decoded() {
    let text = |key: &str, value: &str| {
        let message =
            [&[0x0a, key.len() as u8], key.as_bytes(), &[0x12, value.len() as u8], value.as_bytes()].concat();
        [&[0x0a, message.len() as u8], &*message].concat()
    };
    let number = |key: &str, value: u8| {
        let message = [&[0x0a, key.len() as u8], key.as_bytes(), &[0x10, value, 0x10, value + 1]].concat();
        [&[0x12, message.len() as u8], &*message].concat()
    };
    let bytes =
        [text("b", "1"), text("a", "2"), number("x", 1), number("y", 3), text("c", "3"), text("a", "4")]
            .concat();
    let maps: Maps = crate::protobuf::decode(&bytes).unwrap();
    assert_eq!(maps.texts, [("a", "4".into()), ("b", "1".into()), ("c", "3".into())].into());
    assert_eq!(maps.numbers, [("x", 2), ("y", 4)].into());
    let json =
        br#"{"texts": {"b": "1", "a": "2", "n": null, "c": "\n", "a": "4"}, "numbers": {"y": 4, "x": 2}}"#;
    let mut maps = Maps::default();
    let notes = crate::json::decode_into(json, &mut maps).unwrap();
    assert_eq!(notes.duplicate, ["texts.a"]);
    assert_eq!(
        maps.texts,
        [("a", "4"), ("b", "1"), ("c", "\n"), ("n", "")].map(|(key, text)| (key, text.into())).into()
    );
    let maps: Maps = crate::json::decode(br#"{"texts": {"a": "1", "a": "2", "b": "3"}}"#).unwrap();
    assert_eq!(maps.texts, [("a", "2".into()), ("b", "3".into())].into());
}

/// How many pairs are stored elsewhere than before, the first time for each.
fn moved(before: &[Str], map: &StrMap<usize>) -> usize {
    before.iter().zip(map.pairs()).filter(|(key, pair)| **key != pair.0).count()
}

fn stored(map: &StrMap<usize>) -> Vec<Str> {
    map.pairs().iter().map(|(key, _)| key.clone()).collect()
}

/// Neither inserting nor removing moves a number of pairs that grows with the map, and the room doubles.
#[test]
fn no_order_of_keys_moves_many_pairs() {
    const COUNT: usize = 1200;
    let orders: [fn(usize) -> usize; 4] = [
        |at| at,
        |at| COUNT - at,
        |at| at * 7 % (COUNT + 1),
        |at| if at % 2 == 0 { at } else { 2 * COUNT - at },
    ];
    for order in orders {
        let key = |at: usize| format!("{:05}", order(at));
        let mut map = StrMap::new();
        let mut rooms = 0;
        for at in 0..COUNT {
            let (before, room) = (stored(&map), capacity(&map));
            map.insert(key(at), at);
            assert!(moved(&before, &map) <= MANY, "{at}");
            rooms += usize::from(capacity(&map) != room);
        }
        assert_eq!(map.len(), COUNT);
        assert!(rooms <= FEW + 10, "{rooms}");
        map.shrink_to_fit();
        for at in 0..COUNT {
            let before = stored(&map);
            assert_eq!(map.remove(&key(at)), Some(at));
            assert!(moved(&before, &map) <= MANY, "{at}");
        }
        assert!(map.is_empty());
    }
}

#[test]
fn sorting_takes_fewer_swaps_than_there_are_pairs() {
    for step in [1, 2, 3, 7, 500] {
        let mut order = Order::default();
        let mut pairs: Vec<usize> = (0..1009).map(|number| number * step % 1009).collect();
        for (at, number) in pairs.iter().enumerate() {
            order.set(&format!("{number:04}").into(), at);
        }
        let mut swaps = 0;
        order.for_each_swap(&mut |a, b| {
            pairs.swap(a, b);
            swaps += 1;
        });
        assert!(pairs.is_sorted());
        assert!(swaps < pairs.len());
    }
}
