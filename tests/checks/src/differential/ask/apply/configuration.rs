//! Makes configurations: parts of an object as it is, changed a little, as managers apply them.

use hubgen_kubernetes::machinery::reflect::{Described, Fact, Facts, ListType, Type};
use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// Members of the metadata that configurations have.
const METADATA: [&str; 3] = ["labels", "annotations", "finalizers"];
/// Members that name a kind.
const NAMES: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Makes configurations of an object.
pub struct Configurations<'a> {
    pub dice: &'a mut Dice,
    pub of: &'a Described,
    /// The object as it is.
    pub current: &'a Value,
}

impl Configurations<'_> {
    /// A configuration of the object, or of its status.
    pub fn make(&mut self, of_status: bool) -> Value {
        let mut made = self.named();
        for (name, value) in self.current.as_object().into_iter().flatten() {
            let belongs = !NAMES.contains(&name.as_str()) && (name == "status") == of_status;
            if belongs
                && self.dice.below(8) > 0
                && let Some(part) = self.member(self.of.clone(), name, value)
            {
                made[name] = part;
            }
        }
        if !of_status {
            self.metadata(&mut made);
        }
        made
    }

    /// A configuration that has nothing but the name of the object.
    pub fn named(&self) -> Value {
        let mut metadata = json!({"name": self.current["metadata"]["name"]});
        if let Some(namespace) = self.current["metadata"].get("namespace") {
            metadata["namespace"] = namespace.clone();
        }
        json!({"apiVersion": self.current["apiVersion"], "kind": self.current["kind"], "metadata": metadata})
    }

    /// A configuration without some of what is in another one.
    pub fn fewer(&mut self, configuration: &Value) -> Value {
        let mut left = configuration.clone();
        let names: Vec<String> =
            left.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        for name in names.iter().filter(|name| !NAMES.contains(&name.as_str())) {
            self.drop_some(&mut left[name.as_str()], 3);
        }
        for name in METADATA {
            if let Some(of_metadata) = left["metadata"].get_mut(name) {
                self.drop_some(of_metadata, 2);
            }
        }
        left
    }

    /// Drops members of objects, but no more than one of `often`; items of lists as well.
    fn drop_some(&mut self, value: &mut Value, often: usize) {
        match value {
            Value::Object(members) => {
                members.retain(|_, _| self.dice.below(often) > 0);
                members.values_mut().for_each(|value| self.drop_some(value, often + 3));
            }
            Value::Array(items) => items.retain(|_| self.dice.below(often) > 0),
            _ => {}
        }
    }

    fn metadata(&mut self, made: &mut Value) {
        let value = format!("v{}", self.dice.below(3));
        let key = format!("key-{}", self.dice.below(3));
        match self.dice.below(7) {
            0 => made["metadata"]["labels"] = json!({key: value}),
            1 => made["metadata"]["annotations"] = json!({key: value}),
            2 => made["metadata"]["labels"] = json!({key: null}),
            3 => made["metadata"]["finalizers"] = json!([format!("example.com/{value}"), "example.com/x"]),
            4 => {
                for name in METADATA {
                    if let Some(found) = self.current["metadata"].get(name) {
                        made["metadata"][name] = found.clone();
                    }
                }
            }
            5 => {
                made["metadata"]["labels"] = json!({key: value, "both": "x"});
                made["metadata"]["annotations"] = json!({"both": value});
            }
            _ => {}
        }
    }

    /// A part of a member; `None` if there is none, or its type does not know it.
    fn member(&mut self, of: Described, name: &str, value: &Value) -> Option<Value> {
        let position = of.position(name)?;
        let field = &of.fields[position];
        if field.facts.until().is_some() {
            return None;
        }
        let (ty, facts) = (field.ty.clone(), field.facts.clone());
        self.value(&ty, &facts, value)
    }

    fn value(&mut self, ty: &Type, facts: &Facts, value: &Value) -> Option<Value> {
        let is_atomic = facts.contains(&Fact::Atomic) || matches!(facts.list_type(), Some(ListType::Atomic));
        match (ty, value) {
            (_, value) if is_atomic => Some(value.clone()),
            (Type::Struct(inner), Value::Object(members)) => {
                let inner = inner.descriptor();
                Some(self.members(|make, name, value| make.member(inner.clone(), name, value), members))
            }
            (Type::Map(node), Value::Object(members)) => {
                let node = node.clone();
                Some(self.members(|make, _, value| make.value(&node.ty, &node.facts, value), members))
            }
            (Type::List(node), Value::Array(items)) => {
                let keys: Vec<String> = facts.keys().iter().map(str::to_owned).collect();
                let node = node.clone();
                let mut made = Vec::new();
                for item in items {
                    if self.dice.below(4) == 0 {
                        continue;
                    }
                    let part = match item {
                        Value::Object(_) if keys.is_empty() => item.clone(),
                        Value::Object(members) => {
                            let mut part = self.value(&node.ty, &node.facts, item)?;
                            for key in &keys {
                                if let Some(value) = members.get(key) {
                                    part[key.as_str()] = value.clone();
                                }
                            }
                            part
                        }
                        scalar => scalar.clone(),
                    };
                    made.push(part);
                }
                if made.len() > 1 && self.dice.below(4) == 0 {
                    made.reverse();
                }
                Some(Value::Array(made))
            }
            (_, value) => Some(self.scalar(ty, value)),
        }
    }

    /// Some of the members, each of which `part` makes.
    fn members(
        &mut self,
        mut part: impl FnMut(&mut Self, &str, &Value) -> Option<Value>,
        members: &Map<String, Value>,
    ) -> Value {
        let mut made = Map::new();
        for (name, value) in members {
            if self.dice.below(3) > 0
                && let Some(value) = part(self, name, value)
            {
                made.insert(name.clone(), value);
            }
        }
        Value::Object(made)
    }

    fn scalar(&mut self, ty: &Type, value: &Value) -> Value {
        match (ty, value, self.dice.below(12)) {
            (Type::Int32 | Type::Int64, Value::Number(_), 0) => json!(1 + self.dice.below(3)),
            (Type::Bool, Value::Bool(was), 0) => json!(!was),
            (Type::String, Value::String(_), 0) => json!(["a", "b"][self.dice.below(2)]),
            (_, _, 1) => Value::Null,
            (_, value, _) => value.clone(),
        }
    }
}
