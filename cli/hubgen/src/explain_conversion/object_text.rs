//! What a conversion does to an object, as text for people.

use hubgen_kubernetes::machinery::convert::Keeping;
use serde_json::Value;

use super::conversion::Explained;
use super::documents::Document;
use super::object::{ChangedBack, Effects, Kept, Written};
use super::text::{line, section};

/// How many characters of a value are shown.
const LONGEST: usize = 60;

/// What becomes of an object.
pub fn show(explained: &Explained, document: &Document<'_>, effects: &Effects<'_>) -> String {
    let (from, to) = (&explained.from.version, &explained.to.version);
    let mut out = format!("{}: {} {} → {to}\n", document.start(), explained.kind, document.name());
    let written: Vec<String> = effects.written.iter().map(|written| field(document, written)).collect();
    let nothing = format!("nothing but apiVersion: {to}");
    section(&mut out, "Fields that differ", if written.is_empty() { vec![nothing] } else { written });
    section(&mut out, "Kept in annotations", effects.kept.iter().map(|kept| in_annotation(document, kept)));
    let lost = effects.lost.iter().map(|(path, value)| {
        format!("{path}: {} (line {}), which a rule drops", short(value), document.line(path))
    });
    section(&mut out, "Lost", lost);
    let title = format!("Changed for {from} once a client has read and written the object at {to}");
    let changed = effects.changed_back.iter().map(|changed| back(document, changed));
    let same = vec!["nothing".to_owned()];
    section(&mut out, &title, if effects.changed_back.is_empty() { same } else { changed.collect() });
    let of_annotations = "what annotations keep, if they remove the annotations";
    let of_annotations = (!effects.kept.is_empty()).then_some(of_annotations);
    let risks = effects.risks.iter().copied().chain(of_annotations);
    section(&mut out, &format!("What clients at {to} may lose when they write"), risks);
    out
}

/// A field of the result, where it comes from, and by which rules.
fn field(
    document: &Document<'_>,
    Written { path, value, sources, annotation, rules }: &Written<'_>,
) -> String {
    let from_file = sources.iter().map(|path| format!("{path} (line {})", document.line(path)));
    let from = from_file.chain(annotation.iter().map(|key| format!("the annotation {key}")));
    let from: Vec<String> = from.collect();
    let from = if from.is_empty() { String::new() } else { format!(", from {}", from.join(" and ")) };
    let rules: Vec<String> = rules
        .iter()
        .map(|(side, rule)| {
            let at = line(rule).map_or_else(String::new, |line| format!(", {line}"));
            // Where a value comes from no field, the rule has it.
            let detail = rule.detail.as_ref().filter(|_| sources.is_empty());
            let detail = detail.map_or_else(String::new, |detail| format!(" ({detail})"));
            format!("{} of {}{at}{detail}", rule.operator, side.version)
        })
        .collect();
    let rules = if !rules.is_empty() {
        rules.join("; ")
    } else if annotation.is_some() {
        "no rule: an annotation kept it".to_owned()
    } else {
        "no rule: it is a default or another form of the same".to_owned()
    };
    format!("{path}: {}{from}\n    {rules}", short(value))
}

fn in_annotation(document: &Document<'_>, Kept { annotation, hub, source, kept }: &Kept) -> String {
    let (path, line) = match source {
        Some(path) => (path, format!(" (line {})", document.line(path))),
        None => (hub, String::new()),
    };
    let kept = match kept {
        Keeping::Value(value) => short(value),
        Keeping::Absence => "absent".to_owned(),
        Keeping::Order => "the order of its elements".to_owned(),
    };
    format!("{path}: {kept}{line}, in {annotation}")
}

fn back(document: &Document<'_>, ChangedBack { path, was, is, why }: &ChangedBack<'_>) -> String {
    let near = if was.is_some() { "line" } else { "near line" };
    let [was, is] = [was, is].map(|value| value.as_ref().map_or_else(|| "absent".to_owned(), short));
    let why = why.map_or_else(String::new, |why| format!("; {why}"));
    format!("{path} ({near} {}): was {was}, is {is}{why}", document.line(path))
}

/// A value on one line.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= LONGEST {
        return text;
    }
    text.chars().take(LONGEST).chain(['…']).collect()
}
