//! Sets made of sets.

use super::joined::joined;
use super::{Element, Set};

impl Set {
    /// The paths that are in one of the sets, or in both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let members =
            joined(&self.members, &other.members).filter_map(|(left, right)| left.or(right)).cloned();
        let children = joined(&self.children, &other.children).filter_map(|pair| match pair {
            (Some((element, left)), Some((_, right))) => Some((element.clone(), left.union(right))),
            (Some(only), None) | (None, Some(only)) => Some(only.clone()),
            (None, None) => None,
        });
        Self { members: members.collect(), children: children.collect() }
    }

    /// The paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let members =
            joined(&self.members, &other.members).filter_map(|(left, right)| right.and(left)).cloned();
        let children = joined(&self.children, &other.children).filter_map(|(left, right)| {
            let ((element, left), (_, right)) = (left?, right?);
            named(element, left.intersection(right))
        });
        Self { members: members.collect(), children: children.collect() }
    }

    /// The paths of this set that are not in the other one.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let children =
            joined(&self.children, &other.children).filter_map(|(left, right)| match (left?, right) {
                (kept, None) => Some(kept.clone()),
                ((element, left), Some((_, right))) => named(element, left.difference(right)),
            });
        Self { members: self.members_without(other), children: children.collect() }
    }

    /// The paths of this set that are not in the other one, and that do not begin with a path of it.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        let children =
            joined(&self.children, &other.children).filter_map(|(left, right)| match (left?, right) {
                ((element, _), _) if other.has_member(element) => None,
                (kept, None) => Some(kept.clone()),
                ((element, left), Some((_, right))) => named(element, left.recursive_difference(right)),
            });
        Self { members: self.members_without(other), children: children.collect() }
    }

    /// The paths with which no longer path begins.
    #[must_use]
    pub fn leaves(&self) -> Self {
        let members = joined(&self.members, &self.children).filter_map(|pair| match pair {
            (Some(member), None) => Some(member.clone()),
            _ => None,
        });
        let children = self.children.iter().map(|(element, child)| (element.clone(), child.leaves()));
        Self { members: members.collect(), children: children.collect() }
    }

    fn members_without(&self, other: &Self) -> Vec<Element> {
        let kept = joined(&self.members, &other.members).filter_map(|(left, right)| match right {
            None => left.cloned(),
            Some(_) => None,
        });
        kept.collect()
    }
}

/// A child with its element; `None` if it is empty.
fn named(element: &Element, child: Set) -> Option<(Element, Set)> {
    (!child.is_empty()).then(|| (element.clone(), child))
}
