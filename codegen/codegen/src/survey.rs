//! Counts how often objects contain the types that decisions are about.

use std::collections::BTreeMap;
use std::path::Path;

use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, boxes};
use hubgen_model::boxes::Place;
use hubgen_model::{Api, GroupVersion, Presence, Type, TypeExpr, TypeId};
use hubgen_plan::sharing::Sharing;
use serde_json::Value;

use crate::boxed::{Boxed, optional, target};
use crate::generate::{Inputs, read};
use crate::target::Target;

/// A type that is optional somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Its group; `core` for the core group.
    pub group: String,
    /// Its name.
    pub name: String,
    /// The size in bytes of its largest version.
    pub size: usize,
    /// What people decided; `None` for a small type.
    pub decision: Option<Place>,
    /// The fields that contain it.
    pub fields: usize,
    /// How many objects could contain it, counting those inside other objects.
    pub places: usize,
    /// How many of them do.
    pub present: usize,
}

/// Computes the sizes of all types that are optional somewhere, the largest first, and counts how
/// often objects contain them. Objects of unknown kinds are skipped.
///
/// # Errors
/// All errors in the schemas, rules and decisions' syntax.
pub fn survey(schemas: &Path, objects: &[Value]) -> Result<Vec<Surveyed>, Vec<Diagnostic>> {
    let Inputs { api, rules, written, .. } = read(schemas, &Carried::default(), &Target::kubernetes())?;
    let decisions = boxes::read(&schemas.join(boxes::FILE))?.map(|file| file.boxes()).unwrap_or_default();
    let plan = hubgen_plan::build(&api, &rules.rules).map_err(|problems| rules.diagnostics(problems))?;
    let types = plan.types(&api);
    let boxed = Boxed::find(types, &plan.sharing, &decisions, &written);
    let mut counter = Counter { api: &api, sharing: &plan.sharing, counts: BTreeMap::new() };
    objects.iter().for_each(|object| counter.root(object));
    let mut rows: Vec<Surveyed> = optional(types, &boxed, &decisions)
        .into_iter()
        .map(|((group, name), found)| {
            let (places, present) = counter.counts.get(&(group, name)).copied().unwrap_or_default();
            Surveyed {
                group: group.to_owned(),
                name: name.to_owned(),
                size: found.size,
                decision: found.decision,
                fields: found.fields,
                places,
                present,
            }
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.size));
    Ok(rows)
}

struct Counter<'a> {
    api: &'a Api,
    sharing: &'a Sharing,
    /// For each group and name: the places, and how many of them have a value.
    counts: BTreeMap<(&'a str, &'a str), (usize, usize)>,
}

impl<'a> Counter<'a> {
    /// Counts an object of a kind, or the items of a list.
    fn root(&mut self, object: &Value) {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let found =
            GroupVersion::parse(text("apiVersion")).and_then(|version| self.api.root(&version, text("kind")));
        if let Some(ty) = found {
            self.object(ty, object);
        } else if let Some(items) = object.get("items").and_then(Value::as_array) {
            items.iter().for_each(|item| self.root(item));
        }
    }

    fn object(&mut self, ty: &'a Type, object: &Value) {
        for field in ty.fields() {
            let value = object.get(&field.name).filter(|value| !value.is_null());
            if let Some(id) = target(self.sharing, field).filter(|_| field.presence != Presence::Value) {
                let key = (id.group_version.group_or_core(), id.name.as_str());
                let (places, present) = self.counts.entry(key).or_default();
                *places += 1;
                *present += usize::from(value.is_some());
            }
            if let Some(value) = value {
                self.value(&field.ty, value);
            }
        }
    }

    fn value(&mut self, ty: &'a TypeExpr, value: &Value) {
        match (ty, value) {
            (TypeExpr::Ref(id), Value::Object(_)) => self.named(id, value),
            (TypeExpr::List(inner), Value::Array(elements))
            | (TypeExpr::OrArray(inner), Value::Array(elements)) => {
                elements.iter().for_each(|element| self.value(inner, element));
            }
            (TypeExpr::Map(inner), Value::Object(members)) => {
                members.values().for_each(|member| self.value(inner, member));
            }
            (TypeExpr::OrBool(inner) | TypeExpr::OrArray(inner) | TypeExpr::OrStrings(inner), value) => {
                self.value(inner, value);
            }
            _ => {}
        }
    }

    fn named(&mut self, id: &'a TypeId, value: &Value) {
        if let Some(ty) = self.api.find(id) {
            self.object(ty, value);
        }
    }
}
