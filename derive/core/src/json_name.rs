//! The JSON name of a Rust field.

/// Converts a field's name to its JSON name: `replicas_ready` →
/// `replicasReady`. Drops the trailing underscore that avoids a Rust keyword.
pub fn json_name(rust: &str) -> String {
    let rust = rust.strip_prefix("r#").unwrap_or(rust).trim_end_matches('_');
    let mut out = String::with_capacity(rust.len());
    let mut upper = false;
    for c in rust.chars() {
        if c == '_' {
            upper = true;
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::json_name;

    #[test]
    fn names_are_camel_case() {
        assert_eq!(json_name("replicas"), "replicas");
        assert_eq!(json_name("min_ready_seconds"), "minReadySeconds");
        assert_eq!(json_name("type_"), "type");
        assert_eq!(json_name("r#ref"), "ref");
    }
}
