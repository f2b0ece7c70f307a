//! What differs between the JSON of a version and of its hub, as data.
//!
//! A conversion of JSON changes an object in place: members that both sides have stay as they came, and nobody looks at
//! them. Only what differs is listed here. The plan computes it from the same ops that the generator prints as Rust.

use std::borrow::Cow;

use crate::convert::{Bits, Functions, NumberText, Terms, ValueTable};
use crate::reflect::{Held, Text};

/// Names from an object down to one of its members: `privateKey`, `size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Path {
    /// In compiled code.
    Static(&'static [&'static str]),
    /// Computed at run time.
    Owned(Box<[Box<str>]>),
}

impl Path {
    /// A path in compiled code.
    pub const fn of(names: &'static [&'static str]) -> Self {
        Self::Static(names)
    }

    /// A path that is computed at run time.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Owned(names.into_iter().map(Box::from).collect())
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        match self {
            Self::Static(names) => names.len(),
            Self::Owned(names) => names.len(),
        }
    }

    /// Whether it has no names.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name at an index, which is less than [`len`](Self::len).
    pub fn name(&self, index: usize) -> &str {
        match self {
            Self::Static(names) => names[index],
            Self::Owned(names) => &names[index],
        }
    }

    /// The names from another path to this one, if this one leads further.
    pub(super) fn below(&self, other: &Self) -> Option<Vec<&str>> {
        let is_in =
            self.len() > other.len() && self.names().zip(other.names()).all(|(own, other)| own == other);
        is_in.then(|| self.names().skip(other.len()).collect())
    }

    /// The name at an index, for a member that is created.
    pub(super) fn member(&self, index: usize) -> Cow<'static, str> {
        match self {
            Self::Static(names) => Cow::Borrowed(names[index]),
            Self::Owned(names) => Cow::Owned(names[index].to_string()),
        }
    }

    /// The names.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        (0..self.len()).map(|index| self.name(index))
    }
}

/// How a version's JSON becomes the hub's, and back.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionEdits {
    /// For each pair of types that differ, the kind's pair first. Empty if the version is the hub.
    pub to_hub: Held<[Edits]>,
    /// The same pairs, in the other direction.
    pub from_hub: Held<[Edits]>,
    /// Whether hub → version → hub loses nothing without the stash.
    pub exact: bool,
    /// Members of the version that may have only certain strings.
    pub expected_to_hub: Held<[Expected]>,
    /// Members of the hub that may have only certain strings.
    pub expected_from_hub: Held<[Expected]>,
}

impl VersionEdits {
    /// The edits of a version that is the hub: none.
    pub const HUB: Self = Self {
        to_hub: Held::Static(&[]),
        from_hub: Held::Static(&[]),
        exact: true,
        expected_to_hub: Held::Static(&[]),
        expected_from_hub: Held::Static(&[]),
    };
}

/// The edits of a compiled conversion.
#[derive(Clone, Copy, Debug)]
pub struct CompiledEdits {
    /// The edits.
    pub edits: &'static VersionEdits,
    /// The functions of the user's own code that they call.
    pub functions: fn() -> Functions,
    /// In whose terms stashes are read and written; `None` if the kind has none. A function, because the versions in it
    /// have these edits.
    pub terms: Option<fn() -> Terms<'static>>,
}

impl CompiledEdits {
    /// Those of a version that is the hub.
    pub const HUB: Self = Self::of(&VersionEdits::HUB);

    /// Edits that call no function of the user's own code.
    pub const fn of(edits: &'static VersionEdits) -> Self {
        Self { edits, functions: Functions::none, terms: None }
    }

    /// The same, with functions of the user's own code.
    #[must_use]
    pub const fn with_functions(self, functions: fn() -> Functions) -> Self {
        Self { functions, ..self }
    }

    /// The same, for a kind that has stashes.
    #[must_use]
    pub const fn in_terms(self, terms: fn() -> Terms<'static>) -> Self {
        Self { terms: Some(terms), ..self }
    }
}

/// A member that may have only certain strings, because others have no counterpart.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Its path from the kind. It passes through lists implicitly; [`EACH`](Self::EACH) stands for the values of a map.
    pub path: Path,
    /// The strings.
    pub words: Held<[Text]>,
}

impl Expected {
    /// All values of a map. No field has this name.
    pub const EACH: &str = "[]";
}

/// How an object of one type becomes an object of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Edits {
    /// The name of the version's type.
    pub name: Text,
    /// Members that only the target has. Unknown members of the source that have such a name are dropped first.
    pub strangers: Held<[Path]>,
    /// Whether they are refused instead: the source keeps unknown members, and these would be lost.
    pub refuses: bool,
    /// Members of the source that the target lacks, other than those that an edit [takes](Edit::takes). They are
    /// dropped after all edits have read the object.
    pub drops: Held<[Path]>,
    /// The edits.
    pub edits: Held<[Edit]>,
}

/// A change of an object. All edits of an object read it before any of them changes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// The value of a member changes.
    Change {
        /// The member.
        path: Path,
        /// How it changes.
        change: Change,
    },
    /// A member moves to another path, and may change.
    Move {
        /// Where it was.
        from: Path,
        /// Where it is.
        to: Path,
        /// How it changes.
        change: Change,
    },
    /// An object whose members move one by one is at another path, or stays while members leave or enter it. It may be
    /// empty.
    Present {
        /// Where it was.
        from: Path,
        /// Where it is.
        to: Path,
    },
    /// A member that is the same whether it is empty or not there: it is left out if it is `null`, `""`, zero, `false`,
    /// a list without elements, or an object without members.
    Empty {
        /// The member.
        to: Path,
        /// Members of it that do not count if they are empty. Their paths begin at the member.
        zeros: Held<[Path]>,
        /// Required members of it that do not count if they are `null`.
        nulls: Held<[Path]>,
    },
    /// A member that enters an object with a word, or one of the version for which the hub has an object with a word. A
    /// typed object does not tell some values of it from none, and these make no object for a word.
    Hollow {
        /// The member.
        to: Path,
        /// These values of it, and of members in it.
        nothing: Held<[NoValue]>,
        /// Whether they make an object all the same, without a word. If not, they are only written where the object is
        /// there for another member.
        makes: bool,
    },
    /// A member of the version that tells `null` from none, or whose member of the hub does or is required. Any other `null`
    /// of the hub makes no object around a member: a third version brought it along, and a typed hub does not have it.
    Null {
        /// The member.
        to: Path,
    },
    /// A required object, which other edits may empty or leave out, or a required member that may be `null`. It is
    /// there if the object around it is.
    Required {
        /// The member.
        to: Path,
        /// Its JSON where no other edit writes it: `{}` or `null`.
        empty: Text,
    },
    /// A member in a required object that this conversion makes, because the source has none. A table writes it where it
    /// finds no values.
    Made {
        /// The member.
        to: Path,
        /// Its JSON.
        value: Text,
        /// The object of the source that is not there.
        without: Path,
    },
    /// A member gets a fixed string, if the object around it is there.
    Word {
        /// The member.
        to: Path,
        /// The first of these members that has a value selects the string.
        cases: Held<[Case]>,
        /// The string if none has.
        otherwise: Text,
    },
    /// The conversion back writes this member, so an object without it would not come back.
    Determined {
        /// The member.
        path: Path,
    },
    /// An object that both sides may have: the conversion back makes it only of what is in it. So an empty one would
    /// not come back, and neither would none where this conversion makes one.
    Filled {
        /// The object.
        path: Path,
    },
    /// A function takes members and returns others. It is not called if none of these parameters is there.
    Call {
        /// Its name in the registry, or its module.
        function: Text,
        /// Its parameters.
        from: Held<[Path]>,
        /// Members of the kind that it takes besides, from the metadata.
        reads: Held<[Path]>,
        /// Its results.
        to: Held<[Path]>,
    },
    /// Members have the values of a row of a table, and others get those of its other side.
    Table {
        /// The table.
        table: ValueTable,
        /// The members that have the values.
        from: Held<[Path]>,
        /// Those that get them.
        to: Held<[Path]>,
    },
    /// A number or name becomes a number and a name.
    Split {
        /// The number or name.
        from: Path,
        /// The number.
        number: Path,
        /// The name.
        name: Path,
    },
    /// A number and a name become one member; a nonempty name wins.
    Join {
        /// The number.
        number: Path,
        /// The name.
        name: Path,
        /// The number or name.
        to: Path,
    },
    /// A member becomes an element of a list.
    ToElement {
        /// The list.
        list: Path,
        /// The element.
        element: Element,
    },
    /// An element of a list becomes a member.
    FromElement {
        /// The list.
        list: Path,
        /// The element.
        element: Element,
    },
    /// Members become members of all elements of a list.
    Spread {
        /// The list.
        list: Path,
        /// The members that create the first element of an empty list.
        first: Held<[First]>,
        /// The members that all elements get.
        each: Held<[Each]>,
    },
    /// What all elements of a list share becomes a member.
    Gather {
        /// The list.
        list: Path,
        /// The members that equal one of the first element.
        first: Held<[First]>,
        /// The members that come from all elements.
        each: Held<[Each]>,
    },
}

impl Edit {
    /// The members of the source that it removes, because their values are elsewhere afterwards.
    pub fn takes(&self) -> impl Iterator<Item = &Path> {
        let none: &[Path] = &[];
        let (one, many): ([Option<&Path>; 2], &[Path]) = match self {
            Self::Move { from, .. } | Self::Split { from, .. } => ([Some(from), None], none),
            Self::Join { number, name, .. } => ([Some(number), Some(name)], none),
            Self::ToElement { element, .. } => ([Some(&element.field), None], none),
            Self::Call { from, .. } | Self::Table { from, .. } => ([None, None], from),
            _ => ([None, None], none),
        };
        let (first, each): (&[First], &[Each]) = match self {
            Self::Spread { first, each, .. } => (first, each),
            _ => (&[], &[]),
        };
        let spread = first.iter().map(|first| &first.field).chain(each.iter().map(|each| &each.field));
        one.into_iter().flatten().chain(many).chain(spread)
    }
}

/// A value that a typed object does not tell from none.
#[derive(Clone, Debug, PartialEq)]
pub struct NoValue {
    /// Its path from the member, which is empty for the member itself.
    pub path: Path,
    /// The value. An object is none if all members of it are.
    pub value: Blank,
}

/// What is no value in a typed object, beside `null`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blank {
    /// Nothing else.
    Null,
    /// `""`, zero, `false`, and a list or map without elements.
    Empty,
    /// The number zero, where `""` is a value.
    Number,
    /// The quantity zero.
    Quantity,
    /// The duration zero.
    Duration,
}

/// A member that selects a string if it has a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The member.
    pub path: Path,
    /// The string.
    pub word: Text,
    /// The JSON that is no value: where the type does not tell it from an absent one.
    pub empty: Option<Text>,
}

/// How a value changes. `null` never changes.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Not at all.
    Same,
    /// By the edits for this type of the version.
    Object(Text),
    /// Each element of a list.
    List(Held<Self>),
    /// Each value of a map.
    Map(Held<Self>),
    /// It becomes this member of a new object.
    Wrap(Text),
    /// This member of it remains. An object without it becomes this JSON.
    Unwrap(Text, Text),
    /// Each of these strings becomes another one.
    Words(Held<[(Text, Text)]>),
    /// Each member of an object becomes an element of a list.
    ToItems {
        /// The member of the elements that gets the name.
        key: Text,
        /// Whether the elements have that member even if the name is empty.
        writes_empty: bool,
        /// How the value becomes an element.
        value: Held<Self>,
    },
    /// Each element of a list becomes a member of an object, whose name is this member of it. Of several the first one.
    ToEntries(Text, Held<Self>),
    /// A number becomes a text.
    ToText(NumberText),
    /// A text becomes a number of this size.
    ToNumber(NumberText, Bits),
}

/// An element of a list of the hub that is a member of the version.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The member of the version.
    pub field: Path,
    /// The JSON of the member that creates no element: where the type does not tell it from an absent one.
    pub field_empty: Option<Text>,
    /// Members of the element that have these strings.
    pub when: Held<[(Path, Text)]>,
    /// The element's member that has the value.
    pub value: Path,
    /// The JSON that stands for the value of an element that lacks this member although it is required.
    pub empty: Option<Text>,
    /// Whether the last such element is meant instead of the first.
    pub last: bool,
}

/// A member of the version that equals one of a list's first element.
#[derive(Clone, Debug, PartialEq)]
pub struct First {
    /// The member of the version.
    pub field: Path,
    /// The element's member.
    pub element: Text,
    /// Members that are `true` in an element that is created from it.
    pub set: Held<[Text]>,
}

/// A member of the version that equals one in all elements of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// The member of the version.
    pub field: Path,
    /// The element's member.
    pub element: Text,
    /// The JSON that leaves elements as they are: where the type does not tell it from an absent value.
    pub empty: Option<Text>,
    /// How its value changes.
    pub change: Change,
}
