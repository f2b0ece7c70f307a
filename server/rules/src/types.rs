//! The names of types in a text: a table for each version, with paths and names.

use std::collections::BTreeMap;
use std::ops::Range;

use hubgen_diagnostic::{Diagnostic, Source};
use toml::de::{DeTable, DeValue};

/// The name of the type at a path, and where it is in the text.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
}

/// The names of types: by version, and then by path.
pub(crate) type Names = BTreeMap<String, BTreeMap<String, Named>>;

/// Reads the names.
///
/// # Errors
/// All errors in the text.
pub(crate) fn read(source: &Source) -> Result<Names, Vec<Diagnostic>> {
    let document = DeTable::parse(source.text()).map_err(|error| {
        let help = "write valid TOML, with each table and key once";
        vec![source.error(error.span().unwrap_or(0..0), "", error.message(), help)]
    })?;
    let (mut names, mut errors) = (Names::new(), Vec::new());
    for (version, table) in document.get_ref() {
        let DeValue::Table(paths) = table.get_ref() else {
            let help = "write a table for each version, such as [v1]";
            errors.push(source.error(table.span(), version.get_ref().as_ref(), "expected a table", help));
            continue;
        };
        let of_version = names.entry(version.get_ref().to_string()).or_default();
        for (path, name) in paths {
            match name.get_ref().as_str() {
                Some(word) => {
                    let named = Named { name: word.to_owned(), span: path.span() };
                    of_version.insert(path.get_ref().to_string(), named);
                }
                None => {
                    let help = "write a path and the name of the type there: \"spec.tls\" = \"IngressTLS\"";
                    errors.push(source.error(name.span(), path.get_ref().as_ref(), "expected a name", help));
                }
            }
        }
    }
    if errors.is_empty() { Ok(names) } else { Err(errors) }
}

/// The text of names.
pub(crate) fn write(names: &BTreeMap<String, BTreeMap<String, String>>) -> String {
    let mut out = String::new();
    for (version, paths) in names.iter().filter(|(_, paths)| !paths.is_empty()) {
        out.push_str(&format!("[{}]\n", key(version)));
        for (path, name) in paths {
            out.push_str(&format!("{} = {}\n", quoted(path), quoted(name)));
        }
    }
    out
}

fn key(text: &str) -> String {
    let is_bare = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if is_bare { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
