//! Converts objects by the rules.

use std::sync::Arc;

use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use serde_json::Value;

use super::form;
use super::program::{Answer, Program, Request};

/// An object at another version, without hubgen's annotation; if the versions are equal, what comes back from the hub.
pub fn ours(scheme: &Scheme, from: &KindEntry, to: &Arc<KindEntry>, object: &Value) -> Answer {
    let text = object.to_string();
    let json = if is_same(from, to) {
        through_hub(to, text.as_bytes())?
    } else {
        scheme.convert_json(text.as_bytes(), to).map_err(|error| error.to_string())?
    };
    let mut object: Value = serde_json::from_slice(&json).expect("a converted object is JSON");
    form::remove_ours(&mut object);
    Ok(object)
}

fn through_hub(entry: &KindEntry, text: &[u8]) -> Result<Vec<u8>, String> {
    let Conversion::Hub(conversion) = &entry.conversion else {
        return Err(format!("{entry} does not convert"));
    };
    let mut object = entry.new.object();
    json::decode_into(text, &mut *object).map_err(|error| error.to_string())?;
    let hub = conversion.to_hub(object).map_err(|error| error.to_string())?;
    let back = conversion.from_hub(hub).map_err(|error| error.to_string())?;
    json::encode(&*back).map_err(|error| error.to_string())
}

/// What the operator makes of objects at another version. An object stays as it is if the versions are equal.
pub fn theirs(
    program: &mut Program,
    from: &KindEntry,
    to: &KindEntry,
    objects: &[&Value],
) -> Result<Vec<Answer>, String> {
    if is_same(from, to) {
        return Ok(objects.iter().map(|object| Ok((*object).clone())).collect());
    }
    program.ask(objects.iter().map(|object| Request::new(&from.kind, from, to, object)).collect())
}

/// What the operator's own functions make of objects at the version that it stores, and of that at their version. They
/// lose what that version does not have.
pub fn returned(
    program: &mut Program,
    from: &KindEntry,
    stored: &KindEntry,
    objects: &[&Value],
) -> Result<Vec<Option<Value>>, String> {
    let mut back = Vec::new();
    for answer in
        program.ask(objects.iter().map(|object| Request::new(&from.kind, from, stored, object)).collect())?
    {
        back.push(match answer {
            Ok(object) => program.ask(vec![Request::new(&from.kind, stored, from, &object)])?.remove(0).ok(),
            Err(_) => None,
        });
    }
    Ok(back)
}

/// Whether both are one version.
pub fn is_same(from: &KindEntry, to: &KindEntry) -> bool {
    from.version == to.version && from.group == to.group
}
