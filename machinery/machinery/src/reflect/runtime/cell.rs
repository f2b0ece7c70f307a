//! Values of run-time types: of fields, of list items and of map values.

use super::super::list::{Elements, ElementsMut, Sealed};
use super::super::{
    Field, List, Map, Node, Optional, Ref, Reflect, Shape, Slot, SlotMut, Strings, TextRef, Type, Union,
    Value,
};
use crate::json::Raw;
use crate::scalar::{Duration, IntOrString, MicroTime, Quantity, Time};
use crate::{Str, StrMap};

/// A value of a run-time type.
pub(super) enum Cell {
    Bool(bool),
    Int32(i32),
    Int64(i64),
    Double(f64),
    String(Str),
    /// Any other value with a Rust type: scalars, and lists and maps of leaves.
    /// The Rust type is the same as in compiled types.
    Leaf(Box<dyn DynValue>),
    Struct(Box<dyn Reflect>),
    List(ListCell),
    Map(MapCell),
    Optional(OptionalCell),
    Union(UnionCell),
}

/// The object-safe part of [`Value`].
pub(super) trait DynValue: Send + Sync {
    fn dyn_slot(&self) -> Slot<'_>;
    fn dyn_slot_mut(&mut self) -> SlotMut<'_>;
}

impl<T: Value> DynValue for T {
    fn dyn_slot(&self) -> Slot<'_> {
        self.slot()
    }

    fn dyn_slot_mut(&mut self) -> SlotMut<'_> {
        self.slot_mut()
    }
}

fn leaf<T: Value + Default>() -> Cell {
    Cell::Leaf(Box::new(T::default()))
}

/// Defines a function that makes an empty list or map of leaves, of the same
/// Rust type as in compiled types. It returns `None` for other elements.
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
                Type::Float => of!(f32),
                Type::Double => of!(f64),
                Type::Uint16 => of!(u16),
                Type::Uint32 => of!(u32),
                Type::Uint64 => of!(u64),
                Type::String => of!(Str),
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
of_leaves!(map_of_leaves, |E| StrMap<E>);

impl Cell {
    /// The empty value of a field.
    pub fn of_field(field: &Field, node: &Ref<Node>) -> Self {
        if field.optional {
            Self::Optional(OptionalCell { node: node.clone(), nullable: field.nullable, value: None })
        } else {
            Self::of(&node.ty)
        }
    }

    /// The empty value of a type.
    fn of(ty: &Type) -> Self {
        match ty {
            Type::Bool => Self::Bool(false),
            Type::Int32 => Self::Int32(0),
            Type::Int64 => Self::Int64(0),
            Type::Float => leaf::<f32>(),
            Type::Double => Self::Double(0.0),
            Type::Uint16 => leaf::<u16>(),
            Type::Uint32 => leaf::<u32>(),
            Type::Uint64 => leaf::<u64>(),
            Type::String => Self::String(Str::new()),
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
                .unwrap_or_else(|| Self::List(ListCell { node: node.clone(), items: Vec::new() })),
            Type::Map(node) => map_of_leaves(&node.ty)
                .unwrap_or_else(|| Self::Map(MapCell { node: node.clone(), entries: StrMap::new() })),
            Type::Union(members) => Self::Union(UnionCell::of(members)),
            Type::Enum(_) | Type::Words(_) | Type::Leaf(_) => {
                unreachable!("run-time types have no enums and no leaves")
            }
        }
    }

    #[inline]
    pub fn slot(&self) -> Slot<'_> {
        match self {
            Self::Bool(value) => Slot::Bool(*value),
            Self::Int32(value) => Slot::Int32(*value),
            Self::Int64(value) => Slot::Int64(*value),
            Self::Double(value) => Slot::Double(*value),
            Self::String(value) => Slot::String(TextRef::Str(value)),
            Self::Leaf(value) => value.dyn_slot(),
            Self::Struct(value) => Slot::Struct(&**value),
            Self::List(value) => Slot::List(value),
            Self::Map(value) => Slot::Map(value),
            Self::Optional(value) => value.slot(),
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
            Self::Leaf(value) => value.dyn_slot_mut(),
            Self::Struct(value) => SlotMut::Struct(&mut **value),
            Self::List(value) => SlotMut::List(value),
            Self::Map(value) => SlotMut::Map(value),
            Self::Optional(value) => SlotMut::Optional(value),
            Self::Union(value) => SlotMut::Union(value),
        }
    }
}

/// A value that may be absent.
pub(super) struct OptionalCell {
    node: Ref<Node>,
    /// Whether a present value may be `null`. It is then an [`OptionalCell`], too.
    nullable: bool,
    value: Option<Box<Cell>>,
}

impl OptionalCell {
    #[inline]
    fn slot(&self) -> Slot<'_> {
        match self.value.as_ref().map(|value| value.slot()) {
            None => Slot::Absent,
            Some(Slot::Absent) if self.nullable => Slot::Null,
            Some(slot) => slot,
        }
    }
}

impl Optional for OptionalCell {
    fn is_present(&self) -> bool {
        self.value.is_some()
    }

    fn insert(&mut self) -> SlotMut<'_> {
        let make = || {
            Box::new(if self.nullable {
                Cell::Optional(Self { node: self.node.clone(), nullable: false, value: None })
            } else {
                Cell::of(&self.node.ty)
            })
        };
        self.value.get_or_insert_with(make).slot_mut()
    }

    fn clear(&mut self) {
        self.value = None;
    }

    fn is_nullable(&self) -> bool {
        self.nullable
    }
}

/// A list of structs, unions, lists or maps.
pub struct ListCell {
    node: Ref<Node>,
    items: Vec<Cell>,
}

impl ListCell {
    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn slot(&self, index: usize) -> Slot<'_> {
        self.items[index].slot()
    }

    pub fn slot_mut(&mut self, index: usize) -> SlotMut<'_> {
        self.items[index].slot_mut()
    }

    pub fn reserve(&mut self, additional: usize) {
        self.items.reserve_exact(additional);
    }

    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    pub fn shrink(&mut self) {
        self.items.shrink_to_fit();
    }

    pub fn swap(&mut self, a: usize, b: usize) {
        self.items.swap(a, b);
    }

    /// Appends an empty element.
    pub fn push(&mut self) -> SlotMut<'_> {
        let at = self.items.len();
        self.items.push(Cell::of(&self.node.ty));
        self.items[at].slot_mut()
    }
}

impl Sealed for ListCell {}

impl List for ListCell {
    fn elements(&self) -> Elements<'_> {
        Elements::Cells(self)
    }

    fn elements_mut(&mut self) -> ElementsMut<'_> {
        ElementsMut::Cells(self)
    }
}

/// A map to structs, unions, lists or maps.
pub(super) struct MapCell {
    node: Ref<Node>,
    entries: StrMap<Cell>,
}

impl Map for MapCell {
    fn len(&self) -> usize {
        self.entries.len()
    }

    fn has_optional_values(&self) -> bool {
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

    fn entry(&mut self, key: &str) -> SlotMut<'_> {
        self.entries.entry(key).or_insert_with(|| Cell::of(&self.node.ty)).slot_mut()
    }

    fn share_keys(&mut self, share: &mut dyn FnMut(&mut Str)) {
        self.entries.share_keys(share);
    }

    fn retain(&mut self, keep: &mut dyn FnMut(&str) -> bool) {
        self.entries.retain(|key, _| keep(key));
    }

    fn fill(&mut self, keys: &[&str]) -> bool {
        self.entries.fill(keys, || Cell::of(&self.node.ty))
    }

    fn shrink(&mut self) {
        self.entries.shrink_to_fit();
    }

    fn clear(&mut self) {
        self.entries.clear();
    }
}

/// A union. The last member is the default.
pub(super) struct UnionCell {
    members: Ref<[Type]>,
    at: usize,
    value: Box<Cell>,
}

impl UnionCell {
    fn of(members: &Ref<[Type]>) -> Self {
        let at = members.len() - 1;
        Self { members: members.clone(), at, value: Box::new(Cell::of(&members[at])) }
    }
}

impl Union for UnionCell {
    fn active(&self) -> Slot<'_> {
        self.value.slot()
    }

    fn select(&mut self, shape: Shape) -> Option<SlotMut<'_>> {
        let at = self.members.iter().position(|member| member.fits(shape))?;
        if at != self.at {
            (self.at, *self.value) = (at, Cell::of(&self.members[at]));
        }
        Some(self.value.slot_mut())
    }

    fn active_mut(&mut self) -> SlotMut<'_> {
        self.value.slot_mut()
    }

    fn clear(&mut self) {
        *self = Self::of(&self.members);
    }

    fn expectation(&self) -> &'static str {
        match &self.members[self.members.len() - 1] {
            Type::Bool => "an object, true or false",
            Type::List(node) if matches!(node.ty, Type::String) => "an object or an array of strings",
            _ => "an object or an array of objects",
        }
    }
}
