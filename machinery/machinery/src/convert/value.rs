//! Conversions of single values that operators of the rules use.

use std::collections::BTreeMap;

use super::plain::is_unset;
use crate::reflect::{DeepCopy, Value};
use crate::scalar::IntOrString;
use crate::{Str, StrMap};

/// A map of texts to values.
pub trait Values<T> {
    /// The same sort of map, with other values.
    type Of<U>;

    /// Converts each value.
    fn each<U>(self, convert: impl FnMut(T) -> U) -> Self::Of<U>;
}

impl<T> Values<T> for StrMap<T> {
    type Of<U> = StrMap<U>;

    fn each<U>(self, convert: impl FnMut(T) -> U) -> StrMap<U> {
        self.map_values(convert)
    }
}

impl<T> Values<T> for BTreeMap<String, T> {
    type Of<U> = BTreeMap<String, U>;

    fn each<U>(self, mut convert: impl FnMut(T) -> U) -> BTreeMap<String, U> {
        self.into_iter().map(|(key, value)| (key, convert(value))).collect()
    }
}

/// Converts each value of a map.
pub fn each_value<M: Values<T>, T, U>(map: M, convert: impl Fn(T) -> U) -> M::Of<U> {
    map.each(convert)
}

/// The value, unless it is empty.
pub fn present<T: Value>(value: T) -> Option<T> {
    is_present(&value).then_some(value)
}

/// The value, if there is one that is not empty.
pub fn filled<T: Value>(value: Option<T>) -> Option<T> {
    value.filter(is_present)
}

/// The value, unless it is empty and `even_if_empty` is false.
pub fn present_if<T: Value>(even_if_empty: bool, value: T) -> Option<T> {
    (even_if_empty || is_present(&value)).then_some(value)
}

/// Whether a value is not empty.
pub fn is_present<T: Value>(value: &T) -> bool {
    !is_unset(T::OPTIONAL, &value.slot())
}

/// Splits a number or name into a number and a name, one of which is empty.
pub fn split(value: IntOrString) -> (i32, Str) {
    match value {
        IntOrString::Int(number) => (number, Str::new()),
        IntOrString::String(name) => (0, name),
    }
}

/// Joins a number and a name: the name, unless it is empty.
pub fn join(number: i32, name: Str) -> IntOrString {
    if name.is_empty() { IntOrString::Int(number) } else { IntOrString::String(name) }
}

/// Merges a list from an annotation with the element that the version shows as a field. The field
/// replaces the value of the last element (or the first, if `last` is false) that it can represent.
/// `value` reads the field from an element, `set` writes it.
pub fn with_shown<T, V>(
    mut kept: Vec<T>,
    shown: Vec<T>,
    last: bool,
    value: impl Fn(&T) -> Option<V>,
    set: impl Fn(&mut T, Option<V>),
) -> Vec<T> {
    let Some(shown) = shown.into_iter().next() else {
        // The field is absent, so no element may keep a value that the field would show.
        kept.iter_mut().filter(|element| value(element).is_some()).for_each(|element| set(element, None));
        return kept;
    };
    let mut places = (0..kept.len()).filter(|at| value(&kept[*at]).is_some());
    let place = if last { places.next_back() } else { places.next() };
    match place {
        Some(place) => set(&mut kept[place], value(&shown)),
        None => kept.push(shown),
    }
    kept
}

/// Sets a field in every element of a list to one value, unless the value is empty.
pub fn spread<T, V: Value + DeepCopy>(list: &mut [T], value: V, field: impl Fn(&mut T) -> &mut V) {
    if is_present(&value) {
        for element in list {
            *field(element) = value.deep_copy();
        }
    }
}

/// Moves a value that all elements of a list share out of them. Returns the default, and leaves the
/// list unchanged, if they differ.
pub fn hoist<T, V: Default + PartialEq>(list: &mut [T], field: impl Fn(&mut T) -> &mut V) -> V {
    let Some((first, rest)) = list.split_first_mut() else { return V::default() };
    if rest.iter_mut().any(|element| field(element) != field(first)) {
        return V::default();
    }
    for element in rest {
        std::mem::take(field(element));
    }
    std::mem::take(field(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_value_is_not_present() {
        assert_eq!(present(0), None);
        assert_eq!(present(7), Some(7));
        assert_eq!(present(String::new()), None);
    }

    #[test]
    fn an_empty_value_is_the_same_as_none() {
        assert_eq!(filled(Some(0)), None);
        assert_eq!(filled(Some(7)), Some(7));
        assert_eq!(filled(None::<i32>), None);
        assert_eq!(filled(Some(Str::new())), None);
    }

    #[test]
    fn a_value_that_all_elements_share_is_moved_out() {
        let field: fn(&mut (u8, Option<i32>)) -> &mut Option<i32> = |element| &mut element.1;
        let mut list = [(0, Some(5)), (1, Some(5))];
        assert_eq!(hoist(&mut list, field), Some(5));
        assert_eq!(list, [(0, None), (1, None)]);
        spread(&mut list, Some(6), field);
        assert_eq!(list, [(0, Some(6)), (1, Some(6))]);
        let mut differing = [(0, Some(5)), (1, None)];
        assert_eq!(hoist(&mut differing, field), None);
        spread(&mut differing, None, field);
        assert_eq!(differing, [(0, Some(5)), (1, None)]);
        assert_eq!(hoist(&mut [], field), None);
    }

    #[test]
    fn a_name_wins_over_a_number() {
        assert_eq!(join(80, "http".into()), IntOrString::String("http".into()));
        assert_eq!(split(join(80, Str::new())), (80, Str::new()));
    }

    #[test]
    fn the_field_wins_over_the_list() {
        let value = |element: &(u8, Option<i32>)| element.1.filter(|_| element.0 == 1);
        let set = |element: &mut (u8, Option<i32>), value| element.1 = value;
        let kept = || vec![(0, Some(5)), (1, Some(6))];
        let show = |kept, shown| with_shown(kept, shown, false, value, set);
        assert_eq!(show(kept(), vec![(1, Some(7))]), [(0, Some(5)), (1, Some(7))]);
        assert_eq!(show(kept(), vec![]), [(0, Some(5)), (1, None)]);
        assert_eq!(show(vec![], vec![(1, Some(7))]), [(1, Some(7))]);
        let two = || vec![(1, Some(5)), (1, Some(6)), (0, Some(7))];
        let shown = || vec![(1, Some(8))];
        assert_eq!(with_shown(two(), shown(), false, value, set)[0], (1, Some(8)));
        assert_eq!(with_shown(two(), shown(), true, value, set)[1], (1, Some(8)));
        let cleared = [(1, None), (1, None), (0, Some(7))];
        assert_eq!(with_shown(two(), vec![], true, value, set), cleared);
    }
}
