//! Writes the index of all group versions and kinds, for people to review.

use std::fmt::Write;

use hubgen_model::{Api, GroupVersionKind, Kind, Release, Type};

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

fn write(text: &mut String, api: &Api, report: &Report) -> std::fmt::Result {
    let offered = api.versions.values().filter(|version| {
        version.types.values().any(|ty| ty.kind.as_ref().is_some_and(|kind| kind.resource.is_some()))
    });
    let fields: usize = api.types().map(|ty| ty.fields().len()).sum();
    let groups: std::collections::BTreeSet<_> = api.versions.keys().map(|version| &version.group).collect();
    writeln!(text, "# The index\n\nWritten by `cargo xtask import`; reviewed by people, never edited.\n")?;
    let (covered, single) = releases(report);
    if let (Some(first), Some(last)) = (covered.first(), covered.last()) {
        let single: String =
            single.iter().map(|release| format!(", and single types of {release}")).collect();
        writeln!(
            text,
            "Releases {first} to {last}{single}. Whatever {first} contains may be older. A range names the first and \
             the last release; a range without an end includes {last}.\n"
        )?;
    }
    writeln!(text, "| what | count |\n| --- | --- |")?;
    let resources = kinds(api).filter(|(_, kind)| kind.resource.is_some()).count();
    for (what, count) in [
        ("groups", groups.len()),
        ("group versions", api.versions.len()),
        ("group versions that offer resources", offered.count()),
        ("kinds", kinds(api).count()),
        ("kinds that are resources", resources),
        ("types", api.types().count()),
        ("fields", fields),
    ] {
        writeln!(text, "| {what} | {count} |")?;
    }
    writeln!(
        text,
        "\n## Group versions\n\n| group version | releases | kinds | types |\n| --- | --- | --- | --- |"
    )?;
    for (group_version, version) in &api.versions {
        let kinds = version.types.values().filter(|ty| ty.kind.is_some()).count();
        let releases = range(version.since, version.until);
        writeln!(text, "| {group_version} | {releases} | {kinds} | {} |", version.types.len())?;
    }
    writeln!(
        text,
        "\n## Kinds\n\nA kind without a plural is not a resource: it is sent (in webhooks, lists, options) but not stored.\n\n\
         | kind | releases | plural | scope | subresources | also sent as |\n| --- | --- | --- | --- | --- | --- |"
    )?;
    for (ty, kind) in kinds(api) {
        let (plural, scope, subresources) =
            kind.resource.as_ref().map_or_else(Default::default, |resource| {
                let names: Vec<String> = resource
                    .subresources
                    .iter()
                    .map(|(name, part)| match (part.since, part.until) {
                        releases if releases == (kind.since, kind.until) => name.clone(),
                        (since, until) => format!("{name} ({})", range(since, until)),
                    })
                    .collect();
                (resource.plural.clone(), resource.scope.as_str(), names.join(", "))
            });
        let releases = range(kind.since, kind.until);
        let others = others(ty, kind);
        writeln!(text, "| {} | {releases} | {plural} | {scope} | {subresources} | {others} |", ty.id)?;
    }
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
    writeln!(text, "\n## Left out\n\n| what | why |\n| --- | --- |")?;
    for left in &report.left_out {
        writeln!(text, "| {} | {} |", left.what, left.reason)?;
    }
    let unreached: Vec<String> = report.unreached.iter().map(ToString::to_string).collect();
    if !unreached.is_empty() {
        let mut unreached = unreached;
        unreached.sort();
        writeln!(
            text,
            "| types | no kind refers to them: they occur only inside other types' JSON, or are helpers of the implementation: {} |",
            unreached.join(", ")
        )?;
    }
    Ok(())
}
