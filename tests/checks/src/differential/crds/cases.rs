//! Definitions that are wrong in one place.

use hubgen_kubernetes::machinery::yaml;
use serde_json::{Value, json};

use super::side::{PATH, Side};

/// Keywords are put where schemas differ most.
const PLACES: [&str; 9] = [
    "",
    "/properties/spec/properties/colour",
    "/properties/spec/properties/new",
    "/properties/spec/properties/tags/items",
    "/properties/spec/properties/labels/additionalProperties",
    "/properties/spec/properties/either/oneOf/0",
    "/properties/spec/properties/either/not",
    "/properties/spec/properties/template/properties/metadata",
    "/properties/metadata",
];
/// The definitions of which every place is changed.
const CHANGED: [&str; 4] = ["one", "two", "fields", "webhook"];
/// Statuses that clients send for the definition `two`.
const STATUSES: &str = include_str!("statuses.yaml");

pub(super) fn document(text: &str) -> Result<Value, String> {
    let json = yaml::to_json(text).map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

/// The definitions that are right, with their short names.
///
/// # Errors
/// If the file is no YAML.
pub fn bases() -> Result<Vec<(String, Value)>, String> {
    let all = document(include_str!("bases.yaml"))?;
    Ok(all.as_object().into_iter().flatten().map(|(name, base)| (name.clone(), base.clone())).collect())
}

/// A definition, what was changed in it, and whether by hand.
struct Changed {
    base: String,
    name: String,
    definition: Value,
    by: &'static str,
}

/// All cases, without answers.
///
/// # Errors
/// If a file is no YAML, or a change is at no place of its definition.
pub fn all() -> Result<Vec<Value>, String> {
    let mut lines = Vec::new();
    for Changed { base, name, definition, by } in changed()? {
        lines.push(json!({"part": "create", "name": name, "by": by, "definition": definition}));
        lines.push(json!({"part": "update", "name": name, "by": by, "base": base, "definition": definition}));
    }
    for status in document(STATUSES)?.as_array().into_iter().flatten() {
        lines.push(json!({"part": "status", "name": status.to_string(), "base": "two", "status": status}));
    }
    Ok(lines)
}

fn changed() -> Result<Vec<Changed>, String> {
    let bases = bases()?;
    let base = |name: &str| {
        let found = bases.iter().find(|(known, _)| known == name);
        found.map(|(_, base)| base.clone()).ok_or_else(|| format!("there is no definition {name}"))
    };
    let mut out = Vec::new();
    let mut add = |base: &str, name: String, definition, by| {
        out.push(Changed { base: base.to_owned(), name, definition, by });
    };
    for (name, definition) in &bases {
        add(name, format!("{name} as it is"), definition.clone(), "hand");
    }
    for change in document(include_str!("changes.yaml"))?.as_array().into_iter().flatten() {
        let text = |at: usize| change[at].as_str().unwrap_or_default();
        let mut definition = base(text(0))?;
        set(&mut definition, text(1), change.get(2).cloned())
            .ok_or_else(|| format!("no place for {change}"))?;
        add(text(0), change.to_string(), definition, "hand");
    }
    for name in CHANGED {
        let definition = base(name)?;
        let mut places = Vec::new();
        walk(&definition, String::new(), &mut places);
        for (place, value) in
            places.into_iter().filter(|(place, _)| !matches!(place.as_str(), "" | "/apiVersion" | "/kind"))
        {
            let mut without = definition.clone();
            set(&mut without, &place, None);
            add(name, format!("{name} without {place}"), without, "rule");
            for other in others(value) {
                let mut changed = definition.clone();
                let shown = other.to_string().chars().take(40).collect::<String>();
                set(&mut changed, &place, Some(other));
                add(name, format!("{name} {place} = {shown}"), changed, "rule");
            }
        }
    }
    for keyword in document(include_str!("keywords.yaml"))?.as_array().into_iter().flatten() {
        for place in PLACES {
            let mut definition = base("one")?;
            let root = "/spec/versions/0/schema/openAPIV3Schema";
            let at = format!("{root}{place}");
            let mut schema = definition.pointer(&at).cloned().unwrap_or_else(|| json!({}));
            for (member, value) in keyword.as_object().into_iter().flatten() {
                schema[member] = value.clone();
            }
            if place.ends_with("/new")
                && schema.get("type").is_none()
                && schema.get("x-kubernetes-int-or-string").is_none()
            {
                schema["type"] = "string".into();
            }
            set(&mut definition, &at, Some(schema)).ok_or_else(|| format!("no place {at}"))?;
            add("one", format!("{place} with {keyword}"), definition, "rule");
        }
    }
    Ok(out)
}

/// Every value in a document, with where it is.
fn walk<'v>(value: &'v Value, place: String, out: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                walk(member, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), out);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, format!("{place}/{at}"), out);
            }
        }
        _ => {}
    }
    out.push((place, value));
}

/// Other values of the same type.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![(!flag).into()],
        Value::String(_) => {
            let long = "x".repeat(260);
            ["", "Upper", "a b", &long, "-a", "é"].map(Value::from).to_vec()
        }
        Value::Number(_) => [-1, 0, 70000].map(Value::from).to_vec(),
        Value::Array(items) => {
            let twice = items.first().map(|first| items.iter().chain([first]).cloned().collect());
            [Some(json!([])), twice].into_iter().flatten().collect()
        }
        Value::Object(_) => vec![json!({})],
        Value::Null => Vec::new(),
    }
}

/// Sets what is at a place, which may be the next one of a list, or removes it.
fn set(document: &mut Value, place: &str, value: Option<Value>) -> Option<()> {
    let (parent, name) = place.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    if document.pointer(parent).is_none() {
        // A map of properties, for example.
        set(document, parent, Some(json!({})))?;
    }
    match (document.pointer_mut(parent)?, value) {
        (Value::Object(members), Some(value)) => drop(members.insert(name, value)),
        (Value::Object(members), None) => drop(members.shift_remove(&name)),
        (Value::Array(items), value) => {
            let at: usize = name.parse().ok()?;
            match value {
                None => drop(items.remove(at)),
                Some(value) if at == items.len() => items.push(value),
                Some(value) => *items.get_mut(at)? = value,
            }
        }
        _ => return None,
    }
    Some(())
}

/// Tries to create a definition.
///
/// # Errors
/// None: what cannot be sent is an answer.
pub fn create(side: &Side, line: &Value) -> Result<Value, String> {
    Ok(side.attempt("POST", PATH, &line["definition"]))
}

/// Tries to replace a definition that exists, or its status.
///
/// # Errors
/// If it cannot be read.
pub fn replace(side: &Side, line: &Value, bases: &[(String, Value)]) -> Result<Value, String> {
    let base = bases.iter().find(|(name, _)| line["base"] == name.as_str());
    let name = base.map_or("", |(_, base)| base["metadata"]["name"].as_str().unwrap_or_default());
    let (_, current) = side.get(name)?;
    if let Some(status) = line.get("status") {
        let mut new = current;
        for (member, value) in status.as_object().into_iter().flatten() {
            new["status"][member] = value.clone();
        }
        return Ok(side.attempt("PUT", &format!("{PATH}/{name}/status"), &new));
    }
    let mut new = line["definition"].clone();
    if let Some(metadata) = new.get_mut("metadata").filter(|metadata| metadata.is_object()) {
        metadata["resourceVersion"] = current["metadata"]["resourceVersion"].clone();
    }
    Ok(side.attempt("PUT", &format!("{PATH}/{name}"), &new))
}
