//! The ops of a program. The generator prints each as Rust, the interpreter
//! runs each over reflection; what the rules said is decided by now.
//!
//! A program converts an object of one type into an empty object of another.
//! Every op reads places of the first and writes places of the second. The
//! comments show what the generator prints, from `spec` to the literal of the
//! target.

use hubgen_model::{Field, TypeId};

use super::{ResolvedPath, Value};

/// One direction of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From a version to the hub.
    ToHub,
    /// From the hub to a version.
    FromHub,
}

/// How an object of one type becomes one of another type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// Objects of the source that may be absent and are read as empty ones,
    /// outer ones first: `let metric = spec.metric.unwrap_or_default();`.
    pub opened: Vec<ResolvedPath>,
    /// What to do, in this order.
    pub ops: Vec<Op>,
    /// Objects of the target that ops write into and that may be absent, inner
    /// ones first.
    pub parents: Vec<Parent>,
}

/// An object of the target that may be absent and that ops write into.
#[derive(Clone, Debug, PartialEq)]
pub struct Parent {
    /// The object.
    pub place: ResolvedPath,
    /// Whether it is there even when it is empty: `Some(…)`. Otherwise it is
    /// there when something is in it: `convert::present(…)`.
    pub always: bool,
}

/// A field of the source that may contain only some words, since the others
/// have no counterpart. It is looked at before any program runs:
/// `convert::expect(&self, "spec.keyAlgorithm", &["rsa"])?;`.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its path from the kind, which leads through lists and maps without
    /// saying so.
    pub path: String,
    /// The words.
    pub words: Vec<String>,
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// One field has what the other has: `replicas: spec.replicas`.
    Copy(FieldCopy),
    /// The field contains a fixed word: `type: "Resource".to_owned()`, or with
    /// cases `if spec.value.is_some() { "Value" } else { "Average" }`.
    Word {
        /// The field.
        to: ResolvedPath,
        /// The first of these fields of the source that contains something
        /// gives the word beside it.
        cases: Vec<(ResolvedPath, String)>,
        /// The word if there is no such field.
        otherwise: String,
    },
    /// A function over plain values:
    /// `let (first, others) = functions::first_to_hub(spec.ranges);`.
    Call {
        /// Its name in the rules.
        function: String,
        /// Whether hub → version → hub is the identity by it.
        exact: bool,
        /// Its arguments.
        from: Vec<ResolvedPath>,
        /// What it returns.
        to: Vec<ResolvedPath>,
    },
    /// A number or a name becomes a number and a name:
    /// `let (number, name) = convert::split(spec.port);`.
    Split {
        /// Either.
        from: ResolvedPath,
        /// The number.
        number: ResolvedPath,
        /// The name.
        name: ResolvedPath,
    },
    /// A number and a name become one of them, the name where there is one:
    /// `port: convert::join(spec.number, spec.name)`.
    Join {
        /// The number.
        number: ResolvedPath,
        /// The name.
        name: ResolvedPath,
        /// Either.
        to: ResolvedPath,
    },
    /// A field that is there becomes an element of a list:
    /// `metrics: spec.target.map(target_to_element).into_iter().collect()`.
    ToElement {
        /// The list.
        list: ResolvedPath,
        /// The element; its field is in the source.
        element: Element,
    },
    /// An element of a list becomes a field, which is absent where no element
    /// fits: `target: spec.metrics.iter().find_map(target_of_element)`.
    FromElement {
        /// The list.
        list: ResolvedPath,
        /// The element; its field is in the target.
        element: Element,
        /// What of the field's place is there exactly when the element is.
        there: Option<ResolvedPath>,
    },
    /// A list whose elements get what fields of the source contain for all of
    /// them: `convert::spread(&mut ports, spec.port, |element| &mut
    /// element.port);`.
    Spread {
        /// The list.
        list: FieldCopy,
        /// What makes the first element of an empty list.
        first: Vec<First>,
        /// What all elements get that contain nothing else.
        each: Vec<Each>,
    },
    /// A list, and fields of the target for what its elements agree on:
    /// `let port = convert::hoist(&mut ports, |element| &mut element.port);`.
    Gather {
        /// The list. Elements have lost what they agree on.
        list: FieldCopy,
        /// What the first element contains.
        first: Vec<First>,
        /// What all elements agree on.
        each: Vec<Each>,
    },
}

/// A value from one field to another.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldCopy {
    /// Where it is read.
    pub from: ResolvedPath,
    /// Where it is written.
    pub to: ResolvedPath,
    /// What becomes of its absence.
    pub absence: Absence,
    /// How it converts.
    pub value: Value,
}

/// What becomes of the absence of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Neither field can be absent.
    Impossible,
    /// A field that is absent stays so.
    Stays,
    /// A field that is absent becomes an empty one:
    /// `spec.value.unwrap_or_default()`.
    BecomesEmpty,
    /// The target may be absent and never is: `Some(spec.value)`.
    Never,
    /// The target is absent where the source is empty:
    /// `convert::present(spec.value)`.
    WhereEmpty,
}

/// An element of a list of the hub that is a field of the version.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The type of the element.
    pub id: TypeId,
    /// Fields of the element that contain these words.
    pub when: Vec<(ResolvedPath, String)>,
    /// The element's field that contains the value.
    pub value: ResolvedPath,
    /// Whether it is the last element that fits, not the first.
    pub last: bool,
}

/// A field of the version that is the same as a field of the first element of
/// a list.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The type of the elements.
    pub id: TypeId,
    /// The element's field.
    pub element: Field,
    /// Fields that are true in an element that the field makes.
    pub set: Vec<Field>,
}

/// A field of the version that all elements of a list agree on.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The field of the version.
    pub field: ResolvedPath,
    /// The element's field. Both may be absent, or neither.
    pub element: Field,
    /// How the value converts.
    pub value: Value,
}

impl Op {
    /// The places that it reads, with objects on the way that are absent read
    /// as empty. Cases of a word and the field of an element that is made are
    /// not among them: what is absent there gives nothing.
    pub fn reads(&self) -> Vec<&ResolvedPath> {
        match self {
            Self::Copy(copy) | Self::Gather { list: copy, .. } => vec![&copy.from],
            Self::Word { .. } | Self::ToElement { .. } => Vec::new(),
            Self::Call { from, .. } => from.iter().collect(),
            Self::Split { from, .. } => vec![from],
            Self::Join { number, name, .. } => vec![number, name],
            Self::FromElement { list, .. } => vec![list],
            Self::Spread { list, first, each } => std::iter::once(&list.from)
                .chain(first.iter().map(|first| &first.field))
                .chain(each.iter().map(|each| &each.field))
                .collect(),
        }
    }

    /// The places that it writes.
    pub fn writes(&self) -> Vec<&ResolvedPath> {
        match self {
            Self::Copy(copy) | Self::Spread { list: copy, .. } => vec![&copy.to],
            Self::Word { to, .. } | Self::Join { to, .. } => vec![to],
            Self::Call { to, .. } => to.iter().collect(),
            Self::Split { number, name, .. } => vec![number, name],
            Self::ToElement { list, .. } => vec![list],
            Self::FromElement { element, .. } => vec![&element.field],
            Self::Gather { list, first, each } => std::iter::once(&list.to)
                .chain(first.iter().map(|first| &first.field))
                .chain(each.iter().map(|each| &each.field))
                .collect(),
        }
    }

    /// The copy of a whole field, where it is one.
    pub fn copy(&self) -> Option<&FieldCopy> {
        match self {
            Self::Copy(copy) | Self::Spread { list: copy, .. } | Self::Gather { list: copy, .. } => {
                Some(copy)
            }
            _ => None,
        }
    }

    /// How values convert that it copies.
    pub fn values(&self) -> Vec<&Value> {
        let each: &[Each] = match self {
            Self::Spread { each, .. } | Self::Gather { each, .. } => each,
            _ => &[],
        };
        self.copy().map(|copy| &copy.value).into_iter().chain(each.iter().map(|each| &each.value)).collect()
    }
}
