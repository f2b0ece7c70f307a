//! CanonicalForm forms: what types say twice or in two ways, and how it is said in one.

use std::collections::BTreeMap;

use crate::{Api, Type, TypeId};

/// What is seen to in each type, wherever it occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CanonicalForms {
    /// By type; no entry is empty.
    pub types: BTreeMap<TypeId, Vec<Rewrite>>,
}

/// What is seen to in a type. Fields are named as in JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A string has two names, of which the second wins.
    Alias {
        /// The first.
        field: String,
        /// The second.
        of: String,
    },
    /// A string is also the first element of a list, and wins over the list.
    First {
        /// The string.
        field: String,
        /// The list: of strings, or of objects.
        list: String,
        /// Where an object of the list says it.
        element: Option<String>,
    },
    /// A map of strings is only ever written: it goes over a map of bytes.
    Overwrite {
        /// The map that is written.
        from: String,
        /// The map that is read.
        into: String,
    },
    /// A string that always says the same, in every element of a list.
    Constant {
        /// The list of objects.
        list: String,
        /// Their field.
        field: String,
        /// What it says.
        value: String,
    },
    /// A number below zero means another one.
    Negative {
        /// The names on the way to the field.
        path: Vec<String>,
        /// What is meant.
        value: i64,
    },
    /// Annotations that fields have replaced.
    Forget {
        /// Their keys.
        annotations: Vec<String>,
    },
}

impl CanonicalForms {
    /// Every place below a type where something is seen to: the names on the way, and the type there. Types that
    /// contain themselves are entered once: nothing that is seen to is in one, else there would be
    /// no end of places.
    pub fn below<'a>(&'a self, api: &'a Api, root: &'a Type) -> Vec<(Vec<&'a str>, &'a TypeId)> {
        let mut out = Vec::new();
        self.walk(api, root, &mut Vec::new(), &mut vec![&root.id], &mut out);
        out
    }

    fn walk<'a>(
        &'a self,
        api: &'a Api,
        ty: &'a Type,
        way: &mut Vec<&'a str>,
        inside: &mut Vec<&'a TypeId>,
        out: &mut Vec<(Vec<&'a str>, &'a TypeId)>,
    ) {
        if self.types.contains_key(&ty.id) {
            out.push((way.clone(), &ty.id));
        }
        for field in ty.fields() {
            let below = field.ty.named().and_then(|id| api.find(id));
            let Some(below) = below.filter(|below| !inside.contains(&&below.id)) else { continue };
            way.push(&field.name);
            inside.push(&below.id);
            self.walk(api, below, way, inside, out);
            inside.pop();
            way.pop();
        }
    }
}
