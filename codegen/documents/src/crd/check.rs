//! Checks schemas as the API server does, and finds the lines of what is wrong.

use hubgen_validation::definition::RULE_KEYS;
use hubgen_validation::{Schema, Unchecked};

use super::definition::Version;
use super::representable;
use crate::Diagnostic;

/// What to do instead of keywords that some expect in these schemas, and the API server ignores.
const INSTEAD: [(&str, &str); 4] = [
    ("deprecated", "mark the version as deprecated"),
    ("discriminator", "write a rule under `x-kubernetes-validations`"),
    ("readOnly", "write a rule under `x-kubernetes-validations`"),
    ("writeOnly", "write a rule under `x-kubernetes-validations`"),
];

/// Checks the schema of a version.
pub(super) fn check(version: &Version, errors: &mut Vec<Diagnostic>, warnings: &mut Vec<Diagnostic>) {
    let at = |path: String, message: String, help: String| {
        let in_schema = path.strip_prefix(&version.path).unwrap_or_default();
        let span = version.schema.nearest(in_schema).span.clone();
        version.source.error(span, path, message, help)
    };
    let checked = Schema::check(&version.schema.to_json(), &version.path);
    representable::check(version, &checked.mistakes, errors);
    for mistake in checked.mistakes {
        // Of a number outside its range, the API server's message ends where a path could follow.
        let message = mistake.error.message.trim_end_matches(" in ").to_owned();
        errors.push(at(mistake.error.field, message, mistake.help.into_owned()));
    }
    for unchecked in checked.unchecked {
        let (path, message, help) = match unchecked {
            Unchecked::Keyword { path } => {
                let (message, help) = ignored(version, &path);
                (path, message, help)
            }
            Unchecked::Misplaced { path, ty } => {
                let keyword = last(version, &path).1;
                let needed = if keyword == "items" { "array" } else { "object" };
                let message = format!("`{keyword}` has no effect in a schema of type `{ty}`");
                (path, message, format!("remove it, or write `type: {needed}`"))
            }
            // Rules and formats are facts, which are imported.
            _ => continue,
        };
        warnings.push(at(path, message, help).warning());
    }
}

/// Message and help for a keyword that the API server ignores.
fn ignored(version: &Version, path: &str) -> (String, String) {
    let (around, keyword) = last(version, path);
    if around.rsplit('.').next().is_some_and(|name| name.starts_with("x-kubernetes-validations[")) {
        let message = format!("unknown key `{keyword}`, which the API server ignores");
        return (message, format!("known keys: {}", RULE_KEYS.join(", ")));
    }
    let instead = INSTEAD.iter().find(|(ignored, _)| *ignored == keyword);
    let help = instead.map_or("remove it; its content is not imported", |(_, help)| help);
    (format!("unknown keyword `{keyword}`, which the API server ignores"), help.to_owned())
}

/// The last name in a path, which may contain dots, and the path before it.
fn last<'p>(version: &Version, path: &'p str) -> (&'p str, &'p str) {
    let mut parts = path.match_indices('.').map(|(dot, _)| (&path[..dot], &path[dot + 1..]));
    let is_there = |(around, name): &(&str, &str)| {
        let around = around.strip_prefix(&version.path);
        around.is_some_and(|around| version.schema.nearest(around).get(name).is_some())
    };
    parts.find(is_there).unwrap_or(("", path))
}
