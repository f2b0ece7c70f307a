//! The sizes of generated structs in memory, computed from the model.
//!
//! The compiler is free to choose the layout of a struct. These sizes are what it chooses today; a
//! test compares them. They only decide when people are asked for a decision, never what is emitted.

use std::cell::RefCell;
use std::collections::HashMap;

use hubgen_model::{Field, TypeExpr, TypeId};
use hubgen_plan::Types;

use super::Boxed;

/// Computes the sizes of types.
pub struct Sizes<'a> {
    types: Types<'a>,
    boxed: &'a Boxed<'a>,
    known: RefCell<HashMap<TypeId, Layout>>,
}

/// The layout of a type.
#[derive(Clone, Copy)]
struct Layout {
    size: usize,
    align: usize,
    /// Whether some bytes never occur in a value, so that `Option` needs no room of its own.
    has_niche: bool,
}

impl Layout {
    const fn new(size: usize, align: usize, has_niche: bool) -> Self {
        Self { size, align, has_niche }
    }

    fn optional(self) -> Self {
        let tag = if self.has_niche { 0 } else { self.align };
        Self { size: self.size + tag, align: self.align, has_niche: true }
    }
}

/// A `String`, a `Vec` and whatever consists of one.
const TEXT: Layout = Layout::new(24, 8, true);

/// An optional box uses the null pointer, so a further `Option` around it needs room.
const OPTIONAL_BOX: Layout = Layout::new(8, 8, false);

impl<'a> Sizes<'a> {
    /// Computes sizes of these types.
    pub fn new(types: Types<'a>, boxed: &'a Boxed<'a>) -> Self {
        Self { types, boxed, known: RefCell::default() }
    }

    /// The size of a type, in bytes; 0 if it does not exist.
    pub fn size(&self, id: &TypeId) -> usize {
        self.layout(id).size
    }

    fn layout(&self, id: &TypeId) -> Layout {
        let id = self.boxed.sharing.representing(id);
        if let Some(known) = self.known.borrow().get(id) {
            return *known;
        }
        let mut out = Layout::new(0, 1, false);
        for field in self.types.find(id).into_iter().flat_map(|ty| ty.fields()) {
            let field = self.field(field);
            out.size += field.size;
            out.align = out.align.max(field.align);
            out.has_niche |= field.has_niche;
        }
        // The compiler orders fields by alignment, so there is room between none of them.
        out.size = out.size.next_multiple_of(out.align);
        self.known.borrow_mut().insert(id.clone(), out);
        out
    }

    fn field(&self, field: &Field) -> Layout {
        if self.boxed.field(field) {
            return OPTIONAL_BOX;
        }
        let layout = self.expression(&field.ty);
        if field.may_be_absent() { layout.optional() } else { layout }
    }

    fn expression(&self, ty: &TypeExpr) -> Layout {
        match ty {
            TypeExpr::Bool => Layout::new(1, 1, true),
            TypeExpr::Uint16 => Layout::new(2, 2, false),
            TypeExpr::Int32 | TypeExpr::Uint32 | TypeExpr::Float => Layout::new(4, 4, false),
            TypeExpr::Int64 | TypeExpr::Uint64 | TypeExpr::Double | TypeExpr::Duration => {
                Layout::new(8, 8, false)
            }
            TypeExpr::Time | TypeExpr::MicroTime => Layout::new(16, 8, false),
            TypeExpr::Quantity => Layout::new(24, 8, true),
            TypeExpr::Map(_) => Layout::new(16, 8, false),
            TypeExpr::OrBool(_) => Layout::new(16, 8, true),
            // A text, and whether it was checked.
            TypeExpr::Raw(_) => Layout::new(32, 8, true),
            TypeExpr::String
            | TypeExpr::Bytes
            | TypeExpr::IntOrString
            | TypeExpr::Strings
            | TypeExpr::List(_)
            | TypeExpr::OrArray(_)
            | TypeExpr::OrStrings(_) => TEXT,
            TypeExpr::Ref(id) => self.layout(id),
        }
    }
}
