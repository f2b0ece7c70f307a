//! Checks an object as a write does, without a store.

use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::{KindEntry, Scheme};

use super::Collection;
use super::admit::Validation;
use super::carried::carry_over;
use super::create::generate_name;
use super::definitions::note_stored_version;
use super::error::Error;
use super::hub::Hub;
use super::receive::{Received, Receiving};
use crate::media::Body;
use crate::objectmeta;
use crate::part::{Part, has_status, is_answered};
use crate::validation::{self, Schemas, Violations};

/// The namespace of objects that name none.
const DEFAULT: &str = "default";
/// What completes a name that a server would generate.
const SUFFIX: &str = "xxxxx";

/// What is found in an object.
pub(crate) struct Checked {
    /// The paths of fields that its kind does not have.
    pub(crate) unknown: Vec<String>,
    /// How many more such fields there are.
    pub(crate) more_unknown: usize,
    /// What is wrong with it.
    pub(crate) violations: Violations,
    /// What its writer would be warned of.
    pub(crate) warnings: Vec<String>,
    /// The object at its hub, with defaults.
    pub(crate) hub: Hub,
}

/// Checks an object that is created, or replaces an `old` one.
///
/// # Errors
/// If one of them is no object of its kind, or does not convert to its hub.
pub(crate) fn check(
    scheme: &Scheme,
    schemas: &Schemas,
    now: Time,
    new: (&Arc<KindEntry>, Body),
    old: Option<(&Arc<KindEntry>, Body)>,
) -> Result<Checked, Error> {
    let receiving = Receiving { scheme, schemas, now, is_applied: false };
    let (entry, body) = new;
    let Received { mut hub, checked, notes, .. } = receiving.receive(entry, Part::Main, body)?;
    let old = old.map(|(entry, body)| receiving.receive(entry, Part::Main, body)).transpose()?;
    let old = old.map(|received| received.hub);
    let is_namespaced = entry.resource.as_ref().is_some_and(|resource| resource.namespaced);
    let namespace = match meta::text(&*hub.value, "namespace") {
        _ if !is_namespaced => "",
        "" => DEFAULT,
        namespace => namespace,
    };
    let collection = Collection { entry: Arc::clone(entry), namespace: namespace.to_owned() };
    match &old {
        Some(old) => {
            carry_over(&collection, Part::Main, old, &mut hub);
            if validation::definitions::are(entry) {
                note_stored_version(&mut *hub.value);
            }
        }
        None => {
            if entry.untyped.is_some()
                && has_status(entry)
                && let Some(status) = hub.value.field_mut("status")
            {
                status.clear();
            }
            for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
                objectmeta::clear(&mut *hub.value, field);
            }
            // A review has no name.
            if !is_answered(entry) {
                generate_name(entry, &mut *hub.value, || SUFFIX.to_owned())?;
            }
        }
    }
    let name = meta::text(&*hub.value, "name").to_owned();
    let old = old.as_ref().map(|old| &*old.value);
    let validation = Validation {
        scheme,
        schemas,
        conversions: None,
        checked: &checked,
        hub: &hub,
        entry,
        namespace: &collection.namespace,
        name: &name,
        part: Part::Main,
        old,
        changed: false,
    };
    let (violations, mut warnings) = validation.run()?;
    warnings.extend(validation::warnings(entry, Part::Main, &*hub.value, old));
    Ok(Checked { unknown: notes.unknown, more_unknown: notes.more_unknown, violations, warnings, hub })
}
