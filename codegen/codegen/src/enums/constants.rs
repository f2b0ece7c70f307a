//! Constants for the words of fields that are strings in Rust, although their schema lists words.

use std::collections::HashSet;

use hubgen_model::Field;

use super::variants;
use crate::naming::{field_name, snake};

/// A constant for a word.
#[derive(Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name: `SCHEME_HTTP`.
    pub name: String,
    /// The field's JSON name.
    pub field: String,
    /// The word.
    pub word: String,
}

/// The constants of a type, for these of its fields. Words that are no names in Rust have none.
pub(super) fn constants<'a>(fields: impl Iterator<Item = &'a Field>) -> Vec<Constant> {
    let mut taken = HashSet::new();
    let mut out = Vec::new();
    for field in fields {
        for word in field.enumeration.iter().filter_map(|word| word.as_str()) {
            let Some(parts) = variants::parts(word) else { continue };
            let word_name: Vec<String> = parts.iter().map(|part| snake(part)).collect();
            let field_name = field_name(field);
            let field_name = field_name.trim_start_matches("r#").trim_end_matches('_');
            let name = [field_name, &word_name.join("_")].join("_").to_uppercase();
            // Words may differ in their capitals only.
            let mut numbered = (2..).map(|number| format!("{name}_{number}"));
            let name =
                if taken.contains(&name) { numbered.find(|name| !taken.contains(name)) } else { Some(name) };
            let Some(name) = name else { continue };
            taken.insert(name.clone());
            out.push(Constant { name, field: field.name.clone(), word: word.to_owned() });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use hubgen_model::TypeExpr;
    use serde_json::json;

    use super::*;

    #[test]
    fn all_constants_have_different_names() {
        let field = |name: &str, words: &[&str]| Field {
            enumeration: words.iter().map(|word| json!(word)).collect(),
            ..Field::new(name, TypeExpr::String)
        };
        let fields = [field("type", &["a b", "größe", "1"]), field("proxyURL", &["http", "HTTP", ""])];
        let names: Vec<String> = constants(fields.iter()).into_iter().map(|constant| constant.name).collect();
        assert_eq!(names, ["TYPE_A_B", "TYPE_1", "PROXY_URL_HTTP", "PROXY_URL_HTTP_2", "PROXY_URL_EMPTY"]);
    }
}
