//! What a conversion does to an object, as JSON for programs.

use hubgen_kubernetes::machinery::convert::Keeping;
use serde_json::{Value, json};

use super::documents::Document;
use super::json::named;
use super::object::{ChangedBack, Effects, Kept, Written};
use super::path::Path;

/// What becomes of an object.
pub fn show(document: &Document<'_>, effects: &Effects<'_>) -> Value {
    let field = |path: &Path| json!({"path": path.to_string(), "line": document.line(path)});
    let written = |Written { path, value, sources, annotation, rules }: &Written<'_>| {
        json!({
            "path": path.to_string(),
            "value": value,
            "sources": sources.iter().map(field).collect::<Vec<_>>(),
            "annotation": annotation,
            "rules": rules.iter().map(|(side, rule)| named(side, rule)).collect::<Vec<_>>(),
        })
    };
    let kept = |Kept { annotation, hub, source, kept }: &Kept| {
        let (what, value) = match kept {
            Keeping::Value(value) => ("value", Some(value)),
            Keeping::Absence => ("absence", None),
            Keeping::Order => ("order", None),
        };
        json!({
            "annotation": annotation,
            "hub": hub.to_string(),
            "source": source.as_ref().map(field),
            "kept": what,
            "value": value,
        })
    };
    let lost = |(path, value): &(Path, Value)| json!({"path": path.to_string(), "line": document.line(path), "value": value});
    let changed = |ChangedBack { path, was, is, why }: &ChangedBack<'_>| json!({"path": path.to_string(), "line": document.line(path), "was": was, "is": is, "why": why});
    json!({
        "file": document.input.name,
        "line": document.line(&Path(Vec::new())),
        "name": document.name(),
        "written": effects.written.iter().map(written).collect::<Vec<_>>(),
        "kept": effects.kept.iter().map(kept).collect::<Vec<_>>(),
        "lost": effects.lost.iter().map(lost).collect::<Vec<_>>(),
        "changed_back": effects.changed_back.iter().map(changed).collect::<Vec<_>>(),
        "may_lose": effects.risks,
    })
}
