//! Makes the schemas of CustomResourceDefinitions from the model.

use std::cell::RefCell;

use hubgen_facts::schema::{int_or_string, quantity, require, set_list_type, unsigned};
use hubgen_model::{Api, Facts, Field, ListType, Origin, RawForm, Type, TypeExpr, TypeId};
use hubgen_validation::definition::RULE_KEYS;
use serde_json::{Map, Value, json};

use crate::keywords::{self, EMBEDDED, Form, PRESERVE};
use crate::node::{self, Node};

/// The `openAPIV3Schema` of a kind that was read from a CustomResourceDefinition. The names under
/// `required` are sorted.
pub fn openapi_schema(own: &Api, kubernetes: &Api, kind: &Type) -> Value {
    if let Some(imported) = kind.facts.as_ref().and_then(|facts| facts.imported.clone()) {
        return imported;
    }
    let types = Types::new(own, kubernetes);
    types.inside.borrow_mut().push(kind.id.clone());
    let mut schema = types.object(kind);
    if let Some(definition) = kind.kind.as_ref().and_then(|kind| kind.definition.as_ref())
        && !definition.type_meta.is_empty()
    {
        let mut properties = definition.type_meta.clone();
        if let Some(Value::Object(fields)) = schema.remove("properties") {
            properties.extend(fields);
        }
        schema.insert("properties".to_owned(), properties.into());
    }
    if let Some(description) = &kind.description {
        schema.insert("description".to_owned(), description.clone().into());
    }
    add_keywords(&mut schema, kind.facts.as_deref());
    schema.into()
}

/// The types that schemas refer to.
pub(super) struct Types<'a> {
    own: &'a Api,
    kubernetes: &'a Api,
    /// The types whose schemas are being made, from the outermost inwards.
    inside: RefCell<Vec<TypeId>>,
}

impl<'a> Types<'a> {
    pub(super) fn new(own: &'a Api, kubernetes: &'a Api) -> Self {
        Self { own, kubernetes, inside: RefCell::default() }
    }
}

impl Types<'_> {
    fn find(&self, id: &TypeId) -> Option<&Type> {
        self.own.find(id).or_else(|| self.kubernetes.find(id))
    }

    /// Whether the schema that is being made is part of that of a type of Kubernetes.
    fn is_in_kubernetes(&self) -> bool {
        let inside = self.inside.borrow();
        let version = inside.last().and_then(|id| self.own.versions.get(&id.group_version));
        !inside.is_empty() && version.is_none_or(|version| version.origin == Origin::Foreign)
    }

    /// The schema of an object, without facts about the object as a whole.
    fn object(&self, ty: &Type) -> Map<String, Value> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        let version = self.own.versions.get(&ty.id.group_version);
        if ty.has_rest() && version.is_some_and(|version| version.origin == Origin::Written) {
            // The fields of imported types have their schema's keywords, whatever was declared.
            schema.insert(PRESERVE.to_owned(), true.into());
        }
        let properties: Map<_, _> = ty.named().map(|field| (field.name.clone(), self.field(field))).collect();
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        require(
            &mut schema,
            ty.fields().iter().filter(|field| field.required).map(|field| field.name.as_str()),
        );
        schema
    }

    /// The schema of an object in a field. Imported types have no facts about the object as a whole: they are facts of
    /// the fields.
    fn part(&self, ty: &Type) -> Map<String, Value> {
        let facts = ty.facts.as_deref();
        if let Some(Value::Object(whole)) = facts.and_then(|facts| facts.imported.as_ref()) {
            return whole.clone();
        }
        let mut schema = self.object(ty);
        if ty.kind.as_ref().is_some_and(|kind| !kind.bare) {
            let properties = schema.entry("properties").or_insert_with(|| json!({}));
            for name in ["apiVersion", "kind"] {
                properties[name] = json!({"type": "string"});
            }
        }
        let version = self.own.versions.get(&ty.id.group_version);
        if let Some(description) = &ty.description
            && version.is_some_and(|version| version.origin == Origin::Written)
        {
            schema.insert("description".to_owned(), description.clone().into());
        }
        add_keywords(&mut schema, facts);
        schema
    }

    /// The schema of a field.
    pub(super) fn field(&self, field: &Field) -> Value {
        if let Some(imported) = field.facts.as_ref().and_then(|facts| facts.imported.clone()) {
            return imported;
        }
        let mut schema = self.value(&field.ty, field.facts.as_deref(), &field.enumeration);
        if let Some(description) = &field.description {
            schema.insert("description".to_owned(), description.clone().into());
        }
        if let Some(default) = &field.default {
            schema.insert("default".to_owned(), default.clone());
        }
        let is_null = field.may_be_absent() && field.writes_absent() && field.default.is_none();
        if is_null {
            schema.insert("nullable".to_owned(), true.into());
        }
        match &field.list_type {
            None => {}
            Some(ListType::Atomic) => set_list_type(&mut schema, "atomic", &[]),
            Some(ListType::Set) => set_list_type(&mut schema, "set", &[]),
            Some(ListType::Map(keys)) => {
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                set_list_type(&mut schema, "map", &keys);
            }
        }
        let atomic =
            if field.has_items_apart() { schema["items"].as_object_mut() } else { Some(&mut schema) };
        // The API server takes it for objects only.
        let is_object =
            |schema: &&mut Map<String, Value>| schema.get("type").is_some_and(|ty| ty == "object");
        if let Some(atomic) = atomic.filter(|_| field.atomic).filter(is_object) {
            atomic.insert("x-kubernetes-map-type".to_owned(), "atomic".into());
        }
        schema.into()
    }

    /// The schema of a value with its facts. `words` are the allowed values of the innermost items.
    pub(super) fn value(
        &self,
        expr: &TypeExpr,
        facts: Option<&Facts>,
        words: &[Value],
    ) -> Map<String, Value> {
        if let Some(Value::Object(imported)) = facts.and_then(|facts| facts.imported.as_ref()) {
            return imported.clone();
        }
        let inner_facts = facts.and_then(|facts| facts.inner.as_deref());
        let schema = match expr {
            TypeExpr::Bool => json!({"type": "boolean"}),
            TypeExpr::Int32 => json!({"type": "integer", "format": "int32"}),
            TypeExpr::Int64 => json!({"type": "integer", "format": "int64"}),
            TypeExpr::Float => json!({"type": "number", "format": "float"}),
            TypeExpr::Double => json!({"type": "number", "format": "double"}),
            TypeExpr::Uint16 => unsigned(16),
            TypeExpr::Uint32 => unsigned(32),
            TypeExpr::Uint64 => unsigned(64),
            TypeExpr::String | TypeExpr::Duration => json!({"type": "string"}),
            TypeExpr::Bytes => json!({"type": "string", "format": "byte"}),
            TypeExpr::Time | TypeExpr::MicroTime => json!({"type": "string", "format": "date-time"}),
            TypeExpr::Quantity => quantity(),
            TypeExpr::IntOrString => int_or_string(),
            // Compiled types of Kubernetes do not tell forms of raw JSON apart.
            TypeExpr::Raw(RawForm::Extension) if !self.is_in_kubernetes() => {
                json!({"type": "object", PRESERVE: true})
            }
            TypeExpr::Strings => json!({"type": "array", "items": {"type": "string"}}),
            // A schema cannot refer to itself, so that it ends where a type contains itself.
            TypeExpr::Ref(id) if self.inside.borrow().contains(id) => {
                json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
            }
            TypeExpr::Ref(id) => {
                self.inside.borrow_mut().push(id.clone());
                let schema = self.find(id).map_or_else(Map::new, |ty| self.part(ty));
                self.inside.borrow_mut().pop();
                schema.into()
            }
            TypeExpr::List(inner) => {
                json!({"type": "array", "items": self.value(inner, inner_facts, words)})
            }
            TypeExpr::Map(inner) => {
                json!({"type": "object", "additionalProperties": self.value(inner, inner_facts, words)})
            }
            // Structural schemas cannot describe alternatives.
            TypeExpr::Raw(_) | TypeExpr::OrBool(_) | TypeExpr::OrArray(_) | TypeExpr::OrStrings(_) => {
                json!({ PRESERVE: true })
            }
        };
        let Value::Object(mut schema) = schema else { unreachable!("a schema is an object") };
        if !words.is_empty() && !matches!(expr, TypeExpr::List(_) | TypeExpr::Map(_)) {
            schema.insert("enum".to_owned(), words.to_vec().into());
        }
        add_keywords(&mut schema, facts);
        schema
    }
}

/// Rules in CEL.
const RULES: &str = "x-kubernetes-validations";

/// The schema of raw JSON that is an object, with facts.
pub fn raw_object(facts: &Map<String, Value>) -> Value {
    let mut schema =
        Map::from_iter([("type".to_owned(), "object".into()), (PRESERVE.to_owned(), true.into())]);
    schema.extend(facts.clone());
    schema.into()
}

/// The facts in a schema of raw JSON that is an object; `None` if it is the schema of something else.
pub fn facts_of_raw_object(schema: &Value) -> Option<Map<String, Value>> {
    let mut facts = schema.as_object()?.clone();
    let is_object = facts.shift_remove("type")? == "object" && facts.shift_remove(PRESERVE)? == true;
    (is_object && facts.keys().all(|keyword| keywords::form(keyword).is_some())).then_some(facts)
}

fn add_keywords(schema: &mut Map<String, Value>, facts: Option<&Facts>) {
    for (keyword, value) in facts.iter().flat_map(|facts| &facts.keywords) {
        match (keyword.as_str(), value) {
            ("format", Value::Null) => _ = schema.remove("format"),
            ("required", Value::Array(names)) => {
                require(schema, names.iter().filter_map(Value::as_str));
            }
            // Those of a type, and those of the field that has the type.
            (RULES, Value::Array(rules)) => match schema.get_mut(RULES) {
                Some(Value::Array(known)) => known.extend(rules.iter().cloned()),
                _ => _ = schema.insert(keyword.clone(), value.clone()),
            },
            _ => _ = schema.insert(keyword.clone(), value.clone()),
        }
    }
}

/// A schema as JSON: without descriptions unless they are kept, without unknown keywords, and with
/// sorted names under `required`.
pub(super) fn clean(schema: &Node, docs: bool) -> Value {
    let Some(members) = schema.object() else { return schema.to_json() };
    let keyword = |(key, node): (&String, &Node)| Some((key.clone(), clean_keyword(key, node, docs)?));
    members.iter().filter_map(keyword).collect::<Map<_, _>>().into()
}

/// The value of a keyword as JSON; `None` if the keyword is unknown, or is a description that is not
/// kept.
pub(super) fn clean_keyword(key: &str, node: &Node, docs: bool) -> Option<Value> {
    let one = |node: &Node| clean(node, docs);
    Some(match (key, &node.value) {
        ("description", _) if !docs => return None,
        ("properties", node::Value::Object(properties)) => {
            properties.iter().map(|(name, node)| (name.clone(), one(node))).collect::<Map<_, _>>().into()
        }
        ("items" | "additionalProperties", _) => one(node),
        ("type" | "x-kubernetes-int-or-string" | EMBEDDED | PRESERVE, _) => node.to_json(),
        ("required", _) => {
            let mut value = node.to_json();
            if let Value::Array(names) = &mut value {
                names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            }
            value
        }
        _ => match (keywords::form(key), &node.value) {
            (None, _) => return None,
            (Some(Form::Schema), _) => one(node),
            (Some(Form::Schemas), node::Value::Array(schemas)) => schemas.iter().map(one).collect(),
            (Some(Form::Rules), node::Value::Array(rules)) => rules.iter().map(rule).collect(),
            _ => node.to_json(),
        },
    })
}

/// A rule without unknown keys.
fn rule(rule: &Node) -> Value {
    let mut rule = rule.to_json();
    if let Value::Object(members) = &mut rule {
        members.retain(|key, _| RULE_KEYS.contains(&key.as_str()));
    }
    rule
}
