//! What is known about a struct and its fields at run time.

use std::borrow::Cow;
use std::fmt;
use std::mem::{forget, replace};
use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::runtime::{Dynamic, Types};
use super::{Ref, Reflect, Shape, Text, Words};

/// A struct: its name, its fields, and the kind it is, if any.
#[derive(Debug)]
pub struct Descriptor {
    /// `DeploymentSpec`.
    pub name: Text,
    /// What clients name it by; `None` for parts of other types.
    pub kind: Option<KindName>,
    /// The fields, in the order in which JSON has them.
    pub fields: Cow<'static, [Field]>,
    /// The message that it is in protobuf, in the order of numbers. Fields
    /// that protobuf does not have are not there.
    pub message: Cow<'static, [Numbered]>,
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
        message: Cow<'static, [Numbered]>,
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
    pub number: Cow<'static, [u32]>,
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
    pub facts: Ref<Facts>,
}

/// Schema facts beyond what every codec needs: of a field, of the items of a
/// list, or of the values of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Whether an object without it is invalid.
    pub required: bool,
    /// The published default, as JSON text.
    pub default: Option<Text>,
    /// The values that the schema allows; empty: any. Of a field of a compiled
    /// type that holds a list or a map, they are those of its items or values.
    pub enumeration: Words,
    /// How a list is merged and checked.
    pub list_type: Option<ListType>,
    /// Whether server-side apply replaces it as a whole.
    pub atomic: bool,
    /// Strategies of strategic merge patches (`merge`, `replace`, `retainKeys`).
    pub patch_strategy: Words,
    /// The field by which strategic merge patches tell list elements apart.
    pub merge_key: Option<Text>,
    /// The first release that had it, where known and where it is not the
    /// type's own.
    pub since: Option<Text>,
    /// The last release that had it; `None` while the newest still does.
    pub until: Option<Text>,
}

static NO_FACTS: Facts = Facts::NONE;

/// What derived code writes facts with. A `const fn` drops nothing, so what a
/// fact was before is forgotten; it was none.
impl Facts {
    /// No facts at all.
    pub const NONE: Self = Self {
        required: false,
        default: None,
        enumeration: Words::NONE,
        list_type: None,
        atomic: false,
        patch_strategy: Words::NONE,
        merge_key: None,
        since: None,
        until: None,
    };

    /// [`NONE`](Self::NONE), for a field or a node.
    pub const NO_REF: Ref<Self> = Ref::Static(&NO_FACTS);

    /// The same, of what has to be there.
    pub const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same, with a default, as JSON text.
    pub const fn default(mut self, json: &'static str) -> Self {
        forget(self.default.replace(Cow::Borrowed(json)));
        self
    }

    /// The same, of what is one of some values.
    pub const fn one_of(mut self, words: &'static [&'static str]) -> Self {
        forget(replace(&mut self.enumeration, Words::Static(words)));
        self
    }

    /// The same, of a list of that type.
    pub const fn list(mut self, list_type: ListType) -> Self {
        forget(self.list_type.replace(list_type));
        self
    }

    /// The same, of what is replaced as a whole.
    pub const fn atomic(mut self) -> Self {
        self.atomic = true;
        self
    }

    /// The same, with strategies of strategic merge patches.
    pub const fn patch(mut self, strategies: &'static [&'static str]) -> Self {
        forget(replace(&mut self.patch_strategy, Words::Static(strategies)));
        self
    }

    /// The same, with the key of strategic merge patches.
    pub const fn merge_key(mut self, field: &'static str) -> Self {
        forget(self.merge_key.replace(Cow::Borrowed(field)));
        self
    }

    /// The same, with the first release that had it.
    pub const fn since(mut self, release: &'static str) -> Self {
        forget(self.since.replace(Cow::Borrowed(release)));
        self
    }

    /// The same, with the last release that had it.
    pub const fn until(mut self, release: &'static str) -> Self {
        forget(self.until.replace(Cow::Borrowed(release)));
        self
    }

    /// The fields that tell a list's elements apart, if there are any.
    pub fn keys(&self) -> Keys<'_> {
        match (&self.list_type, &self.merge_key) {
            (Some(ListType::Map(keys)), _) => Keys::Words(keys),
            (_, Some(key)) => Keys::One(key),
            _ => Keys::None,
        }
    }
}

/// The fields that tell a list's elements apart.
#[derive(Clone, Copy, Debug)]
pub enum Keys<'a> {
    /// None do.
    None,
    /// The key of strategic merge patches.
    One(&'a str),
    /// Those of a list that is a map.
    Words(&'a Words),
}

impl<'a> Keys<'a> {
    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The names of the fields.
    pub fn iter(self) -> impl Iterator<Item = &'a str> {
        let (one, words) = match self {
            Self::None => (None, None),
            Self::One(key) => (Some(key), None),
            Self::Words(words) => (None, Some(words.iter())),
        };
        one.into_iter().chain(words.into_iter().flatten())
    }

    /// Whether a field of that name is one of them.
    pub fn contains(self, name: &str) -> bool {
        self.iter().any(|key| key == name)
    }
}

/// What the items of a list or the values of a map are.
#[derive(Clone, Debug)]
pub struct Node {
    /// What they hold.
    pub ty: Type,
    /// What the schema says of each.
    pub facts: Ref<Facts>,
}

impl Node {
    /// A type of which nothing more is known.
    pub const fn of(ty: Type) -> Self {
        Self { ty, facts: Facts::NO_REF }
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

/// How a list is merged and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListType {
    /// Replaced as a whole.
    Atomic,
    /// Elements are unique.
    Set,
    /// Elements are told apart by these fields.
    Map(Words),
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
