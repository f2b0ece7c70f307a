//! Tracks the fields that the rules of a pair of types cover: each field must be covered exactly
//! once.

use std::collections::BTreeSet;

use hubgen_model::rules::Rule;

use super::ResolvedPath;
use super::locate::paths;
use super::lower::Lowered;
use super::ops::{Each, First, Op};

/// The fields that rules cover.
#[derive(Default)]
pub(super) struct Claims {
    pub(super) version: BTreeSet<Vec<String>>,
    pub(super) hub: BTreeSet<Vec<String>>,
    /// Lists of the hub of which an element is a field of the version.
    pub(super) elements: BTreeSet<Vec<String>>,
    /// Fields of the hub that are kept.
    pub(super) kept: BTreeSet<Vec<String>>,
}

#[derive(PartialEq)]
pub(super) enum Claim {
    None,
    Parts,
    Whole,
}

pub(super) fn state(claimed: &BTreeSet<Vec<String>>, path: &[String]) -> Claim {
    if claimed.contains(path) {
        Claim::Whole
    } else if claimed.iter().any(|other| other.starts_with(path)) {
        Claim::Parts
    } else {
        Claim::None
    }
}

impl Claims {
    pub(super) fn version_state(&self, path: &[String]) -> Claim {
        state(&self.version, path)
    }

    pub(super) fn hub_state(&self, path: &[String]) -> Claim {
        state(&self.hub, path)
    }

    /// Records the fields that a rule covers.
    ///
    /// # Errors
    /// The field that another rule already covers.
    pub(super) fn take(&mut self, lowered: &Lowered) -> Result<(), String> {
        let names = |place: &ResolvedPath| place.0.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        match lowered {
            // A list may be kept and also have an element that is a field.
            Lowered::Ops { from_hub: Some(Op::FromElement { list, element, .. }), .. } => {
                claim(&mut self.version, names(&element.field))?;
                self.elements.insert(names(list));
                if self.kept.contains(&names(list)) { Ok(()) } else { claim(&mut self.hub, names(list)) }
            }
            Lowered::Ops { .. } => {
                let (version, hub) = lowered.sides();
                version.into_iter().try_for_each(|place| claim(&mut self.version, names(place)))?;
                hub.into_iter().try_for_each(|place| claim(&mut self.hub, names(place)))
            }
            Lowered::First(_, First { field, .. }) | Lowered::Each(_, Each { field, .. }) => {
                claim(&mut self.version, names(field))
            }
            // Other rules cover the fields in it.
            Lowered::Always(_) | Lowered::EmptyIsAbsent(_) => Ok(()),
            // A type may be used by several fields, each with an annotation.
            Lowered::Kept(hub) => {
                let fresh = self.kept.insert(names(hub));
                if fresh && !self.elements.contains(&names(hub)) {
                    claim(&mut self.hub, names(hub))
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Records the paths of an invalid rule as covered.
    pub(super) fn take_paths(&mut self, rule: &Rule, depth: usize) {
        // The other rules for the list stay valid.
        if let Rule::Hoist { field, .. } | Rule::Head { field, .. } = rule {
            self.version.insert(field.0[depth..].to_vec());
            return;
        }
        // It covers nothing.
        if matches!(rule, Rule::EmptyIsAbsent { .. }) {
            return;
        }
        for path in paths(rule) {
            self.version.insert(path[depth..].to_vec());
            self.hub.insert(path[depth..].to_vec());
        }
        if let Rule::Element { list, .. } = rule {
            self.elements.insert(list.0[depth..].to_vec());
        }
    }
}

fn claim(claimed: &mut BTreeSet<Vec<String>>, path: Vec<String>) -> Result<(), String> {
    let taken = claimed.iter().any(|other| other.starts_with(&path) || path.starts_with(other));
    let text = path.join(".");
    claimed.insert(path);
    if taken { Err(text) } else { Ok(()) }
}
