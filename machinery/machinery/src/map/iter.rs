//! Iterators of a map.

use std::iter::FusedIterator;
use std::ops::Range;
use std::{slice, vec};

#[cfg(doc)]
use super::StrMap;
use super::order::{Order, Positions};
use crate::Str;

/// The entries of a map, in the order of their keys; see [`StrMap::iter`].
pub struct Iter<'a, V> {
    pairs: &'a [(Str, V)],
    positions: At<'a>,
}

/// Where the next pairs are stored.
#[derive(Clone)]
enum At<'a> {
    /// In the order of their keys.
    Sorted(Range<usize>),
    Elsewhere(Positions<'a>),
}

impl<'a, V> Iter<'a, V> {
    pub(super) fn new(pairs: &'a [(Str, V)], order: Option<&'a Order>) -> Self {
        let positions = match order {
            None => At::Sorted(0..pairs.len()),
            Some(order) => At::Elsewhere(order.positions()),
        };
        Self { pairs, positions }
    }

    fn pair(&self, at: usize) -> (&'a Str, &'a V) {
        let (key, value) = &self.pairs[at];
        (key, value)
    }
}

impl<V> Clone for Iter<'_, V> {
    fn clone(&self) -> Self {
        Self { pairs: self.pairs, positions: self.positions.clone() }
    }
}

impl<'a, V> Iterator for Iter<'a, V> {
    type Item = (&'a Str, &'a V);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = match &mut self.positions {
            At::Sorted(range) => range.next(),
            At::Elsewhere(positions) => positions.next().copied(),
        };
        Some(self.pair(at?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.positions {
            At::Sorted(range) => range.size_hint(),
            At::Elsewhere(positions) => positions.size_hint(),
        }
    }
}

impl<V> DoubleEndedIterator for Iter<'_, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let at = match &mut self.positions {
            At::Sorted(range) => range.next_back(),
            At::Elsewhere(positions) => positions.next_back().copied(),
        };
        Some(self.pair(at?))
    }
}

impl<V> ExactSizeIterator for Iter<'_, V> {}

impl<V> FusedIterator for Iter<'_, V> {}

/// Implements an iterator over what another one returns.
macro_rules! iterator {
    ($(#[doc = $doc:literal])* $name:ident<$($lifetime:lifetime,)? V>($inner:ty) -> $item:ty, $map:expr) => {
        $(#[doc = $doc])*
        pub struct $name<$($lifetime,)? V>($inner);

        impl<$($lifetime,)? V> $name<$($lifetime,)? V> {
            pub(super) fn new(inner: $inner) -> Self {
                Self(inner)
            }
        }

        impl<$($lifetime,)? V> Iterator for $name<$($lifetime,)? V> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                self.0.next().map($map)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }
        }

        impl<$($lifetime,)? V> DoubleEndedIterator for $name<$($lifetime,)? V> {
            fn next_back(&mut self) -> Option<$item> {
                self.0.next_back().map($map)
            }
        }

        impl<$($lifetime,)? V> ExactSizeIterator for $name<$($lifetime,)? V> {}

        impl<$($lifetime,)? V> FusedIterator for $name<$($lifetime,)? V> {}
    };
}

iterator!(
    /// The keys of a map, in their order; see [`StrMap::keys`].
    Keys<'a, V>(Iter<'a, V>) -> &'a Str, |(key, _)| key
);
iterator!(
    /// The values of a map, in the order of their keys; see [`StrMap::values`].
    Values<'a, V>(Iter<'a, V>) -> &'a V, |(_, value)| value
);
iterator!(
    /// The values of a map, for writing; see [`StrMap::values_mut`].
    ValuesMut<'a, V>(IterMut<'a, V>) -> &'a mut V, |(_, value)| value
);
iterator!(
    /// The keys of a map that is no longer needed; see [`StrMap::into_keys`].
    IntoKeys<V>(IntoIter<V>) -> Str, |(key, _)| key
);
iterator!(
    /// The values of a map that is no longer needed; see [`StrMap::into_values`].
    IntoValues<V>(IntoIter<V>) -> V, |(_, value)| value
);

iterator!(
    /// The entries of a map, for writing their values; see [`StrMap::iter_mut`].
    IterMut<'a, V>(slice::IterMut<'a, (Str, V)>) -> (&'a Str, &'a mut V), |(key, value)| (&*key, value)
);
iterator!(
    /// The entries of a map that is no longer needed.
    IntoIter<V>(vec::IntoIter<(Str, V)>) -> (Str, V), |pair| pair
);
