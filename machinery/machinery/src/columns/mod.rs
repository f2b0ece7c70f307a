//! The columns in which clients show the objects of a kind, and what their cells show.
//!
//! What a cell shows is data: a value at a path, a text with values in it, an age, a count. Where none of them
//! can say it, it is a [function](CellFunction). Most columns show the object at the hub of its family, so that an object
//! has the same cells at every version.

mod age;
mod cell;
mod path;
mod show;
mod value;

pub use self::age::{age, human};
pub use self::cell::Cell;
pub use self::path::{InvalidPath, check as check_path, each as each_at};
pub use self::show::{CellFunction, Or, Show, TextPart, ValueAt};
pub use self::value::Value;
use crate::reflect::{Ref, Reflect, Text};
use crate::scalar::Time;

/// The columns of a kind.
pub struct Columns {
    /// The columns, in order.
    pub columns: Ref<[Column]>,
    /// Whether they show the object at its own version, and not at the hub: definitions have columns for each version.
    pub is_of_version: bool,
    /// Tells whether an object is completed, and nothing more will happen to it: its cell is the reason.
    pub completed: Option<CellFunction>,
    /// The path of the number by which lists are sorted, if they are not by name.
    pub sorted_by: Option<Text>,
    /// Tells since when an object is the default of its kind. In a list, the name of the latest one ends with `(default)`.
    pub default_since: Option<CellFunction>,
}

impl Columns {
    /// Those of most kinds: names, and when the objects were created.
    pub const USUAL: &'static Self = &Self {
        columns: Ref::Static(&[
            Column::NAME,
            Column::fixed(
                "Created At",
                "date",
                "",
                0,
                Show::Value(ValueAt::fixed(
                    ".metadata.creationTimestamp",
                    Or::Text(Text::Static(NEVER)),
                    false,
                )),
            ),
        ]),
        is_of_version: false,
        completed: None,
        sorted_by: None,
        default_since: None,
    };

    /// Those of definitions that specify none, as in upstream: names and ages.
    pub const OF_DEFINITIONS: &'static Self = &Self {
        columns: Ref::Static(&[
            Column::NAME,
            Column::fixed(
                "Age",
                "date",
                "",
                0,
                Show::Defined { path: Text::Static(".metadata.creationTimestamp"), ty: Text::Static("date") },
            ),
        ]),
        is_of_version: true,
        completed: None,
        sorted_by: None,
        default_since: None,
    };

    /// The columns of a definition, after the name, which all have.
    pub fn defined(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns: Vec<Column> = std::iter::once(Column::NAME).chain(columns).collect();
        Self {
            columns: Ref::Shared(columns.into()),
            is_of_version: true,
            completed: None,
            sorted_by: None,
            default_since: None,
        }
    }

    /// The cells of an object, which is at its hub unless [`is_of_version`](Self::is_of_version).
    pub fn cells(&self, object: &dyn Reflect, now: Time) -> Vec<Cell> {
        let object = Value::of(object);
        self.columns.iter().map(|column| column.show.cell(object, now)).collect()
    }

    /// Why an object is completed, if it is.
    pub fn completed(&self, object: &dyn Reflect, now: Time) -> Option<String> {
        self.completed.and_then(|function| function(Value::of(object), now).into_text())
    }

    /// Since when an object is the default of its kind, if it is.
    pub fn default_since(&self, object: &dyn Reflect, now: Time) -> Option<String> {
        self.default_since.and_then(|function| function(Value::of(object), now).into_text())
    }

    /// The number by which a list sorts an object.
    pub fn order(&self, object: &dyn Reflect) -> i64 {
        let mut order = 0;
        if let Some(path) = &self.sorted_by {
            path::each(Value::of(object), path, &mut |value| order = value.integer());
        }
        order
    }

    /// Whether the rows of a list depend on each other.
    pub fn depend_on_list(&self) -> bool {
        self.sorted_by.is_some() || self.default_since.is_some()
    }
}

/// What upstream shows for a time that is not there.
const NEVER: &str = "0001-01-01T00:00:00Z";

/// A column.
pub struct Column {
    /// The heading.
    pub name: Text,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    pub ty: Text,
    /// A format of OpenAPI, or `name` for the column with the name of the object.
    pub format: Text,
    /// What it shows, for people.
    pub description: Text,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: i32,
    /// What its cells show.
    pub show: Show,
}

impl Column {
    /// The name of the object.
    pub const NAME: Self = Self::fixed("Name", "string", "name", 0, Show::text_at(".metadata.name"));
    /// How long ago the object was created.
    pub const AGE: Self =
        Self::fixed("Age", "string", "", 0, Show::age_at(".metadata.creationTimestamp", "<unknown>"));

    /// A column of a static table.
    pub const fn fixed(
        name: &'static str,
        ty: &'static str,
        format: &'static str,
        priority: i32,
        show: Show,
    ) -> Self {
        Self {
            name: Text::Static(name),
            ty: Text::Static(ty),
            format: Text::Static(format),
            description: Text::Static(""),
            priority,
            show,
        }
    }

    /// A column of a definition. As upstream, it is described by its path if nothing describes it.
    ///
    /// # Errors
    /// If the path is none.
    pub fn defined(column: &hubgen_facts::definition::Column) -> Result<Self, InvalidPath> {
        path::check(&column.json_path)?;
        let text = |text: &Option<String>| Text::from(text.clone().unwrap_or_default());
        let described = || hubgen_facts::definition::described_by(&column.json_path);
        Ok(Self {
            name: Text::from(column.name.clone()),
            ty: Text::from(column.ty.clone()),
            format: text(&column.format),
            description: Text::from(
                column.description.clone().filter(|text| !text.is_empty()).unwrap_or_else(described),
            ),
            priority: column.priority.unwrap_or_default(),
            show: Show::Defined {
                path: Text::from(column.json_path.clone()),
                ty: Text::from(column.ty.clone()),
            },
        })
    }
}
