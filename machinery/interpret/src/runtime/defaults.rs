//! Converts defaults of the model to tables.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hubgen_kubernetes_functions::defaults as functions;
use hubgen_machinery::defaults::{BelowDef, Condition, DefaultStep, Is, TableDef, Tables};
use hubgen_machinery::storage::Owned;
use hubgen_model::defaults::{self, Defaults};
use hubgen_model::{Api, Type, TypeId};

use super::SnapshotError;

/// Builds the tables of the roots and all types below them, and the index of each. Each version of
/// a type has a separate table, even if the type is shared. Types of hubs have none, because hubs
/// are never defaulted.
pub(super) fn make(
    api: &Api,
    defaults: &Defaults,
    roots: &[&TypeId],
) -> Result<(Arc<Tables>, HashMap<TypeId, usize>), SnapshotError> {
    let mut maker = Maker {
        api,
        defaults,
        has: defaults.types_with_defaults(api),
        positions: HashMap::new(),
        open: Vec::new(),
    };
    for root in roots {
        maker.position(root);
    }
    let mut definitions = Vec::new();
    while let Some(id) = maker.open.get(definitions.len()).cloned() {
        let ty = api.find(&id).ok_or(SnapshotError::NoSuchType(id))?;
        definitions.push(maker.table(ty)?);
    }
    Ok((Tables::new(definitions), maker.positions))
}

struct Maker<'a> {
    api: &'a Api,
    defaults: &'a Defaults,
    has: HashSet<&'a TypeId>,
    positions: HashMap<TypeId, usize>,
    /// The types in the order of their indices.
    open: Vec<TypeId>,
}

impl Maker<'_> {
    /// The index of the table of a type, assigned if necessary; `None` if neither the type nor any
    /// type below it has a default.
    fn position(&mut self, id: &TypeId) -> Option<usize> {
        if !self.has.contains(id) {
            return None;
        }
        if let Some(position) = self.positions.get(id) {
            return Some(*position);
        }
        let position = self.open.len();
        self.positions.insert(id.clone(), position);
        self.open.push(id.clone());
        Some(position)
    }

    fn table(&mut self, ty: &Type) -> Result<TableDef, SnapshotError> {
        let steps =
            self.defaults.steps(ty).map(|step| self.step(ty, &step)).collect::<Result<Vec<_>, _>>()?;
        let mut below = Vec::new();
        for (index, field) in ty.fields().iter().enumerate() {
            if let Some(table) = field.ty.named().and_then(|id| self.position(id)) {
                below.push(BelowDef { field: field.name.clone(), index, table });
            }
        }
        Ok(TableDef { steps, below })
    }

    fn step(&self, ty: &Type, step: &defaults::DefaultStep) -> Result<DefaultStep<Owned>, SnapshotError> {
        Ok(match step {
            defaults::DefaultStep::Call(name) => {
                let found = functions::find(name).ok_or_else(|| SnapshotError::NoSuchFunction {
                    of: ty.id.clone(),
                    function: name.clone(),
                })?;
                DefaultStep::Call(found.function)
            }
            defaults::DefaultStep::Set { path, value, when } => DefaultStep::Set {
                field: path.join("."),
                path: self.positions_of(ty, path)?,
                value: value.to_string(),
                when: when.iter().map(|one| self.condition(ty, one)).collect::<Result<_, _>>()?,
            },
        })
    }

    fn condition(&self, ty: &Type, one: &defaults::Condition) -> Result<Condition<Owned>, SnapshotError> {
        Ok(Condition {
            field: one.path.join("."),
            path: self.positions_of(ty, &one.path)?,
            is: match &one.is {
                defaults::Is::Set => Is::Set,
                defaults::Is::Unset => Is::Unset,
                defaults::Is::OneOf(words) => Is::OneOf(words.clone()),
                defaults::Is::NoneOf(words) => Is::NoneOf(words.clone()),
            },
        })
    }

    fn positions_of(&self, ty: &Type, path: &[String]) -> Result<Vec<usize>, SnapshotError> {
        let missing = || SnapshotError::NoSuchField { of: ty.id.clone(), path: path.join(".") };
        self.api.positions(ty, path).ok_or_else(missing)
    }
}
