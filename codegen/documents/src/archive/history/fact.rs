//! Facts that a release may change about something that stays.

use hubgen_model::{
    Field, GroupVersion, GroupVersionKind, ListType, Presence, RawForm, Resource, Scope, Subresource,
    TypeExpr, Verb,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::corrections::{show, type_named};
use super::super::merge::is_zero;

/// A fact about a field, a resource or a subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fact {
    /// The type of a field.
    Type,
    /// Whether OpenAPI requires a field.
    Required,
    /// How lists are merged: `atomic`, `set`, `map(name)`.
    ListType,
    /// Whether a map or an object is replaced as a whole.
    Atomic,
    /// The default that OpenAPI publishes, as JSON. Servers set others that no document has.
    Default,
    /// The words that OpenAPI publishes.
    Words,
    /// Whether objects are in namespaces.
    Scope,
    /// The operations of a resource.
    Verbs,
    /// The kind of a subresource.
    Kind,
    /// The short names of a resource.
    ShortNames,
    /// The names of several resources at once that a resource is among.
    Categories,
    /// The preferred version of a group, as discovery tells it.
    Preferred,
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Told {
    /// Yes or no.
    Flag(bool),
    /// A text; empty for none.
    Text(String),
    /// Words; none if any are allowed.
    Words(Vec<String>),
}

impl Fact {
    /// Those of fields.
    pub const OF_FIELDS: [Self; 6] =
        [Self::Type, Self::Required, Self::ListType, Self::Atomic, Self::Default, Self::Words];
    /// Those of resources.
    pub const OF_RESOURCES: [Self; 4] = [Self::Scope, Self::Verbs, Self::ShortNames, Self::Categories];
    /// Those of subresources.
    pub const OF_SUBRESOURCES: [Self; 2] = [Self::Kind, Self::Verbs];

    /// Its name, as the file and `hubgen changes` write it: `list-type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Required => "required",
            Self::ListType => "list-type",
            Self::Atomic => "atomic",
            Self::Default => "default",
            Self::Words => "words",
            Self::Scope => "scope",
            Self::Verbs => "verbs",
            Self::Kind => "kind",
            Self::ShortNames => "short-names",
            Self::Categories => "categories",
            Self::Preferred => "preferred",
        }
    }

    /// A value of it for people: `yes`, `"TCP"`, `get, list`; `none`, or `any` for words where any are allowed.
    pub fn shown(self, told: &Told) -> String {
        match told {
            Told::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Told::Text(text) if text.is_empty() => "none".to_owned(),
            Told::Text(text) => text.clone(),
            Told::Words(words) if words.is_empty() => {
                if self == Self::Words { "any" } else { "none" }.to_owned()
            }
            Told::Words(words) => words.join(", "),
        }
    }

    /// What it is of a field; `None` if it is no fact about fields.
    pub fn of_field(self, field: &Field) -> Option<Told> {
        Some(match self {
            Self::Type => Told::Text(show(&field.ty)),
            Self::Required => Told::Flag(field.required),
            Self::ListType => Told::Text(field.list_type.as_ref().map_or_else(String::new, list_type)),
            Self::Atomic => Told::Flag(field.atomic),
            Self::Default => {
                // OpenAPI publishes an empty one for every value.
                let is_real = |value: &&Value| field.presence != Presence::Value || !is_zero(value);
                Told::Text(field.default.as_ref().filter(is_real).map_or_else(String::new, Value::to_string))
            }
            Self::Words => Told::Words(field.words().collect()),
            _ => return None,
        })
    }

    /// What it is of a resource; `None` if it is no fact about resources.
    pub fn of_resource(self, resource: &Resource) -> Option<Told> {
        match self {
            Self::Scope => Some(Told::Text(resource.scope.as_str().to_owned())),
            Self::Verbs => Some(verbs(&resource.verbs)),
            Self::ShortNames => Some(Told::Words(resource.short_names.clone())),
            Self::Categories => Some(Told::Words(resource.categories.clone())),
            _ => None,
        }
    }

    /// What it is of a subresource; `None` if it is no fact about subresources.
    pub fn of_subresource(self, part: &Subresource) -> Option<Told> {
        match self {
            Self::Kind => Some(Told::Text(part.kind.as_ref().map_or_else(String::new, kind_text))),
            Self::Verbs => Some(verbs(&part.verbs)),
            _ => None,
        }
    }

    /// Gives a field this value; `None` if the value is none of this fact, or this is no fact about fields.
    pub fn set_field(self, field: &mut Field, told: &Told) -> Option<()> {
        match (self, told) {
            (Self::Type, Told::Text(text)) => field.ty = parse_type(text)?,
            (Self::Required, Told::Flag(flag)) => field.required = *flag,
            (Self::ListType, Told::Text(text)) => field.list_type = parse_list_type(text)?,
            (Self::Atomic, Told::Flag(flag)) => field.atomic = *flag,
            (Self::Default, Told::Text(text)) if text.is_empty() => field.default = None,
            (Self::Default, Told::Text(text)) => field.default = Some(serde_json::from_str(text).ok()?),
            (Self::Words, Told::Words(words)) => {
                field.enumeration = words.iter().map(|word| Value::String(word.clone())).collect();
            }
            _ => return None,
        }
        Some(())
    }

    /// Gives a resource this value; `None` as for fields.
    pub fn set_resource(self, resource: &mut Resource, told: &Told) -> Option<()> {
        match (self, told) {
            (Self::Scope, Told::Text(text)) => resource.scope = Scope::parse(text)?,
            (Self::Verbs, Told::Words(words)) => resource.verbs = parse_verbs(words)?,
            (Self::ShortNames, Told::Words(words)) => resource.short_names.clone_from(words),
            (Self::Categories, Told::Words(words)) => resource.categories.clone_from(words),
            _ => return None,
        }
        Some(())
    }

    /// Gives a subresource this value; `None` as for fields.
    pub fn set_subresource(self, part: &mut Subresource, told: &Told) -> Option<()> {
        match (self, told) {
            (Self::Kind, Told::Text(text)) if text.is_empty() => part.kind = None,
            (Self::Kind, Told::Text(text)) => part.kind = Some(parse_kind(text)?),
            (Self::Verbs, Told::Words(words)) => part.verbs = parse_verbs(words)?,
            _ => return None,
        }
        Some(())
    }
}

fn verbs(verbs: &[Verb]) -> Told {
    Told::Words(verbs.iter().map(|verb| verb.as_str().to_owned()).collect())
}

fn parse_verbs(words: &[String]) -> Option<Vec<Verb>> {
    words.iter().map(|word| Verb::parse(word)).collect()
}

fn list_type(list: &ListType) -> String {
    match list {
        ListType::Atomic => "atomic".to_owned(),
        ListType::Set => "set".to_owned(),
        ListType::Map(keys) => format!("map({})", keys.join(", ")),
    }
}

fn parse_list_type(text: &str) -> Option<Option<ListType>> {
    Some(match text {
        "" => None,
        "atomic" => Some(ListType::Atomic),
        "set" => Some(ListType::Set),
        map => {
            let keys = map.strip_prefix("map(")?.strip_suffix(')')?;
            Some(ListType::Map(keys.split(", ").map(str::to_owned).collect()))
        }
    })
}

fn kind_text(kind: &GroupVersionKind) -> String {
    format!("{} {}", kind.group_version, kind.kind)
}

fn parse_kind(text: &str) -> Option<GroupVersionKind> {
    let id = type_named(text)?;
    let GroupVersion { group, version } = id.group_version;
    Some(GroupVersionKind::new(group, version, id.name))
}

/// Reads what [`show`] writes, as far as types of fields have changed.
fn parse_type(text: &str) -> Option<TypeExpr> {
    Some(match text {
        "bool" => TypeExpr::Bool,
        "int32" => TypeExpr::Int32,
        "int64" => TypeExpr::Int64,
        "double" => TypeExpr::Double,
        "string" => TypeExpr::String,
        "bytes" => TypeExpr::Bytes,
        "time" => TypeExpr::Time,
        "microtime" => TypeExpr::MicroTime,
        "duration" => TypeExpr::Duration,
        "quantity" => TypeExpr::Quantity,
        "intorstring" => TypeExpr::IntOrString,
        "object" => TypeExpr::Raw(RawForm::Extension),
        "JSON" => TypeExpr::Raw(RawForm::Json),
        text => match (text.strip_prefix("[]"), text.strip_prefix("map ")) {
            (Some(inner), _) => TypeExpr::List(Box::new(parse_type(inner)?)),
            (_, Some(inner)) => TypeExpr::Map(Box::new(parse_type(inner)?)),
            (None, None) => TypeExpr::Ref(type_named(text)?),
        },
    })
}
