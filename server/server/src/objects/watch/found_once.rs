//! A list that only grows. Its items are found without a lock, and without a write to memory that other processors read:
//! a change is shown by thousands of watches at the same time.

use std::sync::OnceLock;

/// Items, each made when it is first asked for.
pub(super) struct FoundOnce<T>(OnceLock<Box<Node<T>>>);

struct Node<T> {
    item: T,
    rest: FoundOnce<T>,
}

impl<T> Default for FoundOnce<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> FoundOnce<T> {
    /// The first item that fits, if there is one.
    pub(super) fn known(&self, fits: impl Fn(&T) -> bool) -> Option<&T> {
        let mut list = self;
        while let Some(node) = list.0.get() {
            if fits(&node.item) {
                return Some(&node.item);
            }
            list = &node.rest;
        }
        None
    }

    /// The first item that fits. If there is none, one is made, while others who ask wait for it; it has to fit.
    pub(super) fn find(&self, fits: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> &T {
        let (mut list, mut make) = (self, Some(make));
        loop {
            let mut is_made = false;
            let node = list.0.get_or_init(|| {
                is_made = true;
                let make = make.take().expect("the search ends with the item that it makes");
                Box::new(Node { item: make(), rest: Self::default() })
            });
            if is_made || fits(&node.item) {
                return &node.item;
            }
            list = &node.rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn each_item_is_made_once() {
        let (list, made) = (FoundOnce::default(), AtomicUsize::new(0));
        let find = |number: usize| {
            *list.find(
                |item| *item == number,
                || {
                    made.fetch_add(1, Ordering::Relaxed);
                    number
                },
            )
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|round| assert_eq!(find(round % 10), round % 10)));
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 10);
    }
}
