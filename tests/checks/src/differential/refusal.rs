//! Decides whether two refusals have the same reason.

/// Whether both sides refuse a value for the same reason. Go's decoder names the field only if it
/// finds JSON of another type; if a text cannot be parsed, it describes the expected text.
pub fn is_same(theirs: &str, ours: &str) -> bool {
    // `line 1, column 9, spec.a[0]: expected a quantity, found `x``.
    let Some((place, expected)) = ours.split_once(": expected ") else { return false };
    let Some((_, path)) = place.rsplit_once(", ") else { return false };
    if let Some((_, rest)) = theirs.split_once(" into Go struct field ") {
        let Some((field, _)) = rest.split_once(" of type ") else { return false };
        return theirs.starts_with("json: cannot unmarshal ") && is_at(field, path);
    }
    let texts = [
        ("quantities must match the regular expression", "a quantity"),
        ("unable to parse quantity's suffix", "a quantity"),
        ("parsing time \"", "a time"),
        ("illegal base64 data at input byte", "base64"),
    ];
    texts.iter().any(|(go, what)| theirs.starts_with(go) && expected.starts_with(what))
}

/// Whether Go's name of a field, `PodSpec.spec.containers.name`, corresponds to a path. Go's name
/// begins with a struct, has neither list indexes nor map keys, and contains embedded structs,
/// which begin with a capital.
fn is_at(field: &str, path: &str) -> bool {
    let names = field.split('.').skip(1).filter(|name| !name.starts_with(char::is_uppercase));
    let field = names.collect::<Vec<_>>().join(".");
    let path = super::path::general(path).replace("[]", "");
    path.strip_prefix(&*field).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn refusals_are_the_same_where_they_concern_one_field_or_one_syntax() {
        let number = "json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string";
        let ours =
            |path: &str, expected: &str| format!("line 1, column 9, {path}: expected {expected}, found 5");
        assert!(is_same(number, &ours("spec.containers[0].name", "a string")));
        assert!(!is_same(number, &ours("spec.containers[0].image", "a string")));
        let port = "json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32";
        assert!(is_same(
            port,
            &ours("spec.containers[1].livenessProbe.httpGet.port", "an integer or a string")
        ));
        let quantity =
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        assert!(is_same(quantity, &ours("spec.a", "a quantity")));
        assert!(!is_same(quantity, &ours("spec.a", "a time")));
        let time = "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"";
        assert!(is_same(time, &ours("metadata.creationTimestamp", "a time in RFC 3339 format")));
        assert!(!is_same(time, "annotations are too large"));
        assert!(!is_same("panic: a nil map", &ours("spec.a", "a time")));
    }
}
