//! What writes make of namespaces, and what they demand of them.

use std::sync::Arc;

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::{KindEntry, Scheme};
use serde_json::Value;

use super::error::{Error, ObjectName};
use super::hub::Hub;
use super::{Collection, Objects};
use crate::admission::{About, Refusal};
use crate::fields::{set_value, value_of};
use crate::objectmeta;
use crate::part::{self, Part};
use crate::validation::quoted;

/// Group, version and resource of namespaces.
const NAMESPACES: (&str, &str, &str) = ("", "v1", "namespaces");
/// What keeps a namespace until its objects are removed. It is in the spec.
pub(crate) const KEEPER: &str = "kubernetes";
/// The phase of a namespace that is being deleted.
pub(crate) const TERMINATING: &str = "Terminating";
/// Those that cannot be deleted.
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];

/// The kind of namespaces, if there is one.
pub(crate) fn kind_of_namespaces(scheme: &Scheme) -> Option<&Arc<KindEntry>> {
    let (group, version, plural) = NAMESPACES;
    scheme.resource(group, version, plural)
}

/// Whether namespaces of a kind are kept until their objects are removed: it needs a way to end that.
pub(crate) fn are_kept(entry: &KindEntry) -> bool {
    are(entry) && part::has(entry, Part::Finalize)
}

/// Whether a kind is that of namespaces.
fn are(entry: &KindEntry) -> bool {
    let (group, _, plural) = NAMESPACES;
    entry.group == group && entry.resource.as_ref().is_some_and(|resource| resource.plural == plural)
}

impl Objects {
    /// Lets a new namespace be kept until its objects are removed, if somebody removes them.
    pub(super) fn keep_namespace(&self, entry: &KindEntry, namespace: &mut dyn Reflect) {
        if !self.backing.empties_namespaces || !are_kept(entry) {
            return;
        }
        let mut spec = value_of(namespace, "spec");
        let mut finalizers = spec["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|finalizer| *finalizer == KEEPER) {
            finalizers.push(KEEPER.into());
            spec["finalizers"] = finalizers.into();
            let like = namespace.boxed_copy();
            set_value(&*like, namespace, "spec", &spec);
        }
    }

    /// A namespace whose deletion begins; `None` for other objects, and if the deletion has begun.
    pub(super) fn terminating_namespace(&self, collection: &Collection, old: &Hub) -> Option<Hub> {
        let begins = self.backing.empties_namespaces
            && are_kept(&collection.entry)
            && !objectmeta::is_being_deleted(&*old.value);
        begins.then(|| {
            let mut new = old.clone();
            meta::set_time(&mut *new.value, "deletionTimestamp", Some(self.backing.environment.now()));
            let mut status = value_of(&*new.value, "status");
            status["phase"] = TERMINATING.into();
            set_value(&*old.value, &mut *new.value, "status", &status);
            new
        })
    }

    /// Whether a namespace that is being deleted has objects still, as far as is known.
    pub(super) fn is_emptied(&self, entry: &KindEntry, object: &dyn Reflect) -> bool {
        !(self.backing.empties_namespaces && are_kept(entry))
            || value_of(object, "spec")["finalizers"].as_array().is_none_or(Vec::is_empty)
    }

    /// Checks that the namespace of a new object exists and is not being deleted. `name` is that of the object, as far as it is
    /// known.
    ///
    /// # Errors
    /// If it does not exist, or is being deleted.
    pub(super) async fn check_namespace_lives(
        &self,
        Collection { entry, namespace }: &Collection,
        name: &str,
    ) -> Result<(), Error> {
        if !self.backing.admission.namespace_lifecycle || namespace.is_empty() {
            return Ok(());
        }
        let Some(namespaces) = kind_of_namespaces(&self.catalog.scheme) else { return Ok(()) };
        let within = Collection { entry: Arc::clone(namespaces), namespace: String::new() };
        let Some(found) = self.backing.store.get(&self.key(&within, namespace)).await? else {
            return Err(Error::not_found(namespaces, namespace));
        };
        let found = self.decode_stored(&found)?;
        if phase(&*found.value) == TERMINATING {
            return Err(Error::Terminating {
                object: ObjectName::new(entry, name),
                namespace: namespace.clone(),
            });
        }
        Ok(())
    }

    /// Checks that an object is no namespace that has to stay.
    ///
    /// # Errors
    /// If it is one.
    pub(super) fn check_mortal(&self, entry: &KindEntry, name: &str) -> Result<(), Error> {
        if !self.backing.admission.namespace_lifecycle || !are(entry) || !IMMORTAL.contains(&name) {
            return Ok(());
        }
        let (_, _, resource) = NAMESPACES;
        let why = "this namespace may not be deleted";
        let about = About { group: String::new(), resource: resource.to_owned(), name: name.to_owned() };
        Err(Error::Refused(Refusal {
            about: Some(Box::new(about)),
            ..Refusal::forbidden(format!("{resource} {} is forbidden: {why}", quoted(name)))
        }))
    }
}

fn phase(namespace: &dyn Reflect) -> Value {
    match namespace.field("status") {
        Some(Slot::Struct(_)) => value_of(namespace, "status")["phase"].clone(),
        _ => Value::Null,
    }
}
