//! What people should know of a rule besides its operator and its paths.

use super::{Annotation, By, Form, Rule, Words};

impl Rule {
    /// What people should know of it besides its operator and its paths: values, conditions, the name of a function.
    ///
    /// ```
    /// use hubgen_model::rules::{FieldPath, Rule};
    ///
    /// let field = FieldPath::parse("spec.scaleRef.subresource").unwrap();
    /// let rule = Rule::Constant { field, value: "scale".to_owned() };
    /// assert_eq!(rule.detail().as_deref(), Some("always `scale`"));
    /// ```
    pub fn detail(&self) -> Option<String> {
        Some(match self {
            Self::Move { by, .. } => return by.detail(),
            Self::Constant { value, .. } => format!("always `{value}`"),
            Self::Tag { set, otherwise, .. } => {
                let words =
                    set.iter().map(|(path, word)| format!("`{word}` if `{path}` is present, otherwise "));
                format!("{}`{otherwise}`", words.collect::<String>())
            }
            Self::Element { when, value, last, .. } => {
                let which = if *last { "last" } else { "first" };
                let when: Vec<String> =
                    when.iter().map(|(path, word)| format!("`{path}` is `{word}`")).collect();
                format!("`{value}` of the {which} element where {}", when.join(" and "))
            }
            Self::Split { .. } => "a number or a name, which are two fields in the hub".to_owned(),
            Self::Drop { .. } => "lost on the way to the hub".to_owned(),
            Self::Always { .. } => "written even if it is empty".to_owned(),
            Self::EmptyIsAbsent { .. } => "the same whether it is empty or absent".to_owned(),
            Self::Hoist { element, .. } => format!("`{element}` of every element, if all have the same"),
            Self::Head { element, .. } => format!("`{element}` of the first element"),
            Self::Function { function, .. } => format!("by the function `{function}`"),
            Self::Keep { annotation: Some(annotation), .. } => annotation.detail(),
            Self::Keep { annotation: None, .. } => return None,
        })
    }
}

impl By {
    fn detail(&self) -> Option<String> {
        Some(match self {
            Self::Same => return None,
            Self::Wrap(field) => format!("the field `{field}` of an object in the hub"),
            Self::Words(Words { pairs, also }) => {
                let words = pairs.iter().chain(also).map(|(own, hub)| format!("`{own}` is `{hub}`"));
                format!("in the hub, {}", words.collect::<Vec<_>>().join(", "))
            }
            Self::Number(form) => format!("a number, in the hub {form}"),
            Self::Keyed { key, .. } => format!("a map, in the hub a list with the key in `{key}`"),
        })
    }
}

impl Annotation {
    fn detail(&self) -> String {
        format!("in the annotation `{}`, {}", self.key, self.form.explained())
    }
}

impl Form {
    /// How the annotation contains the field, for people.
    pub fn explained(&self) -> String {
        match self {
            Self::Zero => "which is empty and present if the field is zero".to_owned(),
            Self::Text => "as text".to_owned(),
            Self::Version(version) => format!("as JSON of `{}`", version.api_version()),
            Self::Internal => "as JSON whose names begin with capital letters".to_owned(),
        }
    }
}
