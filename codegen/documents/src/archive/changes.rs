//! What came, went and changed between two releases, as far as the archive tells: group versions, kinds, their
//! subresources, fields, and facts about them.

use std::fmt;

use hubgen_model::{Field, GroupVersion, Release, Resource, Subresource, Type};

use super::Archive;
use super::history::{Fact, Place, Told};

/// Something that one of two releases has and the other has not, or has in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The group version.
    pub group_version: GroupVersion,
    /// What it is.
    pub what: What,
    /// Its name, below the group version: `Deployment`, `PodSpec.hostUsers`; empty for the group version itself.
    pub name: String,
    /// What happened to it.
    pub how: How,
    /// The first release that had it, or had it that way; if it went, the last release that had it.
    pub release: Release,
}

/// What happened to something between two releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// Only the newer release has it.
    Came,
    /// Only the older release has it.
    Went,
    /// Both have it, and a fact about it differs.
    Changed {
        /// The fact.
        fact: Fact,
        /// Its value in the older release.
        was: Told,
        /// Its value in the newer release.
        is: Told,
    },
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
    /// `+ PodSpec.hostUsers (since 1.25)`, `- kind Ingress (until 1.21)`, `~ Capabilities.add: list-type atomic, was none
    /// (since 1.30)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group_version, what, name, how, release } = self;
        let name = match what {
            What::Version => group_version.to_string(),
            What::Field => name.clone(),
            what => format!("{} {name}", what.name()),
        };
        match how {
            How::Came => write!(f, "+ {name} (since {release})"),
            How::Went => write!(f, "- {name} (until {release})"),
            How::Changed { fact, was: Told::Words(was), is: Told::Words(is) }
                if !was.is_empty() && !is.is_empty() =>
            {
                let only = |sign: char, of: &[String], other: &[String]| -> Vec<String> {
                    of.iter()
                        .filter(|word| !other.contains(word))
                        .map(|word| format!("{sign}{word}"))
                        .collect()
                };
                let words = [only('+', is, was), only('-', was, is)].concat();
                let words = if words.is_empty() { "in another order".to_owned() } else { words.join(" ") };
                write!(f, "~ {name}: {} {words} (since {release})", fact.name())
            }
            How::Changed { fact, was, is } => {
                let [was, is] = [was, is].map(|told| fact.shown(told));
                write!(f, "~ {name}: {} {is}, was {was} (since {release})", fact.name())
            }
        }
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

impl Archive {
    /// The changes from one release to a later one, by group version. Of each, what comes first is what has the others.
    ///
    /// Defaults and words are those that OpenAPI publishes. Servers have others, of which the archive has the newest only.
    pub fn changes(&self, from: Release, to: Release) -> Vec<Change> {
        let mut out = Vec::new();
        for (group_version, version) in &self.api.versions {
            let mut compare = Compare { archive: self, group_version, from, to, out: &mut out };
            let range = Range { since: version.since, until: version.until };
            if !compare.is_in_both(What::Version, "", range) {
                continue;
            }
            compare.preferred();
            for ty in version.types.values() {
                compare.kind(ty);
            }
            for ty in version.types.values() {
                compare.fields(ty);
            }
        }
        out
    }
}

struct Compare<'a> {
    archive: &'a Archive,
    group_version: &'a GroupVersion,
    from: Release,
    to: Release,
    out: &'a mut Vec<Change>,
}

impl Compare<'_> {
    fn add(&mut self, what: What, name: &str, how: How, release: Release) {
        let (group_version, name) = (self.group_version.clone(), name.to_owned());
        self.out.push(Change { group_version, what, name, how, release });
    }

    /// Whether both releases have something. Lists it if only one of them has.
    fn is_in_both(&mut self, what: What, name: &str, range: Range) -> bool {
        let (how, release) = match (range.has(self.from), range.has(self.to)) {
            (false, true) => (How::Came, range.since),
            (true, false) => (How::Went, range.until),
            (both, _) => return both,
        };
        if let Some(release) = release {
            self.add(what, name, how, release);
        }
        false
    }

    /// Lists a fact that differs between the releases. `newest` is its value in the schemas.
    fn fact(&mut self, what: What, name: &str, place: &Place, fact: Fact, newest: Option<Told>) {
        let told = |release| self.archive.history.told(place, fact, release).or(newest.as_ref()).cloned();
        let [was, is] = [self.from, self.to].map(told);
        let before = self.archive.history.until(place, fact, self.to);
        let first = before.and_then(|last| {
            let mut later = self.archive.report.releases.iter().filter(|release| **release > last);
            later.next().copied()
        });
        if let (Some(was), Some(is), Some(first)) = (was, is, first)
            && was != is
        {
            self.add(what, name, How::Changed { fact, was, is }, first);
        }
    }

    /// The preferred version of the group, where it is this one now and was another one.
    fn preferred(&mut self) {
        let Some(known) = self.archive.report.preferred.get(&self.group_version.group) else { return };
        let [was, is] = [self.from, self.to].map(|release| known.range(..=release).next_back());
        if let (Some((_, was)), Some((since, is))) = (was, is)
            && was != is
            && *is == self.group_version.version
        {
            let [was, is] = [was, is].map(|version| Told::Text(version.clone()));
            self.add(What::Version, "", How::Changed { fact: Fact::Preferred, was, is }, *since);
        }
    }

    /// The kind of a type, and its subresources. The list of a kind is nothing of its own.
    fn kind(&mut self, ty: &Type) {
        let Some(kind) = ty.kind.as_ref().filter(|_| !ty.is_list()) else { return };
        let range = Range { since: kind.since, until: kind.until };
        if !self.is_in_both(What::Kind, &ty.id.name, range) {
            return;
        }
        if let Some(resource) = &kind.resource {
            self.resource(ty, resource);
        }
    }

    fn resource(&mut self, ty: &Type, resource: &Resource) {
        for fact in Fact::OF_RESOURCES {
            self.fact(What::Kind, &ty.id.name, &Place::resource(&ty.id), fact, fact.of_resource(resource));
        }
        for (name, part) in &resource.subresources {
            self.subresource(ty, name, part);
        }
    }

    fn subresource(&mut self, ty: &Type, name: &str, part: &Subresource) {
        let shown = format!("{}/{name}", ty.id.name);
        let range = Range { since: part.since, until: part.until };
        if !self.is_in_both(What::Subresource, &shown, range) {
            return;
        }
        for fact in Fact::OF_SUBRESOURCES {
            let newest = fact.of_subresource(part);
            self.fact(What::Subresource, &shown, &Place::subresource(&ty.id, name), fact, newest);
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
            self.field(ty, field);
        }
    }

    fn field(&mut self, ty: &Type, field: &Field) {
        let name = format!("{}.{}", ty.id.name, field.name);
        if !self.is_in_both(What::Field, &name, Range { since: field.since, until: field.until }) {
            return;
        }
        for fact in Fact::OF_FIELDS {
            self.fact(What::Field, &name, &Place::field(&ty.id, &field.name), fact, fact.of_field(field));
        }
    }
}

#[cfg(test)]
mod tests {
    use hubgen_model::{Api, Kind, TypeBody, TypeExpr, TypeId, Version};

    use super::super::history::History;
    use super::super::report::Report;
    use super::*;

    const fn at(minor: u16) -> Option<Release> {
        Some(Release::new(1, minor))
    }

    fn ty(version: &str, name: &str, fields: &[(&str, Option<Release>, Option<Release>)]) -> Type {
        let field = |(name, since, until): &(&str, Option<Release>, Option<Release>)| Field {
            since: *since,
            until: *until,
            default: Some(serde_json::json!(1)),
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
        let history = History::of_text(
            "[\"zoo/v1 Zoo.always\"]\ndefault = {\"1.11\" = \"\"}\nwords = {\"1.10\" = [\"a\", \"b\"], \"1.12\" = [\"b\", \"c\"]}",
        );
        let report = Report { releases: (7..=13).filter_map(at).collect(), ..Report::default() };
        let archive = Archive { api, report, history: history.unwrap(), full: true };
        let listed = |from, to| -> Vec<String> {
            let [from, to] = [from, to].map(|minor| Release::new(1, minor));
            let changes = archive.changes(from, to);
            changes.iter().map(|change| format!("{} {change}", change.group_version)).collect()
        };
        assert_eq!(
            listed(8, 12),
            [
                "zoo/v1beta1 - zoo/v1beta1 (until 1.10)",
                "zoo/v1 + kind Cage (since 1.11)",
                "zoo/v1 - Zoo.old (until 1.9)",
                "zoo/v1 + Zoo.new (since 1.12)",
                "zoo/v1 ~ Zoo.always: default 1, was none (since 1.12)",
                "zoo/v1 ~ Zoo.always: words +c -a (since 1.11)",
            ]
        );
        assert_eq!(
            listed(10, 11),
            [
                "zoo/v1beta1 - zoo/v1beta1 (until 1.10)",
                "zoo/v1 + kind Cage (since 1.11)",
                "zoo/v1 ~ Zoo.always: words +c -a (since 1.11)",
                "zoo/v1 + Later.brief (since 1.11)"
            ]
        );
        assert_eq!(listed(12, 13), ["zoo/v1 ~ Zoo.always: words any, was b, c (since 1.13)"]);
        assert_eq!(listed(8, 9), Vec::<String>::new());
    }
}
