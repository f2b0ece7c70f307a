//! Annotations that must not be trusted.

use hubgen_machinery::convert::inside::Stash;
use hubgen_machinery::reflect::Reflect;
use serde_json::Value;

use super::{AnyObject, Convertible};
use crate::Violations;
use crate::objects::{Source, edit};

/// Generates what a client may put in place of the stash: the stash of another object, whole,
/// truncated or altered; text in another format; text that is too long or nested too deeply; or a
/// stash that fits this object but leads to a hub with other values wherever possible.
///
/// # Errors
/// When an object cannot be converted to the version.
/// When an object cannot be shown at the version.
pub fn forged(
    version: &dyn Convertible,
    object: &dyn Reflect,
    source: &mut Source<'_>,
) -> Result<String, Violations> {
    const TEXTS: [&str; 7] = ["", "null", "{}", "5", "[1]", r#"{"seen":"","delta":{}}"#, "{\"seen\":\"é"];
    Ok(match source.below(16) {
        0 => TEXTS[source.below(TEXTS.len())].to_owned(),
        1 => "[".repeat(20_000),
        2 => format!("{}{}", stale(version, source)?, " ".repeat(300 * 1024)),
        3 | 4 => {
            let text = stale(version, source)?;
            text[..text.floor_char_boundary(text.len() * source.below(256) / 256)].to_owned()
        }
        5..=7 => {
            let mut value = serde_json::from_str(&stale(version, source)?).unwrap_or_default();
            for _ in 0..=source.below(3) {
                change(&mut value, source);
            }
            value.to_string()
        }
        8..=10 => {
            let Ok(mut other) = version.try_to_hub(object) else { return Ok(String::new()) };
            for _ in 0..=source.below(3) {
                edit(&mut *other, source);
            }
            written_for(version, object, &other)
        }
        11 | 12 => written_for(version, object, &version.generate_hub(source)),
        _ => stale(version, source)?,
    })
}

/// The stash of another object.
fn stale(version: &dyn Convertible, source: &mut Source<'_>) -> Result<String, Violations> {
    let hub = version.generate_hub(source);
    match version.try_from_hub(&*hub) {
        Ok(object) => Ok(super::stash_of(&*object).unwrap_or_default()),
        Err(error) if error.is_refusal() => Ok(String::new()),
        Err(error) => Err(error.to_string().into()),
    }
}

/// A stash that fits the object and leads to the given hub.
fn written_for(version: &dyn Convertible, object: &dyn Reflect, hub: &AnyObject) -> String {
    // It may be impossible to write one, and a refused object has none.
    let stash = version
        .try_to_hub(object)
        .and_then(|reconverted| Stash::difference(None, &*reconverted, &**hub, None));
    stash.ok().flatten().map(|stash| stash.write()).unwrap_or_default()
}

/// Changes a random value in JSON.
fn change(value: &mut Value, source: &mut Source<'_>) {
    let deeper = source.below(8) > 0;
    match value {
        Value::Object(members) if deeper && !members.is_empty() => {
            let at = source.below(members.len());
            if let Some(member) = members.values_mut().nth(at) {
                change(member, source);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            let (at, to) = (source.below(elements.len()), source.below(elements.len()));
            match source.below(6) {
                0 => elements.swap(at, to),
                1 => elements.push(elements[at].clone()),
                2 => drop(elements.remove(at)),
                _ => change(&mut elements[at], source),
            }
        }
        Value::Object(members) if source.below(2) == 0 => {
            let names: Vec<String> = members.keys().cloned().collect();
            if let Some(name) = names.get(source.below(names.len().max(1))) {
                members.remove(name);
            }
        }
        value => {
            let others =
                [Value::Null, true.into(), 0.into(), i64::MAX.into(), "a".into(), Value::Array(Vec::new())];
            *value = others[source.below(others.len())].clone();
        }
    }
}
