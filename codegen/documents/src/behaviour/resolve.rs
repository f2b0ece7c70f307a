//! Checks facts against the kinds that they are about.

use std::collections::BTreeMap;

use hubgen_model::behaviour::{
    Behaviour, Behaviours, Deprecation, Generation, Priority, SelectableField, StoragePlace,
};
use hubgen_model::rules::At;
use hubgen_model::{Api, Declared, GroupVersion, GroupVersionKind, Kind, Resource, Type, TypeExpr};

use super::{Document, Documents, FOLDER, Fact, KindFacts, SELECTABLE_FIELDS, in_order};
use crate::Diagnostic;

/// What is wrong, and what to do.
type Wrong = (String, String);

/// A kind at one version of its family.
struct Member<'a> {
    name: &'a GroupVersionKind,
    ty: &'a Type,
    kind: &'a Kind,
    resource: &'a Resource,
}

impl Member<'_> {
    fn has_status(&self) -> bool {
        self.resource.subresources.contains_key("status")
    }

    fn has_spec(&self) -> bool {
        self.ty.field("spec").is_some()
    }

    /// What its definition lets field selectors select by.
    fn defined_fields(&self) -> &[String] {
        self.kind.definition.as_ref().map_or(&[], |definition| &definition.selectable_fields)
    }
}

/// The stored kinds, by the group where they live today and their name.
type Families<'a> = BTreeMap<(&'a str, &'a str), Vec<Member<'a>>>;

impl Documents {
    /// Checks all facts against the kinds, and adds what definitions of kinds specify. `declared` are the families that
    /// moved from group to group.
    ///
    /// # Errors
    /// All errors, in the order of files and lines.
    pub fn resolve(&self, api: &Api, declared: &[Declared]) -> Result<Behaviours, Vec<Diagnostic>> {
        let families = families(api, declared);
        let mut resolver =
            Resolver { api, families: &families, behaviours: Behaviours::default(), errors: Vec::new() };
        for member in families.values().flatten() {
            resolver.defined(member);
        }
        for document in &self.0 {
            if resolver.group(document) {
                document.kinds.iter().for_each(|kind| resolver.kind(document, kind));
            }
        }
        let Resolver { mut behaviours, mut errors, .. } = resolver;
        in_order(&mut errors);
        behaviours.kinds.retain(|_, behaviour| *behaviour != Behaviour::default());
        if errors.is_empty() { Ok(behaviours) } else { Err(errors) }
    }
}

/// The group where a kind lives today.
fn home<'a>(name: &'a GroupVersionKind, declared: &'a [Declared]) -> &'a str {
    let moved = declared
        .iter()
        .find(|family| family.kind == name.kind && family.members.contains(&name.group_version));
    moved.map_or(&name.group_version.group, |family| &family.hub.group)
}

fn families<'a>(api: &'a Api, declared: &'a [Declared]) -> Families<'a> {
    let mut families = Families::new();
    for ty in api.own_types() {
        let Some(kind) = &ty.kind else { continue };
        let Some(name) = kind.registered.first() else { continue };
        let Some(resource) = &kind.resource else { continue };
        let key = (home(name, declared), name.kind.as_str());
        families.entry(key).or_default().push(Member { name, ty, kind, resource });
    }
    families
}

struct Resolver<'a> {
    api: &'a Api,
    families: &'a Families<'a>,
    behaviours: Behaviours,
    errors: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn error(&mut self, document: &Document, span: &std::ops::Range<usize>, path: &str, wrong: Wrong) {
        let (message, help) = wrong;
        self.errors.push(document.source.error(span.clone(), path, message, help));
    }

    /// What the definition of a kind specifies.
    fn defined(&mut self, member: &Member<'a>) {
        if let Some(definition) = member.kind.definition.as_ref().filter(|definition| definition.deprecated) {
            let warning = definition.deprecation_warning.clone();
            self.behaviours.kinds.entry(member.name.clone()).or_default().deprecation =
                Some(Deprecation { warning, ..Deprecation::default() });
        }
        let fields = member.defined_fields();
        if fields.is_empty() {
            return;
        }
        // `.spec.color`: a simple JSON path.
        let field =
            |path: &String| SelectableField { name: path.trim_start_matches('.').to_owned(), paths: None };
        self.behaviours.kinds.entry(member.name.clone()).or_default().selectable_fields =
            Some(fields.iter().map(field).collect());
    }

    /// The priorities of a group. Returns whether there is such a group.
    fn group(&mut self, document: &Document) -> bool {
        let Document { group, priority, versions: spans, .. } = document;
        let own = self.api.own_versions().map(|(name, _)| name);
        let known: Vec<&str> =
            own.filter(|name| name.group_or_core() == group).map(|name| name.version.as_str()).collect();
        if known.is_empty() {
            let message = format!("there is no group `{group}`");
            let help = "name the file <group>.toml, with the group where the kinds live today; `core` is the empty group";
            self.errors.push(Diagnostic::file(document.source.file(), message, help));
            return false;
        }
        let Some(At { value: priority, .. }) = priority else { return true };
        for ((version, _), span) in priority.versions.iter().zip(spans) {
            if !known.contains(&version.as_str()) {
                let message = format!("{group} has no version `{version}`");
                let help = format!("expected one of {}", known.join(", "));
                self.error(document, span, "group.versions", (message, help));
            }
        }
        let name = if group == "core" { String::new() } else { group.clone() };
        self.behaviours.priorities.insert(name, Priority::clone(priority));
        true
    }

    fn kind(&mut self, document: &Document, facts: &KindFacts) {
        let name = facts.name.value.as_str();
        let group = if document.group == "core" { "" } else { &*document.group };
        let families = self.families;
        let Some(members) = families.get(&(group, name)) else {
            let wrong = self.unknown(group, name);
            return self.error(document, &facts.name.span, name, wrong);
        };
        let is_own = |member: &&Member<'_>| {
            let version = &member.name.group_version;
            facts.versions.iter().any(|(name, of)| {
                name.value == *version && of.iter().any(|fact| fact.value.key() == SELECTABLE_FIELDS)
            })
        };
        for fact in &facts.facts {
            let path = format!("{name}.{}", fact.value.key());
            // Versions may have other fields to select by.
            let is_replaced = matches!(fact.value, Fact::SelectableFields(_));
            let about: Vec<&Member<'_>> =
                members.iter().filter(|member| !(is_replaced && is_own(member))).collect();
            self.fact(document, fact, &facts.facts, &path, &about);
        }
        for (version, of) in &facts.versions {
            let Some(member) = members.iter().find(|member| member.name.group_version == version.value)
            else {
                let known: Vec<String> =
                    members.iter().map(|member| member.name.group_version.to_string()).collect();
                let message = format!("`{name}` is never stored at {}", version.value);
                let help = format!("expected one of {}", known.join(", "));
                self.error(document, &version.span, name, (message, help));
                continue;
            };
            for fact in of {
                let path = format!("{name}.{}.{}", version.value, fact.value.key());
                self.fact(document, fact, of, &path, &[member]);
            }
        }
    }

    /// Why a table names no kind of its group.
    fn unknown(&self, group: &str, name: &str) -> Wrong {
        let is_it = |name_of: &GroupVersionKind| name_of.group_version.group == group && name_of.kind == name;
        let moved = self
            .families
            .iter()
            .find(|(_, members)| members.iter().any(|member| is_it(member.name)))
            .map(|((home, _), _)| *home);
        if let Some(home) = moved {
            let home = if home.is_empty() { "core" } else { home };
            return (
                format!("`{name}` lives in {home} today"),
                format!("write the lines of all its versions to {FOLDER}/{home}.toml"),
            );
        }
        let mut kinds =
            self.api.own_types().filter_map(|ty| ty.kind.as_ref()).flat_map(|kind| &kind.registered);
        if kinds.any(is_it) {
            return (
                format!("objects of `{name}` are never stored"),
                "remove the table: a server does nothing with them".to_owned(),
            );
        }
        let known: Vec<&str> =
            self.families.keys().filter(|(home, _)| *home == group).map(|(_, kind)| *kind).collect();
        let title = if group.is_empty() { "core" } else { group };
        (format!("{title} has no kind `{name}`"), format!("expected one of {}", known.join(", ")))
    }

    /// Checks a line, and adds it to what a server does at the versions that it is about.
    fn fact(
        &mut self,
        document: &Document,
        fact: &At<Fact>,
        beside: &[At<Fact>],
        path: &str,
        about: &[&Member<'a>],
    ) {
        if let Err(wrong) = check(&fact.value, beside, about) {
            return self.error(document, &fact.span, path, wrong);
        }
        if let Fact::SelectableFields(fields) = &fact.value {
            for (member, field) in
                about.iter().flat_map(|member| fields.iter().map(move |field| (member, field)))
            {
                for selected in field.value.paths() {
                    if let Err(wrong) = self.selectable(member.ty, &member.name.group_version, selected) {
                        self.error(document, &field.span, path, wrong);
                    }
                }
            }
        }
        if let Fact::Deprecated(At { value: Deprecation { replacement: Some(name), .. }, span, .. }) =
            &fact.value
        {
            let mut kinds =
                self.api.types().filter_map(|ty| ty.kind.as_ref()).flat_map(|kind| &kind.registered);
            if !kinds.any(|known| known == name) {
                let help = "name what clients should use".to_owned();
                self.error(document, span, path, (format!("there is no kind {name}"), help));
            }
        }
        for member in about {
            set(&fact.value, self.behaviours.kinds.entry(member.name.clone()).or_default());
        }
    }

    /// Checks that a text, a number or a boolean is at a path.
    fn selectable(&self, ty: &Type, at: &GroupVersion, path: &str) -> Result<(), Wrong> {
        let mut owner = ty;
        let mut names = path.split('.').peekable();
        while let Some(name) = names.next() {
            let Some(field) = owner.field(name) else {
                let known: Vec<&str> = owner.fields().iter().map(|field| field.name.as_str()).collect();
                let version = format!("[{}.{:?}]", ty.id.name, at.to_string());
                return Err((
                    format!("at {at}, {} has no field `{name}`", owner.id.name),
                    format!(
                        "expected one of {}; write lines of versions that differ below {version}",
                        known.join(", ")
                    ),
                ));
            };
            match (&field.ty, names.peek()) {
                (TypeExpr::Ref(id), Some(_)) => owner = self.api.find(id).expect("references are resolved"),
                (
                    TypeExpr::String
                    | TypeExpr::Bool
                    | TypeExpr::Int32
                    | TypeExpr::Int64
                    | TypeExpr::Uint16
                    | TypeExpr::Uint32
                    | TypeExpr::Uint64,
                    None,
                ) => {}
                (other, _) => {
                    return Err((
                        format!(
                            "`{path}` does not end at a text, a number or a boolean: `{name}` is {other}"
                        ),
                        "name a field that is one".to_owned(),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Checks a line against the kind and the lines beside it.
fn check(fact: &Fact, beside: &[At<Fact>], about: &[&Member<'_>]) -> Result<(), Wrong> {
    let wrong = |message: &str, help: &str| Err((message.to_owned(), help.to_owned()));
    let has = |is: fn(&Fact) -> bool| beside.iter().any(|other| is(&other.value));
    let has_status = about.iter().any(|member| member.has_status());
    let has_spec = about.iter().any(|member| member.has_spec());
    match fact {
        Fact::Generation(Generation::Counted) if has_spec => {
            wrong("objects have a `spec`, whose changes are counted anyway", "remove the line")
        }
        Fact::Generation(Generation::None) if !has_spec => {
            wrong("objects have no `spec`, so that nothing is counted anyway", "remove the line")
        }
        Fact::GenerationCounts(_)
            if has(|other| matches!(other, Fact::Generation(Generation::None | Generation::Fixed)))
                || !(has_spec || has(|other| matches!(other, Fact::Generation(_)))) =>
        {
            wrong("no changes are counted", "remove the line, or change `generation`")
        }
        Fact::StatusTakes(_) | Fact::KeepsStatusOnCreation if !has_status => {
            wrong("no version has a `status` subresource", "remove the line")
        }
        Fact::StoredAs(_) if has(|other| matches!(other, Fact::StoredSeparately)) => {
            wrong("objects are stored separately, under their plural", "remove one of the two lines")
        }
        Fact::StoredAs(name) if about.iter().any(|member| *name == member.resource.plural) => {
            wrong("objects are stored under their plural anyway", "remove the line")
        }
        Fact::Deprecated(_) if about.iter().any(|member| member.kind.definition.is_some()) => wrong(
            "the CustomResourceDefinition of the kind specifies `deprecated`",
            "write it there, and remove the line",
        ),
        Fact::SelectableFields(_) if about.is_empty() => {
            wrong("every version has a line of its own", "remove this line")
        }
        Fact::SelectableFields(_) if about.iter().any(|member| !member.defined_fields().is_empty()) => wrong(
            "the CustomResourceDefinition of the kind specifies `selectableFields`",
            "write all of them there, and remove the line",
        ),
        _ => Ok(()),
    }
}

/// Adds a fact to what a server does at a version.
fn set(fact: &Fact, behaviour: &mut Behaviour) {
    let names = |fields: &[At<String>]| fields.iter().map(|field| field.value.clone()).collect();
    match fact {
        Fact::Names(form) => behaviour.names = *form,
        Fact::Generation(generation) => behaviour.generation = *generation,
        Fact::GenerationCounts(fields) => behaviour.generation_metadata = names(fields),
        Fact::StatusTakes(fields) => behaviour.status_metadata = names(fields),
        Fact::KeepsStatusOnCreation => behaviour.keeps_status_on_creation = true,
        Fact::SelectableFields(fields) => {
            behaviour.selectable_fields = Some(fields.iter().map(|field| field.value.clone()).collect());
        }
        Fact::TimeToLive(time) => behaviour.time_to_live = Some(*time),
        Fact::NeverOwner => behaviour.is_never_owner = true,
        Fact::OrphansDependents => behaviour.orphans_dependents = true,
        Fact::StoredAs(name) => behaviour.storage = StoragePlace::Named(name.clone()),
        Fact::StoredSeparately => behaviour.storage = StoragePlace::Separate,
        Fact::Deprecated(deprecation) => behaviour.deprecation = Some(deprecation.value.clone()),
    }
}
