//! The order of keys in YAML output.

use std::cmp::Ordering;

/// Sorts members by their keys.
///
/// The order is not transitive (`19` < `1a` < `2` < `19`), and the standard library's sort may panic
/// on such an order. This merge sort ends for any input.
pub(super) fn sort<V>(mut members: Vec<(&String, V)>) -> Vec<(&String, V)> {
    if members.len() < 2 {
        return members;
    }
    let second = sort(members.split_off(members.len() / 2));
    let first = sort(members);
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let mut second = second.into_iter().peekable();
    for member in first {
        while let Some(smaller) = second.next_if(|(key, _)| compare(key, member.0).is_lt()) {
            merged.push(smaller);
        }
        merged.push(member);
    }
    merged.extend(second);
    merged
}

/// Compares keys as Go's YAML library does: letters after all other characters, runs of digits by
/// their value.
fn compare(a: &str, b: &str) -> Ordering {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else {
        return a.len().cmp(&b.len());
    };
    match (a[at].is_alphabetic(), b[at].is_alphabetic()) {
        (true, true) => return a[at].cmp(&b[at]),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero inside a number is significant, a leading zero is not.
    let inside = (a[at] == '0' || b[at] == '0')
        && a[..at].iter().rev().take_while(|digit| digit.is_ascii_digit()).any(|digit| *digit != '0');
    let (a_value, a_length) = number(&a[at..], inside);
    let (b_value, b_length) = number(&b[at..], inside);
    a_value.cmp(&b_value).then(a_length.cmp(&b_length)).then(a[at].cmp(&b[at]))
}

/// The number that a text begins with, and the count of its digits. With `after_one`, the number is
/// read as if a 1 preceded it. Beyond 64 bits it wraps, as in Go, so that the order of such keys is
/// the same as Go's.
fn number(text: &[char], after_one: bool) -> (i64, usize) {
    let mut value = i64::from(after_one);
    let mut length = 0;
    while let Some(digit) = text.get(length).and_then(|digit| digit.to_digit(10)) {
        value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
        length += 1;
    }
    (value, length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(keys: &[String]) -> Vec<&str> {
        let members = keys.iter().map(|key| (key, ())).collect();
        sort(members).into_iter().map(|(key, ())| key.as_str()).collect()
    }

    #[test]
    fn keys_sort_naturally() {
        let keys = ["b", "a10", "a9", "a", "a-b", "a/b", "ab", "A", "10", "9", "_", "a01", "a1"];
        assert_eq!(
            sorted(&keys.map(str::to_owned)),
            ["_", "9", "10", "A", "a", "a-b", "a/b", "a1", "a01", "a9", "a10", "ab", "b"]
        );
    }

    proptest! {
        #[test]
        fn two_keys_have_one_order(a in "[01a9-]{0,5}", b in "[01a9-]{0,5}|[0-9]{17,21}") {
            prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            prop_assert_eq!(compare(&a, &b).is_eq(), a == b);
        }

        #[test]
        fn sorting_loses_nothing(keys in prop::collection::vec("[01a9-]{0,3}|[0-9]{17,21}", 0..60)) {
            let mut found = sorted(&keys);
            let mut expected: Vec<&str> = keys.iter().map(String::as_str).collect();
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
