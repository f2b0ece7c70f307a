//! Facts of CustomResourceDefinitions in distilled schemas: the keywords of OpenAPI. Those that specify
//! a type here have another name.

use hubgen_model::{Facts, TypeExpr};
use serde_json::{Map, Value};

use super::format::EXPRESSION_KEYS;
use super::reader::Reader;
use crate::keywords::{self, Form, KEYWORDS, PRESERVE};
use crate::node::{self, Node};

/// Keywords of facts, and the keys under which they are written, where the two differ.
const RENAMED: [(&str, &str); 4] =
    [("format", "x-format"), ("required", "x-required"), ("allOf", "x-allOf"), ("oneOf", "x-oneOf")];

/// The key of a whole schema.
const IMPORTED: &str = "x-imported";

/// The keywords that a property has a member for.
const OF_PROPERTY: [&str; 6] = [
    "description",
    "default",
    "enum",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
];

/// What has facts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Type,
    Property,
    /// The items of a list, or the values of a map.
    Part,
}

/// Adds facts, without those of items and values.
pub(super) fn write(keys: &mut Map<String, Value>, facts: Option<&Facts>) {
    let Some(facts) = facts else { return };
    for (keyword, value) in &facts.keywords {
        let renamed = RENAMED.iter().find(|(name, _)| name == keyword);
        keys.insert(renamed.map_or(keyword.as_str(), |(_, key)| key).to_owned(), value.clone());
    }
    if let Some(imported) = &facts.imported {
        keys.insert(IMPORTED.to_owned(), imported.clone());
    }
}

/// The keys that facts can have.
pub(super) fn keys(owner: Owner) -> impl Iterator<Item = &'static str> {
    let renamed = |keyword: &'static str| {
        RENAMED.iter().find(|(name, _)| *name == keyword).map_or(keyword, |(_, key)| key)
    };
    KEYWORDS
        .iter()
        .map(|(keyword, _)| *keyword)
        .filter(move |keyword| match owner {
            Owner::Type => *keyword != "description",
            Owner::Property => !OF_PROPERTY.contains(keyword),
            Owner::Part => true,
        })
        .map(renamed)
        .chain([IMPORTED])
}

impl Reader<'_> {
    /// Reads the facts of a schema of type `ty`.
    pub(super) fn facts(
        &mut self,
        node: &Node,
        path: &str,
        ty: Option<&TypeExpr>,
        owner: Owner,
    ) -> Option<Box<Facts>> {
        let mut facts = Facts { imported: node.get(IMPORTED).map(Node::to_json), ..Facts::default() };
        for key in keys(owner).filter(|key| *key != IMPORTED) {
            let Some(member) = node.get(key) else { continue };
            if key == PRESERVE && matches!(ty, Some(TypeExpr::Raw(_))) {
                continue;
            }
            let keyword = RENAMED.iter().find(|(_, renamed)| *renamed == key).map_or(key, |(name, _)| name);
            let form = keywords::form(keyword).unwrap_or(Form::Any);
            // The published schema has no format.
            let is_absent = keyword == "format" && matches!(member.value, node::Value::Null);
            if form.fits(member) || is_absent {
                facts.keywords.insert(keyword.to_owned(), member.to_json());
            } else {
                let message = format!("{} here", member.kind());
                self.error(member, &format!("{path}.{key}"), message, format!("write {}", form.expected()));
            }
        }
        let inner = match ty {
            Some(TypeExpr::List(item)) => node.get("items").map(|node| ("items", node, item)),
            Some(TypeExpr::Map(value)) => {
                node.get("additionalProperties").map(|node| ("additionalProperties", node, value))
            }
            _ => None,
        };
        if let Some((key, inner, ty)) = inner {
            let path = format!("{path}.{key}");
            let known: Vec<&str> = EXPRESSION_KEYS.into_iter().chain(keys(Owner::Part)).collect();
            self.only(inner, &path, &known);
            facts.inner = self.facts(inner, &path, Some(ty), Owner::Part);
        }
        facts.boxed()
    }
}
