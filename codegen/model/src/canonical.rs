//! Canonical forms: for values that a type can represent in several ways, the rewrites that leave
//! one.

use std::collections::BTreeMap;

use crate::{Api, Type, TypeId};

/// The rewrites of each type, which apply wherever the type occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanonicalForms {
    /// By type; no entry is empty.
    pub types: BTreeMap<TypeId, Vec<Rewrite>>,
}

/// One rewrite of a type. Fields have their JSON names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A string has two names. The second one wins; afterwards both contain the value.
    Alias {
        /// The first name.
        field: String,
        /// The second name.
        of: String,
    },
    /// A string repeats the first element of a list. If they differ, the string wins and replaces
    /// the list.
    First {
        /// The string.
        field: String,
        /// The list, of strings or of objects.
        list: String,
        /// For a list of objects: their field.
        element: Option<String>,
    },
    /// A write-only map of strings, whose entries are moved into a map of bytes.
    Overwrite {
        /// The write-only map.
        from: String,
        /// The map of bytes.
        into: String,
    },
    /// A string with a fixed value in every element of a list.
    Constant {
        /// The list of objects.
        list: String,
        /// Their field.
        field: String,
        /// The fixed value.
        value: String,
    },
    /// A negative number means another number.
    Negative {
        /// The names from the type to the field.
        path: Vec<String>,
        /// The other number.
        value: i64,
    },
    /// Annotations that fields have replaced, and that are removed.
    Forget {
        /// Their keys.
        annotations: Vec<String>,
    },
}

impl CanonicalForms {
    /// Every occurrence of a type with rewrites below a type: the names of the fields that lead to
    /// it, and the type itself. A recursive type is entered once; it cannot contain types with
    /// rewrites, since their occurrences would be infinitely many.
    pub fn below<'a>(&'a self, api: &'a Api, root: &'a Type) -> Vec<(Vec<&'a str>, &'a TypeId)> {
        let mut out = Vec::new();
        self.walk(api, root, &mut Vec::new(), &mut vec![&root.id], &mut out);
        out
    }

    fn walk<'a>(
        &'a self,
        api: &'a Api,
        ty: &'a Type,
        path: &mut Vec<&'a str>,
        inside: &mut Vec<&'a TypeId>,
        out: &mut Vec<(Vec<&'a str>, &'a TypeId)>,
    ) {
        if self.types.contains_key(&ty.id) {
            out.push((path.clone(), &ty.id));
        }
        for field in ty.fields() {
            let below = field.ty.named().and_then(|id| api.find(id));
            let Some(below) = below.filter(|below| !inside.contains(&&below.id)) else { continue };
            path.push(&field.name);
            inside.push(&below.id);
            self.walk(api, below, path, inside, out);
            inside.pop();
            path.pop();
        }
    }
}
