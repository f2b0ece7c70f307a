//! Kinds that nobody compiled: their types, defaults, canonical forms and
//! conversions, and their entries in a Scheme, made at run time from the model.

mod canonical;
mod defaults;
mod entries;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use hubgen_machinery::convert::laws::AnyObject;
use hubgen_machinery::defaults::{Context, Table, Tables};
use hubgen_machinery::reflect::runtime::{Types, TypesError};
use hubgen_machinery::reflect::{Described, NewObject, Reflect};
use hubgen_model::TypeId;
use hubgen_model::defaults::Defaults;
use hubgen_plan::sharing::Sharing;

pub use self::canonical::forms;
pub use self::entries::{Model, entries};

/// The types of some kinds and all types below, with their defaults. It never
/// changes; another state of the same kinds is another snapshot. Objects hold
/// what they need of it.
pub struct Snapshot {
    types: Arc<Types>,
    /// Where each type is among the types: one that another stands for is where
    /// that one is.
    positions: HashMap<TypeId, usize>,
    tables: Arc<Tables>,
    /// The table of each type that has defaults in itself or below.
    defaults: HashMap<TypeId, usize>,
}

/// Why a snapshot cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotError {
    /// A type is not in the model.
    #[error("{0} is not among the schemas; add the schema of its group version")]
    NoSuchType(TypeId),
    /// A type cannot be one.
    #[error(transparent)]
    Types(#[from] TypesError),
    /// A default is for a field that its type does not have.
    #[error("{of}: a default names the field {path}, which is not there")]
    NoSuchField {
        /// The type.
        of: TypeId,
        /// The path of the field.
        path: String,
    },
    /// A default calls a function that there is not.
    #[error("{of}: there is no function `{function}` for defaults")]
    NoSuchFunction {
        /// The type.
        of: TypeId,
        /// As the default names it.
        function: String,
    },
}

impl Snapshot {
    /// Makes the types of some kinds, or of hubs, and all types below them.
    ///
    /// # Errors
    /// When a type is missing, or cannot be one; when a default does not fit.
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

    /// An empty object of a type; `None` where the snapshot does not have it.
    pub fn object(&self, id: &TypeId) -> Option<AnyObject> {
        self.positions.get(id).map(|index| self.types.object(*index))
    }

    /// What makes empty objects of a type; `None` where the snapshot does not
    /// have it.
    pub fn maker(&self, id: &TypeId) -> Option<NewObject> {
        self.positions.get(id).map(|index| NewObject::Runtime(Arc::clone(&self.types), *index))
    }

    /// The defaults of a type; `None` where it has none.
    pub fn table(&self, id: &TypeId) -> Option<Table> {
        self.defaults.get(id).map(|index| Table::Runtime(Arc::clone(&self.tables), *index))
    }

    /// The descriptor of a type; `None` where the snapshot does not have it.
    pub fn describe(&self, id: &TypeId) -> Option<Described> {
        self.positions.get(id).map(|index| self.types.describe(*index))
    }

    /// Sets what is absent from an object of a type and has a default.
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
