//! Generates the steps of a sequence: configurations that managers apply, between other writes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::configuration::Configurations;
use crate::dice::Dice;
use crate::differential::ask::owners::generate::{Maker, Version};

/// Makes steps, the same for the same seed and the same objects.
pub struct Steps {
    dice: Dice,
    /// The number of managers that apply.
    managers: usize,
    others: Maker,
    /// What each manager has applied last, by version and subresource.
    applied: BTreeMap<(String, String), Value>,
}

impl Steps {
    pub fn new(seed: u64, versions: Vec<Version>) -> Self {
        let mut dice = Dice::new(seed.wrapping_add(77));
        let managers = 2 + dice.below(5);
        Self { dice, managers, others: Maker::new(seed, versions), applied: BTreeMap::new() }
    }

    /// One of the versions.
    pub fn version(&mut self) -> Version {
        self.others.version().clone()
    }

    /// The first step: the object is created by an apply, or otherwise.
    pub fn create(&mut self, version: &Version, name: &str, object: &Value) -> Value {
        if self.dice.below(2) == 0 {
            return self.others.create(version, object);
        }
        let path = format!("{}/{name}", version.collection);
        self.apply(version, &path, object.clone())
    }

    /// Any other step.
    pub fn step(&mut self, version: &Version, path: &str, current: &Value) -> Value {
        if self.dice.below(4) == 0 {
            return self.others.step(version, path, current);
        }
        let subresources = version.entry.resource.as_ref().map(|resource| &resource.subresources);
        let has_status = subresources.is_some_and(|parts| parts.iter().any(|part| part.name == "status"));
        let of_status = has_status && self.dice.below(6) == 0;
        let path = if of_status { format!("{path}/status") } else { path.to_owned() };
        let manager = self.manager();
        let before = self.applied.get(&(manager.clone(), version.entry.api_version() + &path)).cloned();
        let of = version.entry.descriptor().share();
        let choice = self.dice.below(6);
        let mut make = Configurations { dice: &mut self.dice, of: &of, current };
        let configuration = match (before, choice) {
            (Some(before), 0) => before,
            (Some(before), 1 | 2) => make.fewer(&before),
            (Some(_), 3) => make.named(),
            _ => make.make(of_status),
        };
        let mut step = self.apply(version, &path, configuration.clone());
        step["manager"] = manager.clone().into();
        if self.dice.below(20) == 0 {
            step["dry"] = true.into();
        } else {
            self.applied.insert((manager, version.entry.api_version() + &path), configuration);
        }
        step
    }

    fn manager(&mut self) -> String {
        // Names that other writes have, too, and that of kubectl, which has a meaning of its own.
        match self.dice.below(self.managers) {
            5 => "kubectl".to_owned(),
            number => format!("manager-{number}"),
        }
    }

    fn apply(&mut self, version: &Version, path: &str, configuration: Value) -> Value {
        let mut step = json!({
            "verb": "apply", "version": version.entry.api_version(), "path": path, "change": configuration,
            "manager": self.manager(),
        });
        if self.dice.below(5) < 2 {
            step["force"] = true.into();
        }
        step
    }
}
