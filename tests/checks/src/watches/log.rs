//! What happened, as the store tells it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use hubgen_kubernetes::machinery::meta;
use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_server::store::{Error, Event, KeyValue};
use tokio::task::JoinHandle;

use super::running::Running;

/// The label that clients select by.
pub const LABEL: &str = "l";

/// An object before or after a write.
#[derive(Clone, Debug)]
pub struct Side {
    /// The value of the [label](LABEL); empty without it.
    pub label: String,
}

/// A write.
#[derive(Clone, Debug)]
pub struct Write {
    pub revision: u64,
    pub key: String,
    pub before: Option<Side>,
    pub after: Option<Side>,
}

/// All writes, in their order.
#[derive(Default)]
pub struct Log(Mutex<Vec<Write>>);

impl Log {
    /// The revision up to which everything is in the log.
    pub fn revision(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last().map_or(1, |write| write.revision)
    }

    /// All writes, if those up to a revision are here.
    pub fn until(&self, revision: u64) -> Option<Vec<Write>> {
        (self.revision() >= revision).then(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Reads the writes after those that are in a log, until the store is closed.
///
/// # Errors
/// If the store cannot be watched, and in the result, if a value cannot be read.
pub async fn read(
    server: &Running,
    scheme: Arc<Scheme>,
    log: Arc<Log>,
) -> Result<JoinHandle<Result<(), String>>, String> {
    let watch = server.store.watch(Vec::new(), log.revision()).await;
    let mut watch = watch.map_err(|error| error.to_string())?;
    Ok(tokio::spawn(async move {
        loop {
            let events = match watch.next().await {
                Ok(events) => events,
                Err(Error::Closed) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            };
            let writes = events.iter().map(|event| write(&scheme, event));
            let writes = writes.collect::<Result<Vec<_>, _>>()?;
            log.0.lock().unwrap_or_else(PoisonError::into_inner).extend(writes);
        }
    }))
}

fn write(scheme: &Scheme, event: &Event) -> Result<Write, String> {
    let side = |side: &Option<KeyValue>| side.as_ref().map(|side| decoded(scheme, &side.value)).transpose();
    Ok(Write {
        revision: event.revision,
        key: String::from_utf8_lossy(&event.key).into_owned(),
        before: side(&event.previous)?,
        after: side(&event.current)?,
    })
}

fn decoded(scheme: &Scheme, value: &[u8]) -> Result<Side, String> {
    let object = if Envelope::is_one(value) {
        scheme.decode_protobuf(value)
    } else {
        scheme.decode(value).map(|(object, _)| object)
    };
    let object = object.map_err(|error| error.to_string())?;
    let label = meta::strings(&*object.value, "labels").and_then(|labels| labels.text(LABEL));
    Ok(Side { label: label.unwrap_or_default().to_owned() })
}

/// The objects of keys with a prefix after the writes up to a revision, each with the revision of its last write.
pub fn state(log: &[Write], prefix: &str, revision: u64) -> BTreeMap<String, (u64, Side)> {
    let mut state = BTreeMap::new();
    for write in log.iter().take_while(|write| write.revision <= revision) {
        if !write.key.starts_with(prefix) {
            continue;
        }
        match &write.after {
            Some(after) => drop(state.insert(write.key.clone(), (write.revision, after.clone()))),
            None => drop(state.remove(&write.key)),
        }
    }
    state
}
