//! A conversion as JSON for programs.

use serde_json::{Map, Value, json};

use super::conversion::{Explained, Row};
use super::path::Path;
use super::side::{RuleAt, Side};

/// The members that describe a conversion.
pub fn show(explained: &Explained) -> Map<String, Value> {
    let Explained { kind, hub, from, to, .. } = explained;
    let rows =
        |side: &Side, rows: Vec<Row<'_>>| rows.iter().map(|found| row(side, found)).collect::<Vec<_>>();
    let rules = [rows(from, explained.rules_to_hub()), rows(to, explained.rules_from_hub())].concat();
    let canonical = |side: &Side| json!({"version": side.version, "lost": side.account.dropped, "forms": side.account.canonicalized});
    let members = json!({
        "kind": kind,
        "from": from.version,
        "to": to.version,
        "hub": hub,
        "rules": rules,
        "hidden": explained.hidden(),
        "versions": [canonical(from), canonical(to)],
    });
    members.as_object().cloned().unwrap_or_default()
}

fn row(side: &Side, Row { rule, from, to }: &Row<'_>) -> Value {
    let mut out = named(side, rule);
    out["paths"] = json!({"from": texts(from), "hub": texts(&rule.hub), "to": texts(to)});
    out
}

/// A rule: what it does, and where it is.
pub fn named(side: &Side, rule: &RuleAt) -> Value {
    json!({
        "version": side.version,
        "operator": rule.operator,
        "detail": rule.detail,
        "file": rule.line.as_ref().map(|(file, _)| file.display().to_string()),
        "line": rule.line.as_ref().map(|(_, line)| line),
    })
}

fn texts(paths: &[Path]) -> Vec<String> {
    paths.iter().map(Path::to_string).collect()
}
