//! [`StrMap`], the type of maps in generated types.

mod entry;
mod impls;
mod iter;
mod order;
#[cfg(test)]
mod tests;

use std::mem::take;

pub use self::entry::{Entry, OccupiedEntry, VacantEntry};
pub use self::iter::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};
use self::order::Order;
use crate::Str;
use crate::reflect::Empty;

/// A map whose keys are texts, in the order of its keys. All maps of generated types are of this type.
///
/// It is used as a `BTreeMap<Str, V>`. Methods that look a key up take a `&str`, methods that store a key take whatever
/// becomes a [`Str`].
///
/// # Contract
///
/// - A map is at most 24 bytes. An empty one needs no allocation, and is a constant.
/// - Maps that were decoded, copied or collected have no room for more entries, because most objects are kept and not
///   changed. A `BTreeMap<Str, Str>` takes 544 bytes for one entry, this map 48.
/// - Inserting or removing an entry takes logarithmic time on average, in whichever order keys arrive.
/// - How entries are stored may change between versions of this crate.
///
/// # Examples
///
/// ```
/// use hubgen_machinery::{Str, StrMap};
///
/// let mut labels: StrMap<Str> = StrMap::from([("tier", "front".into())]);
/// labels.insert("app", "web".into());
/// *labels.entry("tier").or_default() += "end";
///
/// assert_eq!(labels["app"], "web");
/// assert_eq!(labels.get("tier").map(Str::as_str), Some("frontend"));
/// assert_eq!(labels.keys().collect::<Vec<_>>(), ["app", "tier"]);
/// ```
pub struct StrMap<V>(Pairs<V>);

/// The entries of a map.
///
/// Both variants together are as large as a slice, since the pointer of a slice is never null.
enum Pairs<V> {
    /// In the order of their keys, without room for more.
    Exact(Box<[(Str, V)]>),
    /// With room for more; `None` if there are no entries.
    Growing(Option<Box<Growing<V>>>),
}

struct Growing<V> {
    pairs: Vec<(Str, V)>,
    /// Without it, the pairs are in the order of their keys.
    order: Option<Order>,
}

/// Up to so many entries, a map has no room for more while it grows.
const FEW: usize = 2;

/// With so many entries, no others are moved for one that is inserted or removed.
const MANY: usize = 32;

impl<V> StrMap<V> {
    /// A map without entries.
    #[inline]
    pub const fn new() -> Self {
        Self(Pairs::Growing(None))
    }

    /// The number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.pairs().len()
    }

    /// Whether the map has no entries.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Pairs::Growing(None))
    }

    /// Whether the map has the key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
        match self.find(key) {
            Ok(at) => Some(&self.pairs()[at].1),
            Err(_) => None,
        }
    }

    /// The value of a key, for writing.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        match self.find(key) {
            Ok(at) => Some(self.value_mut(at)),
            Err(_) => None,
        }
    }

    /// The key that the map has, and its value.
    pub fn get_key_value(&self, key: &str) -> Option<(&Str, &V)> {
        let (key, value) = &self.pairs()[self.find(key).ok()?];
        Some((key, value))
    }

    /// Inserts a value and returns the one that the key had before.
    ///
    /// ```
    /// use hubgen_machinery::StrMap;
    ///
    /// let mut map = StrMap::new();
    /// assert_eq!(map.insert("a", 1), None);
    /// assert_eq!(map.insert("a", 2), Some(1));
    /// ```
    pub fn insert(&mut self, key: impl Into<Str>, value: V) -> Option<V> {
        let key = key.into();
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(self.value_mut(at), value)),
            Err(at) => {
                self.insert_new(at, key, value);
                None
            }
        }
    }

    /// The entry of a key, for what depends on whether the map has it.
    ///
    /// ```
    /// use hubgen_machinery::StrMap;
    ///
    /// let mut counts: StrMap<usize> = StrMap::new();
    /// for word in ["b", "a", "b"] {
    ///     *counts.entry(word).or_default() += 1;
    /// }
    /// assert_eq!(counts, [("a", 1), ("b", 2)].into());
    /// ```
    pub fn entry(&mut self, key: impl Into<Str>) -> Entry<'_, V> {
        Entry::of(self, key.into())
    }

    /// The value of a key. If there is none, an empty one is inserted.
    pub(crate) fn value_or_empty(&mut self, key: &str) -> &mut V
    where
        V: Empty,
    {
        match self.find(key) {
            Ok(at) => self.value_mut(at),
            Err(at) => self.insert_new(at, key.into(), V::EMPTY),
        }
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key and returns it with its value.
    pub fn remove_entry(&mut self, key: &str) -> Option<(Str, V)> {
        self.find(key).ok().map(|at| self.take(at))
    }

    /// Removes every entry.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Moves all entries of another map into this one. Where both have a key, the other one's value is used.
    pub fn append(&mut self, other: &mut Self) {
        self.extend(take(other));
    }

    /// Removes every entry for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(&Str, &mut V) -> bool) {
        let mut pairs = take(self).into_sorted();
        pairs.retain_mut(|(key, value)| keep(key, value));
        *self = Self::from_sorted(pairs);
    }

    /// The entry whose key is first in the order.
    pub fn first_key_value(&self) -> Option<(&Str, &V)> {
        self.iter().next()
    }

    /// The entry whose key is last in the order.
    pub fn last_key_value(&self) -> Option<(&Str, &V)> {
        self.iter().next_back()
    }

    /// Removes the entry whose key is first in the order.
    pub fn pop_first(&mut self) -> Option<(Str, V)> {
        let key = self.first_key_value()?.0.clone();
        self.remove_entry(&key)
    }

    /// Removes the entry whose key is last in the order.
    pub fn pop_last(&mut self) -> Option<(Str, V)> {
        let key = self.last_key_value()?.0.clone();
        self.remove_entry(&key)
    }

    /// All entries, in the order of their keys.
    pub fn iter(&self) -> Iter<'_, V> {
        let order = match &self.0 {
            Pairs::Growing(Some(growing)) => growing.order.as_ref(),
            _ => None,
        };
        Iter::new(self.pairs(), order)
    }

    /// All entries, in the order of their keys, for writing.
    pub fn iter_mut(&mut self) -> IterMut<'_, V> {
        IterMut::new(self.sorted_mut().iter_mut())
    }

    /// All keys, in their order.
    pub fn keys(&self) -> Keys<'_, V> {
        Keys::new(self.iter())
    }

    /// All values, in the order of their keys.
    pub fn values(&self) -> Values<'_, V> {
        Values::new(self.iter())
    }

    /// All values, in the order of their keys, for writing.
    pub fn values_mut(&mut self) -> ValuesMut<'_, V> {
        ValuesMut::new(self.iter_mut())
    }

    /// All keys, in their order, without their values.
    pub fn into_keys(self) -> IntoKeys<V> {
        IntoKeys::new(self.into_iter())
    }

    /// All values, in the order of their keys, without them.
    pub fn into_values(self) -> IntoValues<V> {
        IntoValues::new(self.into_iter())
    }

    /// Returns memory that is reserved for more entries.
    pub fn shrink_to_fit(&mut self) {
        if let Pairs::Growing(Some(_)) = self.0 {
            *self = Self::from_sorted(take(self).into_sorted());
        }
    }

    /// Calls `share` with each key, which it may replace with an equal one.
    pub(crate) fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str)) {
        for (key, _) in self.sorted_mut() {
            share(key);
        }
    }

    /// Inserts a value for each key. Does nothing, and returns false, unless the map is empty and the keys ascend.
    pub(crate) fn fill(&mut self, keys: &[&str], mut value: impl FnMut() -> V) -> bool {
        let fits = self.is_empty() && keys.is_sorted_by(|a, b| a < b);
        if fits {
            let mut pairs = Vec::with_capacity(keys.len());
            for key in keys {
                pairs.push((Str::from(*key), value()));
            }
            *self = Self::from_sorted(pairs);
        }
        fits
    }

    /// A map with the same keys and other values.
    pub(crate) fn with_values<W>(&self, mut value: impl FnMut(&V) -> W) -> StrMap<W> {
        let mut pairs = Vec::with_capacity(self.len());
        for (key, of) in self {
            pairs.push((key.clone(), value(of)));
        }
        StrMap::from_sorted(pairs)
    }

    /// A map with the same keys and converted values.
    pub(crate) fn map_values<W>(self, mut convert: impl FnMut(V) -> W) -> StrMap<W> {
        let mut pairs = Vec::with_capacity(self.len());
        for (key, value) in self {
            pairs.push((key, convert(value)));
        }
        StrMap::from_sorted(pairs)
    }

    /// The pairs as they are stored.
    #[inline]
    fn pairs(&self) -> &[(Str, V)] {
        match &self.0 {
            Pairs::Exact(pairs) => pairs,
            Pairs::Growing(Some(growing)) => &growing.pairs,
            Pairs::Growing(None) => &[],
        }
    }

    fn pairs_mut(&mut self) -> &mut [(Str, V)] {
        match &mut self.0 {
            Pairs::Exact(pairs) => pairs,
            Pairs::Growing(Some(growing)) => &mut growing.pairs,
            Pairs::Growing(None) => &mut [],
        }
    }

    /// The pairs, which are stored in the order of their keys from now on.
    fn sorted_mut(&mut self) -> &mut [(Str, V)] {
        if let Pairs::Growing(Some(growing)) = &mut self.0 {
            growing.sort();
        }
        self.pairs_mut()
    }

    fn into_sorted(mut self) -> Vec<(Str, V)> {
        self.sorted_mut();
        match self.0 {
            Pairs::Exact(pairs) => pairs.into_vec(),
            Pairs::Growing(Some(growing)) => growing.pairs,
            Pairs::Growing(None) => Vec::new(),
        }
    }

    fn from_sorted(pairs: Vec<(Str, V)>) -> Self {
        if pairs.is_empty() { Self::new() } else { Self(Pairs::Exact(pairs.into_boxed_slice())) }
    }

    /// Where the pair of a key is stored, or where it is to be inserted.
    fn find(&self, key: &str) -> Result<usize, usize> {
        let pairs = self.pairs();
        match &self.0 {
            Pairs::Growing(Some(growing)) if let Some(order) = &growing.order => {
                order.position(key).ok_or(pairs.len())
            }
            _ => search(pairs.len(), key, &|at| &pairs[at].0),
        }
    }

    fn value_mut(&mut self, at: usize) -> &mut V {
        &mut self.pairs_mut()[at].1
    }

    /// Inserts a key that the map does not have, where [`find`](Self::find) told.
    fn insert_new(&mut self, mut at: usize, key: Str, value: V) -> &mut V {
        match &mut self.0 {
            Pairs::Growing(None) => self.0 = Pairs::Exact(Box::new([(key, value)])),
            Pairs::Exact(exact) if exact.len() < FEW => {
                let mut pairs = take(exact).into_vec();
                pairs.reserve_exact(1);
                insert(&mut pairs, at, key, value);
                *exact = pairs.into_boxed_slice();
            }
            _ => at = self.growing().insert(at, key, value),
        }
        self.value_mut(at)
    }

    /// Removes the pair that is stored at a position.
    fn take(&mut self, at: usize) -> (Str, V) {
        match &mut self.0 {
            Pairs::Exact(exact) if exact.len() <= MANY => {
                let mut pairs = take(exact).into_vec();
                let taken = pairs.remove(at);
                *self = Self::from_sorted(pairs);
                taken
            }
            _ => {
                let growing = self.growing();
                let taken = growing.remove(at);
                if growing.pairs.is_empty() {
                    self.clear();
                }
                taken
            }
        }
    }

    /// The pairs, which have room for more from now on.
    fn growing(&mut self) -> &mut Growing<V> {
        if let Pairs::Exact(pairs) = &mut self.0 {
            let pairs = take(pairs).into_vec();
            self.0 = Pairs::Growing(Some(Box::new(Growing { pairs, order: None })));
        }
        match &mut self.0 {
            Pairs::Growing(Some(growing)) => growing,
            _ => unreachable!("the map has entries"),
        }
    }
}

impl<V> Growing<V> {
    /// Inserts a new key. Returns where the pair is stored.
    fn insert(&mut self, at: usize, key: Str, value: V) -> usize {
        let Self { pairs, order } = self;
        let last = pairs.len();
        match order_to_change(order, pairs, at < last) {
            Some(order) => {
                order.set(&key, last);
                pairs.push((key, value));
                last
            }
            None => {
                insert(pairs, at, key, value);
                at
            }
        }
    }

    fn remove(&mut self, at: usize) -> (Str, V) {
        let Self { pairs, order } = self;
        match order_to_change(order, pairs, at + 1 < pairs.len()) {
            Some(order) => {
                let taken = pairs.swap_remove(at);
                order.remove(&taken.0);
                if let Some((moved, _)) = pairs.get(at) {
                    order.set(moved, at);
                }
                taken
            }
            None => pairs.remove(at),
        }
    }

    fn sort(&mut self) {
        if let Some(order) = self.order.take() {
            order.for_each_swap(&mut |a, b| self.pairs.swap(a, b));
        }
    }
}

/// Inserts a pair. Mostly nothing has to be moved for it.
fn insert<V>(pairs: &mut Vec<(Str, V)>, at: usize, key: Str, value: V) {
    if at == pairs.len() {
        pairs.push((key, value));
    } else {
        pairs.insert(at, (key, value));
    }
}

/// The order of the keys, if pairs are not stored in this order. That is so from the first change on that would move
/// many pairs; `moves` tells whether this one would move any.
fn order_to_change<'o, V>(
    order: &'o mut Option<Order>,
    pairs: &[(Str, V)],
    moves: bool,
) -> Option<&'o mut Order> {
    if order.is_none() && moves && pairs.len() >= MANY {
        let order = order.insert(Order::default());
        for (at, (key, _)) in pairs.iter().enumerate() {
            order.set(key, at);
        }
    }
    order.as_mut()
}

/// Searches sorted keys. It is not generic, so that it is compiled once.
fn search<'a>(len: usize, key: &str, key_at: &dyn Fn(usize) -> &'a Str) -> Result<usize, usize> {
    use std::cmp::Ordering::{Equal, Greater, Less};

    let (mut from, mut to) = (0, len);
    // Decoded keys mostly follow the last one.
    let mut at = len.wrapping_sub(1);
    while from < to {
        match key_at(at).as_str().cmp(key) {
            Equal => return Ok(at),
            Less => from = at + 1,
            Greater => to = at,
        }
        at = from + (to - from) / 2;
    }
    Err(from)
}
