//! The report for programs.

use serde_json::{Map, Value, json};

use super::Report;
use super::edits::Edit;
use super::finding::{Finding, Kind, Writer};

/// The whole report.
pub fn report(report: &mut Report<'_>, is_ok: bool) -> Value {
    let findings: Vec<Value> = report.findings.iter().map(finding).collect();
    json!({
        "ok": is_ok,
        "target": report.judge.release.to_string(),
        "objects": report.objects,
        "unknown": report.unknown,
        "findings": findings,
        "diagnostics": report.messages.take(),
    })
}

fn finding(finding: &Finding) -> Value {
    let (place, lifecycle) = (&finding.place, &finding.lifecycle);
    let release = |release: Option<hubgen_model::Release>| release.map(|release| release.to_string());
    let mut members = Members::default();
    members.text("rule", finding.rule.name());
    members.text("level", finding.level().name());
    members.text("file", &place.file);
    members.number("line", place.line);
    members.number("column", place.column);
    members.text("within", &place.within);
    members.text("path", &place.path);
    members.text("apiVersion", &finding.of.api_version);
    members.text("kind", &finding.of.kind);
    members.text("namespace", &finding.namespace);
    members.text("name", &finding.name);
    for (name, told) in
        [("since", lifecycle.since), ("deprecated", lifecycle.deprecated), ("removed", lifecycle.removed)]
    {
        members.text(name, &release(told).unwrap_or_default());
    }
    members.value("to", finding.to.as_ref().map(kind));
    members.value("disabled", finding.to_is_disabled.then_some(true.into()));
    members.text("use", &finding.instead);
    members.value("written", finding.written.as_ref().map(written));
    members.value("history", finding.is_history.then_some(true.into()));
    members.list("edits", finding.edits.iter().map(edit).collect());
    let problems = finding.problems.iter().map(|note| {
        let mut members = Members::default();
        members.text("path", &note.path);
        members.text("message", &note.message);
        members.text("help", &note.help);
        members.finish()
    });
    members.list("problems", problems.collect());
    members.finish()
}

fn kind(kind: &Kind) -> Value {
    json!({ "apiVersion": kind.api_version, "kind": kind.kind })
}

fn written(writer: &Writer) -> Value {
    let Writer { by, operation, subresource, time } = writer;
    let mut members = Members::default();
    for (name, text) in [("by", by), ("operation", operation), ("subresource", subresource), ("time", time)] {
        members.text(name, text);
    }
    members.finish()
}

fn edit(edit: &Edit) -> Value {
    match edit {
        Edit::Moved { from, path } => json!({ "from": from, "path": path }),
        Edit::Added { path, is } => json!({ "path": path, "is": is }),
        Edit::Removed { path, was } => json!({ "path": path, "was": was }),
        Edit::Changed { path, was, is } => json!({ "path": path, "was": was, "is": is }),
    }
}

/// Members of an object, without those that are empty.
#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    fn value(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        self.value(name, (!text.is_empty()).then(|| text.into()));
    }

    fn number(&mut self, name: &str, number: u32) {
        self.value(name, (number > 0).then(|| number.into()));
    }

    fn list(&mut self, name: &str, list: Vec<Value>) {
        self.value(name, (!list.is_empty()).then(|| list.into()));
    }

    fn finish(self) -> Value {
        Value::Object(self.0)
    }
}
