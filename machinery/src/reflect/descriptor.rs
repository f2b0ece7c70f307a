//! What is known about a struct and its fields at run time.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::runtime::{Dynamic, Types};
use super::{ApiType, Fact, Facts, Held, Kind, Ref, Reflect, Shape, Text, Value, boxed};

/// A struct: its name, its fields, and the kind it is, if any.
#[derive(Debug)]
pub struct Descriptor {
    /// `DeploymentSpec`.
    pub name: Text,
    /// What clients name it by; `None` for parts of other types.
    pub kind: Option<KindName>,
    /// The fields, in the order in which JSON has them.
    pub fields: Held<[Field]>,
    /// The message that it is in protobuf, in the order of numbers. Fields
    /// that protobuf does not have are not there.
    pub message: Held<[Numbered]>,
    /// The bytes of memory that it takes itself, without what it points to.
    pub size: usize,
    /// Who owns the descriptor.
    pub origin: Origin,
}

/// Who owns a descriptor.
pub enum Origin {
    /// A type that is compiled.
    Compiled {
        /// The descriptor itself.
        descriptor: &'static Descriptor,
        /// Makes an empty object.
        new: fn() -> Box<dyn Reflect>,
    },
    /// Types that were made at run time, and the position among them.
    Runtime(Weak<Types>, usize),
}

impl Origin {
    /// That of a compiled type, for derived code.
    pub const fn of<T: ApiType>(descriptor: &'static Descriptor) -> Self {
        Self::Compiled { descriptor, new: boxed::<T> }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if let Self::Compiled { .. } = self { "Compiled" } else { "Runtime" })
    }
}

/// A descriptor that outlives the borrow of the object or type that it was
/// asked for.
#[derive(Clone)]
pub enum Described {
    /// That of a compiled type.
    Static(&'static Descriptor),
    /// That of a type that was made at run time, which stays as long as this.
    Shared(Arc<Types>, usize),
}

impl Described {
    /// The descriptor of a struct that this one, or one below it, refers to. It
    /// is borrowed from here: types that were made at run time refer to others
    /// of their own snapshot only.
    pub fn below<'a>(&'a self, ty: &StructType) -> &'a Descriptor {
        match (ty, self) {
            (StructType::Compiled(describe), _) => describe(),
            (StructType::Runtime(_, index), Self::Shared(types, _)) => types.descriptor(*index),
            (StructType::Runtime(..), Self::Static(_)) => {
                unreachable!("a compiled type refers to compiled types only")
            }
        }
    }
}

impl Deref for Described {
    type Target = Descriptor;

    #[inline]
    fn deref(&self) -> &Descriptor {
        match self {
            Self::Static(descriptor) => descriptor,
            Self::Shared(types, index) => types.descriptor(*index),
        }
    }
}

impl fmt::Debug for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A field of a message, or one that JSON inlines and protobuf nests.
// Its tag has a place of its own: one that hides in what it holds is dearer to read.
#[derive(Clone, Debug)]
#[repr(u8)]
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
        message: Held<[Numbered]>,
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

    /// What objects say about themselves; `None` for parts of other types.
    #[inline]
    pub fn type_meta(&self) -> Option<TypeMeta<'_>> {
        let KindName { api_version, kind } = self.kind.as_ref()?;
        Some(TypeMeta { api_version, kind })
    }

    /// The descriptor, without the borrow: for those who change the object
    /// while they look at its fields.
    ///
    /// # Panics
    /// When nothing holds the run-time types any more that it is one of. An
    /// object holds them.
    #[inline]
    pub fn share(&self) -> Described {
        match &self.origin {
            Origin::Compiled { descriptor, .. } => Described::Static(descriptor),
            Origin::Runtime(types, index) => Described::Shared(held(types), *index),
        }
    }

    /// The descriptor of a compiled type as such; `None` where the type was
    /// made at run time.
    pub fn compiled(&self) -> Option<&'static Self> {
        match self.origin {
            Origin::Compiled { descriptor, .. } => Some(descriptor),
            Origin::Runtime(..) => None,
        }
    }

    /// An empty object.
    ///
    /// # Panics
    /// As [`share`](Self::share).
    pub fn new_object(&self) -> Box<dyn Reflect> {
        match &self.origin {
            Origin::Compiled { new, .. } => new(),
            Origin::Runtime(types, index) => Box::new(Dynamic::new(&held(types), *index)),
        }
    }
}

/// Run-time types, which whoever asks about one of them holds.
fn held(types: &Weak<Types>) -> Arc<Types> {
    types.upgrade().expect("a run-time type is asked about while an object or a snapshot holds its types")
}

/// Group, version and kind, as the objects of a kind carry them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindName {
    /// `apps/v1`.
    pub api_version: Text,
    /// `Deployment`.
    pub kind: Text,
}

impl KindName {
    /// That of a compiled kind, for derived code.
    pub const fn of<T: Kind>() -> Self {
        Self { api_version: Held::Static(T::API_VERSION), kind: Held::Static(T::KIND) }
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
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: Text,
    /// Its protobuf numbers from the outermost message inwards; more than one
    /// where JSON inlines what protobuf nests, none where protobuf has no
    /// such field.
    pub number: Held<[u32]>,
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
    pub facts: Facts,
}

/// For derived code. A call is cheaper to compile than the struct written out,
/// whose every part the compiler prepares to drop.
impl Field {
    /// A field whose type says all but names and facts.
    pub const fn of<T: Value>(name: &'static str, number: &'static [u32], facts: &'static [Fact]) -> Self {
        Self::with::<T>(name, number, T::OPTIONAL, Omit::Empty, facts)
    }

    /// A field that is left out by other rules, or whose `Option` is no pointer.
    pub const fn with<T: Value>(
        name: &'static str,
        number: &'static [u32],
        pointer: bool,
        omit: Omit,
        facts: &'static [Fact],
    ) -> Self {
        Self {
            name: Held::Static(name),
            number: Held::Static(number),
            ty: T::TYPE,
            pointer,
            optional: T::OPTIONAL,
            omit,
            facts: Facts::of(facts),
        }
    }
}

/// What the items of a list or the values of a map are.
#[derive(Clone, Debug)]
pub struct Node {
    /// What they hold.
    pub ty: Type,
    /// What the schema says of each.
    pub facts: Facts,
}

impl Node {
    /// A type of which nothing more is known.
    pub const fn of(ty: Type) -> Self {
        Self { ty, facts: Facts::NONE }
    }
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

/// What a field, list element or map value holds.
// Its tag has a place of its own: one that hides in what it holds is dearer to read.
#[derive(Clone)]
#[repr(u8)]
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
    Struct(StructType),
    List(Ref<Node>),
    Map(Ref<Node>),
    /// One of several, told apart by the JSON it is written as.
    Union(Ref<[Type]>),
}

/// Which struct a type is. Types refer to each other in circles, so this leads
/// to the descriptor without owning it.
#[derive(Clone)]
pub enum StructType {
    /// A compiled one.
    Compiled(fn() -> &'static Descriptor),
    /// One of types that were made at run time, by its position.
    Runtime(Weak<Types>, usize),
}

impl StructType {
    /// Its descriptor.
    ///
    /// # Panics
    /// When nothing holds the run-time types any more that it is one of.
    #[inline]
    pub fn descriptor(&self) -> Described {
        match self {
            Self::Compiled(describe) => Described::Static(describe()),
            Self::Runtime(types, index) => Described::Shared(held(types), *index),
        }
    }

    /// The descriptor of a compiled type as such; `None` where the type was
    /// made at run time.
    pub fn compiled(&self) -> Option<&'static Descriptor> {
        match self {
            Self::Compiled(describe) => Some(describe()),
            Self::Runtime(..) => None,
        }
    }

    /// The bytes of memory that it takes itself.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Compiled(describe) => describe().size,
            Self::Runtime(..) => self.descriptor().size,
        }
    }
}

impl Type {
    /// Whether `omitempty` leaves the zero value out: upstream keeps the other
    /// types in structs, which are never empty.
    pub fn has_empty(&self) -> bool {
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
    pub(crate) fn keeps_what_is_there(&self) -> bool {
        matches!(self, Self::Struct(_) | Self::Union(_))
    }

    /// The struct at the bottom of lists and maps, if any.
    pub fn descriptor(&self) -> Option<Described> {
        match self {
            Self::Struct(ty) => Some(ty.descriptor()),
            Self::List(node) | Self::Map(node) => node.ty.descriptor(),
            _ => None,
        }
    }

    /// The member of a union that JSON of that shape is read as; the type
    /// itself where it is no union.
    pub fn member(&self, shape: Shape) -> &Self {
        let Self::Union(members) = self else { return self };
        members.iter().find(|member| member.fits(shape)).unwrap_or(self)
    }

    /// Whether JSON of that shape can be read as it.
    pub(super) fn fits(&self, shape: Shape) -> bool {
        match shape {
            Shape::Object => matches!(self, Self::Struct(_) | Self::Map(_)),
            Shape::Array => matches!(self, Self::List(_) | Self::Strings),
            Shape::Bool => matches!(self, Self::Bool),
            Shape::Number => matches!(self, Self::Int32 | Self::Int64 | Self::Double),
            Shape::String => matches!(self, Self::String | Self::Enum(_)),
        }
    }

    /// What JSON has to hold, for error messages.
    pub fn expectation(&self) -> &'static str {
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

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The name only: descriptors refer to each other in circles.
            Self::Struct(ty) => f.write_str(&ty.descriptor().name),
            Self::List(node) => write!(f, "[{:?}]", node.ty),
            Self::Map(node) => write!(f, "{{{:?}}}", node.ty),
            Self::Union(members) => write!(f, "Union({:?})", &**members),
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
