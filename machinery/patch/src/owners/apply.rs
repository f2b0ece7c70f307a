//! Server-side apply: what a configuration makes of an object, and of its managers.

use std::rc::Rc;

use hubgen_machinery::Str;
use serde_json::Value;
use thiserror::Error;

use super::conflicts::{Conflict, Conflicts};
use super::identity::{Identity, Operation};
use super::kinds::Kinds;
use super::last_applied::{self, KUBECTL};
use super::manager::{Manager, Managers};
use super::prune::prune;
use super::unowned::{UNOWNED, without_unowned};
use super::update::{Changes, Versioned, Versions, Write};
use crate::fields::equal;
use crate::typed::{TypedError, check, fields, merge, reconcile, validate, validate_but_duplicates};

/// The name under which the fields are owned that an object without owners has before its first apply.
const BEFORE: &str = "before-first-apply";

/// A configuration, and who applies it.
#[derive(Clone, Copy, Debug)]
pub struct Application<'a> {
    /// Who applies it, at which version and when.
    pub write: Write<'a>,
    /// The configuration, at that version.
    pub configuration: &'a Value,
    /// Whether it takes the fields that others own.
    pub force: bool,
}

/// Why a configuration is not applied.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ApplyError<E> {
    /// The version of the request does not exist.
    #[error("there is no such version")]
    NoVersion,
    /// The object is none of the type.
    #[error("{}", told(.0))]
    Live(Vec<TypedError>),
    /// The object is none of the type, and has no owners, so that its fields cannot be given to one.
    #[error("{}", told(.0))]
    Unowned(Vec<TypedError>),
    /// The configuration is none of the type.
    #[error("{}", told(.0))]
    Invalid(Vec<TypedError>),
    /// Others own fields that would change.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The object cannot be had at a version, or cannot be compared there.
    #[error(transparent)]
    Versions(#[from] E),
}

/// Errors as upstream tells them together.
fn told(errors: &[TypedError]) -> String {
    match errors {
        [one] => one.to_string(),
        all => all.iter().fold("errors:".to_owned(), |told, error| format!("{told}\n  {error}")),
    }
}

impl Application<'_> {
    /// The identity of the manager.
    fn identity(&self) -> Identity {
        let Write { manager, subresource, .. } = self.write;
        Identity {
            manager: manager.into(),
            operation: Operation::Apply,
            api_version: Str::new(),
            subresource: subresource.into(),
        }
    }
}

impl Managers {
    /// Applies a configuration to an object at the version of the request. The manager owns what the configuration has from
    /// then on, together with all others who own it and agree. What the manager has applied before, and does not apply
    /// now, is removed, unless somebody else owns it.
    ///
    /// Returns the object, or `None` if it stays as it is. Then no time changes, but the managers may. After an error they are
    /// those that they were.
    ///
    /// If `kubectl` applies, it takes the fields that its last client-side apply has set from everybody, and its annotation is
    /// kept current.
    ///
    /// # Errors
    /// If the configuration is none of the type, others own fields that would change, or the object cannot be had at the
    /// version of a manager.
    pub fn apply<K: Kinds>(
        &mut self,
        application: &Application<'_>,
        kinds: &mut K,
        object: &Value,
    ) -> Result<Option<Value>, ApplyError<K::Error>> {
        let Application { write, configuration, force } = *application;
        let mut applied = self.applied(application, force, kinds, object);
        if let Err(ApplyError::Conflicts(conflicts)) = &mut applied
            && write.manager == KUBECTL
            && let Some(kind) = kinds.kind(write.api_version)
            && let Some(allowed) = last_applied::fields_of(&kind.of, object, write.api_version)
        {
            conflicts.0.retain(|Conflict { path, .. }| !allowed.has(path));
            if conflicts.0.is_empty() {
                applied = self.applied(application, true, kinds, object);
            }
        }
        let (managers, mut new) = applied?;
        *self = managers;
        if write.manager == KUBECTL {
            last_applied::renew(&mut new, object, configuration);
        }
        Ok(new)
    }

    fn applied<K: Kinds>(
        &self,
        application: &Application<'_>,
        force: bool,
        kinds: &mut K,
        object: &Value,
    ) -> Result<(Self, Option<Value>), ApplyError<K::Error>> {
        let Application { write, configuration, .. } = *application;
        let kind = kinds.kind(write.api_version).ok_or(ApplyError::NoVersion)?;
        let wrong = if self.is_empty() { ApplyError::Unowned } else { ApplyError::Live };
        validate_but_duplicates(&kind.of, object).map_err(wrong)?;
        validate(&kind.of, configuration).map_err(ApplyError::Invalid)?;
        let typed = |error: TypedError| ApplyError::Versions(error.into());
        check(&kind.of, object, true).map_err(typed)?;
        let mut managers = self.clone();
        if managers.is_empty() {
            let write = Write { manager: BEFORE, ..write };
            let between = Between { kinds, api_version: write.api_version, old: &kind.empty, new: object };
            managers.update(&mut Changes::of(write, between))?;
        }
        let identity = application.identity();
        // As upstream, also if its version does not exist any more.
        let time = managers.of(&identity).and_then(|own| own.time);
        managers.reconcile(kinds);
        let merged = merge(&kind.of, object, configuration).map_err(typed)?;
        let set = fields(&kind.of, configuration).map_err(typed)?.recursive_difference(&kind.reset);
        let last = managers.take(&identity);
        let api_version = Str::from(write.api_version);
        managers.add(Manager { identity: identity.clone(), api_version, time, fields: set });
        let new = match last.filter(|last| !last.fields.is_empty()) {
            Some(last) => prune(merged, &managers, write.api_version, &last, kinds)?,
            None => merged,
        };
        let between = Between { kinds, api_version: write.api_version, old: object, new: &new };
        managers.agree(&identity, force, &mut Changes::of(write, between))?;
        let is_same = equal(object, &new);
        if let Some(own) = managers.of(&identity) {
            own.fields = own.fields.difference(&UNOWNED);
            if !is_same {
                own.time = Some(write.now);
            }
        }
        managers.0.retain(|manager| !manager.fields.is_empty());
        Ok((managers, (!is_same).then_some(new)))
    }

    /// Brings the sets of all managers to the types as they are now, and drops those of versions that do not exist.
    fn reconcile<K: Kinds>(&mut self, kinds: &mut K) {
        self.0.retain_mut(|manager| {
            let Some(kind) = kinds.kind(&manager.api_version) else { return false };
            if let Some(reconciled) = reconcile(&kind.of, &manager.fields) {
                manager.fields = reconciled;
            }
            true
        });
    }

    /// Removes a manager.
    fn take(&mut self, identity: &Identity) -> Option<Manager> {
        let at = self.0.iter().position(|manager| manager.identity == *identity)?;
        Some(self.0.remove(at))
    }

    /// Takes what changes from all other managers.
    ///
    /// # Errors
    /// If they own what is added or modified, unless they are forced.
    fn agree<V: Versions>(
        &mut self,
        own: &Identity,
        force: bool,
        changes: &mut Changes<'_, V>,
    ) -> Result<(), ApplyError<V::Error>> {
        let mut conflicts = Conflicts::default();
        let mut left = Vec::with_capacity(self.0.len());
        for mut manager in self.0.drain(..) {
            if manager.identity != *own {
                let Some(at) = changes.at(&manager.api_version)? else { continue };
                conflicts.add(&manager, &manager.fields.intersection(&at.changed));
                manager.fields = manager.fields.difference(&at.changed).difference(&at.comparison.removed);
            }
            left.push(manager);
        }
        self.0 = left;
        if force || conflicts.0.is_empty() { Ok(()) } else { Err(ApplyError::Conflicts(conflicts.sorted())) }
    }
}

/// An object before and after, at any version.
struct Between<'b, K> {
    kinds: &'b mut K,
    /// The version of both.
    api_version: &'b str,
    old: &'b Value,
    new: &'b Value,
}

impl<K: Kinds> Versions for Between<'_, K> {
    type Error = K::Error;

    fn at(&mut self, api_version: &str) -> Result<Option<Rc<Versioned>>, K::Error> {
        let Some(kind) = self.kinds.kind(api_version) else { return Ok(None) };
        let mut shown = |object: &Value| -> Result<Value, K::Error> {
            let is_own = api_version == self.api_version;
            let object = if is_own {
                object.clone()
            } else {
                self.kinds.convert(object, self.api_version, api_version)?
            };
            Ok(without_unowned(object))
        };
        let (old, new) = (shown(self.old)?, shown(self.new)?);
        Ok(Some(Rc::new(Versioned { of: kind.of.clone(), old, new, reset: kind.reset.clone() })))
    }
}
