//! Kinds built at run time from the model: types, defaults, canonical forms, conversions, and their
//! entries in a Scheme.

mod behaviour;
mod canonical;
mod columns;
mod defaults;
mod entries;
mod named;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use hubgen_machinery::defaults::{Context, Table, Tables};
use hubgen_machinery::reflect::AnyObject;
use hubgen_machinery::reflect::runtime::{Types, TypesError};
use hubgen_machinery::reflect::{Described, NewObject, Reflect};
use hubgen_model::TypeId;
use hubgen_model::defaults::Defaults;
use hubgen_plan::sharing::Sharing;

use self::behaviour::behaviour;
pub use self::behaviour::priorities;
pub use self::canonical::forms;
use self::columns::columns;
pub use self::entries::{Model, entries};
use crate::FunctionError;

/// The types of some kinds and all types below them, with their defaults. It is immutable; when the
/// kinds change, build another snapshot. Objects own the parts of it that they need.
pub struct Snapshot {
    types: Arc<Types>,
    /// The index of each type. A shared type has the index of the type that represents it.
    positions: HashMap<TypeId, usize>,
    tables: Arc<Tables>,
    /// The index of the table of each type that has defaults, in itself or below.
    defaults: HashMap<TypeId, usize>,
}

/// Why a snapshot cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// A type is missing from the model.
    #[error("there is no schema of {0}; add the schema of its group version")]
    NoSuchType(TypeId),
    /// A type cannot be built.
    #[error(transparent)]
    Types(#[from] TypesError),
    /// A default is for a field that its type does not have.
    #[error("{of} has no field {path}, but a default names it")]
    NoSuchField {
        /// The type.
        of: TypeId,
        /// The path of the field.
        path: String,
    },
    /// A rule names a function that cannot be called.
    #[error(transparent)]
    Functions(#[from] FunctionError),
    /// A column calls an unknown function.
    #[error("a column calls the unknown function `{0}`")]
    NoSuchCell(String),
    /// A default calls an unknown function.
    #[error("{of}: a default calls the unknown function `{function}`")]
    NoSuchFunction {
        /// The type.
        of: TypeId,
        /// The function's name in the default.
        function: String,
    },
}

impl Snapshot {
    /// Builds the types of some kinds or hubs, and all types below them.
    ///
    /// # Errors
    /// When a type is missing or cannot be built, or a default does not fit its type.
    pub fn new<'a>(
        all: hubgen_plan::Types<'_>,
        sharing: &Sharing,
        defaults: &Defaults,
        roots: impl IntoIterator<Item = &'a TypeId>,
    ) -> Result<Self, SnapshotError> {
        let roots: Vec<&TypeId> = roots.into_iter().collect();
        let (types, positions) = types::make(all, sharing, &roots)?;
        let (tables, defaults) = defaults::make(all.api, defaults, &roots)?;
        Ok(Self { types, positions, tables, defaults })
    }

    /// An empty object of a type; `None` if the snapshot does not contain the type.
    pub fn object(&self, id: &TypeId) -> Option<AnyObject> {
        self.positions.get(id).map(|index| self.types.object(*index))
    }

    /// A function that creates empty objects of a type; `None` if the snapshot does not contain the
    /// type.
    pub fn maker(&self, id: &TypeId) -> Option<NewObject> {
        self.positions.get(id).map(|index| NewObject::Runtime(Arc::clone(&self.types), *index))
    }

    /// The defaults of a type; `None` if it has none.
    pub fn table(&self, id: &TypeId) -> Option<Table> {
        self.defaults.get(id).map(|index| Table::Runtime(Arc::clone(&self.tables), *index))
    }

    /// The descriptor of a type; `None` if the snapshot does not contain the type.
    pub fn describe(&self, id: &TypeId) -> Option<Described> {
        self.positions.get(id).map(|index| self.types.describe(*index))
    }

    /// Sets each absent field of an object that has a default.
    pub fn set_defaults(&self, id: &TypeId, object: &mut dyn Reflect, context: &Context) {
        if let Some(index) = self.defaults.get(id) {
            self.tables.get(*index).apply(object, context);
        }
    }

    /// The types themselves.
    pub fn types(&self) -> &Arc<Types> {
        &self.types
    }

    /// The tables of defaults.
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }
}
