//! The objects that a namespace has from its start: each a ServiceAccount and the certificates of the server, and `default` the
//! Service that is the server.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use hubgen_machinery::scheme::{Object, Scheme};
use serde_json::{Value, json};
use tracing::warn;

use super::super::Settings;
use super::super::controllers::Controller;
use super::super::queue::Queue;
use super::super::record::Change;
use crate::objects::{Collection, Error, Objects, Write, kind_of_namespaces};
use crate::own::Own;
use crate::part::Part;

/// Under which name the objects are written. It is that of upstream's controllers, which clients know.
const MANAGER: &str = "kube-controller-manager";
/// The namespace of the Service of the server.
const OF_SERVICE: &str = "default";
/// The address of that Service, if the settings have none.
const SERVICE_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

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

/// An object of each namespace, or of one.
struct Furniture {
    /// The only namespace that has it, if there is one.
    only_in: Option<&'static str>,
    /// The prefix of the keys of its kind.
    prefix: String,
    name: &'static str,
    document: Value,
    /// The path of what has to be as in the document; empty if nothing has to.
    kept: &'static [&'static str],
}

impl Furnishing {
    /// Knows of no namespace yet; `None` if there is nothing to keep.
    pub(in super::super) fn new(own: &Own, settings: &Settings, port: u16) -> Option<Self> {
        let scheme = &own.served.current().scheme;
        let prefix = scheme.storage_prefix(kind_of_namespaces(scheme)?);
        let furniture = furniture(scheme, settings, port);
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
        let mut names = Vec::new();
        while let Some(name) = self.queue.pop() {
            if self.alive.contains(&name) {
                names.push(name);
            }
        }
        // A server begins with several, for which one transaction is enough. If it fails, others do not lack what one cannot have.
        if names.len() > 1 && self.furnish(names.clone()).await.is_ok() {
            names.clear();
        }
        for name in names {
            if let Err(why) = self.furnish(vec![name.clone()]).await {
                warn!("the namespace {name} lacks objects: {why}");
                self.failed.push(name);
            }
        }
        self.failed.is_empty()
    }

    /// Makes what namespaces lack.
    async fn furnish(&self, namespaces: Vec<String>) -> Result<(), String> {
        let furniture = Arc::clone(&self.furniture);
        let work = move |objects: Objects, write: Write| async move {
            match furnish(&objects, &furniture, &namespaces, &write).await {
                // It has gone meanwhile.
                Err(Error::NotFound(_) | Error::Terminating { .. }) if namespaces.len() == 1 => Ok(()),
                done => done,
            }
        };
        self.own.work(MANAGER, work).await
    }

    /// Tries again what has failed.
    pub(in super::super) fn try_again(&mut self) {
        self.failed.drain(..).for_each(|name| self.queue.push(name));
    }
}

/// The objects that namespaces have.
fn furniture(
    scheme: &Scheme,
    Settings { controllers, root_certificates, service_address, .. }: &Settings,
    port: u16,
) -> Vec<Furniture> {
    let prefix = |plural| Some(scheme.storage_prefix(scheme.resource("", "v1", plural)?));
    let account = |prefix| {
        let name = "default";
        let document = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}});
        Furniture { only_in: None, prefix, name, document, kept: &[] }
    };
    let certificates = |prefix| {
        let (name, data) = ("kube-root-ca.crt", root_certificates.as_deref().unwrap_or_default());
        let document = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"ca.crt": data},
        });
        Furniture { only_in: None, prefix, name, document, kept: &["data"] }
    };
    let service = |prefix| {
        let document = service(service_address.unwrap_or(SERVICE_ADDRESS), port);
        Furniture {
            only_in: Some(OF_SERVICE),
            prefix,
            name: "kubernetes",
            document,
            kept: &["spec", "ports"],
        }
    };
    let has = |controller| controllers.has(controller).then_some(());
    let all = [
        has(Controller::ServiceAccounts).and_then(|()| prefix("serviceaccounts")).map(account),
        has(Controller::RootCertificates).and_then(|()| prefix("configmaps")).map(certificates),
        has(Controller::KubernetesService).and_then(|()| prefix("services")).map(service),
    ];
    all.into_iter().flatten().collect()
}

/// The Service of a server with a port, as a kube-apiserver makes it.
fn service(address: IpAddr, port: u16) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "kubernetes", "labels": {"component": "apiserver", "provider": "kubernetes"}},
        "spec": {
            "type": "ClusterIP", "clusterIP": address, "clusterIPs": [address], "sessionAffinity": "None",
            "ipFamilies": [if address.is_ipv4() { "IPv4" } else { "IPv6" }], "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": port}],
        },
    })
}

/// Makes what namespaces lack, in one transaction.
async fn furnish(
    objects: &Objects,
    furniture: &[Furniture],
    namespaces: &[String],
    write: &Write,
) -> Result<(), Error> {
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for namespace in namespaces {
        let here = |one: &&Furniture| one.only_in.is_none_or(|only| only == namespace);
        for one in furniture.iter().filter(here) {
            let text = |member: &str| one.document[member].as_str().unwrap_or_default();
            let Some(entry) = objects.catalog.scheme.named(text("apiVersion"), text("kind")) else {
                continue;
            };
            let mut document = one.document.clone();
            document["metadata"]["namespace"] = namespace.as_str().into();
            let object = Object::decode(entry, document.to_string().as_bytes());
            all.push(object.map_err(|error| Error::Internal(error.to_string()))?.0);
            places.push((one, Collection { entry: Arc::clone(entry), namespace: namespace.clone() }));
        }
    }
    for there in objects.create_missing(&all, write).await? {
        let (Furniture { name, document, kept, .. }, collection) = &places[there];
        if kept.is_empty() {
            continue;
        }
        let mut keep = |object: &mut Value| {
            let wanted = kept.iter().fold(document, |value, member| &value[*member]);
            let found = kept.iter().fold(object, |value, member| &mut value[*member]);
            let differs = found != wanted;
            found.clone_from(wanted);
            differs
        };
        objects.edit(collection, name, Part::Main, &mut keep, write).await?;
    }
    Ok(())
}
