//! Slots of the standard library's types.
//!
//! What is generic here is compiled once for every type of an API: it calls as
//! few of the standard library's generic functions as it can, and small ones.

use std::collections::BTreeMap;

use super::{List, Map, Optional, Slot, SlotMut, Type, Value};

macro_rules! plain {
    ($($rust:ty => $variant:ident),* $(,)?) => {$(
        impl Value for $rust {
            const TYPE: Type = Type::$variant;

            fn slot(&self) -> Slot<'_> {
                Slot::$variant(*self)
            }

            fn slot_mut(&mut self) -> SlotMut<'_> {
                SlotMut::$variant(self)
            }
        }
    )*};
}

plain!(bool => Bool, i32 => Int32, i64 => Int64, f64 => Double);

impl Value for String {
    const TYPE: Type = Type::String;

    fn slot(&self) -> Slot<'_> {
        Slot::String(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::String(self)
    }
}

impl Value for Vec<u8> {
    const TYPE: Type = Type::Bytes;

    fn slot(&self) -> Slot<'_> {
        Slot::Bytes(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Bytes(self)
    }
}

impl<T: Value> Value for Box<T> {
    const TYPE: Type = T::TYPE;

    fn slot(&self) -> Slot<'_> {
        (**self).slot()
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        (**self).slot_mut()
    }
}

impl<T: Value + Default> Value for Option<T> {
    const TYPE: Type = T::TYPE;
    const OPTIONAL: bool = true;

    fn slot(&self) -> Slot<'_> {
        match self {
            Some(value) => value.slot(),
            None => Slot::Absent,
        }
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Optional(self)
    }
}

impl<T: Value + Default> Optional for Option<T> {
    fn is_present(&self) -> bool {
        self.is_some()
    }

    fn insert(&mut self) -> SlotMut<'_> {
        if self.is_none() {
            *self = Some(T::default());
        }
        match self {
            Some(value) => value.slot_mut(),
            None => unreachable!("made present above"),
        }
    }

    fn clear(&mut self) {
        *self = None;
    }
}

impl<T: Value + Default> Value for Vec<T> {
    const TYPE: Type = Type::List(&T::TYPE);

    fn slot(&self) -> Slot<'_> {
        Slot::List(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::List(self)
    }
}

impl<T: Value + Default> List for Vec<T> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn holds_options(&self) -> bool {
        T::OPTIONAL
    }

    fn get(&self, index: usize) -> Slot<'_> {
        self.as_slice()[index].slot()
    }

    fn get_mut(&mut self, index: usize) -> SlotMut<'_> {
        self.as_mut_slice()[index].slot_mut()
    }

    fn push(&mut self) -> SlotMut<'_> {
        self.push_mut(T::default()).slot_mut()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.as_mut_slice().swap(a, b);
    }

    fn truncate(&mut self, len: usize) {
        Vec::truncate(self, len);
    }
}

impl<T: Value + Default> Value for BTreeMap<String, T> {
    const TYPE: Type = Type::Map(&T::TYPE);

    fn slot(&self) -> Slot<'_> {
        Slot::Map(self)
    }

    fn slot_mut(&mut self) -> SlotMut<'_> {
        SlotMut::Map(self)
    }
}

impl<T: Value + Default> Map for BTreeMap<String, T> {
    fn len(&self) -> usize {
        BTreeMap::len(self)
    }

    fn holds_options(&self) -> bool {
        T::OPTIONAL
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Slot<'a>)) {
        for (key, value) in self {
            visit(key, value.slot());
        }
    }

    fn visit_mut(&mut self, visit: &mut dyn FnMut(&str, SlotMut<'_>)) {
        for (key, value) in self {
            visit(key, value.slot_mut());
        }
    }

    fn get(&self, key: &str) -> Option<Slot<'_>> {
        BTreeMap::get(self, key).map(Value::slot)
    }

    fn entry(&mut self, key: String) -> SlotMut<'_> {
        BTreeMap::entry(self, key).or_default().slot_mut()
    }

    fn remove(&mut self, key: &str) -> bool {
        BTreeMap::remove(self, key).is_some()
    }

    fn clear(&mut self) {
        BTreeMap::clear(self);
    }
}
