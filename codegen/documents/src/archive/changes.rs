//! What came and went between two releases, as far as the archive tells: group versions, kinds, their subresources, and
//! fields.

use std::fmt;

use hubgen_model::{Api, GroupVersion, Release, Type};

/// Something that one of two releases has and the other has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The group version.
    pub group_version: GroupVersion,
    /// What it is.
    pub what: What,
    /// Its name, below the group version: `Deployment`, `PodSpec.hostUsers`; empty for the group version itself.
    pub name: String,
    /// Whether the newer release has it.
    pub came: bool,
    /// The first release that had it, or the last one.
    pub release: Release,
}

/// What a change is about. What is in something else that came or went is not listed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A group version.
    Version,
    /// A kind.
    Kind,
    /// A subresource: `Pod/resize`.
    Subresource,
    /// A field of a type: `PodSpec.hostUsers`. Many kinds may have the type.
    Field,
}

impl What {
    /// Its name: `subresource`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Kind => "kind",
            Self::Subresource => "subresource",
            Self::Field => "field",
        }
    }
}

impl fmt::Display for Change {
    /// `+ PodSpec.hostUsers (since 1.25)`, `- kind Ingress (until 1.21)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group_version, what, name, came, release } = self;
        let name = match what {
            What::Version => group_version.to_string(),
            What::Field => name.clone(),
            what => format!("{} {name}", what.name()),
        };
        let (sign, when) = if *came { ('+', "since") } else { ('-', "until") };
        write!(f, "{sign} {name} ({when} {release})")
    }
}

/// The releases that have something.
#[derive(Clone, Copy)]
struct Range {
    since: Option<Release>,
    until: Option<Release>,
}

impl Range {
    fn has(self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| until >= release)
    }
}

/// The changes from one release to a later one, by group version. Of each, what comes first is what has the others.
///
/// The archive knows of fields, kinds and versions in which releases they were. Of defaults, words and requirements it has
/// those of the newest release only.
pub fn changes(api: &Api, from: Release, to: Release) -> Vec<Change> {
    let mut out = Vec::new();
    for (group_version, version) in &api.versions {
        let mut compare = Compare { group_version, from, to, out: &mut out };
        let range = Range { since: version.since, until: version.until };
        if !compare.is_in_both(What::Version, "", range) {
            continue;
        }
        for ty in version.types.values() {
            compare.kind(ty);
        }
        for ty in version.types.values() {
            compare.fields(ty);
        }
    }
    out
}

struct Compare<'a> {
    group_version: &'a GroupVersion,
    from: Release,
    to: Release,
    out: &'a mut Vec<Change>,
}

impl Compare<'_> {
    /// Whether both releases have something. Lists it if only one of them has.
    fn is_in_both(&mut self, what: What, name: &str, range: Range) -> bool {
        let release = match (range.has(self.from), range.has(self.to)) {
            (false, true) => range.since,
            (true, false) => range.until,
            (both, _) => return both,
        };
        if let Some(release) = release {
            self.out.push(Change {
                group_version: self.group_version.clone(),
                what,
                name: name.to_owned(),
                came: range.has(self.to),
                release,
            });
        }
        false
    }

    /// The kind of a type, and its subresources. The list of a kind is nothing of its own.
    fn kind(&mut self, ty: &Type) {
        let Some(kind) = ty.kind.as_ref().filter(|_| !ty.is_list()) else { return };
        let range = Range { since: kind.since, until: kind.until };
        if !self.is_in_both(What::Kind, &ty.id.name, range) {
            return;
        }
        for (name, part) in kind.resource.iter().flat_map(|resource| &resource.subresources) {
            let range = Range { since: part.since, until: part.until };
            self.is_in_both(What::Subresource, &format!("{}/{name}", ty.id.name), range);
        }
    }

    /// The fields of a type that both releases have.
    fn fields(&mut self, ty: &Type) {
        let range = Range { since: ty.since, until: ty.until };
        let kind = ty.kind.as_ref().map(|kind| Range { since: kind.since, until: kind.until });
        let is_in_both = |range: Range| range.has(self.from) && range.has(self.to);
        if !is_in_both(range) || kind.is_some_and(|kind| !is_in_both(kind)) {
            return;
        }
        for field in ty.named() {
            let name = format!("{}.{}", ty.id.name, field.name);
            self.is_in_both(What::Field, &name, Range { since: field.since, until: field.until });
        }
    }
}

#[cfg(test)]
mod tests {
    use hubgen_model::{Field, Kind, TypeBody, TypeExpr, TypeId, Version};

    use super::*;

    const fn at(minor: u16) -> Option<Release> {
        Some(Release::new(1, minor))
    }

    fn ty(version: &str, name: &str, fields: &[(&str, Option<Release>, Option<Release>)]) -> Type {
        let field = |(name, since, until): &(&str, Option<Release>, Option<Release>)| Field {
            since: *since,
            until: *until,
            ..Field::new(*name, TypeExpr::String)
        };
        Type {
            id: TypeId::new("zoo", version, name),
            body: TypeBody::Struct(fields.iter().map(field).collect()),
            kind: None,
            since: at(7),
            until: None,
            description: None,
            refuses_unknown: false,
            facts: None,
        }
    }

    #[test]
    fn what_one_of_two_releases_has_is_listed_once() {
        let mut api = Api::default();
        let mut add = |version: &str, since, until, types: Vec<Type>| {
            let types = types.into_iter().map(|ty| (ty.id.name.clone(), ty)).collect();
            let version = GroupVersion::new("zoo", version);
            api.versions.insert(version, Version { since, until, types, ..Version::default() });
        };
        let mut zoo =
            ty("v1", "Zoo", &[("old", at(7), at(9)), ("new", at(12), None), ("always", None, None)]);
        zoo.kind = Some(Kind {
            registered: Vec::new(),
            resource: None,
            bare: false,
            since: at(7),
            until: None,
            definition: None,
        });
        let mut cage = ty("v1", "Cage", &[("inside", at(11), None)]);
        cage.kind = zoo.kind.clone().map(|kind| Kind { since: at(11), ..kind });
        add("v1", at(7), None, vec![zoo, cage, ty("v1", "Later", &[("brief", at(11), at(11))])]);
        add("v1beta1", at(7), at(10), vec![ty("v1beta1", "Zoo", &[("old", at(7), at(9))])]);
        let listed = |from, to| -> Vec<String> {
            let [from, to] = [from, to].map(|minor| Release::new(1, minor));
            let changes = changes(&api, from, to);
            changes.iter().map(|change| format!("{} {change}", change.group_version)).collect()
        };
        assert_eq!(
            listed(8, 12),
            [
                "zoo/v1beta1 - zoo/v1beta1 (until 1.10)",
                "zoo/v1 + kind Cage (since 1.11)",
                "zoo/v1 - Zoo.old (until 1.9)",
                "zoo/v1 + Zoo.new (since 1.12)",
            ]
        );
        assert_eq!(
            listed(10, 11),
            [
                "zoo/v1beta1 - zoo/v1beta1 (until 1.10)",
                "zoo/v1 + kind Cage (since 1.11)",
                "zoo/v1 + Later.brief (since 1.11)"
            ]
        );
        assert_eq!(listed(12, 13), Vec::<String>::new());
    }
}
