//! Schemas as trees of shapes: what each value is, and what the schema specifies besides.

use hubgen_facts::schema::QUANTITY;
use hubgen_model::{Field, RawForm};
use serde_json::{Map, Value, json};

use super::definition::members;
use super::presence;
use super::rebuild::clean_keyword;
use crate::keywords::{self, EMBEDDED, PRESERVE};
use crate::node::Node;

/// A schema and the shape of its values.
pub(super) struct Tree<'a> {
    pub node: &'a Node,
    pub shape: Shape<'a>,
    /// What the schema specifies beyond the shape.
    pub keywords: Map<String, Value>,
}

impl<'a> Tree<'a> {
    /// The innermost items of lists and values of maps.
    pub fn innermost(&self) -> &Tree<'a> {
        match &self.shape {
            Shape::List(inner) | Shape::Map(inner) => inner.innermost(),
            _ => self,
        }
    }
}

/// The shape of a value.
pub(super) enum Shape<'a> {
    Bool,
    Int32,
    Int64,
    Double,
    String,
    Quantity,
    IntOrString,
    /// JSON that is stored as received, and why.
    Raw(RawForm, &'static str),
    List(Box<Tree<'a>>),
    Map(Box<Tree<'a>>),
    Object(Vec<Property<'a>>),
}

/// Whether the schema of an object preserves fields that it does not list. An embedded resource has `apiVersion`,
/// `kind` and `metadata`, whether its schema lists them or not.
pub(super) fn preserves(node: &Node) -> bool {
    flag(node, PRESERVE) || flag(node, EMBEDDED)
}

pub(super) struct Property<'a> {
    pub name: &'a str,
    pub required: bool,
    pub tree: Tree<'a>,
}

impl Property<'_> {
    /// What the schema specifies about its presence, besides whether it is required.
    pub fn presence(&self) -> presence::Schema {
        presence::Schema {
            nullable: flag(self.tree.node, "nullable"),
            has_default: self.tree.node.get("default").is_some(),
        }
    }
}

/// How to read schemas.
#[derive(Clone, Copy)]
pub(super) struct Reader {
    /// Whether to keep descriptions.
    pub docs: bool,
    /// Whether the server keeps fields that no schema mentions.
    pub preserves: bool,
}

impl Reader {
    /// Reads a schema that is structural.
    pub fn tree<'a>(&self, node: &'a Node) -> Tree<'a> {
        let shape = self.shape(node);
        let keywords = self.keywords(node, &shape);
        Tree { node, shape, keywords }
    }

    fn shape<'a>(&self, node: &'a Node) -> Shape<'a> {
        if flag(node, "x-kubernetes-int-or-string") {
            let is_quantity = node.get("pattern").and_then(Node::str) == Some(QUANTITY);
            return if is_quantity { Shape::Quantity } else { Shape::IntOrString };
        }
        let format = node.get("format").and_then(Node::str);
        match node.get("type").and_then(Node::str) {
            Some("boolean") => Shape::Bool,
            Some("integer") if format == Some("int32") => Shape::Int32,
            Some("integer") => Shape::Int64,
            Some("number") => Shape::Double,
            Some("string") => Shape::String,
            Some("array") => match node.get("items") {
                Some(items) => Shape::List(Box::new(self.inner(items))),
                None => Shape::Raw(RawForm::Json, "the schema does not describe the items of the list"),
            },
            Some("object") => self.object(node),
            _ => Shape::Raw(RawForm::Json, "the schema allows any JSON value"),
        }
    }

    /// Reads the schema of the items of a list, or of the values of a map.
    fn inner<'a>(&self, node: &'a Node) -> Tree<'a> {
        let mut tree = self.tree(node);
        if flag(node, "nullable") {
            tree.shape = Shape::Raw(RawForm::Json, "the items or values may be `null`");
            tree.keywords = self.keywords(node, &tree.shape);
        }
        tree
    }

    fn object<'a>(&self, node: &'a Node) -> Shape<'a> {
        let raw = |reason| Shape::Raw(RawForm::Extension, reason);
        if let Some(values) = node.get("additionalProperties").filter(|values| values.bool() != Some(false)) {
            return Shape::Map(Box::new(self.inner(values)));
        }
        let mut properties = members(node.get("properties")).peekable();
        if properties.peek().is_none() {
            if flag(node, EMBEDDED) {
                return raw("the value is an object of any kind (`x-kubernetes-embedded-resource`)");
            }
            if flag(node, PRESERVE) {
                return raw("the object may have any fields (`x-kubernetes-preserve-unknown-fields`)");
            }
            if self.preserves {
                return raw(
                    "the schema lists no fields, and the API server keeps all (`preserveUnknownFields`)",
                );
            }
        }
        if preserves(node) && properties.any(|(name, _)| name == Field::REST) {
            return raw("the object may have other fields, and one is called `*`, as rules call the others");
        }
        let mut properties = self.properties(node);
        if flag(node, EMBEDDED) {
            // It has all that metadata of a kind can have, whatever the schema lists.
            for property in properties.iter_mut().filter(|property| property.name == "metadata") {
                property.tree.shape = Shape::Raw(
                    RawForm::Extension,
                    "the metadata of an embedded resource may have any fields",
                );
            }
        }
        Shape::Object(properties)
    }

    /// The properties of an object.
    pub fn properties<'a>(&self, node: &'a Node) -> Vec<Property<'a>> {
        let required = required(node);
        members(node.get("properties"))
            .map(|(name, node)| Property {
                name,
                required: required.contains(&name.as_str()),
                tree: self.tree(node),
            })
            .collect()
    }

    /// The facts of a schema, without what the shape expresses.
    pub fn keywords(&self, node: &Node, shape: &Shape<'_>) -> Map<String, Value> {
        let mut out: Map<String, Value> = members(Some(node))
            .filter(|(key, _)| keywords::form(key).is_some())
            .filter_map(|(key, value)| Some((key.clone(), clean_keyword(key, value, self.docs)?)))
            .collect();
        let implied = match shape {
            Shape::Int32 => Some("int32"),
            Shape::Int64 => Some("int64"),
            Shape::Double => Some("double"),
            _ => None,
        };
        if let Some(implied) = implied {
            match out.get("format").and_then(Value::as_str) {
                None => _ = out.insert("format".to_owned(), Value::Null),
                Some(format) if format == implied => _ = out.shift_remove("format"),
                Some(_) => {}
            }
        }
        if matches!(shape, Shape::Raw(..)) {
            // Raw JSON has any fields.
            out.shift_remove(PRESERVE);
        }
        let properties = node.get("properties");
        let others: Vec<&str> = required(node)
            .into_iter()
            .filter(|name| properties.is_none_or(|properties| properties.get(name).is_none()))
            .collect();
        out.shift_remove("required");
        if !others.is_empty() {
            out.insert("required".to_owned(), json!(others));
        }
        out
    }
}

fn flag(node: &Node, key: &str) -> bool {
    node.get(key).and_then(Node::bool) == Some(true)
}

/// The names under `required`, sorted.
fn required(node: &Node) -> Vec<&str> {
    let mut names: Vec<&str> =
        node.get("required").and_then(Node::array).into_iter().flatten().filter_map(Node::str).collect();
    names.sort_unstable();
    names
}
