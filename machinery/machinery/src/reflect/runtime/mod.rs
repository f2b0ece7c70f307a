//! Run-time types: types that are built at run time, and their objects. They
//! represent kinds without a Rust type.
//!
//! A [`Types`] is an immutable snapshot of descriptors, which may refer to each
//! other in cycles. Every object of these types keeps the snapshot alive. If
//! the types change, a new snapshot is made.
//!
//! ```
//! use hubgen_machinery::json;
//! use hubgen_machinery::reflect::runtime::{FieldDef, StructDef, TypeDef, Types};
//! use hubgen_machinery::reflect::Type;
//!
//! let size = StructDef { fields: vec![FieldDef::new("width", TypeDef::Is(Type::Int32))], ..StructDef::new("Size") };
//! let types = Types::new(vec![size]).unwrap();
//! let mut object = types.object(0);
//! json::decode_into(br#"{"width": 3}"#, &mut *object).unwrap();
//! assert_eq!(json::encode(&*object).unwrap(), br#"{"width":3}"#);
//!
//! let weak = std::sync::Arc::downgrade(&types);
//! drop(types);
//! assert!(weak.upgrade().is_some(), "the object keeps its types alive");
//! drop(object);
//! assert!(weak.upgrade().is_none());
//! ```

mod build;
mod cell;
mod definition;
mod object;

use std::fmt;
use std::sync::Arc;

pub use self::build::TypesError;
pub(super) use self::cell::ListCell;
pub use self::definition::{FieldDef, NodeDef, StructDef, TypeDef};
pub use self::object::Dynamic;
use super::{Described, Descriptor, Node, Ref, Reflect};

/// A snapshot of run-time types. Each has a position.
pub struct Types {
    structs: Vec<Struct>,
}

struct Struct {
    descriptor: Descriptor,
    /// The type of each field. Objects share these, to create absent values
    /// when they are written.
    fields: Vec<Ref<Node>>,
}

impl Types {
    /// Makes types from definitions. A type's position is that of its
    /// definition.
    ///
    /// # Errors
    /// See [`TypesError`].
    pub fn new(definitions: Vec<StructDef>) -> Result<Arc<Self>, TypesError> {
        build::types(definitions)
    }

    /// The descriptor of a struct.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn descriptor(&self, index: usize) -> &Descriptor {
        &self.structs[index].descriptor
    }

    /// The descriptor of a struct. It keeps the types alive.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn describe(self: &Arc<Self>, index: usize) -> Described {
        let count = self.structs.len();
        assert!(index < count, "struct {index} does not exist; there are {count} structs");
        Described::Shared(Arc::clone(self), index)
    }

    /// Makes an empty object of a struct.
    ///
    /// # Panics
    /// When the index is out of range.
    pub fn object(self: &Arc<Self>, index: usize) -> Box<dyn Reflect> {
        Box::new(Dynamic::new(self, index))
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.structs.iter().map(|one| &one.descriptor.name)).finish()
    }
}
