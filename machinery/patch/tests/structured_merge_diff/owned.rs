//! Objects and managers at the versions of a case.

use std::rc::Rc;

use hubgen_patch::fields::Set;
use hubgen_patch::owners::{Manager, Managers, Versioned, Versions};
use hubgen_patch::typed::TypedError;
use serde_json::{Map, Value, json};

use super::types::Root;
use super::{Schemas, set, text};

/// What a case contains of the object that is written.
pub struct Case<'a> {
    pub schemas: &'a Schemas,
    pub case: &'a Value,
}

impl Case<'_> {
    /// An object at a version, and its type; `None` if there is no such version. Most cases have one object at all versions.
    pub fn converted(&self, object: &Value, version: &str) -> Option<(Root, Value)> {
        let known = self.case["conversions"].as_array().into_iter().flatten();
        let mut known = known.filter(|known| known["version"] == version);
        let same = |known: &&Value| known["object"] == *object;
        match known.find(same) {
            Some(known) if known["missing"] == true => None,
            Some(known) => Some((self.schemas.root(&known["of"]), known["result"].clone())),
            None => Some((self.schemas.root(&self.case["of"]), object.clone())),
        }
    }

    /// The version of the request.
    pub fn version(&self) -> &str {
        self.case["version"].as_str().unwrap()
    }

    /// The managers before the request, at each version with the fields of the types there.
    pub fn managers(&self) -> Managers {
        let mut managers = Managers::default();
        for (name, of) in self.case["managers"].as_object().unwrap() {
            let version = of["version"].as_str().unwrap();
            let root = self.converted(&self.case["object"], version).map(|(root, _)| root);
            let fields = root.map_or_else(|| of["set"].clone(), |root| root.set(&of["set"]));
            let operation = if of["applied"] == true { "Apply" } else { "Update" };
            managers.add(
                Manager::of_entry(name, operation, version, "", "FieldsV1", Some(&fields.to_string()))
                    .unwrap(),
            );
        }
        managers
    }

    /// What upstream says of the managers after the request, as [`shown`] shows ours.
    pub fn after(&self) -> Value {
        let mut all = Map::new();
        for (name, of) in self.case["after"].as_object().unwrap() {
            let of_version = self.converted(&self.case["object"], of["version"].as_str().unwrap());
            let fields = of_version.map_or_else(|| of["set"].clone(), |(root, _)| root.set(&of["set"]));
            let entry =
                json!({"version": of["version"], "applied": of["applied"], "set": text(&set(&fields))});
            all.insert(name.clone(), entry);
        }
        Value::Object(all)
    }
}

/// The managers by their names.
pub fn shown(managers: Managers) -> Value {
    let mut all = Map::new();
    for manager in managers.into_sorted() {
        let applied = manager.identity.operation.as_str() == "Apply";
        let entry = json!({"version": manager.api_version.as_str(), "applied": applied, "set": text(&manager.fields)});
        assert!(
            all.insert(manager.identity.manager.to_string(), entry).is_none(),
            "managers have one name each"
        );
    }
    Value::Object(all)
}

/// The object of an update at each version.
impl Versions for &Case<'_> {
    type Error = TypedError;

    fn at(&mut self, version: &str) -> Result<Option<Rc<Versioned>>, TypedError> {
        let [old, new] = ["object", "with"].map(|object| self.converted(&self.case[object], version));
        let (Some((root, old)), Some((_, new))) = (old, new) else { return Ok(None) };
        let ignored = self.case["ignored"].get(version);
        let reset = ignored.map_or(Set::EMPTY, |ignored| set(&root.set(ignored)));
        let object = |object: &Value| {
            if object.is_null() && !root.is_wrapped() { json!({}) } else { root.object(object) }
        };
        Ok(Some(Rc::new(Versioned { old: object(&old), new: object(&new), of: root.of.clone(), reset })))
    }
}
