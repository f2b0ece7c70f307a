//! Entries of a map.

use super::StrMap;
use crate::Str;

/// An entry of a map, which [`StrMap::entry`] returns.
pub enum Entry<'a, V> {
    /// The map has the key.
    Occupied(OccupiedEntry<'a, V>),
    /// The map does not have the key.
    Vacant(VacantEntry<'a, V>),
}

/// An entry that exists.
pub struct OccupiedEntry<'a, V> {
    map: &'a mut StrMap<V>,
    at: usize,
}

/// An entry that does not exist yet.
pub struct VacantEntry<'a, V> {
    map: &'a mut StrMap<V>,
    at: usize,
    key: Str,
}

impl<'a, V> Entry<'a, V> {
    pub(super) fn of(map: &'a mut StrMap<V>, key: Str) -> Self {
        match map.find(&key) {
            Ok(at) => Self::Occupied(OccupiedEntry { map, at }),
            Err(at) => Self::Vacant(VacantEntry { map, at, key }),
        }
    }

    /// The key.
    pub fn key(&self) -> &Str {
        match self {
            Self::Occupied(entry) => entry.key(),
            Self::Vacant(entry) => entry.key(),
        }
    }

    /// Changes the value, if there is one.
    #[must_use]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }

    /// The value. If there is none, this one is inserted.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value. If there is none, one is made and inserted.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(value()),
        }
    }

    /// The value. If there is none, the default is inserted.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<'a, V> OccupiedEntry<'a, V> {
    /// The key.
    pub fn key(&self) -> &Str {
        &self.map.pairs()[self.at].0
    }

    /// The value.
    pub fn get(&self) -> &V {
        &self.map.pairs()[self.at].1
    }

    /// The value, for writing.
    pub fn get_mut(&mut self) -> &mut V {
        self.map.value_mut(self.at)
    }

    /// The value, for writing, for as long as the map is borrowed.
    pub fn into_mut(self) -> &'a mut V {
        self.map.value_mut(self.at)
    }

    /// Replaces the value and returns the one before.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the entry and returns its value.
    pub fn remove(self) -> V {
        self.remove_entry().1
    }

    /// Removes the entry and returns it.
    pub fn remove_entry(self) -> (Str, V) {
        self.map.take(self.at)
    }
}

impl<'a, V> VacantEntry<'a, V> {
    /// The key.
    pub fn key(&self) -> &Str {
        &self.key
    }

    /// The key, without inserting it.
    pub fn into_key(self) -> Str {
        self.key
    }

    /// Inserts the key with a value.
    pub fn insert(self, value: V) -> &'a mut V {
        self.map.insert_new(self.at, self.key, value)
    }
}
