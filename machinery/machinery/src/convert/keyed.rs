//! Maps of objects that another version has as lists, whose items contain the key.

use std::collections::{BTreeMap, HashSet};

use super::ConvertError;
use crate::{Str, StrMap};

/// A map from texts to values.
pub trait Entries<T>: Sized {
    /// Its entries, in the order of their keys.
    fn entries(self) -> impl Iterator<Item = (Str, T)>;
    /// A map of entries, each with a key of its own.
    fn with_entries(entries: impl Iterator<Item = (Str, T)>) -> Self;
}

impl<T> Entries<T> for StrMap<T> {
    fn entries(self) -> impl Iterator<Item = (Str, T)> {
        self.into_iter()
    }

    fn with_entries(entries: impl Iterator<Item = (Str, T)>) -> Self {
        entries.collect()
    }
}

impl<T> Entries<T> for BTreeMap<String, T> {
    fn entries(self) -> impl Iterator<Item = (Str, T)> {
        self.into_iter().map(|(key, value)| (key.into(), value))
    }

    fn with_entries(entries: impl Iterator<Item = (Str, T)>) -> Self {
        entries.map(|(key, value)| (key.into(), value)).collect()
    }
}

/// Makes an item of each entry of a map.
///
/// ```
/// use hubgen_machinery::convert::{by_key, keyed};
/// use hubgen_machinery::{Str, StrMap};
///
/// struct Part {
///     name: Str,
///     size: i32,
/// }
///
/// let sizes = StrMap::from_iter([("a", 1), ("b", 2)]);
/// let parts = keyed(sizes.clone(), |name, size| Part { name, size });
/// assert_eq!(parts[1].name, "b");
/// let back: StrMap<i32> = by_key(parts, |part| &mut part.name, |part| part.size);
/// assert_eq!(back, sizes);
/// ```
pub fn keyed<M: Entries<T>, T, K, I>(map: M, item: impl Fn(K, T) -> I) -> Vec<I>
where
    Str: Into<K>,
{
    map.entries().map(|(key, value)| item(key.into(), value)).collect()
}

/// Makes an item of each entry of a map, by a function that may fail.
///
/// # Errors
/// The first error, with the entry's key.
pub fn try_keyed<M: Entries<T>, T, K, I>(
    map: M,
    item: impl Fn(K, T) -> Result<I, ConvertError>,
) -> Result<Vec<I>, ConvertError>
where
    Str: Into<K>,
{
    let item = |(key, value): (Str, T)| {
        item(key.clone().into(), value).map_err(|error| error.below(&format!("[{key}]")))
    };
    map.entries().map(item).collect()
}

/// Makes an entry of each item of a list: the reverse of [`keyed`]. `key` is the field with the key. Of several items
/// with the same key the first one remains.
pub fn by_key<M: Entries<T>, T, K: Default + Into<Str>, I>(
    list: Vec<I>,
    key: impl Fn(&mut I) -> &mut K,
    value: impl Fn(I) -> T,
) -> M {
    M::with_entries(first_of_each(list, key).map(|(_, key, item)| (key, value(item))))
}

/// Makes an entry of each item of a list, by a function that may fail: the reverse of [`try_keyed`].
///
/// # Errors
/// The first error, with the index of the item.
pub fn try_by_key<M: Entries<T>, T, K: Default + Into<Str>, I>(
    list: Vec<I>,
    key: impl Fn(&mut I) -> &mut K,
    value: impl Fn(I) -> Result<T, ConvertError>,
) -> Result<M, ConvertError> {
    let entry = |(index, key, item)| match value(item) {
        Ok(value) => Ok((key, value)),
        Err(error) => Err(error.below(&format!("[{index}]"))),
    };
    let entries: Result<Vec<_>, _> = first_of_each(list, key).map(entry).collect();
    Ok(M::with_entries(entries?.into_iter()))
}

/// The first item with each key, with its index and without the key.
fn first_of_each<K: Default + Into<Str>, I>(
    list: Vec<I>,
    key: impl Fn(&mut I) -> &mut K,
) -> impl Iterator<Item = (usize, Str, I)> {
    let mut seen = HashSet::new();
    let items = list.into_iter().enumerate().map(move |(index, mut item)| {
        let key: Str = std::mem::take(key(&mut item)).into();
        (index, key, item)
    });
    items.filter(move |(_, key, _)| seen.insert(key.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Sizes = StrMap<i32>;

    #[test]
    fn of_items_with_the_same_key_the_first_remains() {
        let items = vec![(Str::from("b"), 1), (Str::from("a"), 2), (Str::from("b"), 3)];
        let sizes: Sizes = by_key(items, |item| &mut item.0, |item| item.1);
        assert_eq!(sizes, Sizes::from_iter([("a", 2), ("b", 1)]));
    }

    #[test]
    fn maps_with_owned_keys_are_maps_too() {
        let map = BTreeMap::from([("a".to_owned(), 1)]);
        let items = keyed(map.clone(), |key: String, value| (key, value));
        let back: BTreeMap<String, i32> = by_key(items, |item| &mut item.0, |item| item.1);
        assert_eq!(back, map);
    }

    #[test]
    fn an_error_says_where() {
        let refused = |_: Str, value: i32| match value {
            1 => Ok(value),
            _ => Err(ConvertError::KnownName { path: "size".to_owned() }),
        };
        let error = try_keyed(Sizes::from_iter([("a", 1), ("b", 2)]), refused).unwrap_err();
        assert_eq!(error, ConvertError::KnownName { path: "[b].size".to_owned() });
        let items = vec![("a".to_owned(), 1), ("a".to_owned(), 2), ("b".to_owned(), 3)];
        let refused = |(_, value): (String, i32)| refused(Str::new(), value);
        let error = try_by_key::<Sizes, _, _, _>(items, |item| &mut item.0, refused).unwrap_err();
        assert_eq!(error, ConvertError::KnownName { path: "[2].size".to_owned() });
    }
}
