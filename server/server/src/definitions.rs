//! Keeps the kinds that are served what the definitions in the store say.
//!
//! A task reads the CustomResourceDefinitions that are stored, and follows them. When one comes, changes or goes, it swaps the
//! snapshot of the kinds that are served, and tells how far it has come. What a kind is made of is in the crate
//! `hubgen-definitions`; who decides whether a definition is established is not here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hubgen_definitions::{Conversions, Converter, Definition, RULES, Schemas, Strategy};
use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json::Raw;
use hubgen_machinery::scheme::KindEntry;
use ring::digest::{self, SHA256, SHA256_OUTPUT_LEN};
use serde_json::Value;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinSet;
use tracing::{debug, warn};

use crate::catalog::{Defined, Served};
use crate::conversion::Webhooks;
use crate::follow::{self, Follow, Followers};
use crate::store::{self, Error, Event, KeyValue, Store};

/// Group, version and kind of definitions, as the server reads them.
const KIND: (&str, &str, &str) = ("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
/// How many definitions are read at a time.
const PAGE: usize = 100;

/// Reads the definitions in a store, so that their kinds are served, and follows their changes from then on in a task, until
/// the store is closed. A server that has no definitions among its kinds follows none.
///
/// # Errors
/// If the store cannot be read.
pub(crate) async fn follow(
    served: &Served,
    store: &Arc<dyn Store>,
    conversions: Option<Arc<dyn Conversions>>,
    webhooks: Webhooks,
    followers: &Followers,
    tasks: &mut JoinSet<()>,
) -> Result<(), Error> {
    let catalog = served.current();
    let (group, version, kind) = KIND;
    let Some(entry) = catalog.scheme.kind(group, version, kind) else { return Ok(()) };
    let prefix = catalog.scheme.storage_prefix(entry);
    let mut following = Following {
        served: served.clone(),
        conversions,
        entry: Arc::clone(entry),
        prefix,
        known: BTreeMap::new(),
        schemas: Schemas::default(),
        webhooks,
    };
    let revision = following.read(&**store).await?;
    let (prefix, asked) = (following.prefix.clone(), followers.join());
    tasks.spawn(follow::follow(following, Arc::clone(store), prefix, Some(revision), asked));
    Ok(())
}

struct Following {
    served: Served,
    /// Who converts instead of the strategies of definitions.
    conversions: Option<Arc<dyn Conversions>>,
    /// The kind of definitions.
    entry: Arc<KindEntry>,
    /// The prefix of the keys of definitions.
    prefix: String,
    /// The definitions whose kinds are served, by their names.
    known: BTreeMap<String, Known>,
    schemas: Schemas,
    /// What converts objects if that is a webhook.
    webhooks: Webhooks,
}

/// A definition whose kinds are served.
struct Known {
    essence: Essence,
    /// Its kinds, if it makes any.
    defined: Option<Arc<Defined>>,
}

impl Following {
    fn name<'k>(&self, key: &'k [u8]) -> Option<&'k str> {
        str::from_utf8(key).ok()?.strip_prefix(&self.prefix)
    }

    /// Takes note of a value of the store, or of its absence. Returns whether other kinds are to be served.
    fn set(&mut self, key: &[u8], value: Option<&KeyValue>) -> bool {
        let Some(name) = self.name(key).map(str::to_owned) else { return false };
        let json = value.and_then(|value| match self.document(value) {
            Ok(json) => Some(json),
            Err(why) => {
                warn!("the definition {name} cannot be read, and defines no kind: {why}");
                None
            }
        });
        let Some(json) = json.filter(Definition::is_served) else {
            return self.known.remove(&name).is_some_and(|known| known.defined.is_some());
        };
        let essence = essence(&json);
        if self.known.get(&name).is_some_and(|known| known.essence == essence) {
            return false;
        }
        let strategy = self.strategy(&name, &json);
        let defined = match Defined::read(&name, &json, &mut self.schemas, &strategy) {
            Ok(defined) => Some(Arc::new(defined)),
            Err(why) => {
                warn!("{name} defines no kind: {why}");
                None
            }
        };
        let is_defined = defined.is_some();
        let last = self.known.insert(name, Known { essence, defined });
        is_defined || last.is_some_and(|last| last.defined.is_some())
    }

    /// How the versions of a definition convert.
    fn strategy(&self, name: &str, json: &Value) -> Strategy {
        match self.conversions.as_ref().map(|conversions| apart(|| conversions.converter(json))) {
            Some(Ok(Some(converter))) => Strategy::By(converter),
            None | Some(Ok(None)) => self.webhooks.strategy(json).unwrap_or_default(),
            Some(Err(mistakes)) => {
                for mistake in mistakes {
                    warn!("the versions of {name} do not convert: {mistake}");
                }
                let why = format!("{RULES} of {name} has mistakes, which the log of the server tells");
                Strategy::By(Arc::new(Never(why)))
            }
        }
    }

    /// A stored definition as clients see it.
    fn document(&self, stored: &KeyValue) -> Result<Value, String> {
        let scheme = &self.served.current().scheme;
        let object =
            scheme.decode_stored(&stored.value).and_then(|object| scheme.convert(object, &self.entry));
        let object = object.map_err(|error| error.to_string())?;
        let json = object.encode().map_err(|error| error.to_string())?;
        Raw::new(&json).and_then(|json| json.to_value()).map_err(|error| error.to_string())
    }

    /// Serves the kinds of the definitions that are known.
    fn define(&mut self) {
        let defined: Vec<_> = self.known.values().filter_map(|known| known.defined.clone()).collect();
        debug!("{} definitions are served", defined.len());
        self.served.define(defined);
        self.schemas.forget_unused();
    }
}

impl Follow for Following {
    async fn read(&mut self, store: &dyn Store) -> Result<u64, Error> {
        let (found, revision) = store::read_all(store, &self.prefix, PAGE).await?;
        let before = self.known.len();
        let names: Vec<&str> = found.iter().filter_map(|item| self.name(&item.key)).collect();
        self.known.retain(|name, _| names.contains(&&**name));
        let mut has_changed = self.known.len() != before;
        for item in &found {
            has_changed |= self.set(&item.key, Some(item));
        }
        if has_changed {
            self.define();
        }
        self.served.note(revision);
        Ok(revision)
    }

    fn take(&mut self, events: Vec<Event>) {
        let mut has_changed = false;
        for Event { key, current, .. } in &events {
            has_changed |= self.set(key, current.as_ref());
        }
        if has_changed {
            self.define();
        }
        if let Some(last) = events.last() {
            self.served.note(last.revision);
        }
    }

    /// Everything is done as soon as it is known.
    async fn work(&mut self) -> Option<Duration> {
        None
    }
}

/// Does what may take a while without holding up others, if there are threads for it.
fn apart<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// Versions do not convert, for this reason. Objects are served at the version at which they are stored.
struct Never(String);

impl Converter for Never {
    fn convert(&self, _: Value, to: &str) -> Result<Value, ConvertError> {
        let message = format!("{}, and cannot convert to {to}", self.0);
        Err(ConvertError::Unfit { path: String::new(), message })
    }
}

/// The SHA-256 digest of what the kinds of a definition depend on. If nothing of it changes, they stay the same, and with them
/// what clients watch.
type Essence = [u8; SHA256_OUTPUT_LEN];

fn essence(json: &Value) -> Essence {
    let is_terminating = json["status"]["conditions"].as_array().into_iter().flatten();
    let is_terminating =
        is_terminating.filter(|condition| condition["type"] == "Terminating").map(|found| &found["status"]);
    let mut context = digest::Context::new(&SHA256);
    let metadata = &json["metadata"];
    let parts = [
        &metadata["uid"],
        &metadata["deletionTimestamp"],
        &metadata["annotations"][RULES],
        &json["spec"],
        &json["status"]["acceptedNames"],
    ];
    for part in parts.into_iter().chain(is_terminating) {
        // As texts, the parts tell where they end.
        context.update(part.to_string().as_bytes());
    }
    context.finish().as_ref().try_into().expect("the length of a digest")
}
