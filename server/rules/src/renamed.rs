//! Gives the types of a definition the names that rules have for them.
//!
//! A definition has no names of types. Who reads one makes them up from its fields, and rules may have others: those of a
//! repository's source, or of an import that saw less. In a definition nothing contains itself, so that each object is at a
//! path of its own, and the types can be made anew along the paths.

use std::collections::BTreeSet;

use hubgen_diagnostic::{Diagnostic, Source};
use hubgen_model::{Api, Type, TypeBody, Version};
use indexmap::IndexMap;

use crate::types::{Named, Names};

/// Renames the types of a definition; `source` has the names.
///
/// # Errors
/// Names of no object, and of objects that differ.
pub(crate) fn rename(api: &mut Api, names: &Names, source: &Source) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for (of, paths) in names {
        let found = api.versions.iter_mut().find(|(name, _)| name.version == *of);
        let Some((_, version)) = found else {
            let span = paths.values().next().map_or(0..0, |named| named.span.clone());
            errors.push(source.error(span, of, "the definition has no such version", "remove the table"));
            continue;
        };
        let mut renaming = Renaming {
            before: version,
            names: paths,
            wanted: paths.values().map(|named| &*named.name).collect(),
            made: IndexMap::new(),
            used: BTreeSet::new(),
            conflicts: BTreeSet::new(),
        };
        let roots: Vec<&Type> = version.types.values().filter(|ty| ty.kind.is_some()).collect();
        for root in roots {
            renaming.root(root);
        }
        let Renaming { mut made, used, conflicts, .. } = renaming;
        for (path, Named { name, span }) in paths {
            if conflicts.contains(&**path) {
                let message = format!("the object here differs from others that are called {name}");
                errors.push(source.error(
                    span.clone(),
                    path,
                    message,
                    "give it another name, in the rules, too",
                ));
            } else if !used.contains(&**path) {
                let help = "remove the line, or write `hubgen crds --with-rules` again";
                errors.push(source.error(span.clone(), path, "the version has no object at this path", help));
            }
        }
        made.sort_keys();
        version.types = made;
    }
    errors
}

struct Renaming<'a> {
    before: &'a Version,
    names: &'a std::collections::BTreeMap<String, Named>,
    /// All names that are given.
    wanted: BTreeSet<&'a str>,
    made: IndexMap<String, Type>,
    /// The paths that are there.
    used: BTreeSet<String>,
    conflicts: BTreeSet<String>,
}

impl Renaming<'_> {
    /// Makes a kind, or its list, and all types below.
    fn root(&mut self, root: &Type) {
        // Lists refer to the kind, which keeps its name.
        let made = if root.is_list() { root.clone() } else { self.below(root, "") };
        self.made.insert(made.id.name.clone(), made);
    }

    /// A type with the types below it renamed.
    fn below(&mut self, ty: &Type, path: &str) -> Type {
        let mut made = ty.clone();
        let TypeBody::Struct(fields) = &mut made.body;
        for field in fields {
            let name = field.name.clone();
            let Some(id) = field.ty.named_mut().filter(|id| id.group_version == ty.id.group_version) else {
                continue;
            };
            let Some(object) = self.before.types.get(&id.name).filter(|object| object.kind.is_none()) else {
                continue;
            };
            let at = if path.is_empty() { name } else { format!("{path}.{name}") };
            let object = self.below(object, &at);
            id.name = self.place(object, at);
        }
        made
    }

    /// Adds the type of the object at a path. Returns its name.
    fn place(&mut self, mut ty: Type, path: String) -> String {
        let given = self.names.get(&path);
        if let Some(Named { name, .. }) = given {
            ty.id.name.clone_from(name);
        }
        let name = ty.id.name.clone();
        for number in 1.. {
            if number > 1 {
                ty.id.name = format!("{name}{number}");
            }
            let is_anothers = given.is_none() && self.wanted.contains(&*ty.id.name);
            match self.made.get(&ty.id.name).filter(|_| !is_anothers) {
                Some(other) if *other == ty => break,
                None if !is_anothers => {
                    self.made.insert(ty.id.name.clone(), ty.clone());
                    break;
                }
                _ if given.is_some() => {
                    self.conflicts.insert(path.clone());
                    break;
                }
                _ => {}
            }
        }
        self.used.insert(path);
        ty.id.name
    }
}
