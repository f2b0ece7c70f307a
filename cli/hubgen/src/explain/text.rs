//! What is known about a kind, as text for people.

use std::fmt::Write as _;

use hubgen_kubernetes::machinery::reflect::Words;
use hubgen_kubernetes::machinery::scheme::{
    Conversion, GroupPriority, KindEntry, NameForm, Resource, SelectableField, Subresource,
};

use super::facts::{Facts, generation};

/// The width of the first column.
const COLUMN: usize = 18;

/// Lines about a kind.
pub fn show(facts: &Facts<'_>) -> String {
    let home = facts.home;
    let mut out = if home.group.is_empty() {
        format!("{} of the core group\n", home.kind)
    } else {
        format!("{} of {}\n", home.kind, home.group)
    };
    let mut lines = match facts.resource() {
        Some(resource) => offer(facts, resource),
        None => vec![
            ("resource", vec!["none: it occurs in requests and answers only".to_owned()]),
            ("versions", versions(facts)),
        ],
    };
    if facts.is_stored() {
        lines.extend(behaviour(facts));
    }
    for (name, texts) in lines {
        for (index, text) in texts.iter().enumerate() {
            let name = if index == 0 { name } else { "" };
            let _ = writeln!(out, "  {name:COLUMN$}{text}");
        }
    }
    out
}

/// A name, and the lines beside it.
type Line = (&'static str, Vec<String>);

/// How a server offers a kind.
fn offer(facts: &Facts<'_>, resource: &Resource) -> Vec<Line> {
    let names = [&*resource.plural, &*resource.singular].into_iter().chain(resource.short_names.iter());
    let mut lines = vec![("names", vec![names.collect::<Vec<_>>().join(", ")])];
    if !resource.categories.is_empty() {
        lines.push(("categories", vec![list(&resource.categories)]));
    }
    lines.push(("scope", vec![if resource.namespaced { "namespaced" } else { "cluster" }.to_owned()]));
    lines.push(("verbs", vec![list(&resource.verbs)]));
    let part = |part: &Subresource| {
        let kind = part.kind.as_ref().map(|kind| {
            let (group, version, kind) = kind.parts();
            let slash = if group.is_empty() { "" } else { "/" };
            format!(" ({group}{slash}{version} {kind})")
        });
        format!("{}{}: {}", part.name, kind.unwrap_or_default(), list(&part.verbs))
    };
    lines.push(("subresources", resource.subresources.iter().map(part).collect()));
    lines.push(("versions", versions(facts)));
    // The core group is not among the others.
    if !facts.home.group.is_empty() {
        lines.push(("priority", vec![priority(facts.priority)]));
    }
    let keys = if facts.is_stored() {
        facts.keys.clone()
    } else {
        "none: its objects are questions, which a server answers and does not store".to_owned()
    };
    lines.push(("keys", vec![keys]));
    lines
}

/// What a server does with the objects of a kind.
fn behaviour(facts: &Facts<'_>) -> Vec<Line> {
    let behaviour = facts.behaviour();
    let mut lines = vec![("object names", vec![form(behaviour.names).to_owned()])];
    let counted = match generation(facts) {
        "fixed" => "1, whatever changes".to_owned(),
        "none" => "none".to_owned(),
        _ => {
            let more = metadata(&behaviour.generation_metadata);
            let more = if more.is_empty() { more } else { format!(", and of {more}") };
            format!("counts changes of everything but metadata and status{more}")
        }
    };
    lines.push(("generation", vec![counted]));
    if facts.resource().is_some_and(|resource| resource.subresources.iter().any(|part| part.name == "status"))
    {
        let taken = metadata(&behaviour.status_metadata);
        let taken = if taken.is_empty() { "no metadata".to_owned() } else { taken };
        lines.push(("status updates", vec![format!("take {taken} from the client")]));
        let kept = if behaviour.keeps_status_on_creation { "the client's" } else { "cleared" };
        lines.push(("new status", vec![kept.to_owned()]));
    }
    lines.push(("field selectors", fields(facts)));
    lines.push(("columns", columns(facts)));
    if let Some(time) = behaviour.time_to_live {
        lines.push(("time to live", vec![format!("{} s after the last write", time.as_secs())]));
    }
    let never = facts.versions.iter().filter(|version| version.behaviour.is_never_owner);
    let never: Vec<String> = never.map(|version| version.api_version()).collect();
    if !never.is_empty() {
        lines.push(("owner references", vec![format!("none to {}", never.join(", "))]));
    }
    let orphans = facts.versions.iter().filter(|version| version.behaviour.orphans_dependents);
    let orphans: Vec<String> = orphans.map(|version| version.api_version()).collect();
    if !orphans.is_empty() {
        lines.push(("dependents", vec![format!("stay by default at {}", orphans.join(", "))]));
    }
    lines.extend(facts.file().map(|file| ("facts in", vec![file])));
    lines
}

fn list(words: &Words) -> String {
    words.iter().collect::<Vec<_>>().join(", ")
}

fn metadata(fields: &Words) -> String {
    fields.iter().map(|field| format!("metadata.{field}")).collect::<Vec<_>>().join(", ")
}

/// A line for each version: the releases that had it, and how it converts.
fn versions(facts: &Facts<'_>) -> Vec<String> {
    let width = facts.versions.iter().map(|version| version.api_version().len()).max().unwrap_or_default();
    facts
        .versions
        .iter()
        .map(|version| {
            let releases = match (version.since.as_deref(), version.until.as_deref()) {
                (Some(since), Some(until)) if since == until => format!("only in {since}"),
                (Some(since), Some(until)) => format!("{since} to {until}"),
                (Some(since), None) => format!("since {since}"),
                (None, Some(until)) => format!("until {until}"),
                (None, None) => String::new(),
            };
            let mut notes = vec![releases];
            if facts.versions.len() > 1 {
                let is_hub = version.parts() == facts.home.parts();
                let role = match (is_hub, facts.is_stored_at(version)) {
                    (true, true) => "the hub, at which objects are stored",
                    (true, false) => "the hub",
                    (false, true) => "the storage version",
                    (false, false) => "",
                };
                notes.push(role.to_owned());
            }
            if let Some(deprecation) = &version.behaviour.deprecation {
                let since = deprecation.since.map(|(major, minor)| format!(" since {major}.{minor}"));
                notes.push(format!("deprecated{}", since.unwrap_or_default()));
            }
            if let Conversion::NotConvertible(reason) = &version.conversion {
                notes.push(format!("does not convert: {}", &**reason));
            }
            notes.retain(|note| !note.is_empty());
            format!("{:width$}  {}", version.api_version(), notes.join("; ")).trim_end().to_owned()
        })
        .collect()
}

fn priority(priority: Option<&GroupPriority>) -> String {
    let group = priority.and_then(|priority| priority.group);
    let group = match group {
        Some(GroupPriority::FIRST) => "before all other groups".to_owned(),
        Some(number) => number.to_string(),
        None => format!("{}, as custom resources", GroupPriority::CUSTOM),
    };
    let versions = priority.into_iter().flat_map(|priority| &priority.versions);
    let versions: Vec<String> =
        versions.map(|(version, number)| format!("{} {number}", &**version)).collect();
    if versions.is_empty() { group } else { format!("{group}; {}", versions.join(", ")) }
}

fn form(form: NameForm) -> &'static str {
    match form {
        NameForm::Subdomain => "RFC 1123 subdomains, at most 253 characters",
        NameForm::Label => "RFC 1123 labels, at most 63 characters",
        NameForm::Label1035 => "RFC 1035 labels, at most 63 characters",
        NameForm::PathSegment => "segments of a path",
    }
}

/// The columns in which clients show its objects, and those of wide output only.
fn columns(facts: &Facts<'_>) -> Vec<String> {
    let columns = &facts.home.columns.columns;
    let names = |is_wide: bool| {
        let of = columns.iter().filter(|column| (column.priority > 0) == is_wide);
        of.map(|column| &*column.name).collect::<Vec<_>>().join(", ")
    };
    let wide = names(true);
    let wide = if wide.is_empty() { wide } else { format!("; wide: {wide}") };
    vec![format!("{}{wide}", names(false))]
}

/// What field selectors can select by; a line for each version if versions differ.
fn fields(facts: &Facts<'_>) -> Vec<String> {
    let own = |version: &KindEntry| {
        let namespace = version.resource.as_ref().is_some_and(|resource| resource.namespaced);
        let always = ["metadata.name"].into_iter().chain(namespace.then_some("metadata.namespace"));
        let more = version.behaviour.selectable_fields.iter().flatten().map(shown);
        always.map(str::to_owned).chain(more).collect::<Vec<_>>().join(", ")
    };
    let first = &facts.versions[0];
    if facts
        .versions
        .iter()
        .all(|version| version.behaviour.selectable_fields == first.behaviour.selectable_fields)
    {
        return vec![own(first)];
    }
    facts.versions.iter().map(|version| format!("{}: {}", version.api_version(), own(version))).collect()
}

fn shown(field: &SelectableField) -> String {
    let paths: Vec<&str> = field.paths().collect();
    match &*paths {
        [] => format!("{} (always empty)", &*field.name),
        [path] if *path == &*field.name => (*path).to_owned(),
        paths => format!("{} ({})", &*field.name, paths.join(" or ")),
    }
}
