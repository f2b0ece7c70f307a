//! Stand-ins that write the status of an object of which they know nothing but the object.

use hubgen_machinery::scalar::Time;
use hubgen_server::loops::{Changed, Done, Resource, StandIn, World};
use serde_json::Value;

/// Marks the objects of a resource as what they are when all has gone well.
pub(crate) struct Marks {
    /// The resource, in a list of one.
    pub(crate) of: &'static [Resource],
    /// The status of an object, at a time. It is the same again where it is right already, so that nothing is written.
    pub(crate) status: fn(object: &Value, now: &str) -> Value,
}

impl StandIn for Marks {
    fn name(&self) -> &'static str {
        self.of[0].plural
    }

    fn follows(&self) -> &'static [Resource] {
        self.of
    }

    fn act<'a>(&'a self, changed: &'a Changed, world: &'a World) -> Done<'a, Option<Time>> {
        Box::pin(async move {
            let is_there = changed.object.as_ref().is_some_and(|object| !is_being_deleted(object));
            if !is_there {
                return Ok(None);
            }
            let (status, now) = (self.status, world.now().to_string());
            let mark = move |object: &mut Value| {
                let status = status(object, &now);
                let differs = object["status"] != status;
                object["status"] = status;
                differs
            };
            world.change_status(changed.resource, &changed.namespace, &changed.name, mark).await?;
            Ok(None)
        })
    }
}

/// Whether an object waits for finalizers.
pub(crate) fn is_being_deleted(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

/// A number of an object, or another one where it has none.
pub(crate) fn number(object: &Value, pointer: &str, or: i64) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or(or)
}

/// Sets a number of a status. Those that are 0 are left out, as in all of Kubernetes' types.
pub(crate) fn set(status: &mut Value, name: &str, number: i64) {
    if number != 0 {
        status[name] = number.into();
    } else if let Some(status) = status.as_object_mut() {
        status.remove(name);
    }
}

/// The status that an object has, to be changed.
pub(crate) fn status_of(object: &Value) -> Value {
    if object["status"].is_object() {
        object["status"].clone()
    } else {
        Value::Object(serde_json::Map::new())
    }
}
