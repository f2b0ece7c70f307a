//! The Rust types of fields, as rules state them: the parameters and results of functions.

use std::fmt;

use crate::{Field, GroupVersion, Presence, RawForm, TypeExpr, TypeId};

/// The Rust type of a field that a function can take: `Option<i32>`, `Vec<Step>`. An object has the name of its type;
/// its version follows from the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainType {
    /// The type of its value.
    pub ty: TypeExpr,
    /// Whether the value is in an `Option`.
    pub optional: bool,
}

/// The types without parameters, each with its name in Rust.
const LEAVES: [(&str, TypeExpr); 8] = [
    ("bool", TypeExpr::Bool),
    ("i32", TypeExpr::Int32),
    ("i64", TypeExpr::Int64),
    ("f64", TypeExpr::Double),
    ("Str", TypeExpr::String),
    ("IntOrString", TypeExpr::IntOrString),
    ("Quantity", TypeExpr::Quantity),
    ("Raw", TypeExpr::Raw(RawForm::Json)),
];

impl PlainType {
    /// What can be written, for error messages.
    pub const EXPECTED: &'static str = "bool, i32, i64, f64, Str, IntOrString, Quantity, Raw or the name of an object's type, or a Vec, StrMap or Option of one \
         of these";

    /// Parses `Option<Vec<Str>>`; `None` if it is not the type of such a field.
    pub fn parse(text: &str) -> Option<Self> {
        match argument(text.trim(), "Option") {
            Some(inner) => Some(Self { ty: parse(inner)?, optional: true }),
            None => Some(Self { ty: parse(text)?, optional: false }),
        }
    }

    /// Whether both are written alike.
    pub fn is(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }

    /// The type of a field; `None` if no function can take it.
    pub fn from_field(field: &Field) -> Option<Self> {
        let is_plain = name(&field.ty).is_some();
        is_plain.then(|| Self { ty: field.ty.clone(), optional: field.presence != Presence::Value })
    }
}

/// Formats the type as Rust code.
impl fmt::Display for PlainType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = name(&self.ty).unwrap_or_default();
        if self.optional { write!(f, "Option<{name}>") } else { f.write_str(&name) }
    }
}

fn parse(text: &str) -> Option<TypeExpr> {
    let text = text.trim();
    if let Some(inner) = argument(text, "Vec") {
        return Some(TypeExpr::List(Box::new(parse(inner)?)));
    }
    if let Some(inner) = argument(text, "StrMap") {
        return Some(TypeExpr::Map(Box::new(parse(inner)?)));
    }
    let leaf = LEAVES.iter().find(|(name, _)| *name == text).map(|(_, ty)| ty.clone());
    leaf.or_else(|| is_object(text).then(|| TypeExpr::Ref(TypeId::at(GroupVersion::default(), text))))
}

/// Whether a text may be the name of an object's type. `String` is what people write for [`TypeExpr::String`].
fn is_object(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["String", "Vec", "StrMap", "Option", "Box"].contains(&text)
}

/// The parameter of a generic type: `Vec<Str>` → `Str`.
fn argument<'a>(text: &'a str, generic: &str) -> Option<&'a str> {
    text.strip_prefix(generic)?.trim_start().strip_prefix('<')?.strip_suffix('>')
}

/// The type in Rust; `None` if no function can take it.
fn name(ty: &TypeExpr) -> Option<String> {
    match ty {
        TypeExpr::List(inner) => Some(format!("Vec<{}>", name(inner)?)),
        TypeExpr::Map(inner) => Some(format!("StrMap<{}>", name(inner)?)),
        TypeExpr::Ref(id) => Some(id.name.clone()),
        ty => LEAVES.iter().find(|(_, leaf)| leaf == ty).map(|(name, _)| (*name).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plain_type_is_parsed_from_its_name() {
        for text in ["bool", "i32", "i64", "f64", "Str", "IntOrString", "Quantity", "Raw", "PodSpec"] {
            for text in [
                text.to_owned(),
                format!("Vec<{text}>"),
                format!("StrMap<Vec<{text}>>"),
                format!("Option<StrMap<{text}>>"),
            ] {
                assert_eq!(PlainType::parse(&text).map(|ty| ty.to_string()), Some(text));
            }
        }
        assert_eq!(PlainType::parse(" Option < Vec <i32> > ").unwrap().to_string(), "Option<Vec<i32>>");
    }

    #[test]
    fn other_types_are_refused() {
        for text in ["", "String", "u8", "Vec", "Vec<", "Vec<>", "Vec<Option<Str>>", "Option<Option<i32>>"] {
            assert_eq!(PlainType::parse(text), None, "{text}");
        }
        assert_eq!(PlainType::from_field(&Field::new("at", TypeExpr::Time)), None);
        assert_eq!(PlainType::from_field(&Field::new("at", TypeExpr::List(Box::new(TypeExpr::Bytes)))), None);
    }

    #[test]
    fn the_type_of_a_field_has_its_presence() {
        let text = |ty| PlainType::from_field(&Field::new("a", ty)).map(|ty| ty.to_string());
        assert_eq!(text(TypeExpr::Int32).as_deref(), Some("Option<i32>"));
        assert_eq!(text(TypeExpr::List(Box::new(TypeExpr::String))).as_deref(), Some("Vec<Str>"));
    }
}
