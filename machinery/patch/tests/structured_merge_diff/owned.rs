//! Objects and managers at the versions of a case.

use std::rc::Rc;

use hubgen_patch::fields::Set;
use hubgen_patch::owners::{Kind, Kinds, Manager, Managers, Versioned, Versions};
use hubgen_patch::typed::TypedError;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::convert::{self, NotConvertible};
use super::types::Root;
use super::{Schemas, set, text};

/// An operation on an object that has owners.
pub(crate) struct Case<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) case: &'a Value,
}

/// Why an object cannot be had at a version.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Typed(#[from] TypedError),
    #[error(transparent)]
    NotConvertible(#[from] NotConvertible),
}

impl Case<'_> {
    /// The version of the request.
    pub(crate) fn version(&self) -> &str {
        self.case["version"].as_str().unwrap()
    }

    /// The type at a version; `None` if there is no such version.
    fn root(&self, version: &str) -> Option<Root> {
        let mut missing = self.case["missing"].as_array().into_iter().flatten();
        let of = &self.case["of"];
        let name = convert::type_at(self.case, of[1].as_str().unwrap(), version);
        (!missing.any(|missing| missing == version)).then(|| self.schemas.root(&json!([of[0], name])))
    }

    /// The managers before the request.
    pub(crate) fn managers(&self) -> Managers {
        let mut managers = Managers::default();
        for (name, of) in self.case["managers"].as_object().unwrap() {
            let version = of["version"].as_str().unwrap();
            let fields = self.root(version).map_or_else(|| of["set"].clone(), |root| root.set(&of["set"]));
            let operation = if of["applied"] == true { "Apply" } else { "Update" };
            let fields = fields.to_string();
            let manager = Manager::of_entry(name, operation, version, "", "FieldsV1", Some(&fields));
            managers.add(manager.unwrap());
        }
        managers
    }

    /// The managers after the request in upstream, as [`shown`] shows ours.
    pub(crate) fn after(&self) -> Value {
        let shown = |(name, of): (&String, &Value)| {
            let root = self.root(of["version"].as_str().unwrap()).unwrap();
            let fields = text(&set(&root.set(&of["set"])));
            (name.clone(), json!({"version": of["version"], "applied": of["applied"], "set": fields}))
        };
        Value::Object(self.case["after"].as_object().unwrap().iter().map(shown).collect())
    }

    fn reset(&self, root: &Root, version: &str) -> Set {
        let ignored = self.case["ignored"].get(version);
        ignored.map_or(Set::EMPTY, |ignored| set(&root.set(ignored)))
    }
}

/// The managers by their names.
pub(crate) fn shown(managers: Managers) -> Value {
    let mut all = Map::new();
    for manager in managers.into_sorted() {
        let applied = manager.identity.operation.as_str() == "Apply";
        let fields = text(&manager.fields);
        let entry = json!({"version": manager.api_version.as_str(), "applied": applied, "set": fields});
        assert!(
            all.insert(manager.identity.manager.to_string(), entry).is_none(),
            "managers have one name each"
        );
    }
    Value::Object(all)
}

/// The object of an update at each version.
impl Versions for &Case<'_> {
    type Error = Error;

    fn at(&mut self, version: &str) -> Result<Option<Rc<Versioned>>, Error> {
        let Some(root) = self.root(version) else { return Ok(None) };
        let at = |object: &str| {
            let object = convert::converted(self.case, &self.case[object], self.version(), version)?;
            Ok::<_, NotConvertible>(root.whole(&object))
        };
        let (old, new, reset) = (at("object")?, at("with")?, self.reset(&root, version));
        Ok(Some(Rc::new(Versioned { of: root.of, old, new, reset })))
    }
}

/// The object of an apply.
impl Kinds for &Case<'_> {
    type Error = Error;

    fn kind(&mut self, version: &str) -> Option<Rc<Kind>> {
        let root = self.root(version)?;
        let reset = self.reset(&root, version);
        Some(Rc::new(Kind { of: root.of, empty: json!({}), reset }))
    }

    fn convert(&mut self, object: &Value, from: &str, to: &str) -> Result<Value, Error> {
        let [before, after] = [from, to].map(|version| self.root(version).unwrap());
        let object = convert::converted(self.case, &before.unwrapped(object), from, to)?;
        Ok(after.object(&object))
    }
}
