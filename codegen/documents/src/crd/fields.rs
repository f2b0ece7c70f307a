//! Makes fields of properties.

use std::collections::BTreeMap;

use hubgen_model::{Facts, Field, ListType, RustName, TypeExpr};
use serde_json::Value;

use super::group::Group;
use super::presence;
use super::rebuild::{Types, clean};
use super::tree::{Property, Shape, Tree};

/// The keyword of objects, and of items of lists, that are owned as a whole.
const MAP_TYPE: &str = "x-kubernetes-map-type";

impl<'a> Group<'a, '_> {
    fn expr(&self, tree: &Tree<'a>) -> TypeExpr {
        match &tree.shape {
            Shape::Bool => TypeExpr::Bool,
            Shape::Int32 => TypeExpr::Int32,
            Shape::Int64 => TypeExpr::Int64,
            Shape::Double => TypeExpr::Double,
            Shape::String => TypeExpr::String,
            Shape::Quantity => TypeExpr::Quantity,
            Shape::IntOrString => TypeExpr::IntOrString,
            Shape::Raw(form, _) => TypeExpr::Raw(*form),
            Shape::List(inner) => TypeExpr::List(Box::new(self.expr(inner))),
            Shape::Map(inner) => TypeExpr::Map(Box::new(self.expr(inner))),
            Shape::Object(_) => TypeExpr::Ref(self.types[&std::ptr::from_ref(tree)].clone()),
        }
    }

    fn rebuilt(&self) -> Types<'_> {
        Types::new(&self.imported.api, self.kubernetes)
    }

    /// The field of a property of the type with that name.
    pub(super) fn field(&self, owner: &str, property: &Property<'a>) -> Field {
        let tree = &property.tree;
        let mut field = Field::new(property.name, self.expr(tree));
        field.required = property.required;
        let mut keywords = tree.keywords.clone();
        if let Some(Value::String(text)) = keywords.shift_remove("description") {
            field.description = Some(text);
        }
        let fits = |default: &Value| field.ty.fits(default);
        field.default = keywords.get("default").cloned().filter(fits);
        let words = tree.innermost().keywords.get("enum").and_then(Value::as_array);
        field.enumeration = words.cloned().unwrap_or_default();
        presence::set(&mut field, &property.presence(), self.options.presences.named(owner));
        field.list_type = match keywords.get("x-kubernetes-list-type").and_then(Value::as_str) {
            Some("atomic") => Some(ListType::Atomic),
            Some("set") => Some(ListType::Set),
            Some("map") => {
                let keys = keywords.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
                let keys = keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
                Some(ListType::Map(keys.collect()))
            }
            _ => None,
        };
        let of_items = match &tree.shape {
            Shape::List(items) if field.has_items_apart() => items.keywords.get(MAP_TYPE),
            _ => None,
        };
        field.atomic = keywords.get(MAP_TYPE).or(of_items).and_then(Value::as_str) == Some("atomic");
        // What the field has a member for is not a fact besides.
        let of_field = ["default", "enum", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", MAP_TYPE];
        keywords.retain(|keyword, _| !of_field.contains(&keyword.as_str()));
        let inner = match &tree.shape {
            Shape::List(inner) | Shape::Map(inner) => self.facts(inner, &field.enumeration).boxed(),
            _ => None,
        };
        field.facts = Facts { keywords, inner, imported: None }.boxed();
        let schema = clean(tree.node, self.options.docs);
        if self.rebuilt().field(&field) != schema {
            field.facts = Facts::imported(schema).boxed();
        }
        field
    }

    /// The facts of the items of a list, or of the values of a map.
    fn facts(&self, tree: &Tree<'a>, words: &[Value]) -> Facts {
        let mut keywords = tree.keywords.clone();
        let inner = match &tree.shape {
            Shape::List(inner) | Shape::Map(inner) => self.facts(inner, words).boxed(),
            // These are the words of the field.
            _ => {
                keywords.shift_remove("enum");
                None
            }
        };
        let facts = Facts { keywords, inner, imported: None };
        let schema = clean(tree.node, self.options.docs);
        let rebuilt: Value = self.rebuilt().value(&self.expr(tree), Some(&facts), words).into();
        if rebuilt == schema { facts } else { Facts::imported(schema) }
    }
}

/// Gives fields whose names differ only in case and punctuation different names in Rust.
pub(super) fn distinguish(fields: &mut [Field]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut order: Vec<&mut Field> = fields.iter_mut().collect();
    // `proxyUrl` keeps its name, beside `proxyURL` and `proxy_url`: most names in JSON are written so.
    let unusual = |name: &str| {
        let pairs = name.as_bytes().windows(2).filter(|pair| pair.iter().all(u8::is_ascii_uppercase));
        (name.contains(|c: char| !c.is_ascii_alphanumeric()), pairs.count())
    };
    order.sort_by(|a, b| (unusual(&a.name), &a.name).cmp(&(unusual(&b.name), &b.name)));
    for field in order {
        let count = seen.entry(field.letters()).or_default();
        *count += 1;
        field.rust_name = if *count > 1 { RustName::Numbered(*count) } else { RustName::Usual };
    }
}
