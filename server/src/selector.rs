//! Selectors of labels and fields, as they stand in a query.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;

/// Which objects a list shows: those that meet every requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<(String, bool, String)>,
}

/// What must hold of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    Exists(String),
    DoesNotExist(String),
    In(String, Vec<String>),
    /// Holds as well where there is no such label.
    NotIn(String, Vec<String>),
}

/// The fields by which objects of every kind can be selected.
const FIELDS: [&str; 2] = ["metadata.name", "metadata.namespace"];

impl Selector {
    /// Reads `labelSelector` and `fieldSelector`.
    ///
    /// # Errors
    /// What cannot be read, and fields that nothing can be selected by.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, String> {
        Ok(Self { labels: parse_labels(labels)?, fields: parse_fields(fields)? })
    }

    /// Whether it selects everything.
    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    /// Whether it selects an object.
    pub(crate) fn matches(&self, object: &dyn Reflect) -> bool {
        let labels = meta::strings(object, "labels");
        let label = |key: &str| labels.and_then(|labels| labels.get(key));
        self.labels.iter().all(|requirement| match requirement {
            Requirement::Exists(key) => label(key).is_some(),
            Requirement::DoesNotExist(key) => label(key).is_none(),
            Requirement::In(key, values) => label(key).is_some_and(|value| values.contains(value)),
            Requirement::NotIn(key, values) => label(key).is_none_or(|value| !values.contains(value)),
        }) && self.fields.iter().all(|(field, equal, value)| {
            let name = field.strip_prefix("metadata.").unwrap_or(field);
            (meta::text(object, name) == value) == *equal
        })
    }
}

fn parse_fields(text: &str) -> Result<Vec<(String, bool, String)>, String> {
    let mut fields = Vec::new();
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (field, equal, value) = split_operator(item)
            .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{item}'"))?;
        if !FIELDS.contains(&field) {
            let known: Vec<String> = FIELDS.iter().map(|field| format!("{field:?}")).collect();
            return Err(format!("{field:?} is not a known field selector: only {}", known.join(", ")));
        }
        fields.push((field.to_owned(), equal, value.to_owned()));
    }
    Ok(fields)
}

/// `a=b`, `a==b` and `a!=b`; says whether it asks for equality.
fn split_operator(item: &str) -> Option<(&str, bool, &str)> {
    let (key, value) = item.split_once('=')?;
    match key.strip_suffix('!') {
        Some(key) => Some((key.trim(), false, value.trim())),
        None => Some((key.trim(), true, value.strip_prefix('=').unwrap_or(value).trim())),
    }
}

fn parse_labels(text: &str) -> Result<Vec<Requirement>, String> {
    split_outside_parentheses(text)
        .into_iter()
        .filter(|item| !item.trim().is_empty())
        .map(parse_label)
        .collect()
}

/// Commas between parentheses separate values, not requirements.
fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
    .collect()
}

fn parse_label(item: &str) -> Result<Requirement, String> {
    let item = item.trim();
    let invalid = || {
        format!(
            "unable to parse requirement {item:?}: expected `key`, `!key`, `key=value`, `key!=value`, \
                 `key in (a,b)` or `key notin (a,b)`"
        )
    };
    let key = |text: &str| {
        let text = text.trim();
        let right = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if !text.is_empty() && text.chars().all(right) { Ok(text.to_owned()) } else { Err(invalid()) }
    };
    let value = |text: &str| {
        let text = text.trim();
        let right = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if text.chars().all(right) { Ok(text.to_owned()) } else { Err(invalid()) }
    };
    if let Some(list) = item.strip_suffix(')') {
        let (before, values) = list.split_once('(').ok_or_else(invalid)?;
        let values = values.split(',').map(value).collect::<Result<Vec<_>, _>>()?;
        let (name, operator) = before.trim().rsplit_once(char::is_whitespace).ok_or_else(invalid)?;
        return match operator {
            "in" => Ok(Requirement::In(key(name)?, values)),
            "notin" => Ok(Requirement::NotIn(key(name)?, values)),
            _ => Err(invalid()),
        };
    }
    if let Some((name, equal, text)) = split_operator(item) {
        let (name, values) = (key(name)?, vec![value(text)?]);
        return Ok(if equal { Requirement::In(name, values) } else { Requirement::NotIn(name, values) });
    }
    match item.strip_prefix('!') {
        Some(name) => Ok(Requirement::DoesNotExist(key(name)?)),
        None => Ok(Requirement::Exists(key(item)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Requirement, Selector, parse_labels};

    #[test]
    fn requirements_are_read() {
        let read = parse_labels("a, !b,c=d,e!=f,g in (h, i),j notin (k)").unwrap();
        let values = |values: &[&str]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(
            read,
            [
                Requirement::Exists("a".to_owned()),
                Requirement::DoesNotExist("b".to_owned()),
                Requirement::In("c".to_owned(), values(&["d"])),
                Requirement::NotIn("e".to_owned(), values(&["f"])),
                Requirement::In("g".to_owned(), values(&["h", "i"])),
                Requirement::NotIn("j".to_owned(), values(&["k"])),
            ]
        );
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for bad in ["a b", "a in b", "a in (b", "=b", "a=b c", "in (a)", "a>1"] {
            let error = Selector::parse(bad, "").unwrap_err();
            assert!(error.contains("unable to parse requirement"), "{bad}: {error}");
        }
        let error = Selector::parse("", "spec.nodeName=a").unwrap_err();
        assert!(error.contains("\"spec.nodeName\" is not a known field selector"), "{error}");
        assert!(Selector::parse("", "metadata.name").is_err());
    }
}
