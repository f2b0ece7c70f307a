//! Which objects are compared.

use serde_json::{Value, json};

use super::definition::Definition;
use super::{generate, mutate};

/// An object of a definition.
pub struct Case<'d> {
    pub name: String,
    pub definition: &'d Definition,
    pub object: Value,
}

/// How many objects with a mistake are made of each valid object of a foreign definition. `HUBGEN_MUTATIONS` is another
/// number.
fn mutations() -> usize {
    std::env::var("HUBGEN_MUTATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(150)
}

/// All objects of a definition.
pub fn all(definition: &Definition) -> Vec<Case<'_>> {
    let title = format!("{} {}", definition.kind, definition.version);
    let mut objects = Vec::new();
    for (number, spec) in definition.more.iter().enumerate() {
        objects.push((format!("{title}: more {number}"), object(definition, json!({"spec": spec}))));
    }
    let valid = match &definition.valid {
        Some(spec) => vec![json!({"spec": spec, "status": {"phase": "Ready"}})],
        None if definition.is_own => Vec::new(),
        None => generate::objects(&definition.schema, &definition.json),
    };
    for (number, content) in valid.iter().enumerate() {
        objects.push((format!("{title}: valid {number}"), object(definition, content.clone())));
        let most = if definition.is_own { usize::MAX } else { mutations() };
        for (what, content) in mutate::some(&definition.json, content, most) {
            objects.push((format!("{title}: {number} {what}"), object(definition, content)));
        }
    }
    objects.into_iter().map(|(name, object)| Case { name, definition, object }).collect()
}

/// An object with the content, and a name.
fn object(definition: &Definition, content: Value) -> Value {
    let mut object = json!({
        "apiVersion": format!("{}/{}", definition.group, definition.version),
        "kind": definition.kind,
        "metadata": {"name": "a"},
    });
    if definition.kind == "Metadata" {
        object["metadata"]["name"] = if content["spec"]["a"] == 1 { "too-long".into() } else { "abc".into() };
    }
    for (name, value) in content.as_object().into_iter().flatten() {
        object[name] = value.clone();
    }
    object
}

/// Whether a case is recorded: of our own definitions, what is not made of others, and some of what is.
pub fn is_recorded(case: &Case<'_>) -> bool {
    let is_chunk = case.definition.kind == "Format" && case.object["spec"].to_string().len() > 2000;
    let sum: usize = case.name.bytes().map(usize::from).sum();
    case.definition.is_own && !is_chunk && (case.name.contains(": more") || sum.is_multiple_of(5))
}
