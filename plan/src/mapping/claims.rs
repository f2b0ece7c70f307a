//! Which fields the rules of a pair of types cover, so that none is covered
//! twice and none is forgotten.

use std::collections::BTreeSet;

use hubgen_model::rules::Rule;

use super::locate::paths;
use crate::{Link, Place};

/// Which fields some rule speaks of.
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

    /// # Errors
    /// The field that another rule has already.
    pub(super) fn take(&mut self, link: &Link) -> Result<(), String> {
        let names = |place: &Place| place.0.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        match link {
            Link::Copy { version, hub, .. } => {
                claim(&mut self.version, names(version))?;
                claim(&mut self.hub, names(hub))
            }
            Link::Constant { version, .. } | Link::Hoist { version, .. } | Link::Head { version, .. } => {
                claim(&mut self.version, names(version))
            }
            // Other rules say what is in it.
            Link::Always { .. } => Ok(()),
            Link::Function { version, hub, .. } => {
                version.iter().try_for_each(|place| claim(&mut self.version, names(place)))?;
                hub.iter().try_for_each(|place| claim(&mut self.hub, names(place)))
            }
            Link::Tag { hub, .. } => claim(&mut self.hub, names(hub)),
            Link::Split { version, number, name } => {
                claim(&mut self.version, names(version))?;
                claim(&mut self.hub, names(number))?;
                claim(&mut self.hub, names(name))
            }
            // A list may be kept and show an element.
            Link::Element { version, list, .. } => {
                claim(&mut self.version, names(version))?;
                self.elements.insert(names(list));
                if self.kept.contains(&names(list)) { Ok(()) } else { claim(&mut self.hub, names(list)) }
            }
            // A type may be in several places, each with an annotation.
            Link::Kept { hub } => {
                let fresh = self.kept.insert(names(hub));
                if fresh && !self.elements.contains(&names(hub)) {
                    claim(&mut self.hub, names(hub))
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Claims the paths of a rule that is wrong.
    pub(super) fn take_paths(&mut self, rule: &Rule, depth: usize) {
        // What else is said of the list holds.
        if let Rule::Hoist { field, .. } | Rule::Head { field, .. } = rule {
            self.version.insert(field.0[depth..].to_vec());
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
