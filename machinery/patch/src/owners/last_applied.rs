//! The annotation of client-side apply. An object that was applied by the client before is applied by the server without a
//! conflict with that, and both ways can be mixed.

use hubgen_machinery::json::writer;
use hubgen_machinery::reflect::Described;
use serde_json::{Map, Value};

use crate::fields::Set;
use crate::typed::{check, compare, fields, validate};

/// The manager for which the annotation has a meaning.
pub(super) const KUBECTL: &str = "kubectl";
/// The name of the annotation.
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// The size that all annotations of an object may have together.
const MOST: usize = 256 << 10;

/// The configuration that the client has applied last; `None` if there is none.
fn of(object: &Value) -> Option<&str> {
    object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str().filter(|text| !text.is_empty())
}

/// The fields that the client has applied last, and that are still as it has set them. `None` if that cannot be told.
pub(super) fn fields_of(kind: &Described, object: &Value, api_version: &str) -> Option<Set> {
    let applied: Value = serde_json::from_str(of(object)?).ok()?;
    check(kind, object, false).ok()?;
    if applied.get("apiVersion")?.as_str()? != api_version {
        return None;
    }
    validate(kind, &applied).ok()?;
    let found = compare(kind, &applied, object).ok()?;
    let applied = fields(kind, &applied).ok()?;
    Some(applied.difference(&found.modified).difference(&found.added).difference(&found.removed))
}

/// Brings the annotation of the new object up to date, if there is one. The new object is `None` if it is the old one.
pub(super) fn renew(new: &mut Option<Value>, old: &Value, configuration: &Value) {
    let current = new.as_ref().unwrap_or(old);
    let Some(before) = of(current) else { return };
    let text = text(configuration);
    if text == before {
        return;
    }
    let object = new.get_or_insert_with(|| old.clone());
    let annotations = object.get_mut("metadata").and_then(|metadata| metadata.get_mut("annotations"));
    let Some(annotations) = annotations.and_then(Value::as_object_mut) else { return };
    annotations.insert(ANNOTATION.to_owned(), Value::String(text));
    if size(annotations) > MOST {
        annotations.shift_remove(ANNOTATION);
    }
}

fn size(annotations: &Map<String, Value>) -> usize {
    annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum()
}

/// The configuration as the annotation has it: without itself, and with a line feed.
fn text(configuration: &Value) -> String {
    let mut configuration = configuration.clone();
    if let Some(annotations) = configuration
        .get_mut("metadata")
        .and_then(|metadata| metadata.get_mut("annotations"))
        .and_then(Value::as_object_mut)
    {
        annotations.shift_remove(ANNOTATION);
    }
    let mut text = Vec::new();
    writer::value(&mut text, &configuration);
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}
