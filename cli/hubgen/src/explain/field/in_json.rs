//! A field as JSON for programs.

use serde_json::{Value, json};

use super::elsewhere::{AtVersion, Elsewhere};
use super::walk::Range;
use super::{Element, FactThen};
use crate::explain_conversion::path::Path;

/// The members of `field`.
pub fn show(element: &Element) -> Value {
    let [since, until] = texts(element.range);
    json!({
        "version": element.api_version,
        "kind": element.kind,
        "path": element.path.to_string(),
        "release": element.release.to_string(),
        "type": element.ty,
        "since": since,
        "until": until,
        "facts": element.facts.iter().map(fact).collect::<Vec<_>>(),
        "preferred": element.preferred,
        "defaults": element.defaults.iter().map(|default| json!({
            "path": default.below,
            "value": default.value,
            "when": default.when,
        })).collect::<Vec<_>>(),
        "fields": element.fields.iter().map(|(name, range, is_there)| {
            let [since, until] = texts(*range);
            json!({"name": name, "since": since, "until": until, "there": is_there})
        }).collect::<Vec<_>>(),
        "conversion": element.elsewhere.as_ref().map(conversion),
    })
}

fn fact(FactThen { part, fact, told, past, last }: &FactThen) -> Value {
    json!({
        "subresource": part,
        "fact": fact.name(),
        "value": told,
        "earlier": past.iter().map(|(until, told)| json!({"until": until.to_string(), "value": told})).collect::<Vec<_>>(),
        "newest": last,
    })
}

fn conversion(elsewhere: &Elsewhere) -> Value {
    let Elsewhere { hub, in_hub, rules, versions } = elsewhere;
    let version = |AtVersion { api_version, fields, rules }: &AtVersion| {
        let fields = fields.iter().map(|(path, range)| {
            let [since, until] = texts(*range);
            json!({"path": path.to_string(), "since": since, "until": until})
        });
        json!({"version": api_version, "fields": fields.collect::<Vec<_>>(), "rules": rules})
    };
    json!({
        "hub": hub,
        "in_hub": in_hub.iter().map(Path::to_string).collect::<Vec<_>>(),
        "rules": rules,
        "versions": versions.iter().map(version).collect::<Vec<_>>(),
    })
}

fn texts(range: Range) -> [Option<String>; 2] {
    [range.since, range.until].map(|release| release.map(|release| release.to_string()))
}
