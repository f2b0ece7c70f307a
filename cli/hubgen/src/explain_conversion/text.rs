//! A conversion as text for people.

use std::fmt::Write as _;

use super::conversion::{Explained, Row};
use super::path::Path;
use super::side::{RuleAt, Side};

/// The width of the column with operators.
const COLUMN: usize = 16;

/// What a conversion does.
pub fn show(explained: &Explained) -> String {
    let Explained { kind, hub, from, to, .. } = explained;
    let more = if explained.has_own_hub { ", with fields that only other versions have" } else { "" };
    let mut out = format!("{kind}: {} → {}\nThe hub is {hub}{more}.\n", from.version, to.version);
    rules(
        &mut out,
        &format!("Rules of {}, on the way to the hub", from.version),
        from,
        explained.rules_to_hub(),
    );
    rules(
        &mut out,
        &format!("Rules of {}, on the way from the hub", to.version),
        to,
        explained.rules_from_hub(),
    );
    section(
        &mut out,
        &format!("What clients at {} do not see; annotations keep it", to.version),
        explained.hidden(),
    );
    for side in [from, to] {
        section(&mut out, &format!("What is lost of objects at {}", side.version), &side.account.dropped);
    }
    for side in [from, to] {
        let title = format!("What may come back in another form at {}", side.version);
        section(&mut out, &title, &side.account.canonicalized);
    }
    out
}

/// The rules of a version, each with its fields: at the old version, in the hub, at the new version.
fn rules(out: &mut String, title: &str, side: &Side, rows: Vec<Row<'_>>) {
    if rows.is_empty() {
        let why = if side.is_hub { "it is the hub" } else { "its fields have the names of the hub" };
        let _ = writeln!(out, "\n{title}: none, {why}");
        return;
    }
    let _ = writeln!(out, "\n{title} (old version → hub → new version)");
    for Row { rule, from, to } in rows {
        let paths = [&from, &rule.hub, &to].map(|paths| list(paths));
        let _ = writeln!(out, "  {:COLUMN$}{}", rule.operator, paths.join(" → "));
        let notes: Vec<String> = rule.detail.iter().cloned().chain(line(rule)).collect();
        if !notes.is_empty() {
            let _ = writeln!(out, "  {:COLUMN$}{}", "", notes.join("; "));
        }
    }
}

/// The paths, or that there is no such field.
fn list(paths: &[Path]) -> String {
    match paths {
        [] => "(none)".to_owned(),
        paths => paths.iter().map(Path::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// Where a rule is.
pub fn line(rule: &RuleAt) -> Option<String> {
    rule.line.as_ref().map(|(file, line)| format!("{}:{line}", file.display()))
}

/// A title, and lines below it; nothing without lines.
pub fn section<T: AsRef<str>>(out: &mut String, title: &str, lines: impl IntoIterator<Item = T>) {
    for (index, line) in lines.into_iter().enumerate() {
        if index == 0 {
            let _ = writeln!(out, "\n{title}");
        }
        let _ = writeln!(out, "  {}", line.as_ref());
    }
}
