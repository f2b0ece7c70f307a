use std::rc::Rc;

use hubgen_machinery::Str;
use hubgen_machinery::reflect::Described;
use hubgen_machinery::scalar::Time;
use serde_json::Value;

use super::identity::{Identity, Operation};
use super::manager::{Manager, Managers};
use super::unowned::UNOWNED;
use crate::fields::Set;
use crate::typed::{Comparison, TypedError, check, compare, reconcile};

/// An object at one version of its kind, before and after a write.
#[derive(Clone, Debug)]
pub struct Versioned {
    /// The type.
    pub of: Described,
    /// The object before; one without values if it is new.
    pub old: Value,
    /// The object after.
    pub new: Value,
    /// The fields that the write leaves as they are, whatever the client sends: the status, if the object itself is written.
    pub reset: Set,
}

/// The object of a write, at each version of its kind.
pub trait Versions {
    /// Why the object cannot be had at a version.
    type Error: From<TypedError>;

    /// The object at a version; `None` if there is no such version.
    ///
    /// # Errors
    /// If it cannot be converted.
    fn at(&mut self, api_version: &str) -> Result<Option<Rc<Versioned>>, Self::Error>;
}

/// A write: who writes, at which version, and when.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// The name of the manager.
    pub manager: &'a str,
    /// The version of the request.
    pub api_version: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The time of the write.
    pub now: Time,
}

/// What a write changes, at each version that somebody asks for.
pub struct Changes<'v, V> {
    write: Write<'v>,
    versions: V,
    found: Vec<(Str, Option<Rc<Compared>>)>,
}

pub(super) struct Compared {
    object: Rc<Versioned>,
    pub(super) comparison: Comparison,
    /// What is added or modified.
    pub(super) changed: Set,
}

impl<'v, V: Versions> Changes<'v, V> {
    /// The changes of a write to the object.
    pub fn of(write: Write<'v>, versions: V) -> Self {
        Self { write, versions, found: Vec::new() }
    }

    /// Whether nothing that somebody can own changes at the version of the request.
    ///
    /// # Errors
    /// If the object cannot be had at this version, or its lists cannot be compared.
    pub fn are_none(&mut self) -> Result<bool, V::Error> {
        let at = self.at(self.write.api_version)?;
        let is_unowned = |set: &Set| set.difference(&UNOWNED).is_empty();
        Ok(at.is_none_or(|at| is_unowned(&at.changed) && is_unowned(&at.comparison.removed)))
    }

    pub(super) fn at(&mut self, api_version: &str) -> Result<Option<Rc<Compared>>, V::Error> {
        if let Some((_, found)) = self.found.iter().find(|(version, _)| version == api_version) {
            return Ok(found.clone());
        }
        let found = match self.versions.at(api_version)? {
            Some(object) => Some(Rc::new(self.compared(api_version, object)?)),
            None => None,
        };
        self.found.push((api_version.into(), found.clone()));
        Ok(found)
    }

    /// Compares the object at a version. Like upstream, it may have duplicates at the version of the request only.
    fn compared(&self, api_version: &str, object: Rc<Versioned>) -> Result<Compared, TypedError> {
        let allows_duplicates = api_version == self.write.api_version;
        let Versioned { of, old, new, reset } = &*object;
        check(of, new, allows_duplicates)?;
        check(of, old, allows_duplicates)?;
        let comparison = compare(of, old, new)?.without(reset);
        let changed = comparison.modified.union(&comparison.added);
        Ok(Compared { object, comparison, changed })
    }
}

impl Managers {
    /// Notes a write that is no apply. The manager owns what it has added or changed, together with what it owned before;
    /// nobody owns what was changed or removed by another, and managers that own nothing any more are left out, as are those
    /// of versions that do not exist. If nothing has changed, no time does.
    ///
    /// # Errors
    /// If the object cannot be had at the version of a manager, or its lists cannot be compared there. The managers may
    /// have changed then.
    pub fn update<V: Versions>(&mut self, changes: &mut Changes<'_, V>) -> Result<(), V::Error> {
        let mut kept = Vec::new();
        for mut manager in std::mem::take(&mut self.0) {
            let Some(at) = changes.at(&manager.api_version)? else { continue };
            if let Some(reconciled) = reconcile(&at.object.of, &manager.fields) {
                manager.fields = reconciled;
            }
            manager.fields = manager.fields.difference(&at.changed).difference(&at.comparison.removed);
            if !manager.fields.is_empty() {
                kept.push(manager);
            }
        }
        self.0 = kept;
        let Some(at) = changes.at(changes.write.api_version)? else { return Ok(()) };
        let fields = at.changed.difference(&UNOWNED);
        if !fields.is_empty() {
            self.own(changes.write, fields);
        }
        self.cap();
        Ok(())
    }

    /// Adds fields to those of the manager that writes.
    fn own(&mut self, write: Write<'_>, fields: Set) {
        let identity = Identity {
            manager: if write.manager.is_empty() { "unknown" } else { write.manager }.into(),
            operation: Operation::Update,
            api_version: write.api_version.into(),
            subresource: write.subresource.into(),
        };
        let time = Some(write.now);
        match self.of(&identity) {
            Some(found) => {
                found.fields = fields.union(&found.fields);
                found.time = time;
            }
            None => {
                let api_version = Str::from(write.api_version);
                self.0.push(Manager { identity, api_version, time, fields });
            }
        }
    }
}
