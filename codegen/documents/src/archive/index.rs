//! Writes the index of all group versions and kinds, for people to review.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use hubgen_model::{Api, GroupVersionKind, Kind, Release, Resource, Type};

use super::report::Report;
use super::rules::Sort;

/// The text of `INDEX.md`.
pub fn index(api: &Api, report: &Report) -> String {
    let mut text = String::new();
    write(&mut text, api, report).expect("writing to a string does not fail");
    text
}

fn range(since: Option<Release>, until: Option<Release>) -> String {
    let since = since.map_or("?".to_owned(), |since| since.to_string());
    until.map_or(format!("{since} –"), |until| format!("{since} – {until}"))
}

fn kinds(api: &Api) -> impl Iterator<Item = (&Type, &Kind)> {
    api.types().filter_map(|ty| Some((ty, ty.kind.as_ref()?)))
}

/// Splits the releases into a contiguous range up to the newest, and single ones before it.
fn releases(report: &Report) -> (Vec<Release>, Vec<Release>) {
    let mut covered: Vec<Release> = Vec::new();
    let mut single = Vec::new();
    for release in report.releases.iter().rev() {
        match covered.last() {
            Some(next) if release.minor + 1 != next.minor => single.push(*release),
            _ => covered.push(*release),
        }
    }
    covered.reverse();
    (covered, single)
}

/// The other names under which a kind is registered.
fn others(ty: &Type, kind: &Kind) -> String {
    let own = |name: &&GroupVersionKind| name.group_version == ty.id.group_version && name.kind == ty.id.name;
    let others: Vec<&GroupVersionKind> = kind.registered.iter().filter(|name| !own(name)).collect();
    if others.len() > 4 {
        return format!("{} under {} more group versions", ty.id.name, others.len());
    }
    others.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn write(text: &mut String, api: &Api, report: &Report) -> fmt::Result {
    writeln!(text, "# The index\n\nWritten by `cargo xtask import`; reviewed by people, never edited.\n")?;
    range_of_releases(text, report)?;
    counts(text, api)?;
    group_versions(text, api)?;
    all_kinds(text, api)?;
    decisions(text, report)?;
    left_out(text, report)
}

fn range_of_releases(text: &mut String, report: &Report) -> fmt::Result {
    let (covered, single) = releases(report);
    let (Some(first), Some(last)) = (covered.first(), covered.last()) else { return Ok(()) };
    let single: String = single.iter().map(|release| format!(", and single types of {release}")).collect();
    writeln!(
        text,
        "Releases {first} to {last}{single}. Whatever {first} contains may be older. A range names the first and \
         the last release; a range without an end includes {last}.\n"
    )
}

fn counts(text: &mut String, api: &Api) -> fmt::Result {
    let is_resource = |ty: &Type| ty.kind.as_ref().is_some_and(|kind| kind.resource.is_some());
    let offered = api.versions.values().filter(|version| version.types.values().any(is_resource));
    let groups: BTreeSet<_> = api.versions.keys().map(|version| &version.group).collect();
    writeln!(text, "| what | count |\n| --- | --- |")?;
    for (what, count) in [
        ("groups", groups.len()),
        ("group versions", api.versions.len()),
        ("group versions that offer resources", offered.count()),
        ("kinds", kinds(api).count()),
        ("kinds that are resources", api.types().filter(|ty| is_resource(ty)).count()),
        ("types", api.types().count()),
        ("fields", api.types().map(|ty| ty.fields().len()).sum()),
    ] {
        writeln!(text, "| {what} | {count} |")?;
    }
    Ok(())
}

fn group_versions(text: &mut String, api: &Api) -> fmt::Result {
    writeln!(
        text,
        "\n## Group versions\n\n| group version | releases | kinds | types |\n| --- | --- | --- | --- |"
    )?;
    for (group_version, version) in &api.versions {
        let kinds = version.types.values().filter(|ty| ty.kind.is_some()).count();
        let releases = range(version.since, version.until);
        writeln!(text, "| {group_version} | {releases} | {kinds} | {} |", version.types.len())?;
    }
    Ok(())
}

fn all_kinds(text: &mut String, api: &Api) -> fmt::Result {
    writeln!(
        text,
        "\n## Kinds\n\nA kind without a plural is not a resource: it is sent (in webhooks, lists, options) but not stored.\n\n\
         | kind | releases | plural | scope | subresources | also sent as |\n| --- | --- | --- | --- | --- | --- |"
    )?;
    for (ty, kind) in kinds(api) {
        let (plural, scope, subresources) =
            kind.resource.as_ref().map_or_else(Default::default, |resource| {
                (resource.plural.clone(), resource.scope.as_str(), subresources(kind, resource))
            });
        let releases = range(kind.since, kind.until);
        let others = others(ty, kind);
        writeln!(text, "| {} | {releases} | {plural} | {scope} | {subresources} | {others} |", ty.id)?;
    }
    Ok(())
}

/// The subresources of a kind, each with its releases if they are not those of the kind.
fn subresources(kind: &Kind, resource: &Resource) -> String {
    let names = resource.subresources.iter().map(|(name, part)| match (part.since, part.until) {
        releases if releases == (kind.since, kind.until) => name.clone(),
        (since, until) => format!("{name} ({})", range(since, until)),
    });
    names.collect::<Vec<String>>().join(", ")
}

/// What people decided where documents differ, are wrong or say nothing.
fn decisions(text: &mut String, report: &Report) -> fmt::Result {
    for (sort, title) in [
        (Sort::Widening, "Widenings: fields whose type changed"),
        (Sort::Correction, "Corrections: where documents are wrong or silent"),
        (Sort::Addition, "Additions: what no document contains"),
    ] {
        writeln!(text, "\n## {title}\n\n| name | why | where |\n| --- | --- | --- |")?;
        for (rule, places) in report.rules().filter(|(rule, _)| rule.sort == sort) {
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            writeln!(text, "| `{}` | {} | {} |", rule.name, rule.why, places.join(", "))?;
        }
    }
    writeln!(
        text,
        "\n## Kinds with the resource of a sibling\n\nNo release lists their paths: plural, scope, verbs and subresources are the sibling's.\n\n\
         | kind | sibling |\n| --- | --- |"
    )?;
    for (kind, sibling) in &report.siblings {
        writeln!(text, "| {kind} | {sibling} |")?;
    }
    Ok(())
}

fn left_out(text: &mut String, report: &Report) -> fmt::Result {
    writeln!(text, "\n## Left out\n\n| what | why |\n| --- | --- |")?;
    for left in &report.left_out {
        writeln!(text, "| {} | {} |", left.what, left.reason)?;
    }
    let mut unreached: Vec<String> = report.unreached.keys().map(ToString::to_string).collect();
    if unreached.is_empty() {
        return Ok(());
    }
    unreached.sort();
    writeln!(
        text,
        "| types | no kind refers to them: they occur only inside other types' JSON, or are helpers of the implementation: {} |",
        unreached.join(", ")
    )
}
