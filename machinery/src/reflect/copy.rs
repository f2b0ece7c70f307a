//! Deep copy.

use std::collections::BTreeMap;

/// A copy that shares nothing with its source.
///
/// In Rust every owned tree has one; what this adds to [`Clone`] is
/// [`deep_copy_into`](DeepCopy::deep_copy_into), which reuses what the target
/// has allocated, all the way down.
///
/// ```
/// use hubgen_machinery::reflect::DeepCopy;
///
/// let source = vec!["a".to_owned()];
/// let mut target = vec![String::with_capacity(8), String::new()];
/// let kept = target[0].as_ptr();
/// source.deep_copy_into(&mut target);
/// assert_eq!(target, source);
/// assert_eq!(target[0].as_ptr(), kept);
/// ```
pub trait DeepCopy: Clone {
    /// A copy that shares nothing with `self`.
    fn deep_copy(&self) -> Self;

    /// Makes `target` equal to `self`, reusing its allocations.
    fn deep_copy_into(&self, target: &mut Self) {
        *target = self.deep_copy();
    }
}

macro_rules! plain {
    ($($rust:ty),*) => {$(
        impl DeepCopy for $rust {
            fn deep_copy(&self) -> Self {
                *self
            }
        }
    )*};
}

plain!(bool, u8, i32, i64, f64);

impl DeepCopy for String {
    #[inline]
    fn deep_copy(&self) -> Self {
        // Most strings of an object are empty.
        if self.is_empty() { Self::new() } else { self.clone() }
    }

    fn deep_copy_into(&self, target: &mut Self) {
        target.clone_from(self);
    }
}

impl<T: DeepCopy> DeepCopy for Box<T> {
    fn deep_copy(&self) -> Self {
        Self::new((**self).deep_copy())
    }

    fn deep_copy_into(&self, target: &mut Self) {
        (**self).deep_copy_into(target);
    }
}

impl<T: DeepCopy> DeepCopy for Option<T> {
    #[allow(clippy::manual_map, reason = "compiled for every type: the fewer functions the better")]
    fn deep_copy(&self) -> Self {
        match self {
            Some(value) => Some(value.deep_copy()),
            None => None,
        }
    }

    fn deep_copy_into(&self, target: &mut Self) {
        match (self, target) {
            (Some(source), Some(target)) => source.deep_copy_into(target),
            (source, target) => *target = source.deep_copy(),
        }
    }
}

#[allow(clippy::needless_range_loop, reason = "compiled for every type: iterators are many functions")]
impl<T: DeepCopy> DeepCopy for Vec<T> {
    fn deep_copy(&self) -> Self {
        let elements = self.as_slice();
        let mut copy = Self::with_capacity(elements.len());
        for index in 0..elements.len() {
            copy.push(elements[index].deep_copy());
        }
        copy
    }

    fn deep_copy_into(&self, target: &mut Self) {
        let elements = self.as_slice();
        target.truncate(elements.len());
        let used = target.len();
        for index in 0..used {
            elements[index].deep_copy_into(&mut target.as_mut_slice()[index]);
        }
        for index in used..elements.len() {
            target.push(elements[index].deep_copy());
        }
    }
}

impl<T: DeepCopy> DeepCopy for BTreeMap<String, T> {
    #[inline]
    fn deep_copy(&self) -> Self {
        // The tree's own clone keeps its shape; nothing is sorted again.
        self.clone()
    }

    fn deep_copy_into(&self, target: &mut Self) {
        // Keys usually agree; a tree whose keys differ is built anew.
        if self.len() == target.len() && self.keys().eq(target.keys()) {
            for (source, target) in self.values().zip(target.values_mut()) {
                source.deep_copy_into(target);
            }
        } else {
            *target = self.deep_copy();
        }
    }
}
