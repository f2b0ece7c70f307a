//! The objects that each namespace has from its start: a ServiceAccount, and the certificates of the server.

use std::collections::HashSet;
use std::sync::Arc;

use hubgen_machinery::scheme::Scheme;
use serde_json::{Value, json};
use tracing::warn;

use super::super::Settings;
use super::super::controllers::{Controller, Controllers};
use super::super::queue::Queue;
use super::super::record::Change;
use crate::objects::{Collection, Error, Objects, Write, kind_of_namespaces};
use crate::own::Own;
use crate::part::Part;

/// Under which name the objects are written. It is that of upstream's controllers, which clients know.
const MANAGER: &str = "kube-controller-manager";

/// Keeps the objects that each namespace has.
pub(in super::super) struct Furnishing {
    own: Own,
    /// The prefix of the keys of namespaces.
    prefix: String,
    furniture: Arc<[Furniture]>,
    /// The namespaces that are not being deleted.
    alive: HashSet<String>,
    queue: Queue<String>,
    failed: Vec<String>,
}

/// An object of each namespace.
struct Furniture {
    /// The prefix of the keys of its kind.
    prefix: String,
    name: &'static str,
    document: Value,
    /// The member of the object that has to be as in the document, if there is one.
    kept: Option<&'static str>,
}

impl Furnishing {
    /// Knows of no namespace yet; `None` if there is nothing to keep.
    pub(in super::super) fn new(
        own: &Own,
        Settings { controllers, root_certificates, .. }: &Settings,
    ) -> Option<Self> {
        let scheme = &own.served.current().scheme;
        let prefix = scheme.storage_prefix(kind_of_namespaces(scheme)?);
        let furniture = furniture(scheme, controllers, root_certificates.as_deref().unwrap_or_default());
        let (alive, queue) = (HashSet::new(), Queue::default());
        let furnishing =
            Self { own: own.clone(), prefix, furniture: furniture.into(), alive, queue, failed: Vec::new() };
        (!furnishing.furniture.is_empty()).then_some(furnishing)
    }

    pub(in super::super) fn forget(&mut self) {
        self.alive.clear();
        self.queue.clear();
        self.failed.clear();
    }

    /// Notes a change: of a namespace, or of an object that it has to have.
    pub(in super::super) fn note(&mut self, Change { key, new, .. }: &Change) {
        let Ok(key) = str::from_utf8(key) else { return };
        if let Some(name) = key.strip_prefix(&self.prefix) {
            match new {
                Some(new) if !new.is_being_deleted() => {
                    if self.alive.insert(name.to_owned()) {
                        self.queue.push(name.to_owned());
                    }
                }
                _ => drop(self.alive.remove(name)),
            }
            return;
        }
        let namespace_of =
            |one: &Furniture| key.strip_prefix(&one.prefix)?.strip_suffix(one.name)?.strip_suffix('/');
        let namespace = self.furniture.iter().find_map(namespace_of);
        if let Some(name) = namespace.filter(|name| self.alive.contains(*name)) {
            self.queue.push(name.to_owned());
        }
    }

    /// Does all there is to do. Returns whether all of it succeeded.
    pub(in super::super) async fn work(&mut self) -> bool {
        while let Some(name) = self.queue.pop() {
            if !self.alive.contains(&name) {
                continue;
            }
            let (furniture, namespace) = (Arc::clone(&self.furniture), name.clone());
            let work = move |objects: Objects, write: Write| async move {
                furnish(&objects, &furniture, &namespace, &write).await
            };
            if let Err(why) = self.own.work(MANAGER, work).await {
                warn!("the namespace {name} lacks objects: {why}");
                self.failed.push(name);
            }
        }
        self.failed.is_empty()
    }

    /// Tries again what has failed.
    pub(in super::super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|name| self.queue.push(name));
    }
}

/// The objects that each namespace has.
fn furniture(scheme: &Scheme, controllers: &Controllers, certificates: &str) -> Vec<Furniture> {
    let all = [
        (Controller::ServiceAccounts, "serviceaccounts", "default", json!({"kind": "ServiceAccount"}), None),
        (
            Controller::RootCertificates,
            "configmaps",
            "kube-root-ca.crt",
            json!({"kind": "ConfigMap", "data": {"ca.crt": certificates}}),
            Some("data"),
        ),
    ];
    let wanted = all.into_iter().filter(|(controller, ..)| controllers.has(*controller));
    let known = wanted.filter_map(|(_, plural, name, mut document, kept)| {
        let entry = scheme.resource("", "v1", plural)?;
        document["apiVersion"] = "v1".into();
        document["metadata"] = json!({"name": name});
        Some(Furniture { prefix: scheme.storage_prefix(entry), name, document, kept })
    });
    known.collect()
}

/// Makes what a namespace lacks.
async fn furnish(
    objects: &Objects,
    furniture: &[Furniture],
    namespace: &str,
    write: &Write,
) -> Result<(), Error> {
    for Furniture { prefix, name, document, kept } in furniture {
        let key = format!("{prefix}{namespace}/{name}");
        if objects.backing.store.get(key.as_bytes()).await?.is_none() {
            let mut document = document.clone();
            document["metadata"]["namespace"] = namespace.into();
            match objects.create_document(&document, write).await {
                // The namespace has gone meanwhile.
                Ok(()) | Err(Error::NotFound(_) | Error::Terminating { .. }) => {}
                Err(error) => return Err(error),
            }
        } else if let Some(member) = kept {
            let text = |member: &str| document[member].as_str().unwrap_or_default();
            let Some(entry) = objects.catalog.scheme.named(text("apiVersion"), text("kind")) else {
                continue;
            };
            let collection = Collection { entry: Arc::clone(entry), namespace: namespace.to_owned() };
            let mut keep = |object: &mut Value| {
                let differs = object[*member] != document[*member];
                object[*member] = document[*member].clone();
                differs
            };
            objects.edit(&collection, name, Part::Main, &mut keep, write).await?;
        }
    }
    Ok(())
}
