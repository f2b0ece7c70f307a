//! Equality of objects, by their slots.

use super::{Reflect, Slot};

/// Whether two objects are of the same type and all their fields are equal.
pub fn equal(a: &dyn Reflect, b: &dyn Reflect) -> bool {
    if !std::ptr::eq(a.descriptor(), b.descriptor()) {
        return false;
    }
    a.fields().slots().zip(b.fields().slots()).all(|(a, b)| slots_equal(&a, &b))
}

/// Whether two values are equal.
pub fn slots_equal(a: &Slot<'_>, b: &Slot<'_>) -> bool {
    match (a, b) {
        (Slot::Absent, Slot::Absent) | (Slot::Null, Slot::Null) => true,
        (Slot::Bool(a), Slot::Bool(b)) => a == b,
        (Slot::Int32(a), Slot::Int32(b)) => a == b,
        (Slot::Int64(a), Slot::Int64(b)) => a == b,
        (Slot::Double(a), Slot::Double(b)) => a == b,
        (Slot::String(a), Slot::String(b)) => a == b,
        (Slot::Bytes(a), Slot::Bytes(b)) => a == b,
        (Slot::Raw(a), Slot::Raw(b)) => a == b,
        (Slot::Struct(a), Slot::Struct(b)) => equal(*a, *b),
        (Slot::Union(a), Slot::Union(b)) => slots_equal(&a.active(), &b.active()),
        (Slot::List(a), Slot::List(b)) => {
            a.len() == b.len() && (0..a.len()).all(|index| slots_equal(&a.get(index), &b.get(index)))
        }
        (Slot::Map(a), Slot::Map(b)) => {
            let mut same = a.len() == b.len();
            if same {
                a.visit(&mut |key, a| same = same && b.get(key).is_some_and(|b| slots_equal(&a, &b)));
            }
            same
        }
        (Slot::Scalar(a), Slot::Scalar(b)) => {
            let mut same = false;
            a.show(&mut |a| b.show(&mut |b| same = a == b));
            same
        }
        _ => false,
    }
}
