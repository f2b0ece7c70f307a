//! Types that are made at run time, and objects of them: for kinds that have
//! no Rust type.
//!
//! A [`Types`] is an immutable snapshot: the descriptors of some structs, which
//! may refer to each other in circles. Every object of them holds it, and the
//! last one that goes takes it along. Another state of the same types is
//! another snapshot.
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
//! assert_eq!(json::encode(&*object), br#"{"width":3}"#);
//!
//! let there = std::sync::Arc::downgrade(&types);
//! drop(types);
//! assert!(there.upgrade().is_some(), "the object holds its types");
//! drop(object);
//! assert!(there.upgrade().is_none());
//! ```

mod build;
mod cell;
mod definition;
mod object;

use std::fmt;
use std::sync::Arc;

pub use self::build::TypesError;
pub use self::definition::{FieldDef, NodeDef, StructDef, TypeDef};
pub use self::object::Dynamic;
use super::{Described, Descriptor, Node, Ref, Reflect};

/// Structs that were made at run time, by their positions.
pub struct Types {
    structs: Vec<Struct>,
}

struct Struct {
    descriptor: Descriptor,
    /// What each field holds, shared with the objects, which make what may be
    /// absent when it is written.
    fields: Vec<Ref<Node>>,
}

impl Types {
    /// Makes the types that the definitions say; each is known by its position.
    ///
    /// # Errors
    /// When a definition refers to a struct that there is not, names a field or
    /// a number twice, or contains itself without a way to end.
    pub fn new(definitions: Vec<StructDef>) -> Result<Arc<Self>, TypesError> {
        build::types(definitions)
    }

    /// The descriptor of a struct.
    ///
    /// # Panics
    /// When there is no such struct.
    pub fn descriptor(&self, index: usize) -> &Descriptor {
        &self.structs[index].descriptor
    }

    /// The descriptor of a struct, which holds the types.
    ///
    /// # Panics
    /// When there is no such struct.
    pub fn describe(self: &Arc<Self>, index: usize) -> Described {
        assert!(index < self.structs.len(), "there are {} structs, none at {index}", self.structs.len());
        Described::Shared(Arc::clone(self), index)
    }

    /// An empty object of a struct.
    ///
    /// # Panics
    /// When there is no such struct.
    pub fn object(self: &Arc<Self>, index: usize) -> Box<dyn Reflect> {
        Box::new(Dynamic::new(self, index))
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.structs.iter().map(|one| &one.descriptor.name)).finish()
    }
}
