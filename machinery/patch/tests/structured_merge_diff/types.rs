//! Types of run time, from the schemas of structured-merge-diff.

use std::collections::HashMap;

use hubgen_machinery::reflect::runtime::{FieldDef, NodeDef, StructDef, TypeDef, Types};
use hubgen_machinery::reflect::{Described, Fact, Facts, Held, ListType, Type, UnknownFields};
use serde_json::{Value, json};

/// The field of the root that contains an object whose type is no struct.
const WRAPPED: &str = "wrapped";

/// The type of an object.
pub struct Root {
    pub of: Described,
    is_wrapped: bool,
}

impl Root {
    /// A type of a schema.
    pub fn new(schema: &Value, name: &str) -> Self {
        let mut builder = Builder { schema, structs: Vec::new(), named: HashMap::new(), open: Vec::new() };
        let reference = json!({"namedType": name});
        let root = builder.node(&reference);
        let is_wrapped = !matches!(root.ty, TypeDef::Struct(_)) || !root.facts.is_empty();
        let index = match root.ty {
            TypeDef::Struct(index) if !is_wrapped => index,
            ty => {
                let field = FieldDef { facts: root.facts, ..FieldDef::new(WRAPPED, ty) };
                builder.add(StructDef { fields: vec![field], ..StructDef::new("Root") })
            }
        };
        let types = Types::new(builder.structs.into_iter().map(Option::unwrap).collect()).unwrap();
        Self { of: types.describe(index), is_wrapped }
    }

    /// An object as one of the type.
    pub fn object(&self, object: &Value) -> Value {
        match object {
            // Nothing is there.
            Value::Null => json!({}),
            object if self.is_wrapped => json!({ WRAPPED: object }),
            object => object.clone(),
        }
    }

    /// As [`object`](Self::object), with a place for an object that is not there yet.
    pub fn whole(&self, object: &Value) -> Value {
        if self.is_wrapped { json!({ WRAPPED: object }) } else { self.object(object) }
    }

    /// The object of the type that [`object`](Self::object) was made of; `null` if nothing is left of it.
    pub fn unwrapped(&self, object: &Value) -> Value {
        if self.is_wrapped { object[WRAPPED].clone() } else { object.clone() }
    }

    /// A path inside the object.
    pub fn path<'p>(&self, path: &'p str) -> &'p str {
        match path.strip_prefix('.').and_then(|path| path.strip_prefix(WRAPPED)) {
            Some(inside) if self.is_wrapped => inside,
            _ => path,
        }
    }

    /// A set of fields, in JSON.
    pub fn set(&self, set: &Value) -> Value {
        match self.is_wrapped {
            true if set.as_object().is_none_or(|set| set.is_empty()) => json!({}),
            true => json!({ format!("f:{WRAPPED}"): set }),
            false => set.clone(),
        }
    }
}

struct Builder<'a> {
    schema: &'a Value,
    /// A struct is `None` while its fields are being built.
    structs: Vec<Option<StructDef>>,
    /// The positions of structs with a name.
    named: HashMap<&'a str, usize>,
    /// The named types that are being built and are no structs.
    open: Vec<&'a str>,
}

impl<'a> Builder<'a> {
    fn add(&mut self, of: StructDef) -> usize {
        self.structs.push(Some(of));
        self.structs.len() - 1
    }

    /// The type of a reference, and the facts of who refers to it.
    fn node(&mut self, reference: &'a Value) -> NodeDef {
        let name = reference["namedType"].as_str();
        let types = self.schema.as_array().unwrap();
        let of = match name {
            Some(name) => types.iter().find(|of| of["name"] == name),
            None => Some(reference),
        };
        // Not every schema contains the types of any JSON, to which it refers.
        let of = of.unwrap_or(&Value::Null);
        let relation = |of: &Value| {
            reference["elementRelationship"]
                .as_str()
                .or(of["elementRelationship"].as_str())
                .map(str::to_owned)
        };
        match (&of["list"], &of["map"], of["scalar"].is_string()) {
            (list @ Value::Object(_), Value::Null, false) => self.list(list, relation(list).as_deref()),
            (Value::Null, map @ Value::Object(_), false) => {
                let facts = atomic(relation(map).as_deref() == Some("atomic"));
                NodeDef { ty: self.map(map, name), facts }
            }
            (Value::Null, Value::Null, true) if of["scalar"] != "untyped" => {
                let scalar = match of["scalar"].as_str() {
                    Some("numeric" | "number") => Type::Double,
                    Some("boolean") => Type::Bool,
                    _ => Type::String,
                };
                NodeDef { ty: TypeDef::Is(scalar), facts: Facts::NONE }
            }
            (_, map, _) => {
                let is_atomic = map.is_null() || relation(map).as_deref() == Some("atomic");
                NodeDef { ty: TypeDef::Is(Type::Raw), facts: atomic(is_atomic) }
            }
        }
    }

    fn list(&mut self, list: &'a Value, relation: Option<&str>) -> NodeDef {
        let items = self.node(&list["elementType"]);
        let keys = list["keys"].as_array().into_iter().flatten();
        let keys: Vec<String> = keys.map(|key| key.as_str().unwrap().to_owned()).collect();
        let list_type = match relation {
            Some("associative") if keys.is_empty() => ListType::Set,
            Some("associative") => ListType::Map(keys.into_iter().collect()),
            _ => ListType::Atomic,
        };
        // Here, the list specifies whether its items are atomic.
        let facts = items.facts.iter().filter(|fact| **fact == Fact::Atomic).cloned();
        let facts = facts.chain([Fact::List(list_type)]).collect();
        NodeDef { ty: TypeDef::List(Box::new(items)), facts }
    }

    fn map(&mut self, map: &'a Value, name: Option<&'a str>) -> TypeDef {
        let Some(fields) = map["fields"].as_array() else {
            if let Some(name) = name {
                if self.open.contains(&name) {
                    // Only structs can contain themselves. Any JSON is owned member by member, too.
                    return TypeDef::Is(Type::Raw);
                }
                self.open.push(name);
            }
            let values = self.node(&map["elementType"]);
            if name.is_some() {
                self.open.pop();
            }
            return TypeDef::Map(Box::new(values));
        };
        if let Some(&index) = name.and_then(|name| self.named.get(name)) {
            return TypeDef::Struct(index);
        }
        let index = self.structs.len();
        self.structs.push(None);
        if let Some(name) = name {
            self.named.insert(name, index);
        }
        let mut fields: Vec<FieldDef> = fields.iter().map(|field| self.field(field)).collect();
        let keeps_others = map["elementType"].is_object();
        if keeps_others {
            fields.push(FieldDef::rest());
        }
        let unknown = if keeps_others { UnknownFields::Kept } else { UnknownFields::Dropped };
        let name = format!("{}{index}", name.unwrap_or("Part"));
        self.structs[index] = Some(StructDef { fields, unknown, ..StructDef::new(name) });
        TypeDef::Struct(index)
    }

    fn field(&mut self, field: &'a Value) -> FieldDef {
        let NodeDef { ty, facts } = self.node(&field["type"]);
        let default = field.get("default").map(|default| Fact::Default(Held::from(default.to_string())));
        let facts = facts.iter().cloned().chain(default).collect();
        // A struct can contain itself behind a pointer only.
        let pointer = matches!(ty, TypeDef::Struct(_));
        FieldDef { facts, pointer, ..FieldDef::new(field["name"].as_str().unwrap(), ty) }
    }
}

fn atomic(is_atomic: bool) -> Facts {
    is_atomic.then_some(Fact::Atomic).into_iter().collect()
}
