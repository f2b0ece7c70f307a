//! Conversion rules: what a rules file says, as data.
//!
//! A rule names a field by its path in the version and by its path in the
//! hub, and gives both directions. Paths go through lists without saying so:
//! `spec.rules.http.paths` names a field of every rule.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::GroupVersion;

/// Something said in a rules file, with the bytes where it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// What is said.
    pub value: T,
    /// Where, in bytes.
    pub span: Range<usize>,
}

impl<T> At<T> {
    /// Something said at `span`.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}

/// The way to a field: `spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FieldPath(pub Vec<String>);

impl FieldPath {
    /// Parses `spec.replicas`; `None` when a name between dots is missing.
    pub fn parse(text: &str) -> Option<Self> {
        let names: Vec<String> = text.split('.').map(str::to_owned).collect();
        names.iter().all(|name| !name.is_empty()).then_some(Self(names))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The rules of one family.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The kind.
    pub kind: At<String>,
    /// Its group versions beyond those of the hub's group.
    pub family: Vec<At<GroupVersion>>,
    /// The version that the others convert through.
    pub hub: At<GroupVersion>,
    /// Fields that the hub has beyond those of its version.
    pub add: Vec<At<Add>>,
    /// What is said of each version.
    pub versions: BTreeMap<GroupVersion, VersionRules>,
}

impl Rules {
    /// The family as the rules declare it.
    pub fn declared(&self) -> Declared {
        Declared {
            kind: self.kind.value.clone(),
            members: self.family.iter().map(|member| member.value.clone()).collect(),
            hub: self.hub.value.clone(),
        }
    }
}

/// A family that a rules file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The kind's name.
    pub kind: String,
    /// Its group versions; empty: every version of the hub's group.
    pub members: Vec<GroupVersion>,
    /// The hub version.
    pub hub: GroupVersion,
}

/// A field that the hub has beyond those of its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add {
    /// Its path.
    pub path: FieldPath,
    /// The version that it is taken from.
    pub from: GroupVersion,
}

/// The rules of one version.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionRules {
    /// Where its table begins.
    pub span: Range<usize>,
    /// Another version whose rules hold here as well.
    pub like: Option<At<GroupVersion>>,
    /// Why the version does not convert, where it is another API under the
    /// same name.
    pub not_convertible: Option<At<String>>,
    /// Rules from the kind downwards.
    pub rules: Vec<At<Rule>>,
    /// Rules of a type of the version, wherever it occurs.
    pub types: BTreeMap<String, (Range<usize>, Vec<At<Rule>>)>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// A field of the version is a field of the hub.
    Move {
        /// In the version.
        from: FieldPath,
        /// In the hub.
        to: FieldPath,
        /// What becomes of the value.
        by: By,
    },
    /// A field of the version that always says the same.
    Constant {
        /// In the version.
        field: FieldPath,
        /// What it says.
        value: String,
    },
    /// A field of the hub says which field of the version is set.
    Tag {
        /// In the hub.
        path: FieldPath,
        /// The first of these fields of the version that is set gives the
        /// word beside it.
        set: Vec<(FieldPath, String)>,
        /// The word if none is set.
        otherwise: String,
    },
    /// A field of the version is an element of a list in the hub: the first
    /// one that fits, or the last.
    Element {
        /// In the version.
        field: FieldPath,
        /// The list in the hub.
        list: FieldPath,
        /// What the element says elsewhere, by paths in the element.
        when: Vec<(FieldPath, String)>,
        /// Where the element holds the field's value.
        value: FieldPath,
        /// Whether it is the last element that fits.
        last: bool,
    },
    /// A number or a name in one field of the version, in two of the hub.
    Split {
        /// In the version.
        field: FieldPath,
        /// In the hub, where it is a number.
        number: FieldPath,
        /// In the hub, where it is a name. It wins if both are set.
        name: FieldPath,
    },
    /// A field of the version that may be absent, but is there even when
    /// nothing is in it.
    Always {
        /// In the version.
        path: FieldPath,
    },
    /// Fields of the version that all elements of a list agree on, and that
    /// elements can say one by one as well. In the hub only they do.
    Hoist {
        /// The list, which is at the same place in both.
        list: FieldPath,
        /// The field that all elements agree on, in the version.
        field: FieldPath,
        /// The element's.
        element: String,
    },
    /// A field of the version that says the same as the first element of a
    /// list. Where the list is empty, it makes that element.
    Head {
        /// The list, which is at the same place in both.
        list: FieldPath,
        /// In the version.
        field: FieldPath,
        /// Where the element says it.
        element: String,
        /// What is true of an element that the field makes.
        set: Vec<String>,
    },
    /// What no other operator says: a function over plain values.
    Function {
        /// As the registry of functions has it.
        name: String,
        /// In the version.
        version: Vec<FieldPath>,
        /// In the hub.
        hub: Vec<FieldPath>,
    },
    /// A field of the hub that the version cannot say.
    Keep {
        /// In the hub.
        path: FieldPath,
        /// How upstream keeps it; `None`: only we do.
        annotation: Option<Annotation>,
    },
}

impl Rule {
    /// What rules files call it.
    pub fn operator(&self) -> &'static str {
        match self {
            Self::Move { by: By::Same, .. } => "move",
            Self::Move { by: By::Wrap(_), .. } => "wrap",
            Self::Move { by: By::Words(_), .. } => "words",
            Self::Constant { .. } => "constant",
            Self::Tag { .. } => "tag",
            Self::Element { .. } => "element",
            Self::Split { .. } => "split",
            Self::Always { .. } => "always",
            Self::Hoist { .. } => "hoist",
            Self::Head { .. } => "head",
            Self::Function { .. } => "function",
            Self::Keep { .. } => "keep",
        }
    }
}

/// What becomes of a value that is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// It stays the same, or converts as its type does.
    Same,
    /// Values of the version are objects in the hub that contain them in this
    /// field. The others are what the version cannot say. Both sides may be
    /// lists or maps of them.
    Wrap(String),
    /// Each word of the version is another one in the hub. No word is twice on
    /// one side, and all others are refused.
    Words(Vec<(String, String)>),
}

/// How upstream keeps a field in an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The annotation's key.
    pub key: String,
    /// What it holds.
    pub form: Form,
    /// Of a list that [`Rule::Element`] takes an element from, it holds that
    /// one as well.
    pub whole: bool,
}

/// What an annotation holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The value as text.
    Text,
    /// JSON as that version has it.
    Version(GroupVersion),
    /// JSON of upstream's internal struct, whose names begin with capitals.
    Internal,
    /// Nothing. It is there when the field is a zero that the version cannot
    /// tell from no value at all.
    Zero,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Version(version) => version.fmt(f),
            Self::Internal => f.write_str("internal"),
            Self::Zero => f.write_str("zero"),
        }
    }
}

/// Something wrong with the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is said.
    pub place: Where,
    /// The field or kind that it is about.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

/// Where something is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// In the rules of that position, at these bytes.
    Rules(usize, Range<usize>),
    /// Nowhere, and that is what is wrong.
    Nowhere,
}
