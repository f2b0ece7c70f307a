//! Walks two sorted lists side by side.

use std::cmp::Ordering;
use std::iter;

use super::{Element, Set};

/// What is sorted by an element.
pub(super) trait ByElement {
    fn element(&self) -> &Element;
}

impl ByElement for Element {
    fn element(&self) -> &Element {
        self
    }
}

impl ByElement for (Element, Set) {
    fn element(&self) -> &Element {
        &self.0
    }
}

/// The entries of both lists in the order of their elements: those of the same element together.
pub(super) fn joined<'a, L: ByElement, R: ByElement>(
    left: &'a [L],
    right: &'a [R],
) -> impl Iterator<Item = (Option<&'a L>, Option<&'a R>)> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(left), Some(right)) => left.element().cmp(right.element()),
        };
        Some(match order {
            Ordering::Less => (left.next(), None),
            Ordering::Equal => (left.next(), right.next()),
            Ordering::Greater => (None, right.next()),
        })
    })
}
