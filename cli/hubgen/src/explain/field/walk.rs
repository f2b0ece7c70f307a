//! Finds the field that a path means.

use std::fmt;

use hubgen_model::{Field, Release, Type, TypeExpr, TypeId, Version};
use hubgen_terminal::Diagnostic;

use crate::explain_conversion::path::Path;

/// The releases that had something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first one, if known.
    pub since: Option<Release>,
    /// The last one; `None` if the newest one still has it.
    pub until: Option<Release>,
}

impl Range {
    /// The releases of a field, in the types that have it.
    pub fn of(field: &Field) -> Self {
        Self { since: field.since, until: field.until }
    }

    /// Whether a release had it.
    pub fn has(self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| until >= release)
    }

    /// The releases that had both.
    fn and(self, other: Self) -> Self {
        let until = [self.until, other.until].into_iter().flatten().min();
        Self { since: self.since.max(other.since), until }
    }
}

impl fmt::Display for Range {
    /// `1.9 to 1.15`, `since 1.9`, `only in 1.9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.since, self.until) {
            (Some(since), Some(until)) if since == until => write!(f, "only in {since}"),
            (Some(since), Some(until)) => write!(f, "{since} to {until}"),
            (Some(since), None) => write!(f, "since {since}"),
            (None, Some(until)) => write!(f, "until {until}"),
            (None, None) => f.write_str("in all releases"),
        }
    }
}

/// The way from a kind to a field.
pub struct Walk<'a> {
    /// The fields on the way, each with the type that has it.
    steps: Vec<(&'a Type, &'a Field)>,
    /// The type of what the last field, or the elements of its list, refers to.
    inner: Option<&'a Type>,
    /// The path, with `[]` for any element of a list and any value of a map.
    pub path: Path,
}

/// A field that a type does not have.
pub struct Wrong<'a> {
    /// The path to the value that should have it.
    path: Path,
    name: String,
    /// The type of that value; `None` if it has no fields.
    ty: Option<&'a Type>,
}

impl<'a> Walk<'a> {
    /// Follows a path: names with dots between them; `[]` after the name of a list may be left out.
    pub fn new(
        find: impl Fn(&TypeId) -> Option<&'a Type>,
        root: &'a Type,
        path: &str,
    ) -> Result<Self, Wrong<'a>> {
        let mut walk = Self { steps: Vec::new(), inner: Some(root), path: Path(Vec::new()) };
        for name in path.split('.').filter(|name| !name.is_empty()) {
            let name = name.trim_end_matches("[]");
            let mut around = walk.path.clone();
            if let Some((_, field)) = walk.steps.last() {
                around.0.extend(std::iter::repeat_n("[]".to_owned(), depth(&field.ty)));
            }
            let found = walk.inner.and_then(|ty| Some((ty, ty.named().find(|field| field.name == name)?)));
            let Some((ty, field)) = found else {
                return Err(Wrong { path: around, name: name.to_owned(), ty: walk.inner });
            };
            walk.path = around.below(name);
            walk.inner = field.ty.named().and_then(&find);
            walk.steps.push((ty, field));
        }
        Ok(walk)
    }

    /// The field, with the type that has it; `None` for the kind itself.
    pub fn field(&self) -> Option<(&'a Type, &'a Field)> {
        self.steps.last().copied()
    }

    /// The type of the objects that the field has; `None` if it has none.
    pub fn inner(&self, root: &'a Type) -> Option<&'a Type> {
        if self.steps.is_empty() { Some(root) } else { self.inner }
    }

    /// The types on the way, each with the number of names before it, from the kind to that of the field's objects.
    pub fn types(&self, root: &'a Type) -> Vec<(usize, &'a Type)> {
        let holders = self.steps.iter().enumerate().map(|(index, (ty, _))| (index, *ty));
        holders.chain(self.inner(root).map(|ty| (self.steps.len(), ty))).collect()
    }

    /// The names on the way.
    pub fn names(&self) -> Vec<&'a str> {
        self.steps.iter().map(|(_, field)| &*field.name).collect()
    }

    /// The releases that had the field at the version of a kind: those that had the version, the kind, and each field on
    /// the way.
    pub fn range(&self, version: &Version, root: &Type) -> Range {
        let kind = root
            .kind
            .as_ref()
            .map_or((root.since, root.until), |kind| (kind.since.or(root.since), kind.until));
        let own =
            Range { since: kind.0, until: kind.1 }.and(Range { since: version.since, until: version.until });
        self.steps.iter().fold(own, |range, (_, field)| range.and(Range::of(field)))
    }
}

/// How many lists and maps are around the values of a type.
fn depth(ty: &TypeExpr) -> usize {
    match ty {
        TypeExpr::List(inner) | TypeExpr::Map(inner) => 1 + depth(inner),
        _ => 0,
    }
}

impl Wrong<'_> {
    /// The error.
    pub fn diagnostic(&self, version: &str, kind: &str) -> Diagnostic {
        let Self { path, name, ty } = self;
        let around =
            if path.0.is_empty() { format!("{version} {kind}") } else { format!("{version} {kind}.{path}") };
        let message = format!("{around} has no field {name}");
        let help = match ty {
            None => "it is no object".to_owned(),
            Some(ty) => {
                let names: Vec<&str> = ty.named().map(|field| &*field.name).collect();
                format!("its fields are {}", names.join(", "))
            }
        };
        Diagnostic::message(message, help)
    }
}

#[cfg(test)]
mod tests {
    use hubgen_model::Api;

    use super::*;

    /// A release that is in the range of a field has it, and others do not: for all fields of all kinds, three names
    /// deep.
    #[test]
    fn ranges_are_the_releases_that_have_a_field() {
        let archive = hubgen_releases::archive().expect("the archive");
        let mut checked = 0;
        let mut wrong = Vec::new();
        let releases = archive.report.releases.iter().filter(|release| **release >= Release::new(1, 7));
        for release in releases {
            let then = archive.at(*release);
            for ty in archive.api.types().filter(|ty| ty.kind.is_some()) {
                let version = &archive.api.versions[&ty.id.group_version];
                let had = then.find(&ty.id).filter(|ty| ty.kind.is_some());
                for path in paths(&archive.api, ty, "", 3) {
                    let find = |id: &TypeId| archive.api.find(id);
                    let walk = Walk::new(find, ty, &path).unwrap_or_else(|_| panic!("{} {path}", ty.id));
                    let is_there = had.is_some_and(|ty| Walk::new(|id| then.find(id), ty, &path).is_ok());
                    checked += 1;
                    if walk.range(version, ty).has(*release) != is_there {
                        wrong.push(format!("{} {path} in {release}: {is_there}", ty.id));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {checked}\n{}", wrong.len(), wrong.join("\n"));
        assert!(checked > 300_000, "{checked}");
    }

    /// The paths of the fields of a type, with so many names.
    fn paths(api: &Api, ty: &Type, before: &str, names: usize) -> Vec<String> {
        let mut out = Vec::new();
        for field in ty.named() {
            let dot = if before.is_empty() { "" } else { "." };
            let path = format!("{before}{dot}{}", field.name);
            let inner = field.ty.named().and_then(|id| api.find(id)).filter(|_| names > 1);
            out.extend(inner.iter().flat_map(|ty| paths(api, ty, &path, names - 1)));
            out.push(path);
        }
        out
    }
}
