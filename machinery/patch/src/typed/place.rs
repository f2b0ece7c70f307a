//! A place in a type.

use hubgen_machinery::reflect::{Described, Descriptor, Fact, Facts, Keys, ListType, Node, Type};

/// What may be at a place, and how it is owned.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A scalar, or any JSON that is owned as a whole.
    Leaf,
    /// Any JSON: its objects are owned member by member.
    Any,
    /// An object.
    Object { members: Members<'a>, is_atomic: bool },
    /// A list.
    List(List<'a>),
}

/// The members of an object.
#[derive(Clone, Copy)]
pub(super) enum Members<'a> {
    Struct(&'a Descriptor),
    Map(&'a Node),
}

/// A list.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    items: &'a Node,
    are_items_atomic: bool,
    pub(super) by: By<'a>,
}

/// How the items of a list are told apart.
#[derive(Clone, Copy)]
pub(super) enum By<'a> {
    /// They are not: the list is owned as a whole.
    Nothing,
    Value,
    Keys(Keys<'a>),
}

/// A type, and the snapshot that the types below it are in.
#[derive(Clone, Copy)]
pub(super) struct Types<'a>(pub(super) &'a Described);

impl<'a> Types<'a> {
    /// The place of a whole object of the type.
    pub(super) fn root(self) -> Place<'a> {
        Place::Object { members: Members::Struct(self.0), is_atomic: false }
    }

    /// The place of a member of an object; `None` if its name is not known, and only objects of the type's own version
    /// would have it.
    pub(super) fn member(self, of: Members<'a>, name: &str) -> Option<Place<'a>> {
        match of {
            Members::Map(values) => Some(self.place(&values.ty, &values.facts, false)),
            Members::Struct(of) => {
                let field = of.named().iter().find(|field| field.name == *name)?;
                Some(self.place(&field.ty, &field.facts, false))
            }
        }
    }

    /// The place of an item of a list.
    pub(super) fn item(self, of: List<'a>) -> Place<'a> {
        self.place(&of.items.ty, &of.items.facts, of.are_items_atomic)
    }

    fn place(self, ty: &'a Type, facts: &'a Facts, is_atomic: bool) -> Place<'a> {
        let is_atomic = is_atomic || facts.contains(&Fact::Atomic);
        match ty {
            Type::Struct(inner) => Place::Object { members: Members::Struct(self.0.below(inner)), is_atomic },
            Type::Map(values) => Place::Object { members: Members::Map(values), is_atomic },
            Type::List(items) => Place::List(List { items, are_items_atomic: is_atomic, by: by(facts) }),
            // The types of a union have nothing in common.
            Type::Union(_) => Place::Any,
            Type::Raw if !is_atomic => Place::Any,
            _ => Place::Leaf,
        }
    }
}

/// How the items of a list are told apart. Types of releases before there were list types say it only for patches.
fn by(facts: &Facts) -> By<'_> {
    match facts.list_type() {
        Some(ListType::Atomic) => By::Nothing,
        Some(ListType::Set) => By::Value,
        Some(ListType::Map(_)) => By::Keys(facts.keys()),
        None => {
            let is_merged =
                facts.iter().any(|fact| matches!(fact, Fact::Patch(words) if words.contains("merge")));
            match facts.keys() {
                _ if !is_merged => By::Nothing,
                keys if keys.is_empty() => By::Value,
                keys => By::Keys(keys),
            }
        }
    }
}

impl<'a> List<'a> {
    /// The default of a key that an item does not have, as JSON.
    pub(super) fn default_of(self, types: Types<'a>, key: &str) -> Option<&'a str> {
        let Type::Struct(inner) = &self.items.ty else { return None };
        types.0.below(inner).named().iter().find(|field| field.name == *key)?.facts.default()
    }
}
