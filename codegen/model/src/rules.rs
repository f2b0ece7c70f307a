//! Conversion rules: the content of a rules file as data.
//!
//! A rule names a field by its path in the version and by its path in the hub, and gives both
//! directions of the conversion. Paths go through lists and maps implicitly:
//! `spec.rules.http.paths` names a field of every rule.

mod detail;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use hubgen_facts::NumberText;

use crate::{GroupVersion, PlainType, TypeId, ValueTable};

/// Part of a rules file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// The content.
    pub value: T,
    /// The position, in bytes.
    pub span: Range<usize>,
    /// The index of the file; `None` if it is that of the kind. Several kinds share the rules of some files.
    pub file: Option<usize>,
}

impl<T> At<T> {
    /// Creates a part at `span`.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span, file: None }
    }

    /// Its position; `file` is the index of the kind's file.
    pub fn place(&self, file: usize) -> Where {
        Where::Rules(self.file.unwrap_or(file), self.span.clone())
    }
}

/// The path to a field: `spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FieldPath(pub Vec<String>);

impl FieldPath {
    /// Parses `spec.replicas`; `None` if a name between dots is empty.
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
    /// Its group versions outside the hub's group.
    pub family: Vec<At<GroupVersion>>,
    /// The version that the others convert through.
    pub hub: At<GroupVersion>,
    /// Fields of the hub that the hub's version does not have.
    pub add: Vec<At<Add>>,
    /// The rules of each version.
    pub versions: BTreeMap<GroupVersion, VersionRules>,
}

impl Rules {
    /// Where the rules of a version are, or would be; `file` is the index of this file.
    pub fn table(&self, file: usize, version: &GroupVersion) -> Table {
        let span = self.versions.get(version).map(|rules| rules.span.clone());
        Table { file, version: version.clone(), span }
    }

    /// The family that the rules declare.
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

/// A field of the hub that the hub's version does not have.
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
    /// The position of its table.
    pub span: Range<usize>,
    /// Another version, whose rules apply here as well.
    pub like: Option<At<GroupVersion>>,
    /// The reason why the version does not convert: it is another API with the same name.
    pub not_convertible: Option<At<String>>,
    /// Paths at which objects of this version may be invalid after a conversion: the law about it accepts them.
    pub may_be_invalid: Vec<At<FieldPath>>,
    /// Rules with paths that start at the kind.
    pub rules: Vec<At<Rule>>,
    /// Rules of a type of the version, which apply wherever it occurs.
    pub types: BTreeMap<String, (Range<usize>, Vec<At<Rule>>)>,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// Maps a field of the version to a field of the hub.
    Move {
        /// The path in the version.
        from: FieldPath,
        /// The path in the hub.
        to: FieldPath,
        /// How the value is converted.
        by: By,
    },
    /// A field of the version that always has the same value.
    Constant {
        /// The path in the version.
        field: FieldPath,
        /// The value.
        value: String,
    },
    /// A field of the hub specifies which field of the version is set.
    Tag {
        /// The path in the hub.
        path: FieldPath,
        /// Fields of the version, each with a word. The first field that is set determines the
        /// word.
        set: Vec<(FieldPath, String)>,
        /// The word if none is set.
        otherwise: String,
    },
    /// Maps a field of the version to an element of a list in the hub: the first one that matches,
    /// or the last.
    Element {
        /// The path in the version.
        field: FieldPath,
        /// The list in the hub.
        list: FieldPath,
        /// The values that an element must contain to match, by path in the element.
        when: Vec<(FieldPath, String)>,
        /// The path in the element to the value of the field.
        value: FieldPath,
        /// Whether the last matching element is used instead of the first.
        last: bool,
    },
    /// A number or a name in one field of the version, in two fields of the hub.
    Split {
        /// The path in the version.
        field: FieldPath,
        /// The path in the hub for a number.
        number: FieldPath,
        /// The path in the hub for a name. The name wins if both are set.
        name: FieldPath,
    },
    /// A field of the version that the hub does not have. What it contains is lost, because a person decided so.
    Drop {
        /// The path in the version.
        path: FieldPath,
    },
    /// A field of the version that may be absent, but is written even if it is empty.
    Always {
        /// The path in the version.
        path: FieldPath,
    },
    /// A field of the version that is the same whether it is empty or absent.
    EmptyIsAbsent {
        /// The path in the version.
        path: FieldPath,
    },
    /// A field of the version that applies to all elements of a list, while each element can also
    /// have it. In the hub only the elements have it.
    Hoist {
        /// The list, with the same path in both.
        list: FieldPath,
        /// The path in the version.
        field: FieldPath,
        /// The name of the elements' field.
        element: String,
    },
    /// A field of the version that repeats a field of the first element of a list. If the list is
    /// empty, the field creates the element.
    Head {
        /// The list, with the same path in both.
        list: FieldPath,
        /// The path in the version.
        field: FieldPath,
        /// The name of the element's field.
        element: String,
        /// Boolean fields that are true in an element created from the field.
        set: Vec<String>,
    },
    /// A function over plain values, where no other operator is sufficient.
    Function {
        /// The function.
        function: Function,
        /// The paths in the version.
        version: Vec<FieldPath>,
        /// The paths in the hub.
        hub: Vec<FieldPath>,
    },
    /// A field of the hub that the version cannot represent.
    Keep {
        /// The path in the hub.
        path: FieldPath,
        /// The annotation in which upstream keeps it; `None` if only hubgen keeps it.
        annotation: Option<Annotation>,
    },
}

impl Rule {
    /// The name of the operator in rules files.
    pub fn operator(&self) -> &'static str {
        match self {
            Self::Move { by: By::Same, .. } => "move",
            Self::Move { by: By::Wrap(_), .. } => "wrap",
            Self::Move { by: By::Words(_), .. } => "words",
            Self::Move { by: By::Number(_), .. } => "number",
            Self::Move { by: By::Keyed { .. }, .. } => "keyed",
            Self::Constant { .. } => "constant",
            Self::Tag { .. } => "tag",
            Self::Element { .. } => "element",
            Self::Split { .. } => "split",
            Self::Drop { .. } => "drop",
            Self::Always { .. } => "always",
            Self::EmptyIsAbsent { .. } => "empty-is-absent",
            Self::Hoist { .. } => "hoist",
            Self::Head { .. } => "head",
            Self::Function { function: Function::Table(_), .. } => "table",
            Self::Function { .. } => "function",
            Self::Keep { .. } => "keep",
        }
    }
}

/// A pair of functions, one for each direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Function {
    /// One of [ours](crate::functions::OF_RULES), by its name.
    Named(String),
    /// A user's own.
    Own {
        /// The path of the Rust module that contains both: `crate::duration`.
        module: String,
        /// The types of the version's fields.
        version: Vec<PlainType>,
        /// The types of the hub's fields.
        hub: Vec<PlainType>,
        /// Fields of the object's metadata that both functions take besides, and their types.
        reads: Vec<(FieldPath, PlainType)>,
    },
    /// A table of values.
    Table(ValueTable),
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) | Self::Own { module: name, .. } => f.write_str(name),
            Self::Table(_) => f.write_str("table"),
        }
    }
}

/// How a value that is moved is converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// It stays the same, or is converted as its type is.
    Same,
    /// A value of the version is an object in the hub, which contains it in this field. The version
    /// cannot represent the other fields of that object. Both sides may also be lists or maps.
    Wrap(String),
    /// Each word of the version maps to another word in the hub. Unknown words are refused.
    Words(Words),
    /// A whole number of the version is a text in the hub, which contains it in this form.
    Number(NumberText),
    /// A map of the version is a list in the hub, whose items contain the key.
    Keyed {
        /// The field of the items that contains the key.
        key: String,
        /// The field of the items that contains the value; `None` if the fields of the value are fields of the item.
        value: Option<String>,
    },
}

/// A value map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Each word of the version with its counterpart in the hub. No word occurs twice on one side.
    pub pairs: Vec<(String, String)>,
    /// Other words of the version, each with a word of the hub that has another counterpart: older names of it.
    pub also: Vec<(String, String)>,
}

/// The annotation in which upstream keeps a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The annotation's key.
    pub key: String,
    /// The format of its value.
    pub form: Form,
    /// Where [`Rule::Element`] takes one element from the list: whether the annotation contains
    /// that element as well.
    pub whole: bool,
}

/// The format of an annotation's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// The value as text.
    Text,
    /// JSON as in this version.
    Version(GroupVersion),
    /// JSON of upstream's internal struct, whose names begin with capitals.
    Internal,
    /// Empty. The annotation is present if the field is zero and the version cannot distinguish
    /// zero from absent.
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

/// An error in the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its position.
    pub place: Where,
    /// The field or kind that it is about.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The position of a rule, or of an error in the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// The index of the file among the rules files, and the bytes.
    Rules(usize, Range<usize>),
    /// A type in the schema of its version. The error is that a rule about it is missing.
    Schema {
        /// The type.
        ty: TypeId,
        /// Its field; `None` if it is about the type as a whole.
        field: Option<String>,
        /// Where the rule would be; `None` if the family has no file.
        table: Option<Table>,
    },
    /// No position.
    Nowhere,
}

impl Where {
    /// Whether the family has a file of rules.
    pub fn has_rules(&self) -> bool {
        matches!(self, Self::Rules(..) | Self::Schema { table: Some(_), .. })
    }
}

/// Where the rules of a version are, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The index of the file among the rules files.
    pub file: usize,
    /// The version.
    pub version: GroupVersion,
    /// The bytes of its table; `None` if it has none.
    pub span: Option<Range<usize>>,
}
