//! Claims to volumes: they are bound, to as much as they ask for.

use hubgen_server::loops::Resource;
use serde_json::{Value, json};

use crate::marks::{Marks, status_of};

pub(crate) const CLAIMS: Marks =
    Marks { of: &[Resource { group: "", version: "v1", plural: "persistentvolumeclaims" }], status: claim };

fn claim(object: &Value, _: &str) -> Value {
    let mut status = status_of(object);
    status["phase"] = "Bound".into();
    if let Some(modes) = object["spec"].get("accessModes") {
        status["accessModes"] = modes.clone();
    }
    if let Some(storage) = object.pointer("/spec/resources/requests/storage") {
        status["capacity"] = json!({"storage": storage});
    }
    status
}
