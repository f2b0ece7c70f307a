//! The keywords of schemas that are facts: what a schema specifies about a value beyond its type.

use crate::node::{Node, Value};

/// What the value of a keyword must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Bool,
    Integer,
    Number,
    Any,
    Values,
    Texts,
    Object,
    /// A schema that only validates.
    Schema,
    /// A list of such schemas.
    Schemas,
    /// CEL rules.
    Rules,
}

/// The object may have fields besides those in the schema.
pub(crate) const PRESERVE: &str = "x-kubernetes-preserve-unknown-fields";

/// The object has `apiVersion`, `kind` and `metadata`, whether the schema lists them or not.
pub(crate) const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// Every keyword that is a fact, with the form of its value.
pub(crate) const KEYWORDS: [(&str, Form); 32] = [
    ("title", Form::Text),
    ("description", Form::Text),
    ("format", Form::Text),
    ("default", Form::Any),
    ("enum", Form::Values),
    ("nullable", Form::Bool),
    ("pattern", Form::Text),
    ("minLength", Form::Integer),
    ("maxLength", Form::Integer),
    ("minimum", Form::Number),
    ("maximum", Form::Number),
    ("exclusiveMinimum", Form::Bool),
    ("exclusiveMaximum", Form::Bool),
    ("multipleOf", Form::Number),
    ("minItems", Form::Integer),
    ("maxItems", Form::Integer),
    ("uniqueItems", Form::Bool),
    ("minProperties", Form::Integer),
    ("maxProperties", Form::Integer),
    ("required", Form::Texts),
    ("allOf", Form::Schemas),
    ("anyOf", Form::Schemas),
    ("oneOf", Form::Schemas),
    ("not", Form::Schema),
    ("x-kubernetes-validations", Form::Rules),
    ("x-kubernetes-list-type", Form::Text),
    ("x-kubernetes-list-map-keys", Form::Texts),
    ("x-kubernetes-map-type", Form::Text),
    (PRESERVE, Form::Bool),
    (EMBEDDED, Form::Bool),
    ("example", Form::Any),
    ("externalDocs", Form::Object),
];

/// The form of a keyword's value; `None` if the keyword is not a fact.
pub(crate) fn form(keyword: &str) -> Option<Form> {
    KEYWORDS.iter().find(|(name, _)| *name == keyword).map(|(_, form)| *form)
}

impl Form {
    /// Whether a value has this form. Does not look into schemas and rules.
    pub(crate) fn fits(self, node: &Node) -> bool {
        match self {
            Self::Text => node.str().is_some(),
            Self::Bool => node.bool().is_some(),
            Self::Integer => matches!(&node.value, Value::Number(number) if number.is_i64()),
            Self::Number => matches!(node.value, Value::Number(_)),
            Self::Any => true,
            Self::Values | Self::Schemas => node.array().is_some(),
            Self::Texts => {
                node.array().is_some_and(|elements| elements.iter().all(|element| element.str().is_some()))
            }
            Self::Object | Self::Schema => node.object().is_some(),
            Self::Rules => node.array().is_some_and(|rules| rules.iter().all(|rule| rule.object().is_some())),
        }
    }

    /// The form in words, for help texts.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Bool => "true or false",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Any => "any value",
            Self::Values => "a list of values",
            Self::Texts => "a list of strings",
            Self::Object => "an object",
            Self::Schema => "a schema",
            Self::Schemas => "a list of schemas",
            Self::Rules => "a list of objects with `rule` and `message`",
        }
    }
}
