//! What a field, an item or a value holds.

use std::collections::BTreeMap;

use super::super::{
    List, Map, Node, Optional, Ref, Reflect, Shape, Slot, SlotMut, Strings, Type, Union, Value,
};
use crate::json::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};

/// A value of a type that is known at run time.
pub(super) enum Cell {
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Double(f64),
    String(String),
    /// Any other value that has a Rust type: scalars, and lists and maps of
    /// leaves, which are the types that compiled fields have.
    Leaf(Box<dyn Held>),
    Struct(Box<dyn Reflect>),
    List(Items),
    Map(Entries),
    Optional(Maybe),
    Union(Forms),
}

/// A value that has a Rust type.
pub(super) trait Held: Send + Sync {
    fn held(&self) -> Slot<'_>;
    fn held_mut(&mut self) -> SlotMut<'_>;
}

impl<T: Value> Held for T {
    fn held(&self) -> Slot<'_> {
        self.slot()
    }

    fn held_mut(&mut self) -> SlotMut<'_> {
        self.slot_mut()
    }
}

fn leaf<T: Value + Default>() -> Cell {
    Cell::Leaf(Box::new(T::default()))
}

/// The list or map of a leaf as compiled types have it, where there is one.
macro_rules! of_leaves {
    ($name:ident, |$element:ident| $container:ty) => {
        fn $name(element: &Type) -> Option<Cell> {
            macro_rules! of {
                ($rust:ty) => {{
                    type $element = $rust;
                    leaf::<$container>()
                }};
            }
            Some(match element {
                Type::Bool => of!(bool),
                Type::Int32 => of!(i32),
                Type::Int64 => of!(i64),
                Type::Double => of!(f64),
                Type::String => of!(String),
                Type::Bytes => of!(Vec<u8>),
                Type::Time => of!(Option<Time>),
                Type::MicroTime => of!(Option<MicroTime>),
                Type::Duration => of!(Duration),
                Type::Quantity => of!(Quantity),
                Type::IntOrString => of!(IntOrString),
                Type::Raw => of!(Raw),
                Type::Strings => of!(Strings),
                _ => return None,
            })
        }
    };
}

of_leaves!(list_of_leaves, |E| Vec<E>);
of_leaves!(map_of_leaves, |E| BTreeMap<String, E>);

impl Cell {
    /// The empty value of a field.
    pub fn of_field(optional: bool, node: &Ref<Node>) -> Self {
        if optional { Self::Optional(Maybe { node: node.clone(), value: None }) } else { Self::of(&node.ty) }
    }

    /// The empty value of a type.
    fn of(ty: &Type) -> Self {
        match ty {
            Type::Bool => Self::Bool(false),
            Type::Int32 => Self::Int32(0),
            Type::Int64 => Self::Int64(0),
            Type::Double => Self::Double(0.0),
            Type::String => Self::String(String::new()),
            Type::Bytes => leaf::<Vec<u8>>(),
            Type::Time => leaf::<Time>(),
            Type::MicroTime => leaf::<MicroTime>(),
            Type::Duration => leaf::<Duration>(),
            Type::Quantity => leaf::<Quantity>(),
            Type::IntOrString => leaf::<IntOrString>(),
            Type::Raw => leaf::<Raw>(),
            Type::Strings => leaf::<Strings>(),
            Type::Struct(ty) => Self::Struct(ty.descriptor().new_object()),
            Type::List(node) => list_of_leaves(&node.ty)
                .unwrap_or_else(|| Self::List(Items { node: node.clone(), items: Vec::new() })),
            Type::Map(node) => map_of_leaves(&node.ty)
                .unwrap_or_else(|| Self::Map(Entries { node: node.clone(), entries: BTreeMap::new() })),
            Type::Union(forms) => Self::Union(Forms::of(forms)),
            Type::Enum(_) => unreachable!("no definition of a run-time type has an enum"),
        }
    }

    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        match self {
            Self::Bool(value) => Slot::Bool(*value),
            Self::Int32(value) => Slot::Int32(*value),
            Self::Int64(value) => Slot::Int64(*value),
            Self::Double(value) => Slot::Double(*value),
            Self::String(value) => Slot::String(value),
            Self::Leaf(value) => value.held(),
            Self::Struct(value) => Slot::Struct(&**value),
            Self::List(value) => Slot::List(value),
            Self::Map(value) => Slot::Map(value),
            Self::Optional(value) => value.value.as_ref().map_or(Slot::Absent, |value| value.slot()),
            Self::Union(value) => Slot::Union(value),
        }
    }

    #[inline]
    pub fn slot_mut(&mut self) -> SlotMut<'_> {
        match self {
            Self::Bool(value) => SlotMut::Bool(value),
            Self::Int32(value) => SlotMut::Int32(value),
            Self::Int64(value) => SlotMut::Int64(value),
            Self::Double(value) => SlotMut::Double(value),
            Self::String(value) => SlotMut::String(value),
            Self::Leaf(value) => value.held_mut(),
            Self::Struct(value) => SlotMut::Struct(&mut **value),
            Self::List(value) => SlotMut::List(value),
            Self::Map(value) => SlotMut::Map(value),
            Self::Optional(value) => SlotMut::Optional(value),
            Self::Union(value) => SlotMut::Union(value),
        }
    }
}

/// A value that may be absent.
pub(super) struct Maybe {
    node: Ref<Node>,
    value: Option<Box<Cell>>,
}

impl Optional for Maybe {
    fn is_present(&self) -> bool {
        self.value.is_some()
    }

    fn insert(&mut self) -> SlotMut<'_> {
        self.value.get_or_insert_with(|| Box::new(Cell::of(&self.node.ty))).slot_mut()
    }

    fn clear(&mut self) {
        self.value = None;
    }
}

/// A list of structs, unions, lists or maps.
pub(super) struct Items {
    node: Ref<Node>,
    items: Vec<Cell>,
}

impl List for Items {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn holds_options(&self) -> bool {
        false
    }

    fn get(&self, index: usize) -> Slot<'_> {
        self.items[index].slot()
    }

    fn get_mut(&mut self, index: usize) -> SlotMut<'_> {
        self.items[index].slot_mut()
    }

    fn reserve(&mut self, additional: usize) {
        self.items.reserve_exact(additional);
    }

    fn push(&mut self) -> SlotMut<'_> {
        let at = self.items.len();
        self.items.push(Cell::of(&self.node.ty));
        self.items[at].slot_mut()
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }

    fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }
}

/// A map to structs, unions, lists or maps.
pub(super) struct Entries {
    node: Ref<Node>,
    entries: BTreeMap<String, Cell>,
}

impl Map for Entries {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn holds_options(&self) -> bool {
        false
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Slot<'a>)) {
        for (key, value) in &self.entries {
            visit(key, value.slot());
        }
    }

    fn visit_mut(&mut self, visit: &mut dyn FnMut(&str, SlotMut<'_>)) {
        for (key, value) in &mut self.entries {
            visit(key, value.slot_mut());
        }
    }

    fn get(&self, key: &str) -> Option<Slot<'_>> {
        self.entries.get(key).map(Cell::slot)
    }

    fn entry(&mut self, key: String) -> SlotMut<'_> {
        self.entries.entry(key).or_insert_with(|| Cell::of(&self.node.ty)).slot_mut()
    }

    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool) {
        self.entries.retain(|key, _| keep(key));
    }

    fn clear(&mut self) {
        self.entries.clear();
    }
}

/// A value in one of several forms; the last one is that of an empty value.
pub(super) struct Forms {
    forms: Ref<[Type]>,
    at: usize,
    value: Box<Cell>,
}

impl Forms {
    fn of(forms: &Ref<[Type]>) -> Self {
        let at = forms.len() - 1;
        Self { forms: forms.clone(), at, value: Box::new(Cell::of(&forms[at])) }
    }
}

impl Union for Forms {
    fn active(&self) -> Slot<'_> {
        self.value.slot()
    }

    fn select(&mut self, shape: Shape) -> Option<SlotMut<'_>> {
        let at = self.forms.iter().position(|form| form.fits(shape))?;
        if at != self.at {
            (self.at, *self.value) = (at, Cell::of(&self.forms[at]));
        }
        Some(self.value.slot_mut())
    }

    fn clear(&mut self) {
        *self = Self::of(&self.forms);
    }

    fn expectation(&self) -> &'static str {
        match &self.forms[self.forms.len() - 1] {
            Type::Bool => "an object, true or false",
            Type::List(node) if matches!(node.ty, Type::String) => "an object or an array of strings",
            _ => "an object or an array of objects",
        }
    }
}
