//! The shape of JSON values: how expressions see them, and how large they can be.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cel::ast::Name;
use crate::cel::parser::RESERVED;
use crate::cel::types::Type;

/// The largest request that the API server accepts, in bytes. Estimates of costs assume that no value is larger.
pub(crate) const MAX_REQUEST_BYTES: i64 = 3 * 1024 * 1024;

/// How expressions see a JSON value: its type, its fields, and its largest size. Made once for a schema; values are
/// read through it without a copy.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// What kind of value it is.
    pub(crate) kind: ShapeKind,
    /// Whether the value can be `null`.
    pub(crate) nullable: bool,
    /// The largest size: characters times four for texts, items, or entries. 0 where sizes do not count.
    pub(crate) max_size: u64,
    /// The size of the smallest such value as JSON, in bytes.
    pub(crate) min_bytes: i64,
}

/// The kinds of shapes.
#[derive(Clone, Debug)]
pub(crate) enum ShapeKind {
    /// `x-kubernetes-int-or-string`.
    IntOrString,
    /// A text.
    String,
    /// A text of base64, which expressions see as bytes.
    Bytes,
    /// A text that expressions see as a duration.
    Duration,
    /// A text that expressions see as the begin of a day.
    Date,
    /// A text that expressions see as a time.
    DateTime,
    /// `true` or `false`.
    Bool,
    /// A number with a fraction.
    Double,
    /// A whole number.
    Int,
    /// A list.
    List(Arc<Shape>, ListKind),
    /// An object whose members all have one shape.
    Map(Arc<Shape>),
    /// An object with known fields, by their names in JSON.
    Object(BTreeMap<String, Arc<Shape>>),
    /// A value of which nothing is known. Expressions do not see it.
    Unknown,
}

/// How lists are compared and added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ListKind {
    /// Item by item.
    Atomic,
    /// Without order, each value once.
    Set,
    /// Without order, by the fields that are keys.
    Map(Vec<String>),
}

impl Shape {
    /// Whether expressions see the value: lists and maps of what they do not see are not seen, either.
    pub(crate) fn is_visible(&self) -> bool {
        match &self.kind {
            ShapeKind::Unknown => false,
            ShapeKind::List(of, _) | ShapeKind::Map(of) => of.is_visible(),
            _ => true,
        }
    }

    /// The shape of a field by its name in expressions, if they see it.
    pub(crate) fn field(&self, escaped: &str) -> Option<&Self> {
        let ShapeKind::Object(fields) = &self.kind else { return None };
        let name = unescape(escaped)?;
        // Two spellings cannot mean one field.
        if escape(&name).as_deref() != Some(escaped) {
            return None;
        }
        fields.get(&*name).map(|field| &**field).filter(|field| field.is_visible())
    }

    /// The type that the checker gives to values of this shape. Objects in it get a name that begins with `name`.
    pub(crate) fn ty(&self, name: &str, objects: &mut Objects) -> Type {
        match &self.kind {
            ShapeKind::IntOrString | ShapeKind::Unknown => Type::Dyn,
            ShapeKind::String => Type::String,
            ShapeKind::Bytes => Type::Bytes,
            ShapeKind::Duration => Type::Duration,
            ShapeKind::Date | ShapeKind::DateTime => Type::Timestamp,
            ShapeKind::Bool => Type::Bool,
            ShapeKind::Double => Type::Double,
            ShapeKind::Int => Type::Int,
            ShapeKind::List(items, _) => Type::list(items.ty(&format!("{name}.@idx"), objects)),
            ShapeKind::Map(values) => Type::map(Type::String, values.ty(&format!("{name}.@elem"), objects)),
            ShapeKind::Object(fields) => {
                let mut types = BTreeMap::new();
                for (field, shape) in fields.iter().filter(|(_, shape)| shape.is_visible()) {
                    if let Some(field) = escape(field) {
                        let ty = shape.ty(&format!("{name}.{field}"), objects);
                        types.insert(field, ty);
                    }
                }
                let name: Name = name.into();
                objects.insert(name.clone(), types);
                Type::Struct(name)
            }
        }
    }
}

/// The types of the fields of objects, by the names of their types.
pub(crate) type Objects = BTreeMap<Name, BTreeMap<String, Type>>;

/// Words that are literals or operators of CEL.
const WORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Whether a word means something in CEL, so that no field can have it as its name there.
pub(crate) fn is_reserved(word: &str) -> bool {
    WORDS.contains(&word) || RESERVED.contains(&word)
}

/// The name of a field in expressions, or `None` if they cannot name it.
pub(crate) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let mut out = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '_' if rest.next_if_eq(&'_').is_some() => out.push_str("__underscores__"),
            '.' => out.push_str("__dot__"),
            '-' => out.push_str("__dash__"),
            '/' => out.push_str("__slash__"),
            c if c.is_ascii_alphanumeric() || c == '_' => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

/// The name of a field in JSON by its name in expressions, or `None` if that is no such name.
pub(crate) fn unescape(escaped: &str) -> Option<String> {
    let mut out = String::with_capacity(escaped.len());
    let mut rest = escaped;
    while let Some(at) = rest.find("__") {
        let after = &rest[at + 2..];
        // An escape is `__word__`, where the word has no underscore.
        let length = after.find('_').unwrap_or(after.len());
        if length == 0 || !after[length..].starts_with("__") {
            // The text goes on after the first character that could begin an escape.
            out.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        }
        out.push_str(&rest[..at]);
        match &after[..length] {
            "underscores" => out.push_str("__"),
            "dot" => out.push('.'),
            "dash" => out.push('-'),
            "slash" => out.push('/'),
            word if is_reserved(word) && escaped.len() == length + 4 => out.push_str(word),
            _ => return None,
        }
        rest = &after[length + 2..];
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_back() {
        for (name, escaped) in [
            ("a", "a"),
            ("a_b", "a_b"),
            ("a__b", "a__underscores__b"),
            ("a___b", "a__underscores___b"),
            ("____", "__underscores____underscores__"),
            ("x-y.z/w", "x__dash__y__dot__z__slash__w"),
            ("namespace", "__namespace__"),
            ("_", "_"),
        ] {
            assert_eq!(escape(name).as_deref(), Some(escaped));
            assert_eq!(unescape(escaped).as_deref(), Some(name), "{escaped}");
        }
        for name in ["", "1a", "a b", "é", "$a"] {
            assert_eq!(escape(name), None);
        }
        assert_eq!(unescape("__illegal__"), None);
        assert_eq!(unescape("a__namespace__"), None);
    }
}
