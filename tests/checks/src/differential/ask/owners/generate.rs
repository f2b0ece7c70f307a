//! Generates the steps of a sequence: who writes what, at which version, and how.

use std::sync::Arc;

use hubgen_kubernetes::machinery::reflect::{Described, Type};
use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::differential::ask::patches::generate::generate;

const JSON: &str = "application/json-patch+json";
const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// A version of a kind, and the path of its collection.
#[derive(Clone)]
pub struct Version {
    pub entry: Arc<KindEntry>,
    pub collection: String,
}

/// Makes steps, the same for the same seed and the same objects.
pub struct Maker {
    seed: u64,
    dice: Dice,
    versions: Vec<Version>,
}

impl Maker {
    pub fn new(seed: u64, versions: Vec<Version>) -> Self {
        Self { seed, dice: Dice::new(seed), versions }
    }

    /// One of the versions.
    pub fn version(&mut self) -> &Version {
        let at = self.dice.below(self.versions.len());
        &self.versions[at]
    }

    /// Creates an object, of which the client may know who owns something.
    pub fn create(&mut self, version: &Version, object: &Value) -> Value {
        let mut object = object.clone();
        match self.dice.below(12) {
            0 => object["metadata"]["managedFields"] = json!([]),
            1 => {
                object["metadata"]["managedFields"] = json!([{
                    "manager": "before", "operation": "Update", "apiVersion": version.entry.api_version(),
                    "time": "2001-02-03T04:05:06Z", "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:metadata": {"f:annotations": {"f:gone": {}}}, "f:spec": {".": {}}},
                }]);
            }
            _ => {}
        }
        self.by(json!({
            "verb": "create", "version": version.entry.api_version(), "path": version.collection, "change": object,
        }))
    }

    /// A step of many: each is of another manager.
    pub fn crowded(&mut self, version: &Version, path: &str, number: u64) -> Value {
        let label = format!("label-{}", number % 12);
        let change = json!({"metadata": {"labels": {label: format!("v{number}")}}});
        json!({
            "verb": "patch", "version": version.entry.api_version(), "path": path, "media": MERGE, "change": change,
            "manager": format!("manager-{number}"), "owners": "earlier",
        })
    }

    /// Any other step: what changes, how it is sent, and what the client makes of the owners.
    pub fn step(&mut self, version: &Version, path: &str, current: &Value) -> Value {
        self.seed = self.seed.wrapping_add(1_000_003);
        let of = version.entry.descriptor().share();
        let subresources = version.entry.resource.as_ref().map(|resource| &resource.subresources);
        let has_status = subresources.is_some_and(|parts| parts.iter().any(|part| part.name == "status"));
        let of_status = has_status && self.dice.below(5) == 0;
        let path = if of_status { format!("{path}/status") } else { path.to_owned() };
        let (media, change) = self.change(current, &of, of_status);
        let owners = [
            "in order",
            "in order",
            "in order",
            "kept",
            "",
            "",
            "",
            "emptied",
            "blank",
            "wrong",
            "unknown version",
        ];
        let owners = owners[self.dice.below(owners.len())];
        let is_update = media != STRATEGIC && self.dice.below(3) == 0;
        let mut step = json!({
            "verb": if is_update { "update" } else { "patch" }, "version": version.entry.api_version(), "path": path,
            "media": media, "change": change,
        });
        if !owners.is_empty() {
            step["owners"] = owners.into();
        }
        if self.dice.below(20) == 0 {
            step["dry"] = true.into();
        }
        self.by(step)
    }

    /// A change of the object, or of its status.
    fn change(&mut self, current: &Value, of: &Described, of_status: bool) -> (&'static str, Value) {
        let metadata = |name: &str, value: Value| json!({"metadata": {name: value}});
        let value = format!("v{}", self.dice.below(3));
        if of_status {
            return match self.dice.below(4) {
                0 => (MERGE, metadata("annotations", json!({"of-status": value}))),
                1 => (MERGE, metadata("labels", json!({"of-status": value}))),
                2 if current["status"].as_object().is_some_and(|status| !status.is_empty()) => {
                    let made = generate(current, of, true, self.seed);
                    (made.media, made.patch)
                }
                _ => (MERGE, self.grown(of, "status").unwrap_or_else(|| json!({"status": {}}))),
            };
        }
        match self.dice.below(12) {
            0 => (MERGE, metadata("labels", json!({"one": value}))),
            1 => (MERGE, metadata("labels", json!({"one": null, "two": value}))),
            2 => (MERGE, metadata("annotations", json!({"one": value, "two": null}))),
            3 => (MERGE, metadata("annotations", Value::Null)),
            4 => (
                JSON,
                json!([{"op": "add", "path": "/metadata/finalizers", "value": ["example.com/a", format!("example.com/{value}")]}]),
            ),
            5 => {
                let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": value, "uid": format!("uid-{value}")}]);
                (JSON, json!([{"op": "add", "path": "/metadata/ownerReferences", "value": owner}]))
            }
            6 => (MERGE, json!({})),
            7 | 8 => (
                MERGE,
                self.grown(of, "spec").unwrap_or_else(|| json!({"metadata": {"labels": {"grown": value}}})),
            ),
            _ => {
                let made = generate(current, of, false, self.seed);
                (made.media, made.patch)
            }
        }
    }

    /// A merge patch that sets a scalar of a member of the object, or of an object in it.
    fn grown(&mut self, of: &Described, member: &str) -> Option<Value> {
        let mut path = vec![member.to_owned()];
        let mut at = of.named().iter().find(|field| field.name == *member)?.ty.descriptor()?;
        for _ in 0..8 {
            let (name, ty) = {
                // Only those that the newest release has.
                let fields: Vec<_> =
                    at.named().iter().filter(|field| field.facts.until().is_none()).collect();
                let field = *self.dice.one(&fields)?;
                (field.name.to_string(), field.ty.clone())
            };
            let value = match &ty {
                Type::Bool => json!(self.dice.below(2) == 0),
                Type::Int32 | Type::Int64 => json!(1 + self.dice.below(3)),
                Type::String => json!(["a", "b"][self.dice.below(2)]),
                Type::Struct(inner) => {
                    path.push(name);
                    at = inner.descriptor();
                    continue;
                }
                _ => continue,
            };
            path.push(name);
            return Some(path.into_iter().rev().fold(value, |inner, name| json!({name: inner})));
        }
        None
    }

    /// The step with somebody who takes it.
    fn by(&mut self, mut step: Value) -> Value {
        match self.dice.below(8) {
            0 => step["agent"] = "agent-one/v1.0 (linux/amd64)".into(),
            1 => step["agent"] = "agent two".into(),
            number => step["manager"] = format!("manager-{}", number % 3).into(),
        }
        step
    }
}
