//! Deep copy.

use std::collections::BTreeMap;

use super::{List, Map, Reflect, Shape, Slot, SlotMut, TextRef, TextSlot};
use crate::Str;

/// Deep copy: a copy that shares nothing with its source.
///
/// In Rust, [`Clone`] of an owned tree is a deep copy already. This adds
/// [`deep_copy_into`](DeepCopy::deep_copy_into), which reuses the target's
/// allocations at every depth.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an API type",
    note = "add `#[derive(ApiType)]` to your own types"
)]
pub trait DeepCopy: Clone {
    /// Makes a copy that shares nothing with `self`.
    fn deep_copy(&self) -> Self;

    /// Makes `target` equal to `self` and reuses its allocations.
    fn deep_copy_into(&self, target: &mut Self) {
        *target = self.deep_copy();
    }

    /// Copies a list of values. Numbers and booleans are copied all at once.
    #[doc(hidden)]
    fn deep_copy_all(list: &[Self]) -> Vec<Self> {
        let mut copy = Vec::with_capacity(list.len());
        for element in list {
            copy.push(element.deep_copy());
        }
        copy
    }
}

/// Makes `target`, which must be empty, equal to another object of its type.
pub(super) fn copy(source: &dyn Reflect, target: &mut dyn Reflect) {
    for (index, (field, slot)) in source.fields().iter().enumerate() {
        // Most fields of an object are empty.
        let empty = match slot {
            Slot::Absent => continue,
            Slot::String(text) => text.is_empty(),
            Slot::List(list) => list.is_empty(),
            Slot::Map(map) => map.is_empty(),
            Slot::Bytes(bytes) => bytes.is_empty(),
            Slot::Bool(value) => !value,
            Slot::Int32(value) => value == 0,
            Slot::Int64(value) => value == 0,
            Slot::Raw(value) => value.is_null(),
            _ => false,
        };
        if !empty || field.optional {
            copy_new(&slot, target.write(index));
        }
    }
}

/// Makes an object equal to another of its type and reuses its allocations.
/// Derived code calls it.
pub fn copy_into(source: &dyn Reflect, target: &mut dyn Reflect) {
    for (index, slot) in source.fields().slots().enumerate() {
        copy_slot(&slot, target.write(index));
    }
}

/// Makes a value equal to another of its type and reuses its allocations.
///
/// # Panics
/// When the types differ.
pub fn copy_slot(source: &Slot<'_>, target: SlotMut<'_>) {
    match (source, target) {
        (Slot::Absent, target) => target.clear(),
        (Slot::Null, SlotMut::Optional(target)) => target.set_null(),
        (source, SlotMut::Optional(target)) if target.is_present() => copy_slot(source, target.insert()),
        (source, SlotMut::Optional(target)) => copy_new(source, target.insert()),
        (source, SlotMut::Member(target, index)) => copy_slot(source, target.activate(index)),
        (Slot::Bool(source), SlotMut::Bool(target)) => *target = *source,
        (Slot::Int32(source), SlotMut::Int32(target)) => *target = *source,
        (Slot::Int64(source), SlotMut::Int64(target)) => *target = *source,
        (Slot::Double(source), SlotMut::Double(target)) => *target = *source,
        (Slot::String(source), SlotMut::String(target)) => copy_text(*source, target),
        (Slot::Bytes(source), SlotMut::Bytes(target)) => (*source).clone_into(target),
        (Slot::Scalar(source), SlotMut::Scalar(target)) => target.copy_from(*source),
        (Slot::Raw(source), SlotMut::Raw(target)) => target.clone_from(source),
        (Slot::Struct(source), SlotMut::Struct(target)) => copy_into(*source, target),
        (Slot::List(source), SlotMut::List(target)) => copy_list(*source, target),
        (Slot::Map(source), SlotMut::Map(target)) => copy_map(*source, target),
        (Slot::Union(source), SlotMut::Union(target)) => {
            let active = source.active();
            if let Some(target) = shape(&active).and_then(|shape| target.select(shape)) {
                copy_slot(&active, target);
            }
        }
        _ => unreachable!("both values have the same type"),
    }
}

/// As [`copy_slot`], but the target must be empty.
fn copy_new(source: &Slot<'_>, target: SlotMut<'_>) {
    let target = match (source, target) {
        (Slot::Absent, _) => return,
        (Slot::Null, SlotMut::Optional(target)) => return target.set_null(),
        (_, SlotMut::Optional(target)) => target.insert(),
        (_, target) => target,
    };
    match (source, target) {
        (Slot::Struct(source), SlotMut::Struct(target)) => copy(*source, target),
        (Slot::List(source), SlotMut::List(target)) => {
            target.reserve(source.len());
            for index in 0..source.len() {
                copy_new(&source.get(index), target.push());
            }
        }
        (source, target) => copy_slot(source, target),
    }
}

fn copy_text(source: TextRef<'_>, target: &mut dyn TextSlot) {
    match source {
        TextRef::Str(source) => target.set_shared(source),
        TextRef::Plain(source) => target.set(source),
    }
}

fn copy_list(source: &dyn List, target: &mut dyn List) {
    target.truncate(source.len());
    let used = target.len();
    for index in 0..used {
        copy_slot(&source.get(index), target.get_mut(index));
    }
    target.reserve(source.len() - used);
    for index in used..source.len() {
        copy_new(&source.get(index), target.push());
    }
}

/// Keys are usually equal. If they differ, the map is rebuilt.
fn copy_map(source: &dyn Map, target: &mut dyn Map) {
    if target.is_empty() && copy_strings(source, target) {
        return;
    }
    let mut same = source.len() == target.len();
    target.visit_mut(&mut |key, target| match source.get(key) {
        Some(source) if same => copy_slot(&source, target),
        _ => same = false,
    });
    if !same {
        target.clear();
        source.visit(&mut |key, source| copy_new(&source, target.entry(key)));
        target.shrink();
    }
}

/// Clones a map of strings at once. Most maps are labels and the like.
fn copy_strings(source: &dyn Map, target: &mut dyn Map) -> bool {
    match (source.downcast_ref::<Str>(), target.downcast_mut::<Str>()) {
        (Some(source), Some(target)) => {
            *target = source.clone();
            true
        }
        _ => false,
    }
}

fn shape(slot: &Slot<'_>) -> Option<Shape> {
    match slot {
        Slot::Struct(_) | Slot::Map(_) => Some(Shape::Object),
        Slot::List(_) => Some(Shape::Array),
        Slot::Bool(_) => Some(Shape::Bool),
        Slot::Int32(_) | Slot::Int64(_) | Slot::Double(_) => Some(Shape::Number),
        Slot::String(_) => Some(Shape::String),
        _ => None,
    }
}

macro_rules! plain {
    ($($rust:ty),*) => {$(
        impl DeepCopy for $rust {
            #[inline]
            fn deep_copy(&self) -> Self {
                *self
            }

            fn deep_copy_all(list: &[Self]) -> Vec<Self> {
                list.to_vec()
            }
        }
    )*};
}

plain!(bool, u8, i32, i64, f32, f64);

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

/// A text is immutable, so its copies share its allocation.
impl DeepCopy for Str {
    #[inline]
    fn deep_copy(&self) -> Self {
        self.clone()
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
        // Most lists of an object are empty.
        if self.is_empty() { Self::new() } else { T::deep_copy_all(self) }
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

impl<K: Clone + Ord, T: DeepCopy> DeepCopy for BTreeMap<K, T> {
    #[inline]
    fn deep_copy(&self) -> Self {
        // `BTreeMap::clone` keeps the tree's shape instead of inserting again.
        self.clone()
    }

    fn deep_copy_into(&self, target: &mut Self) {
        // Keys are usually equal. If they differ, the map is rebuilt.
        if self.len() == target.len() && self.keys().eq(target.keys()) {
            for (source, target) in self.values().zip(target.values_mut()) {
                source.deep_copy_into(target);
            }
        } else {
            *target = self.deep_copy();
        }
    }
}
