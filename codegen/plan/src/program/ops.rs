//! The ops of a program. The generator prints each as Rust, and the interpreter runs each
//! over reflection. The rules are no longer needed.
//!
//! A program converts an object of one type into an empty object of another. Every op reads
//! fields of the first and writes fields of the second. The comments show what the generator
//! prints: `spec` is the source, and the target is a struct literal.

use std::fmt;

use hubgen_model::value_table::{Cell, Way};
use hubgen_model::{Field, Omit, PlainType, TypeId, ValueTable};

use super::{ResolvedPath, Value};

/// How an object of one type converts to another type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Optional objects of the source that are read as empty ones if they are absent, outer ones
    /// first: `let metric = spec.metric.unwrap_or_default();`.
    pub opened: Vec<ResolvedPath>,
    /// The ops, in order.
    pub ops: Vec<Op>,
    /// Optional objects of the target that ops write into, inner ones first.
    pub parents: Vec<Parent>,
}

/// An optional object of the target that ops write into.
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    /// The field path of the object.
    pub path: ResolvedPath,
    /// When it is present.
    pub when: When,
}

/// When an optional object of the target is present.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// If a field in it has a value: `convert::present(…)`.
    Filled,
    /// Also if this object is present in the source: the one at the same names, or the one that
    /// has the same fields there, and no others. `convert::present_if(has_private_key, …)`.
    With(ResolvedPath),
    /// Exactly if this object is present in the source, whatever rules write into it: all of it comes from there.
    /// `has_private_key.then_some(…)`.
    OnlyWith(ResolvedPath),
    /// Even if it is empty: `Some(…)`.
    Always,
    /// As `Filled`, although this object of the source is its counterpart: a rule specifies that an empty one is the
    /// same as none.
    EmptyIsAbsent(ResolvedPath),
}

impl When {
    /// The object of the source with which it is present.
    pub fn followed(&self) -> Option<&ResolvedPath> {
        match self {
            Self::With(source) | Self::OnlyWith(source) => Some(source),
            Self::Filled | Self::Always | Self::EmptyIsAbsent(_) => None,
        }
    }
}

/// A field of the source that may contain only certain string values, because others have no
/// counterpart. It is checked before any program runs:
/// `convert::expect(&self, "spec.keyAlgorithm", &["rsa"])?;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its path from the kind. The path passes through lists and maps implicitly.
    pub path: String,
    /// The values.
    pub words: Vec<String>,
}

/// An op of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Copies a field: `replicas: spec.replicas`.
    Copy(FieldCopy),
    /// Sets a field to a fixed string: `type: "Resource".to_owned()`, or with cases
    /// `if spec.value.is_some() { "Value" } else { "Average" }`. It does not create the optional
    /// objects around the field: it is set last, where they are present.
    Word {
        /// The field.
        to: ResolvedPath,
        /// The first of these source fields that has a value selects the string.
        cases: Vec<(ResolvedPath, String)>,
        /// The string if no such field has a value.
        otherwise: String,
    },
    /// Calls a conversion function: `let (first, others) = functions::first_to_hub(spec.ranges);`.
    Call {
        /// The function.
        function: Callee,
        /// Its arguments.
        from: Vec<ResolvedPath>,
        /// Its results.
        to: Vec<ResolvedPath>,
    },
    /// Splits a number or name into a number and a name:
    /// `let (number, name) = convert::split(spec.port);`.
    Split {
        /// The number or name.
        from: ResolvedPath,
        /// The number.
        number: ResolvedPath,
        /// The name.
        name: ResolvedPath,
    },
    /// Joins a number and a name, of which a nonempty name wins:
    /// `port: convert::join(spec.number, spec.name)`.
    Join {
        /// The number.
        number: ResolvedPath,
        /// The name.
        name: ResolvedPath,
        /// The number or name.
        to: ResolvedPath,
    },
    /// Turns a field that is present into an element of a list:
    /// `metrics: spec.target.map(target_to_element).into_iter().collect()`.
    ToElement {
        /// The list.
        list: ResolvedPath,
        /// The element; its field is in the source.
        element: Element,
    },
    /// Turns an element of a list into a field, which is absent if no element matches:
    /// `target: spec.metrics.iter().find_map(target_of_element)`.
    FromElement {
        /// The list.
        list: ResolvedPath,
        /// The element; its field is in the target.
        element: Element,
        /// The part of the field's path that is present exactly when the element is.
        present: Option<ResolvedPath>,
    },
    /// Copies a list and sets fields in all its elements from fields of the source:
    /// `convert::spread(&mut ports, spec.port, |element| &mut element.port);`.
    Spread {
        /// The list.
        list: FieldCopy,
        /// The fields that create the first element of an empty list.
        first: Vec<First>,
        /// The fields that are set in all elements.
        each: Vec<Each>,
    },
    /// Copies a list and moves values that all its elements share into fields of the target:
    /// `let port = convert::hoist(&mut ports, |element| &mut element.port);`.
    Gather {
        /// The list. Its elements lose the values that they share.
        list: FieldCopy,
        /// The fields that come from the first element.
        first: Vec<First>,
        /// The fields that come from all elements.
        each: Vec<Each>,
    },
    /// Drops a field of the version, which the hub does not have: nothing reads `spec.zone`.
    Drop {
        /// The field.
        from: ResolvedPath,
    },
    /// Copies the fields that neither type has:
    /// `let mut rest = spec.rest; let color = convert::from_rest(&mut rest, "color");`.
    Rest(Rest),
}

/// The fields that a type does not have become fields of the other type, or stay unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    /// The unknown fields of the source.
    pub from: ResolvedPath,
    /// The unknown fields of the target.
    pub to: ResolvedPath,
    /// Fields of the source that are unknown to the target.
    pub given: Vec<ResolvedPath>,
    /// Fields of the target that are unknown to the source. A value that does not have the field's type stays where it
    /// is.
    pub taken: Vec<ResolvedPath>,
    /// The names of other fields that the target has and the source does not have: rules cover them. To the hub, an
    /// unknown field of that name is refused. From the hub, it is stashed.
    pub known: Vec<String>,
}

impl Rest {
    /// The names that unknown fields of the source cannot have in the target, except those that become fields.
    pub fn conflicts(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(|place| &*place.field().name).chain(self.known.iter().map(String::as_str))
    }
}

/// A function that programs call, with one Rust function for each direction.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// One of [ours](hubgen_model::functions::OF_RULES): `first`.
    Named {
        /// Its name in the registry.
        name: String,
        /// Whether hub → version → hub is the identity with this function.
        exact: bool,
    },
    /// The functions `to_hub` and `from_hub` of a module of a user's code: `crate::duration::to_hub`.
    /// Nothing is known about them, except that they compile.
    Own {
        /// The path of the module.
        module: String,
        /// Fields of the metadata that both functions take after their other parameters. Their paths begin at the kind,
        /// wherever the program is.
        reads: Vec<ResolvedPath>,
    },
    /// A table of values.
    Table(TypedTable),
}

/// A table of values with the types of its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedTable {
    /// The table.
    pub table: ValueTable,
    /// The types of the version's fields.
    pub version: Vec<PlainType>,
    /// The types of the hub's fields.
    pub hub: Vec<PlainType>,
    /// The rows, with the types of what is in objects.
    pub rows: Vec<TypedRow>,
    /// The lists and maps through which the rows reach, outermost first.
    pub each: Vec<Level>,
}

/// What has items or entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A list.
    List,
    /// A map.
    Map,
    /// Either: both sides have JSON of any form.
    Any,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedRow {
    /// A cell for each field of the version.
    pub version: Vec<TypedCell>,
    /// A cell for each field of the hub.
    pub hub: Vec<TypedCell>,
    /// In which directions it counts.
    pub way: Way,
}

/// What a row has for a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedCell {
    /// A cell without others in it.
    Single(Cell),
    /// A list with exactly these items.
    List(Vec<Self>),
    /// A list with at least one item, of which each is like this one.
    Each(Box<Self>),
    /// An object with these members.
    Object {
        /// The members that the row names, and those that are there in any case.
        members: Vec<TypedMember>,
        /// The names of all others, which have no value; `None` if any name may be one.
        others: Option<Vec<String>>,
    },
    /// A map with one entry, whose key has this name.
    Entry(String, Box<Self>),
}

/// A member of an object in a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedMember {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: PlainType,
    /// The JSON that it has if the row has nothing for it, and its type requires it.
    pub always: Option<String>,
    /// What the row has for it.
    pub cell: TypedCell,
}

impl Callee {
    /// Whether it may refuse an object.
    pub fn may_refuse(&self) -> bool {
        !matches!(self, Self::Named { .. })
    }

    /// Whether hub → version → hub is the identity with this function, so that nothing has to be
    /// stashed.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Named { exact: true, .. })
    }
}

impl fmt::Display for Callee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { name, .. } | Self::Own { module: name, .. } => f.write_str(name),
            Self::Table(_) => f.write_str("table"),
        }
    }
}

/// A copy of a value from one field to another.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldCopy {
    /// The source field.
    pub from: ResolvedPath,
    /// The target field.
    pub to: ResolvedPath,
    /// How an absent value converts.
    pub absence: Absence,
    /// How it converts.
    pub value: Value,
}

/// How an absent value converts. The `null` of a nullable field stays `null` if both fields are
/// nullable, and converts like an absent value otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Neither field can be absent.
    Impossible,
    /// An absent field stays absent.
    Stays,
    /// An absent field becomes an empty one: `spec.value.unwrap_or_default()`.
    BecomesEmpty,
    /// The target is optional but always present: `Some(spec.value)`.
    Never,
    /// The target is absent if the source is empty: `convert::present(spec.value)`.
    WhereEmpty,
    /// An absent field stays absent, and an empty one becomes absent, because a rule specifies that both are the same:
    /// `convert::filled(spec.value)`.
    EmptyIsAbsent,
}

/// An element of a list of the hub that is a field of the version.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The type of the element.
    pub id: TypeId,
    /// Fields of the element that must contain these strings.
    pub when: Vec<(ResolvedPath, String)>,
    /// The element's field that contains the value.
    pub value: ResolvedPath,
    /// Whether the last matching element is used instead of the first.
    pub last: bool,
}

impl Element {
    /// Whether an empty field creates no element, because its type does not tell it from an absent one.
    pub fn is_absent_where_empty(&self) -> bool {
        let field = self.field.field();
        !field.may_be_absent() && matches!(field.omit, Omit::Empty | Omit::Zero)
    }

    /// Whether an object of the version always makes the element, even an empty one.
    pub fn is_always_there(&self) -> bool {
        let may_be_absent = self.field.may_be_absent() || self.field.parents().next().is_some();
        !may_be_absent && !self.is_absent_where_empty()
    }
}

/// A field of the version that equals a field of the first element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The type of the elements.
    pub id: TypeId,
    /// The element's field.
    pub element: Field,
    /// Boolean fields that are true in an element created from the field.
    pub set: Vec<Field>,
}

/// A field of the version that equals a field in all elements of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The element's field. Both fields are optional, or neither is.
    pub element: Field,
    /// How the value converts.
    pub value: Value,
}

impl Op {
    /// The fields that it reads with absent objects on their path read as empty. The cases of a
    /// string and the field of a created element are not included, because they have no effect if
    /// they are absent.
    pub fn reads(&self) -> Vec<&ResolvedPath> {
        match self {
            Self::Copy(copy) | Self::Gather { list: copy, .. } => vec![&copy.from],
            Self::Word { .. } | Self::ToElement { .. } | Self::Drop { .. } => Vec::new(),
            Self::Call { from, .. } => from.iter().collect(),
            Self::Split { from, .. } => vec![from],
            Self::Join { number, name, .. } => vec![number, name],
            Self::FromElement { list, .. } => vec![list],
            Self::Rest(rest) => std::iter::once(&rest.from).chain(&rest.given).collect(),
            Self::Spread { list, first, each } => std::iter::once(&list.from)
                .chain(first.iter().map(|first| &first.field))
                .chain(each.iter().map(|each| &each.field))
                .collect(),
        }
    }

    /// The fields that it writes.
    pub fn writes(&self) -> Vec<&ResolvedPath> {
        match self {
            Self::Copy(copy) | Self::Spread { list: copy, .. } => vec![&copy.to],
            Self::Word { to, .. } | Self::Join { to, .. } => vec![to],
            Self::Call { to, .. } => to.iter().collect(),
            Self::Split { number, name, .. } => vec![number, name],
            Self::ToElement { list, .. } => vec![list],
            Self::Drop { .. } => Vec::new(),
            Self::FromElement { element, .. } => vec![&element.field],
            Self::Rest(rest) => std::iter::once(&rest.to).chain(&rest.taken).collect(),
            Self::Gather { list, first, each } => std::iter::once(&list.to)
                .chain(first.iter().map(|first| &first.field))
                .chain(each.iter().map(|each| &each.field))
                .collect(),
        }
    }

    /// The copy of a whole field, if it is one.
    pub fn copy(&self) -> Option<&FieldCopy> {
        match self {
            Self::Copy(copy) | Self::Spread { list: copy, .. } | Self::Gather { list: copy, .. } => {
                Some(copy)
            }
            _ => None,
        }
    }

    /// The conversions of the values that it copies.
    pub fn values(&self) -> Vec<&Value> {
        let each: &[Each] = match self {
            Self::Spread { each, .. } | Self::Gather { each, .. } => each,
            _ => &[],
        };
        self.copy().map(|copy| &copy.value).into_iter().chain(each.iter().map(|each| &each.value)).collect()
    }
}
