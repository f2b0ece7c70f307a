use std::fmt;

use super::identity::{Identity, Operation};
use super::manager::Manager;
use crate::fields::{Element, Set};

/// A field that a configuration would change, and that another manager owns.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The manager.
    pub manager: Identity,
    /// The field, at the version of that manager.
    pub path: Vec<Element>,
}

impl Conflict {
    /// The path as upstream tells it: `.spec.containers[name="web"].image`.
    pub fn field(&self) -> String {
        self.path.iter().map(ToString::to_string).collect()
    }

    /// The manager as upstream tells it: `"web" with subresource "status" using apps/v1`.
    pub fn owner(&self) -> String {
        owner(&self.manager)
    }
}

fn owner(Identity { manager, operation, api_version, subresource }: &Identity) -> String {
    let mut told = format!("{manager:?}");
    if !subresource.is_empty() {
        told = format!("{told} with subresource {subresource:?}");
    }
    match operation {
        Operation::Apply => told,
        Operation::Update => format!("{told} using {api_version}"),
    }
}

/// All conflicts of a configuration, by manager.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conflicts(pub Vec<Conflict>);

impl Conflicts {
    pub(super) fn add(&mut self, manager: &Manager, fields: &Set) {
        self.0.extend(fields.paths().map(|path| Conflict {
            manager: manager.identity.clone(),
            path: path.into_iter().cloned().collect(),
        }));
    }

    pub(super) fn sorted(mut self) -> Self {
        self.0.sort_by_cached_key(|conflict| conflict.manager.to_text());
        self
    }
}

/// The message as upstream words it.
impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [one] = &self.0[..] {
            return write!(f, "Apply failed with 1 conflict: conflict with {}: {}", one.owner(), one.field());
        }
        write!(f, "Apply failed with {} conflicts: ", self.0.len())?;
        let mut before: Option<&Identity> = None;
        for conflict in &self.0 {
            if before != Some(&conflict.manager) {
                let line = if before.is_some() { "\n" } else { "" };
                write!(f, "{line}conflicts with {}:", conflict.owner())?;
                before = Some(&conflict.manager);
            }
            write!(f, "\n- {}", conflict.field())?;
        }
        Ok(())
    }
}
