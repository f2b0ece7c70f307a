//! What is known about a struct and its fields at run time.

use super::{Reflect, Shape};

/// A struct: its name, its fields, and the kind it is, if any.
#[derive(Debug)]
pub struct Descriptor {
    /// `DeploymentSpec`.
    pub name: &'static str,
    /// What clients name it by; `None` for parts of other types.
    pub type_meta: Option<TypeMeta<'static>>,
    /// The fields, in the order in which JSON has them.
    pub fields: &'static [Field],
    /// The message that it is in protobuf, in the order of numbers. Fields
    /// that protobuf does not have are not there.
    pub message: &'static [Numbered],
    /// The bytes of memory that it takes itself, without what it points to.
    pub size: usize,
    /// Makes an empty object.
    pub new: fn() -> Box<dyn Reflect>,
}

/// A field of a message, or one that JSON inlines and protobuf nests.
#[derive(Debug)]
pub enum Numbered {
    /// A field.
    Field {
        /// Its number.
        number: u32,
        /// Its position among the fields.
        position: u16,
        /// Whether it is there even when it is absent: a time that is not set
        /// and that upstream holds without a pointer.
        written: bool,
    },
    /// A message of which JSON has the fields only.
    Inlined {
        /// Its number.
        number: u32,
        /// Its fields, in the order of their numbers.
        message: &'static [Numbered],
    },
}

impl Numbered {
    /// The number.
    #[inline]
    pub fn number(&self) -> u32 {
        let (Self::Field { number, .. } | Self::Inlined { number, .. }) = self;
        *number
    }
}

impl Descriptor {
    /// The position of the field of that JSON name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// What an object says about itself: `apiVersion` and `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeMeta<'a> {
    /// `apps/v1`.
    pub api_version: &'a str,
    /// `Deployment`.
    pub kind: &'a str,
}

/// A field and the facts that codecs need on every object.
#[derive(Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its protobuf numbers from the outermost message inwards; more than one
    /// where JSON inlines what protobuf nests, none where protobuf has no
    /// such field.
    pub number: &'static [u32],
    /// What it holds.
    pub ty: Type,
    /// Whether absence differs from the empty value (upstream: a pointer).
    pub pointer: bool,
    /// Whether Rust keeps it in an `Option`: all pointers, and values such as
    /// times whose zero nothing else could stand for.
    pub optional: bool,
    /// When JSON leaves it out.
    pub omit: Omit,
    /// Everything else the schema says, beside and not among what codecs read.
    pub facts: &'static Facts,
}

/// Schema facts beyond what every codec needs.
#[derive(Debug)]
pub struct Facts {
    /// Whether an object without it is invalid.
    pub required: bool,
    /// The published default, as JSON text.
    pub default: Option<&'static str>,
    /// The values that the schema allows; empty: any.
    pub enumeration: &'static [&'static str],
    /// How a list is merged and checked.
    pub list_type: Option<ListType>,
    /// Whether server-side apply replaces it as a whole.
    pub atomic: bool,
    /// Strategies of strategic merge patches (`merge`, `replace`, `retainKeys`).
    pub patch_strategy: &'static [&'static str],
    /// The field by which strategic merge patches tell list elements apart.
    pub merge_key: Option<&'static str>,
    /// The first release that had it, where known and where it is not the
    /// type's own.
    pub since: Option<&'static str>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<&'static str>,
}

impl Facts {
    /// No facts at all.
    pub const NONE: Self = Self {
        required: false,
        default: None,
        enumeration: &[],
        list_type: None,
        atomic: false,
        patch_strategy: &[],
        merge_key: None,
        since: None,
        until: None,
    };
}

/// When JSON leaves a field out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omit {
    /// Never: an absent value, an empty list or map is written as `null`.
    Never,
    /// When absent, or a zero boolean, number, string, list or map. Objects
    /// and types that upstream keeps in structs are written even when zero.
    Empty,
    /// When absent or zero, whatever it holds.
    Zero,
}

/// How a list is merged and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// Elements are told apart by these fields.
    Map(&'static [&'static str]),
}

/// What a field, list element or map value holds.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Type {
    Bool,
    Int32,
    Int64,
    Double,
    String,
    Bytes,
    Time,
    MicroTime,
    Duration,
    Quantity,
    IntOrString,
    /// One of a set of words, a user's own enum.
    Enum(&'static [&'static str]),
    /// JSON kept as it came.
    Raw,
    /// Strings that protobuf wraps into a message of their own.
    Strings,
    /// Behind a function because types refer to each other in circles.
    Struct(fn() -> &'static Descriptor),
    List(&'static Type),
    Map(&'static Type),
    /// One of several, told apart by the JSON it is written as.
    Union(&'static [Type]),
}

impl Type {
    /// Whether `omitempty` leaves the zero value out: upstream keeps the other
    /// types in structs, which are never empty.
    pub fn has_empty(self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::Int32
                | Self::Int64
                | Self::Double
                | Self::String
                | Self::Enum(_)
                | Self::Bytes
                | Self::Strings
                | Self::List(_)
                | Self::Map(_)
        )
    }

    /// Whether reading into a value of it leaves what the text does not name.
    pub(crate) fn keeps_what_is_there(self) -> bool {
        matches!(self, Self::Struct(_) | Self::Union(_))
    }

    /// The struct at the bottom of lists and maps, if any.
    pub fn descriptor(self) -> Option<&'static Descriptor> {
        match self {
            Self::Struct(describe) => Some(describe()),
            Self::List(inner) | Self::Map(inner) => inner.descriptor(),
            _ => None,
        }
    }

    /// The member of a union that JSON of that shape is read as; the type
    /// itself where it is no union.
    pub fn member(self, shape: Shape) -> Self {
        let Self::Union(members) = self else { return self };
        let fits = |ty: &&Self| match shape {
            Shape::Object => matches!(ty, Self::Struct(_) | Self::Map(_)),
            Shape::Array => matches!(ty, Self::List(_) | Self::Strings),
            Shape::Bool => matches!(ty, Self::Bool),
            Shape::Number => matches!(ty, Self::Int32 | Self::Int64 | Self::Double),
            Shape::String => matches!(ty, Self::String | Self::Enum(_)),
        };
        members.iter().find(fits).copied().unwrap_or(self)
    }

    /// What JSON has to hold, for error messages.
    pub fn expectation(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Int32 => "a 32 bit integer",
            Self::Int64 => "a 64 bit integer",
            Self::Double => "a number",
            Self::String | Self::Enum(_) => "a string",
            Self::Bytes => "a string in base64",
            Self::Time | Self::MicroTime => "a time such as \"2006-01-02T15:04:05Z\"",
            Self::Duration => "a duration such as \"1h30m0s\"",
            Self::Quantity => "a quantity such as \"100m\" or 1",
            Self::IntOrString => "an integer or a string",
            Self::Raw => "any JSON",
            Self::Strings | Self::List(_) => "an array",
            Self::Struct(_) | Self::Map(_) => "an object",
            Self::Union(_) => "one of the forms that the field allows",
        }
    }
}

impl std::fmt::Debug for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // The name only: descriptors refer to each other in circles.
            Self::Struct(describe) => f.write_str(describe().name),
            Self::List(inner) => write!(f, "[{inner:?}]"),
            Self::Map(inner) => write!(f, "{{{inner:?}}}"),
            Self::Union(members) => write!(f, "Union({members:?})"),
            Self::Enum(words) => write!(f, "Enum({words:?})"),
            Self::Bool => f.write_str("Bool"),
            Self::Int32 => f.write_str("Int32"),
            Self::Int64 => f.write_str("Int64"),
            Self::Double => f.write_str("Double"),
            Self::String => f.write_str("String"),
            Self::Bytes => f.write_str("Bytes"),
            Self::Time => f.write_str("Time"),
            Self::MicroTime => f.write_str("MicroTime"),
            Self::Duration => f.write_str("Duration"),
            Self::Quantity => f.write_str("Quantity"),
            Self::IntOrString => f.write_str("IntOrString"),
            Self::Raw => f.write_str("Raw"),
            Self::Strings => f.write_str("Strings"),
        }
    }
}
