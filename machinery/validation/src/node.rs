//! A compiled schema.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde_json::Value;

use crate::format::Format;
use crate::pattern::Pattern;
use crate::range::{NumberFormat, Range};
use crate::rule::Rule;
use crate::value_type::Type;

/// One schema, with everything below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) ty: Option<Type>,
    pub(crate) int_or_string: bool,
    pub(crate) nullable: bool,
    pub(crate) constraints: Constrained,
    pub(crate) enumeration: Vec<Value>,
    pub(crate) required: Vec<String>,
    /// Boxed, as is what is rare: a server keeps the schemas of many definitions.
    pub(crate) properties: BTreeMap<String, Box<Node>>,
    pub(crate) additional: Option<Additional>,
    pub(crate) items: Option<Box<Node>>,
    pub(crate) all_of: Vec<Node>,
    pub(crate) any_of: Vec<Node>,
    pub(crate) one_of: Vec<Node>,
    pub(crate) not: Option<Box<Node>>,
    pub(crate) default: Option<Box<Value>>,
    /// `x-kubernetes-preserve-unknown-fields`.
    pub(crate) preserves: bool,
    /// `x-kubernetes-embedded-resource`.
    pub(crate) embedded: bool,
    pub(crate) list: ListType,
    /// The rules in CEL.
    pub(crate) rules: Vec<Rule>,
    /// Whether there are rules in CEL here or below.
    pub(crate) has_rules: bool,
}

/// The keywords that restrict numbers, texts, and the sizes of lists and objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) minimum: Option<Bound>,
    pub(crate) maximum: Option<Bound>,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) pattern: Option<Pattern>,
    /// The format of texts, with its name in the schema. Formats that the API server ignores are not here.
    pub(crate) format: Option<(Format, String)>,
    /// The format of numbers.
    pub(crate) number_format: Option<NumberFormat>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) max_properties: Option<i64>,
}

impl Constraints {
    const NONE: Self = Self {
        minimum: None,
        maximum: None,
        multiple_of: None,
        min_length: None,
        max_length: None,
        pattern: None,
        format: None,
        number_format: None,
        min_items: None,
        max_items: None,
        min_properties: None,
        max_properties: None,
    };
}

/// The constraints of a schema. Most have none, and take no memory for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constrained(Option<Box<Constraints>>);

impl Deref for Constrained {
    type Target = Constraints;

    fn deref(&self) -> &Constraints {
        self.0.as_deref().unwrap_or(&const { Constraints::NONE })
    }
}

impl DerefMut for Constrained {
    fn deref_mut(&mut self) -> &mut Constraints {
        self.0.get_or_insert_default()
    }
}

/// `minimum` or `maximum`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bound {
    pub(crate) value: f64,
    pub(crate) exclusive: bool,
}

/// `additionalProperties`.
#[derive(Clone, Debug)]
pub(crate) enum Additional {
    /// `false`: pruning keeps the members, validation refuses them.
    Forbidden,
    /// `true`: members with any value, of which pruning drops the members.
    Any,
    Values(Box<Node>),
}

/// `x-kubernetes-list-type`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListType {
    /// The schema does not tell. Like `Atomic`.
    #[default]
    None,
    Atomic,
    Set,
    Map(Vec<String>),
}

impl Node {
    /// The schema of a property.
    pub(crate) fn property(&self, name: &str) -> Option<&Self> {
        self.properties.get(name).map(|node| &**node)
    }

    /// Whether a value of this type fits.
    pub(crate) fn allows(&self, ty: Type) -> bool {
        self.ty == Some(ty) || (self.int_or_string && matches!(ty, Type::Integer | Type::String))
    }

    /// Whether there is a type.
    pub(crate) fn has_type(&self) -> bool {
        self.ty.is_some() || self.int_or_string
    }

    /// The name of the format, if the API server does not ignore it.
    pub(crate) fn format_name(&self) -> Option<&str> {
        let Constraints { format, number_format, .. } = &*self.constraints;
        format.as_ref().map(|(_, name)| name.as_str()).or(number_format.map(NumberFormat::name))
    }

    /// The numbers that fit.
    pub(crate) fn range(&self) -> Range {
        Range { ty: self.ty, format: self.constraints.number_format }
    }

    /// The types as messages contain them.
    pub(crate) fn type_text(&self) -> &'static str {
        if self.int_or_string {
            return "integer,string";
        }
        self.ty.map_or("", Type::name)
    }

    /// The schema of a member: a property, or that of additional properties.
    pub(crate) fn member(&self, name: &str) -> Member<'_> {
        match (self.properties.get(name), &self.additional) {
            (Some(node), _) => Member::Property(node),
            (None, Some(Additional::Values(node))) => Member::Additional(Some(node)),
            (None, Some(Additional::Any | Additional::Forbidden)) => Member::Additional(None),
            (None, None) => Member::Unknown,
        }
    }
}

/// What a schema specifies for a member of an object.
pub(crate) enum Member<'n> {
    Property(&'n Node),
    /// A member that `additionalProperties` describes, with its schema if there is one.
    Additional(Option<&'n Node>),
    Unknown,
}

impl<'n> Member<'n> {
    /// The schema, if there is one.
    pub(crate) fn node(&self) -> Option<&'n Node> {
        match self {
            Self::Property(node) => Some(node),
            Self::Additional(node) => *node,
            Self::Unknown => None,
        }
    }
}
