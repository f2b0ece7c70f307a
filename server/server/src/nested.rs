//! Values in JSON at the paths that definitions name, such as `.spec.replicas`, with upstream's words for those of another type.

use serde_json::Value;

/// The parts of a path.
pub(crate) fn parts(path: &str) -> Vec<String> {
    path.strip_prefix('.').unwrap_or(path).split('.').map(str::to_owned).collect()
}

/// The value at a place, if there is one: below `null` there is none.
///
/// # Errors
/// If something on the way is no object.
pub(crate) fn at<'d>(document: &'d Value, place: &[String]) -> Result<Option<&'d Value>, String> {
    let mut value = document;
    for (depth, part) in place.iter().enumerate() {
        let members = match value {
            Value::Null => return Ok(None),
            Value::Object(members) => members,
            _ => return Err(wrong(&place[..=depth], value, "map[string]interface{}")),
        };
        match members.get(part) {
            Some(member) => value = member,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// The integer at a place, if there is one.
///
/// # Errors
/// If there is something else.
pub(crate) fn integer(document: &Value, place: &[String]) -> Result<Option<i64>, String> {
    let Some(value) = at(document, place)? else { return Ok(None) };
    value.as_i64().map(Some).ok_or_else(|| wrong(place, value, "int64"))
}

/// The text at a place, if there is one.
///
/// # Errors
/// If there is something else.
pub(crate) fn text<'d>(document: &'d Value, place: &[String]) -> Result<Option<&'d str>, String> {
    let Some(value) = at(document, place)? else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(|| wrong(place, value, "string"))
}

fn wrong(place: &[String], value: &Value, expected: &str) -> String {
    let found = match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    let (place, shown) = (place.join("."), printed(value));
    format!(".{place} accessor error: {shown} is of the type {found}, expected {expected}")
}

/// A value as Go prints it.
fn printed(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(" ");
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(printed).collect())),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let parts = members.iter().map(|(name, value)| format!("{name}:{}", printed(value)));
            format!("map[{}]", joined(parts.collect()))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_by_their_paths() {
        let document = json!({"spec": {"replicas": 3, "selector": "a=b", "zones": []}, "other": null});
        assert_eq!(integer(&document, &parts(".spec.replicas")), Ok(Some(3)));
        assert_eq!(integer(&document, &parts(".status.replicas")), Ok(None));
        assert_eq!(text(&document, &parts("spec.selector")), Ok(Some("a=b")));
        assert_eq!(integer(&document, &parts(".other.replicas")), Ok(None));
        let wrong = |path: &str| integer(&document, &parts(path)).unwrap_err();
        assert_eq!(
            wrong(".spec.selector"),
            ".spec.selector accessor error: a=b is of the type string, expected int64"
        );
        assert_eq!(
            wrong(".spec.zones.a"),
            ".spec.zones.a accessor error: [] is of the type []interface {}, expected map[string]interface{}"
        );
    }
}
