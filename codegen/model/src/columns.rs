//! The columns in which clients show the objects of kinds.

use crate::definition;

/// The columns of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Those of a file of columns, which show objects at the hub.
    OfKind(KindColumns),
    /// Those of a definition, which show objects at their own version; without any, it shows their age.
    Defined(Vec<definition::Column>),
}

/// The columns of a kind at all versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindColumns {
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// The function that tells whether an object is completed.
    pub completed: Option<String>,
    /// The path of the number by which lists are sorted.
    pub sorted_by: Option<String>,
    /// The function that tells since when an object is the default of its kind.
    pub default_since: Option<String>,
}

impl KindColumns {
    /// The names of the functions that they call.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let of_cells = self.columns.iter().filter_map(|column| match &column.show {
            Show::Function { name, .. } => Some(name),
            _ => None,
        });
        of_cells.chain(&self.completed).chain(&self.default_since).map(String::as_str)
    }
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub ty: String,
    /// A format of OpenAPI, or `name`.
    pub format: String,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: i32,
    /// What its cells show.
    pub show: Show,
}

/// What a cell shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Show {
    /// A value.
    Value(ValueAt),
    /// A text with values in it: what is before each value, and after the last one.
    Text {
        /// Each value, with what is before it.
        values: Vec<(String, ValueAt)>,
        /// What is after the last one.
        after: String,
    },
    /// All values at a path, with a comma between them.
    Joined {
        /// The path.
        path: String,
        /// What is shown without a value.
        or: String,
        /// Whether an empty text is no value.
        empty_is_none: bool,
    },
    /// The number of items of the lists and maps at these paths together.
    Count(Vec<String>),
    /// How long ago the time at a path was.
    Age {
        /// The path.
        path: String,
        /// What is shown without a time.
        or: String,
    },
    /// What a function makes of the value at a path; of the object, if the path is empty.
    Function {
        /// Its name: `pod::status`.
        name: String,
        /// The path.
        path: String,
    },
}

/// A value at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueAt {
    /// The path.
    pub path: String,
    /// What is shown without a value.
    pub or: Or,
    /// Whether an empty text is no value.
    pub empty_is_none: bool,
}

/// What is shown without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Or {
    /// A text.
    Text(String),
    /// An integer.
    Integer(i64),
    /// A boolean.
    Bool(bool),
}
