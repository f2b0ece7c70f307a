//! What a release brings and takes, line by line.

use hubgen_documents::archive::changes;
use hubgen_model::{Api, Field, Kind, Release, Type, Verb};

/// Kinds, subresources and fields that came and went, and defaults, words, requirements and verbs that changed.
pub fn lines(before: &Api, after: &Api, last: Release, release: Release) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for change in changes(after, last, release) {
        out.push(format!("{}: {change}", change.group_version));
    }
    for ty in after.types().filter(|ty| ty.until.is_none()) {
        let Some(old) = before.find(&ty.id) else { continue };
        out.extend(changed(old, ty).into_iter().map(|change| format!("{}: ~ {change}", ty.id.group_version)));
    }
    out
}

/// What differs about a type that both releases have.
fn changed(old: &Type, new: &Type) -> Vec<String> {
    let mut out = Vec::new();
    if let (Some(old), Some(kind)) = (&old.kind, &new.kind)
        && verbs(old) != verbs(kind)
    {
        let list = |kind: &Kind| match verbs(kind) {
            [] => "none".to_owned(),
            verbs => verbs.iter().map(|verb| verb.as_str()).collect::<Vec<_>>().join(", "),
        };
        out.push(format!("{}: verbs {}, were {}", new.id.name, list(kind), list(old)));
    }
    for field in new.named().filter(|field| field.until.is_none()) {
        let Some(old) = old.field(&field.name) else { continue };
        let facts = [
            ("default", default(old), default(field)),
            ("words", words(old), words(field)),
            ("required", old.required.to_string(), field.required.to_string()),
        ];
        for (what, old, new_one) in facts.into_iter().filter(|(_, old, new)| old != new) {
            out.push(format!("{}.{}: {what} {new_one}, was {old}", new.id.name, field.name));
        }
    }
    out
}

fn verbs(kind: &Kind) -> &[Verb] {
    kind.resource.as_ref().map_or(&[], |resource| &resource.verbs)
}

fn default(field: &Field) -> String {
    field.default.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string)
}

fn words(field: &Field) -> String {
    let words: Vec<String> = field.words().collect();
    if words.is_empty() { "any".to_owned() } else { words.join("|") }
}
