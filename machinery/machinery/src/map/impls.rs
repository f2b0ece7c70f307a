//! Traits of a map.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{IntoIter, Iter, IterMut, StrMap};
use crate::Str;
use crate::reflect::DeepCopy;

impl<V> Default for StrMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: Clone> Clone for StrMap<V> {
    fn clone(&self) -> Self {
        self.with_values(V::clone)
    }
}

impl<V: DeepCopy> DeepCopy for StrMap<V> {
    fn deep_copy(&self) -> Self {
        // Most maps of an object are empty.
        if self.is_empty() { Self::new() } else { self.with_values(V::deep_copy) }
    }

    fn deep_copy_into(&self, target: &mut Self) {
        // Keys are usually equal. If they differ, the map is rebuilt.
        if self.len() == target.len() && self.keys().eq(target.keys()) {
            for (source, target) in self.values().zip(target.values_mut()) {
                source.deep_copy_into(target);
            }
        } else {
            *target = self.deep_copy();
        }
    }
}

impl<V: fmt::Debug> fmt::Debug for StrMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<V: PartialEq> PartialEq for StrMap<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl<V: Eq> Eq for StrMap<V> {}

impl<V: PartialOrd> PartialOrd for StrMap<V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<V: Ord> Ord for StrMap<V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

impl<V: Hash> Hash for StrMap<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        for entry in self {
            entry.hash(state);
        }
    }
}

/// The value of a key.
///
/// # Panics
/// When the map does not have the key.
impl<V, Q: AsRef<str> + ?Sized> Index<&Q> for StrMap<V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key.as_ref()).expect("the map has the key")
    }
}

impl<K: Into<Str>, V> Extend<(K, V)> for StrMap<V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<'a, V: Clone> Extend<(&'a Str, &'a V)> for StrMap<V> {
    fn extend<I: IntoIterator<Item = (&'a Str, &'a V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value.clone());
        }
    }
}

impl<K: Into<Str>, V> FromIterator<(K, V)> for StrMap<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map.shrink_to_fit();
        map
    }
}

impl<K: Into<Str>, V, const N: usize> From<[(K, V); N]> for StrMap<V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K: Into<Str>, V> From<BTreeMap<K, V>> for StrMap<V> {
    fn from(map: BTreeMap<K, V>) -> Self {
        map.into_iter().collect()
    }
}

impl<K: Into<Str>, V, S> From<HashMap<K, V, S>> for StrMap<V> {
    fn from(map: HashMap<K, V, S>) -> Self {
        map.into_iter().collect()
    }
}

impl<V> From<StrMap<V>> for BTreeMap<Str, V> {
    fn from(map: StrMap<V>) -> Self {
        map.into_iter().collect()
    }
}

impl<V> From<StrMap<V>> for BTreeMap<String, V> {
    fn from(map: StrMap<V>) -> Self {
        map.into_iter().map(|(key, value)| (key.into(), value)).collect()
    }
}

impl<V> IntoIterator for StrMap<V> {
    type Item = (Str, V);
    type IntoIter = IntoIter<V>;

    fn into_iter(self) -> IntoIter<V> {
        IntoIter::new(self.into_sorted().into_iter())
    }
}

impl<'a, V> IntoIterator for &'a StrMap<V> {
    type Item = (&'a Str, &'a V);
    type IntoIter = Iter<'a, V>;

    fn into_iter(self) -> Iter<'a, V> {
        self.iter()
    }
}

impl<'a, V> IntoIterator for &'a mut StrMap<V> {
    type Item = (&'a Str, &'a mut V);
    type IntoIter = IterMut<'a, V>;

    fn into_iter(self) -> IterMut<'a, V> {
        self.iter_mut()
    }
}

impl<V: Serialize> Serialize for StrMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for StrMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

struct MapVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
    type Value = StrMap<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<StrMap<V>, A::Error> {
        let mut map = StrMap::new();
        while let Some((key, value)) = access.next_entry::<Str, V>()? {
            map.insert(key, value);
        }
        map.shrink_to_fit();
        Ok(map)
    }
}
