//! The type that a schema describes: how the fields of objects are owned and merged.
//!
//! The facts are those that upstream's server-side apply reads out of the schema that it publishes for a definition.

use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{Described, Fact, Facts, ListType, Type, UnknownFields, Value as _, Words};
use hubgen_meta::v1::ObjectMeta;
use serde_json::{Map, Value};

/// The shape of whole objects with a schema.
pub(crate) fn of(schema: &Value) -> Described {
    let mut maker = Maker::default();
    let preserves = is_true(schema, "x-kubernetes-preserve-unknown-fields");
    let root = maker.of_struct(schema, preserves, true);
    // What is read of a schema that was compiled makes types; if not, everything is owned member by member.
    let types =
        Types::new(maker.structs).or_else(|_| Types::new(vec![free()])).expect("a free object is a type");
    types.describe(root)
}

/// An object of which nothing is known.
fn free() -> StructDef {
    StructDef { fields: vec![FieldDef::rest()], unknown: UnknownFields::Kept, ..StructDef::new("") }
}

#[derive(Default)]
struct Maker {
    structs: Vec<StructDef>,
}

impl Maker {
    /// The position of the struct of an object. `preserves` tells whether it may have members that the schema does not know.
    fn of_struct(&mut self, schema: &Value, preserves: bool, is_resource: bool) -> usize {
        let position = self.structs.len();
        self.structs.push(StructDef::new(""));
        let mut fields = Vec::new();
        if is_resource {
            fields.extend(["apiVersion", "kind"].map(|name| FieldDef::new(name, TypeDef::Is(Type::String))));
            fields.push(FieldDef::new("metadata", TypeDef::Is(ObjectMeta::TYPE)));
        }
        for (name, property) in schema.get("properties").and_then(Value::as_object).unwrap_or(&Map::new()) {
            if fields.iter().any(|field| field.name == *name) {
                continue;
            }
            let (ty, facts) = self.of(property, preserves);
            let default = property.get("default").map(|value| Fact::Default(value.to_string().into()));
            let facts = default.into_iter().chain(facts.iter().cloned()).collect();
            // A pointer: no field has a value that stands for its absence.
            fields.push(FieldDef { pointer: true, facts, ..FieldDef::new(name, ty) });
        }
        let mut unknown = UnknownFields::Dropped;
        if preserves {
            fields.push(FieldDef::rest());
            unknown = UnknownFields::Kept;
        }
        self.structs[position] = StructDef { fields, unknown, ..StructDef::new("") };
        position
    }

    /// The type of a value, and what is known about it besides. What may have unknown members anywhere above may have them
    /// here.
    fn of(&mut self, schema: &Value, preserves: bool) -> (TypeDef, Facts) {
        let preserves = preserves || is_true(schema, "x-kubernetes-preserve-unknown-fields");
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        let ty = match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
            "object" => return self.of_object(schema, preserves),
            "array" => return self.of_list(schema, preserves),
            "boolean" => Type::Bool,
            "integer" => Type::Int64,
            "number" => Type::Double,
            "string" if matches!(format, "" | "byte") => Type::String,
            // Texts with a format are scalars of any sort.
            "string" => Type::Time,
            // Also `x-kubernetes-int-or-string`, which upstream does not look at here.
            _ => Type::Raw,
        };
        (TypeDef::Is(ty), Facts::NONE)
    }

    fn of_object(&mut self, schema: &Value, preserves: bool) -> (TypeDef, Facts) {
        let is_atomic = schema.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
        let facts = is_atomic.then_some(Fact::Atomic).into_iter().collect();
        let is_embedded = is_true(schema, "x-kubernetes-embedded-resource");
        let has_properties =
            schema.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
        let ty = match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => {
                let (ty, facts) = self.of(values, preserves);
                TypeDef::Map(Box::new(NodeDef { ty, facts }))
            }
            Some(Value::Bool(true)) => TypeDef::Map(TypeDef::Is(Type::Raw).into()),
            _ if has_properties || is_embedded => {
                TypeDef::Struct(self.of_struct(schema, preserves, is_embedded))
            }
            _ => TypeDef::Map(TypeDef::Is(Type::Raw).into()),
        };
        (ty, facts)
    }

    fn of_list(&mut self, schema: &Value, preserves: bool) -> (TypeDef, Facts) {
        let keys = || {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            keys.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Words>()
        };
        let list_type = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
            Some("set") => ListType::Set,
            Some("map") => ListType::Map(keys()),
            _ => ListType::Atomic,
        };
        let items = match schema.get("items") {
            Some(items) => {
                let (ty, facts) = self.of(items, preserves);
                Box::new(NodeDef { ty, facts })
            }
            None => TypeDef::Is(Type::Raw).into(),
        };
        (TypeDef::List(items), [Fact::List(list_type)].into_iter().collect())
    }
}

fn is_true(schema: &Value, keyword: &str) -> bool {
    schema.get(keyword) == Some(&Value::Bool(true))
}
