//! Parses and applies `fieldSelector`.

use hubgen_machinery::columns::{Value, each_at};
use hubgen_machinery::reflect::{REST, Reflect, Slot};
use hubgen_machinery::scheme::KindEntry;

/// The fields that every namespaced kind has.
const METADATA: [&str; 2] = ["metadata.name", "metadata.namespace"];

/// A requirement on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// The paths of the field; the first value that is not empty counts.
    paths: Vec<String>,
    /// Whether the field must equal the value; otherwise it must differ.
    equal: bool,
    value: String,
}

impl Term {
    /// Only the object of this name.
    pub(super) fn name(name: &str) -> Self {
        Self { paths: vec![METADATA[0].to_owned()], equal: true, value: name.to_owned() }
    }

    /// The only name that the requirement allows, if it does.
    pub(super) fn only_name(&self) -> Option<&str> {
        (self.equal && self.paths == METADATA[..1]).then_some(&self.value)
    }

    /// Whether the field is at the same path at all versions.
    pub(super) fn is_of_metadata(&self) -> bool {
        self.paths.iter().all(|path| METADATA.contains(&path.as_str()))
    }

    /// Whether an object at the version of the request meets the requirement.
    pub(super) fn matches(&self, object: &dyn Reflect) -> bool {
        let mut values = self.paths.iter().map(|path| text(object, path));
        let value = values.find(|value| !value.is_empty()).unwrap_or_default();
        (value == self.value) == self.equal
    }
}

/// The text, number or boolean at a path; empty if it is absent.
fn text(object: &dyn Reflect, path: &str) -> String {
    if object.position(REST).is_some() && !METADATA.contains(&path) {
        return in_json(object, path);
    }
    let (first, rest) = path.split_once('.').map_or((path, None), |(first, rest)| (first, Some(rest)));
    match (object.field(first), rest) {
        (Some(Slot::Struct(inner)), Some(rest)) => text(inner, rest),
        (Some(Slot::String(text)), None) => text.as_str().to_owned(),
        (Some(Slot::Bool(value)), None) => value.to_string(),
        (Some(Slot::Int32(value)), None) => value.to_string(),
        (Some(Slot::Int64(value)), None) => value.to_string(),
        _ => String::new(),
    }
}

/// The text, number or boolean at a path in an object whose fields no type has.
fn in_json(object: &dyn Reflect, path: &str) -> String {
    let mut found = String::new();
    each_at(Value::of(object), &format!(".{path}"), &mut |value| found = value.shown());
    found
}

/// Parses terms such as `metadata.name=a`, separated by commas.
///
/// # Errors
/// If the text cannot be parsed, or names a field that the kind has not.
pub(super) fn parse(text: &str, entry: &KindEntry) -> Result<Vec<Term>, String> {
    let mut parts = split_terms(text);
    // If there are several errors, upstream reports the one in the term that sorts first.
    parts.sort_unstable();
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| term(text, part, entry)).collect()
}

/// The only name that a selector of any kind allows, if it does.
pub(super) fn only_name(text: &str) -> Option<String> {
    let mut parts = split_terms(text);
    parts.sort_unstable();
    parts.into_iter().find_map(|part| match split_operator(part) {
        Some((field, true, value)) if field == METADATA[0] => unescape(value).ok(),
        _ => None,
    })
}

/// Splits at commas without a backslash before them.
fn split_terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c| {
        let separates = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        separates
    })
    .collect()
}

fn term(text: &str, part: &str, entry: &KindEntry) -> Result<Term, String> {
    let (field, equal, value) = split_operator(part)
        .ok_or_else(|| format!("invalid selector: '{text}'; can't understand '{part}'"))?;
    let value = unescape(value)?;
    Ok(Term { paths: paths(field, entry)?, equal, value })
}

/// The paths of a field that selectors name.
///
/// # Errors
/// If the kind has no such field. Upstream has one text for its own kinds that have nothing to select by, and another
/// one for all others.
fn paths(field: &str, entry: &KindEntry) -> Result<Vec<String>, String> {
    let own = entry.behaviour.selectable_fields.as_deref();
    let is_plain = own.is_none() && entry.is_built_in;
    let namespaced = entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    let [name, namespace] = METADATA;
    if field == name || field == namespace && (namespaced || is_plain) {
        return Ok(vec![field.to_owned()]);
    }
    if let Some(known) = own.into_iter().flatten().find(|known| *known.name == *field) {
        return Ok(known.paths().map(str::to_owned).collect());
    }
    Err(if is_plain {
        format!("{field:?} is not a known field selector: only {name:?}, {namespace:?}")
    } else {
        format!("field label not supported: {field}")
    })
}

/// Splits at the first operator. The flag is set if the operator requires equality.
fn split_operator(part: &str) -> Option<(&str, bool, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let (field, rest) = part.split_at(at);
        let operators = [("!=", false), ("==", true), ("=", true)];
        operators.into_iter().find_map(|(operator, equal)| Some((field, equal, rest.strip_prefix(operator)?)))
    })
}

/// Removes the backslashes before `\`, `,` and `=`.
fn unescape(text: &str) -> Result<String, String> {
    let mut value = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => value.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{other}"));
                }
            },
            ',' | '=' => {
                // Upstream prints the number of the character.
                let number = u32::from(c);
                return Err(format!("invalid field selector: unescaped character in value: {number}"));
            }
            other => value.push(other),
        }
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use hubgen_machinery::ApiType;
    use hubgen_machinery::scheme::{BehaviourRow, KindEntry, KindRow, ResourceRow, SelectableRow};

    use super::{Term, parse};

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Widget")]
    struct Widget {
        metadata: Meta,
        color: String,
        shade: String,
        spec: Spec,
    }

    #[derive(ApiType)]
    struct Meta {
        name: String,
    }

    #[derive(ApiType)]
    struct Spec {
        size: i32,
        ready: bool,
        weight: Option<i64>,
    }

    const BUILT_IN: KindRow = KindRow {
        resource: Some(ResourceRow::namespaced("widgets", "widget")),
        is_built_in: true,
        ..KindRow::of::<Widget>()
    };

    fn plain() -> KindEntry {
        KindEntry::from(const { &BUILT_IN })
    }

    fn selectable() -> KindEntry {
        KindEntry::from(
            const {
                &KindRow {
                    behaviour: BehaviourRow {
                        selectable_fields: Some(&[
                            SelectableRow::Path("spec.size"),
                            SelectableRow::Path("spec.ready"),
                            SelectableRow::Path("spec.weight"),
                            SelectableRow::Named("tone", &["color", "shade"]),
                            SelectableRow::Named("nothing", &[]),
                        ]),
                        ..BehaviourRow::USUAL
                    },
                    ..BUILT_IN
                }
            },
        )
    }

    #[test]
    fn terms_are_parsed() {
        let term = |field: &str, equal, value: &str| Term {
            paths: vec![format!("metadata.{field}")],
            equal,
            value: value.to_owned(),
        };
        let text = r"metadata.namespace!=b,,metadata.name=a\,b\\\=,metadata.name==c";
        let read = parse(text, &plain()).unwrap();
        assert_eq!(
            read,
            [term("name", true, "c"), term("name", true, r"a,b\="), term("namespace", false, "b")]
        );
        assert_eq!(parse("metadata.name=", &plain()).unwrap(), [term("name", true, "")]);
        assert_eq!(parse("", &plain()).unwrap(), []);
    }

    #[test]
    fn fields_are_those_of_the_kind() {
        let widget = Widget {
            metadata: Meta { name: "a".to_owned() },
            shade: "dark".to_owned(),
            spec: Spec { size: 3, ..Spec::default() },
            ..Widget::default()
        };
        let entry = selectable();
        for (selector, expected) in [
            ("metadata.name=a", true),
            ("metadata.namespace=", true),
            ("spec.size=3", true),
            ("spec.size!=3", false),
            ("spec.ready=false", true),
            ("spec.weight=", true),
            ("tone=dark", true),
            ("tone=", false),
            ("nothing=", true),
            ("nothing=a", false),
        ] {
            let terms = parse(selector, &entry).unwrap();
            assert!(terms.iter().all(|term| term.matches(&widget) == expected), "{selector}");
            let is_same_at_all_versions = selector.starts_with('m') || selector.starts_with("nothing");
            assert_eq!(terms[0].is_of_metadata(), is_same_at_all_versions, "{selector}");
        }
        // Names that are no paths.
        assert_eq!(parse("color=red", &entry).unwrap_err(), "field label not supported: color");
    }

    #[test]
    fn cluster_scoped_and_custom_kinds_have_other_errors() {
        let mut entry = selectable();
        entry.resource.as_mut().unwrap().namespaced = false;
        let error = parse("metadata.namespace=a", &entry).unwrap_err();
        assert_eq!(error, "field label not supported: metadata.namespace");
        let custom = KindEntry { is_built_in: false, ..plain() };
        assert_eq!(parse("x=1", &custom).unwrap_err(), "field label not supported: x");
        assert!(parse("metadata.namespace=a", &custom).is_ok());
    }

    #[test]
    fn invalid_selectors_are_refused() {
        for (text, why) in [
            ("metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
            ("x=1,a", "invalid selector: 'x=1,a'; can't understand 'a'"),
            (
                "spec.nodeName=a",
                r#""spec.nodeName" is not a known field selector: only "metadata.name", "metadata.namespace""#,
            ),
            ("metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
            (r"metadata.name=\x", r"invalid field selector: invalid escape sequence: \x"),
            (r"metadata.name=a\", r"invalid field selector: invalid escape sequence: \"),
        ] {
            assert_eq!(parse(text, &plain()).unwrap_err(), why, "{text}");
        }
    }
}
