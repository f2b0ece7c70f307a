//! Descriptors: a struct and its fields, as data.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use hubgen_facts::Omit;

use super::access::{At, Place, one_of};
use super::runtime::{Dynamic, Types};
use super::{ApiType, Fact, Facts, Held, Kind, Name, OneOf, Ref, Reflect, Rest, Shape, Text, Value, boxed};

/// A struct: its name, its fields, and its kind, if it is one.
#[derive(Debug)]
pub struct Descriptor {
    /// The name: `DeploymentSpec`.
    pub name: Text,
    /// The kind; `None` for parts of other types.
    pub kind: Option<KindName>,
    /// The fields, in the order of JSON.
    pub fields: Held<[Field]>,
    /// The protobuf message, in the order of numbers. It does not contain
    /// fields without a number.
    pub message: Held<[Numbered]>,
    /// The size of an object in memory in bytes, without what it points to.
    pub size: usize,
    /// What becomes of fields in JSON that are not among [`fields`](Self::fields).
    pub unknown: UnknownFields,
    /// What the schema specifies about objects as a whole.
    pub facts: Facts,
    /// Who owns the descriptor.
    pub origin: Origin,
}

/// What becomes of fields in JSON that a type does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownFields {
    /// Decoding leaves them out, and lists their paths.
    #[default]
    Dropped,
    /// The last field contains them: the [rest](Field::rest).
    Kept,
    /// Decoding skips them without a note: the type is a view, and they are fields that it does not need.
    Skipped,
    /// Decoding fails.
    Refused,
}

/// The name of the field that contains the fields that a type does not have: the rest of the object.
/// No field of JSON is meant by it: an unknown field of that name is in the rest, too.
pub const REST: &str = "*";

/// [`REST`] as it would be before a value in JSON: [`Name`] explains why.
pub(super) const REST_MEMBER: &str = ",\"*\":";

/// Who owns a descriptor.
pub enum Origin {
    /// A compiled struct.
    Compiled {
        /// The descriptor itself.
        descriptor: &'static Descriptor,
        /// Makes an empty object.
        new: fn() -> Box<dyn Reflect>,
    },
    /// A compiled enum of objects.
    Enum {
        /// The descriptor itself.
        descriptor: &'static Descriptor,
        /// Makes an empty object.
        new: fn() -> Box<dyn Reflect>,
        /// Refers to an object by its address.
        #[doc(hidden)]
        one_of: for<'a> unsafe fn(At<'a>) -> &'a dyn OneOf,
    },
    /// A run-time type: its snapshot, and its position there.
    Runtime(Weak<Types>, usize),
}

impl Origin {
    /// The origin of a struct, for derived code.
    pub const fn of<T: ApiType>(descriptor: &'static Descriptor) -> Self {
        Self::Compiled { descriptor, new: boxed::<T> }
    }

    /// The origin of an enum, for derived code.
    pub const fn of_enum<T: ApiType + OneOf>(descriptor: &'static Descriptor) -> Self {
        Self::Enum { descriptor, new: boxed::<T>, one_of: one_of::<T> }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled { .. } => "Compiled",
            Self::Enum { .. } => "Enum",
            Self::Runtime(..) => "Runtime",
        })
    }
}

/// A descriptor that outlives the borrow of its object or type.
#[derive(Clone)]
pub enum Described {
    /// The descriptor of a compiled type.
    Static(&'static Descriptor),
    /// The descriptor of a run-time type: its snapshot, which this keeps alive,
    /// and its position there.
    Shared(Arc<Types>, usize),
}

impl Described {
    /// The descriptor of a struct that this type, or a type inside it, refers
    /// to. It is borrowed from `self`: a run-time type refers only to types of
    /// its own snapshot.
    pub fn below<'a>(&'a self, ty: &StructType) -> &'a Descriptor {
        match (ty, self) {
            (StructType::Compiled(describe), _) => describe(),
            (StructType::Runtime(_, index), Self::Shared(types, _)) => types.descriptor(*index),
            (StructType::Runtime(..), Self::Static(_)) => {
                unreachable!("a compiled type refers only to compiled types")
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

/// An entry of a protobuf message: a field, or a nested message whose fields
/// JSON inlines.
// `repr(u8)` stores the tag separately. A tag in a niche of the payload is slower to read.
#[derive(Clone, Debug)]
#[repr(u8)]
pub enum Numbered {
    /// A field.
    Field {
        /// Its number.
        number: u32,
        /// Its position in [`Descriptor::fields`].
        position: u16,
        /// Where its value is in an object, and whether an absent value is
        /// written as an empty message: a time that is no pointer upstream.
        place: Place,
    },
    /// A nested message whose fields JSON inlines.
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
    /// Whether objects are of an enum, so that exactly one field has a value.
    pub fn is_one_of(&self) -> bool {
        matches!(self.origin, Origin::Enum { .. })
    }

    /// The position of the field with that name: a name in JSON, or [`REST`].
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// The fields that have a name in JSON: all but the rest.
    #[inline]
    pub fn named(&self) -> &[Field] {
        match &*self.fields {
            [named @ .., _] if self.unknown == UnknownFields::Kept => named,
            all => all,
        }
    }

    /// Whether the field at `index` contains what JSON has besides the other fields.
    #[inline]
    pub fn is_rest(&self, index: usize) -> bool {
        self.unknown == UnknownFields::Kept && index + 1 == self.fields.len()
    }

    /// Whether JSON has a field of that name besides the rest. A kind has `apiVersion` and `kind`.
    pub fn has(&self, name: &str) -> bool {
        self.named().iter().any(|field| field.name == name)
            || (self.kind.is_some() && matches!(name, "apiVersion" | "kind"))
    }

    /// `apiVersion` and `kind` of the objects; `None` for parts of other types.
    #[inline]
    pub fn type_meta(&self) -> Option<TypeMeta<'_>> {
        let KindName { api_version, kind } = self.kind.as_ref()?;
        Some(TypeMeta { api_version, kind })
    }

    /// The descriptor without the borrow, to change an object while its fields
    /// are read.
    ///
    /// # Panics
    /// When the snapshot of a run-time type was dropped. Every object of the
    /// type keeps its snapshot alive.
    #[inline]
    pub fn share(&self) -> Described {
        match &self.origin {
            Origin::Compiled { descriptor, .. } | Origin::Enum { descriptor, .. } => {
                Described::Static(descriptor)
            }
            Origin::Runtime(types, index) => Described::Shared(upgrade(types), *index),
        }
    }

    /// The static descriptor of a compiled type; `None` for a run-time type.
    pub fn compiled(&self) -> Option<&'static Self> {
        match self.origin {
            Origin::Compiled { descriptor, .. } | Origin::Enum { descriptor, .. } => Some(descriptor),
            Origin::Runtime(..) => None,
        }
    }

    /// Makes an empty object.
    ///
    /// # Panics
    /// As [`share`](Self::share).
    pub fn new_object(&self) -> Box<dyn Reflect> {
        match &self.origin {
            Origin::Compiled { new, .. } | Origin::Enum { new, .. } => new(),
            Origin::Runtime(types, index) => Box::new(Dynamic::new(&upgrade(types), *index)),
        }
    }
}

/// The snapshot of a run-time type, which the caller keeps alive.
fn upgrade(types: &Weak<Types>) -> Arc<Types> {
    types.upgrade().expect("the snapshot of a run-time type is alive while the type is used")
}

/// `apiVersion` and `kind` of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindName {
    /// `apps/v1`.
    pub api_version: Text,
    /// `Deployment`.
    pub kind: Text,
}

impl KindName {
    /// The name of a compiled kind, for derived code.
    pub const fn of<T: Kind>() -> Self {
        Self { api_version: Held::Static(T::API_VERSION), kind: Held::Static(T::KIND) }
    }
}

/// `apiVersion` and `kind` of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeMeta<'a> {
    /// `apps/v1`.
    pub api_version: &'a str,
    /// `Deployment`.
    pub kind: &'a str,
}

/// A field, with the facts that codecs need for every object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: Name,
    /// Its protobuf numbers, from the outermost message inwards. There are
    /// several if JSON inlines a message that protobuf nests, and none if
    /// protobuf has no such field.
    pub number: Held<[u32]>,
    /// Its type.
    pub ty: Type,
    /// Whether an absent value differs from the empty value (upstream: a
    /// pointer).
    pub pointer: bool,
    /// Whether the Rust field is an `Option`: all pointers, and values such as
    /// times that have no zero value.
    pub optional: bool,
    /// Whether `null` is a value that differs from an absent one (`Option<Option<_>>`).
    pub nullable: bool,
    /// When JSON omits it.
    pub omit: Omit,
    /// Other schema facts, which codecs do not need for every object.
    pub facts: Facts,
    /// Where the value is in an object, and whether JSON contains it when it is
    /// absent, or an empty list or map.
    pub(crate) place: Place,
}

/// Constructors for derived code. A call is cheaper to compile than a struct
/// literal, for each part of which the compiler generates drop code.
impl Field {
    /// A field of a struct, with the usual rules of its Rust type. The name is
    /// written as in [`Name::of`].
    pub const fn of<T: Value>(
        name: &'static str,
        offset: usize,
        number: &'static [u32],
        facts: &'static [Fact],
    ) -> Self {
        Self::with::<T>(name, offset, number, T::OPTIONAL, Omit::Empty, facts)
    }

    /// A field of a struct with another rule for when JSON omits it, or whose
    /// `Option` is not a pointer.
    pub const fn with<T: Value>(
        name: &'static str,
        offset: usize,
        number: &'static [u32],
        pointer: bool,
        omit: Omit,
        facts: &'static [Fact],
    ) -> Self {
        assert!(!T::HAS_VIEW, "a view has only some fields: write the type that it is a view of");
        assert!(number.is_empty() || !T::NULLABLE, "protobuf has no `null`: a nullable field has no number");
        assert!(
            number.is_empty() || !T::NODE.ty.contains_unsigned(),
            "an unsigned field has no protobuf number"
        );
        Self {
            name: Name::of(name),
            number: Held::Static(number),
            ty: T::TYPE,
            pointer,
            optional: T::OPTIONAL,
            nullable: T::NULLABLE,
            omit,
            facts: Facts::of(facts),
            place: Place::of::<T>(offset).written(omit.writes_absent(pointer, T::NODE.ty.has_empty())),
        }
    }

    /// The field that contains what JSON has besides the other fields, which are before it.
    pub const fn rest<T: Rest>(offset: usize) -> Self {
        Self::of::<T>(REST_MEMBER, offset, &[], &[])
    }

    /// A field for a variant of an enum, which has a value of type `T`.
    pub const fn of_variant<T: Value>(
        name: &'static str,
        number: &'static [u32],
        facts: &'static [Fact],
    ) -> Self {
        assert!(!T::HAS_VIEW, "a view has only some fields: write the type that it is a view of");
        assert!(
            number.is_empty() || !T::NODE.ty.contains_unsigned(),
            "an unsigned field has no protobuf number"
        );
        Self {
            name: Name::of(name),
            number: Held::Static(number),
            ty: T::TYPE,
            pointer: true,
            optional: true,
            nullable: T::NULLABLE,
            omit: Omit::Empty,
            facts: Facts::of(facts),
            place: Place::ELSEWHERE,
        }
    }
}

/// The items of a list or the values of a map.
#[derive(Clone, Debug)]
pub struct Node {
    /// Their type.
    pub ty: Type,
    /// The schema facts of each.
    pub facts: Facts,
}

impl Node {
    /// A type without facts.
    pub const fn of(ty: Type) -> Self {
        Self { ty, facts: Facts::NONE }
    }
}

/// The type of a field, list element or map value.
// `repr(u8)` stores the tag separately. A tag in a niche of the payload is slower to read.
#[derive(Clone)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are the meaning")]
pub enum Type {
    Bool,
    Int32,
    Int64,
    Float,
    Double,
    Uint16,
    Uint32,
    Uint64,
    String,
    Bytes,
    Time,
    MicroTime,
    Duration,
    Quantity,
    IntOrString,
    /// One of a set of strings: an enum without data, as users define them.
    Enum(&'static [&'static str]),
    /// A string of which the schema allows these: an enum that keeps other strings, too. To codecs it is a string.
    Words(&'static [&'static str]),
    /// A text of a foreign type, as users declare them. It is a scalar.
    Leaf(&'static LeafType),
    /// Any JSON, stored as text.
    Raw,
    /// A list of strings around which protobuf has a message.
    Strings,
    Struct(StructType),
    List(Ref<Node>),
    Map(Ref<Node>),
    /// One of several types. The shape of the JSON determines which.
    Union(Ref<[Type]>),
}

/// What is known of a foreign type that is a text in JSON, for derived code.
pub struct LeafType {
    /// Why the type refuses a text: what was expected, and what was found. `None` if it accepts or keeps it.
    pub refusal: fn(&str) -> Option<String>,
    /// What is expected, for error messages: `an absolute URL`.
    pub expects: &'static str,
    /// Texts that it accepts.
    pub examples: &'static [&'static str],
    /// What its schema specifies besides that it is a text: an object of JSON with keywords.
    pub schema: &'static str,
}

/// A reference to a struct's descriptor. It does not own the descriptor,
/// because types refer to each other in cycles.
#[derive(Clone)]
pub enum StructType {
    /// A compiled type.
    Compiled(fn() -> &'static Descriptor),
    /// A run-time type: its snapshot, and its position there.
    Runtime(Weak<Types>, usize),
}

impl StructType {
    /// Its descriptor.
    ///
    /// # Panics
    /// When the snapshot of a run-time type was dropped.
    #[inline]
    pub fn descriptor(&self) -> Described {
        match self {
            Self::Compiled(describe) => Described::Static(describe()),
            Self::Runtime(types, index) => Described::Shared(upgrade(types), *index),
        }
    }

    /// The static descriptor of a compiled type; `None` for a run-time type.
    pub fn compiled(&self) -> Option<&'static Descriptor> {
        match self {
            Self::Compiled(describe) => Some(describe()),
            Self::Runtime(..) => None,
        }
    }

    /// The size of an object in memory in bytes, without what it points to.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Compiled(describe) => describe().size,
            Self::Runtime(..) => self.descriptor().size,
        }
    }
}

impl Type {
    /// Whether `omitempty` omits the zero value. The other types are structs
    /// upstream, which are never empty.
    pub const fn has_empty(&self) -> bool {
        matches!(
            self,
            Self::Bool
                | Self::Int32
                | Self::Int64
                | Self::Float
                | Self::Double
                | Self::Uint16
                | Self::Uint32
                | Self::Uint64
                | Self::String
                | Self::Enum(_)
                | Self::Words(_)
                | Self::Leaf(_)
                | Self::Bytes
                | Self::Strings
                | Self::List(_)
                | Self::Map(_)
        )
    }

    /// Whether it is one of the unsigned numbers, which protobuf does not contain.
    const fn is_unsigned(&self) -> bool {
        matches!(self, Self::Uint16 | Self::Uint32 | Self::Uint64)
    }

    /// Whether it is an unsigned number, or a list or map of such numbers.
    const fn contains_unsigned(&self) -> bool {
        match self {
            Self::List(Ref::Static(node)) | Self::Map(Ref::Static(node)) => node.ty.contains_unsigned(),
            ty => ty.is_unsigned(),
        }
    }

    /// Whether decoding into an existing value keeps the fields that the input
    /// does not contain.
    pub(crate) fn keeps_missing_fields(&self) -> bool {
        matches!(self, Self::Struct(_) | Self::Union(_))
    }

    /// The struct in this type, also inside lists and maps, if any.
    pub fn descriptor(&self) -> Option<Described> {
        match self {
            Self::Struct(ty) => Some(ty.descriptor()),
            Self::List(node) | Self::Map(node) => node.ty.descriptor(),
            _ => None,
        }
    }

    /// The member of a union for JSON of that shape. A type that is not a union
    /// returns itself.
    pub fn member(&self, shape: Shape) -> &Self {
        let Self::Union(members) = self else { return self };
        members.iter().find(|member| member.fits(shape)).unwrap_or(self)
    }

    /// Whether JSON of that shape can be decoded as this type.
    pub(super) fn fits(&self, shape: Shape) -> bool {
        match shape {
            Shape::Object => matches!(self, Self::Struct(_) | Self::Map(_)),
            Shape::Array => matches!(self, Self::List(_) | Self::Strings),
            Shape::Bool => matches!(self, Self::Bool),
            Shape::Number => {
                matches!(self, Self::Int32 | Self::Int64 | Self::Float | Self::Double) || self.is_unsigned()
            }
            Shape::String => matches!(self, Self::String | Self::Enum(_) | Self::Words(_) | Self::Leaf(_)),
        }
    }

    /// The JSON that is expected, for error messages.
    pub fn expectation(&self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Int32 => "a 32-bit integer",
            Self::Int64 => "a 64-bit integer",
            Self::Float => "a 32-bit number",
            Self::Double => "a number",
            Self::Uint16 => "an integer from 0 to 65535",
            Self::Uint32 => "an integer from 0 to 4294967295",
            Self::Uint64 => "an integer from 0 to 18446744073709551615",
            Self::String | Self::Enum(_) | Self::Words(_) => "a string",
            Self::Leaf(leaf) => leaf.expects,
            Self::Bytes => "a string in base64",
            Self::Time | Self::MicroTime => "a time such as \"2006-01-02T15:04:05Z\"",
            Self::Duration => "a duration such as \"1h30m0s\"",
            Self::Quantity => "a quantity such as \"100m\" or 1",
            Self::IntOrString => "an integer or a string",
            Self::Raw => "any JSON",
            Self::Strings | Self::List(_) => "an array",
            Self::Struct(_) | Self::Map(_) => "an object",
            Self::Union(_) => "one of the types that the field allows",
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Only the name, because descriptors refer to each other in cycles.
            Self::Struct(ty) => f.write_str(&ty.descriptor().name),
            Self::List(node) => write!(f, "[{:?}]", node.ty),
            Self::Map(node) => write!(f, "{{{:?}}}", node.ty),
            Self::Union(members) => write!(f, "Union({:?})", &**members),
            Self::Enum(words) => write!(f, "Enum({words:?})"),
            Self::Words(words) => write!(f, "Words({words:?})"),
            Self::Leaf(leaf) => write!(f, "Leaf({})", leaf.schema),
            Self::Bool => f.write_str("Bool"),
            Self::Int32 => f.write_str("Int32"),
            Self::Int64 => f.write_str("Int64"),
            Self::Float => f.write_str("Float"),
            Self::Double => f.write_str("Double"),
            Self::Uint16 => f.write_str("Uint16"),
            Self::Uint32 => f.write_str("Uint32"),
            Self::Uint64 => f.write_str("Uint64"),
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
