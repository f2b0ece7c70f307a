//! A place in a type.

use hubgen_machinery::reflect::{Described, Descriptor, Fact, Facts, Keys, ListType, Node, Omit, Type};

/// What may be at a place, and how it is owned.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// A scalar, or any JSON that is owned as a whole.
    Leaf(Scalar),
    /// Any JSON: its objects are owned member by member.
    Any,
    /// An object.
    Object { members: Members<'a>, is_atomic: bool },
    /// A list.
    List(List<'a>),
}

/// What a leaf may be.
#[derive(Clone, Copy)]
pub(super) enum Scalar {
    Number,
    Text,
    Bool,
    /// Any scalar.
    Any,
    /// Any JSON.
    Json,
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
            ty => Place::Leaf(scalar(ty)),
        }
    }
}

/// What a leaf of a type may be. Types with a format take any scalar.
fn scalar(ty: &Type) -> Scalar {
    match ty {
        Type::Bool => Scalar::Bool,
        Type::Int32
        | Type::Int64
        | Type::Uint16
        | Type::Uint32
        | Type::Uint64
        | Type::Float
        | Type::Double => Scalar::Number,
        Type::String | Type::Bytes | Type::Enum(_) | Type::Words(_) | Type::Duration => Scalar::Text,
        Type::Time | Type::MicroTime | Type::Quantity | Type::IntOrString | Type::Leaf(_) => Scalar::Any,
        Type::Raw | Type::Strings | Type::Struct(_) | Type::List(_) | Type::Map(_) | Type::Union(_) => {
            Scalar::Json
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

impl Members<'_> {
    /// Whether an object may have a member of a name that [`Types::member`] does not know.
    pub(super) fn takes(self, name: &str) -> bool {
        match self {
            Self::Map(_) => true,
            Self::Struct(of) => of.has(name) || of.named().len() < of.fields.len(),
        }
    }
}

impl<'a> List<'a> {
    /// The default of a key that an item does not have, as JSON. A field that JSON always contains has its zero, which is
    /// the default that upstream publishes for it.
    pub(super) fn default_of(self, types: Types<'a>, key: &str) -> Option<&'a str> {
        let Type::Struct(inner) = &self.items.ty else { return None };
        let field = types.0.below(inner).named().iter().find(|field| field.name == *key)?;
        field.facts.default().or_else(|| match (field.omit, scalar(&field.ty)) {
            _ if field.pointer => None,
            (Omit::Never | Omit::Exact, Scalar::Text) => Some("\"\""),
            (Omit::Never | Omit::Exact, Scalar::Number) => Some("0"),
            (Omit::Never | Omit::Exact, Scalar::Bool) => Some("false"),
            _ => None,
        })
    }
}
