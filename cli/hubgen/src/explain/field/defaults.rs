//! The defaults that servers set, which the archive has of the newest release only.

use hubgen_documents::{Source, defaults};
use hubgen_model::defaults::{Condition, DefaultStep, Is};
use hubgen_model::{Api, Type};
use hubgen_terminal::Diagnostic;
use serde_json::Value;

use super::walk::Walk;

/// A default.
pub struct Default {
    /// The field, from the one that is explained: empty for that one itself.
    pub below: String,
    /// Its value.
    pub value: Value,
    /// When it is set; empty if always.
    pub when: String,
}

/// The defaults of a field, and of the fields of its objects.
pub fn of(api: &Api, walk: &Walk<'_>, root: &Type) -> Result<Vec<Default>, Vec<Diagnostic>> {
    let files = hubgen_schemas::kubernetes().iter().filter(|(path, _)| path.starts_with("defaults/"));
    let sources = files.map(|(path, text)| Source::new(*path, *text)).collect();
    let known = defaults::read_sources(sources)?.resolve(api)?;
    let names = walk.names();
    let mut out: Vec<Default> = Vec::new();
    for (before, ty) in walk.types(root) {
        for step in known.steps(ty) {
            let DefaultStep::Set { path, value, when } = &*step else { continue };
            let whole: Vec<&str> =
                names[..before].iter().copied().chain(path.iter().map(String::as_str)).collect();
            // The defaults of a kind are those of its fields.
            if whole.starts_with(&names) && !names.is_empty() {
                let around = &names[..before];
                let when: Vec<String> = when.iter().map(|when| condition(around, when)).collect();
                let below = whole[names.len()..].join(".");
                out.push(Default { below, value: value.clone(), when: when.join(" and ") });
            }
        }
    }
    Ok(out)
}

/// A condition of the type that is at a path, as one of the kind.
fn condition(around: &[&str], Condition { path, is }: &Condition) -> String {
    let path: Vec<&str> = around.iter().copied().chain(path.iter().map(String::as_str)).collect();
    let path = path.join(".");
    match is {
        Is::Set => format!("{path} is set"),
        Is::Unset => format!("{path} is not set"),
        Is::OneOf(words) => format!("{path} is {}", words.join(" or ")),
        Is::NoneOf(words) => format!("{path} is not {}", words.join(" or ")),
    }
}
