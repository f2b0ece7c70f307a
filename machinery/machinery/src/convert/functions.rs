//! Functions that rules of any API can name, where no operator covers a case.
//!
//! `<name>_to_hub` takes fields of a version and returns fields of the hub; `<name>_from_hub` is the reverse. Those for
//! Kubernetes' own kinds are in `hubgen-kubernetes-functions`.

use std::sync::LazyLock;

use super::function::{Function, Functions};
use crate::Str;

/// All functions that rules of any API can call by name.
pub static ALL: LazyLock<Functions> =
    LazyLock::new(|| Functions::none().with("first", first_to_hub, first_from_hub));

/// Looks up a function by name.
pub fn find(name: &str) -> Option<&'static Function> {
    ALL.find(name)
}

/// Splits a list into its first element and the others.
pub fn first_to_hub(mut list: Vec<Str>) -> (Str, Vec<Str>) {
    if list.is_empty() {
        return (Str::new(), list);
    }
    (list.remove(0), list)
}

/// The reverse. Returns an empty list if both parts are empty.
pub fn first_from_hub(first: Str, mut others: Vec<Str>) -> Vec<Str> {
    if !first.is_empty() || !others.is_empty() {
        others.insert(0, first);
    }
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Str {
        text.into()
    }

    #[test]
    fn splitting_off_the_first_element_is_reversible() {
        for list in [vec![], vec![text("a")], vec![text("a"), text("b")], vec![text(""), text("b")]] {
            let (first, others) = first_to_hub(list.clone());
            assert_eq!(first_from_hub(first, others), list);
        }
        assert_eq!(first_to_hub(vec![text("a"), text("b")]), (text("a"), vec![text("b")]));
    }
}
