//! The law that JSON converts to the same whether it is decoded or not.

use hubgen_machinery::convert::{ConvertError, ViaHub};
use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::SchemeError;
use serde_json::Value;

use super::super::{AnyObject, Convertible, Stop};
use super::{Undecoded, is_empty, json_of, lacks_required, without_stash};
use crate::Violations;

/// JSON of the version converts to the same hub as the typed object, and the hub to what the hub sees as the same
/// object of the version. What one conversion refuses, the other refuses.
///
/// Empty values do not count: a typed object does not tell some of them from absent ones, and JSON does. So an object
/// of the version is not compared if it lacks required fields, which the hub does not have: the typed object has empty
/// ones.
///
/// # Errors
/// What both conversions return.
pub(in super::super) fn agrees(version: &Undecoded<'_>, json: &Value) -> Result<(), Violations> {
    let Some(typed) = version.via_hub() else { return Ok(()) };
    let object = decoded(version.empty(), json)?;
    let hubs = [typed.to_hub(object).map_err(SchemeError::from), hub_of(version, json)];
    let Some([hub, other]) = both(hubs, json)? else { return Ok(()) };
    same([&*hub, &*other], json)?;
    let hub_json = json::encode(&*hub).map_err(|error| error.to_string())?;
    let undecoded = version.from_hub_json(&hub_json);
    if let Ok(found) = &undecoded
        && lacks_required(found, &*decoded(version.empty(), found)?)?
    {
        return Ok(());
    }
    let undecoded = undecoded.and_then(|found| Ok(decoded_as_is(version.empty(), &found)?));
    let shown = [typed.from_hub(hub.boxed_copy()).map_err(SchemeError::from), undecoded];
    let Some(shown) = both(shown, json)? else { return Ok(()) };
    let [one, other] = shown.map(|object| seen_from_the_hub(typed, object));
    same([&*one?, &*other?], json)
}

fn decoded_as_is(mut object: AnyObject, json: &Value) -> Result<AnyObject, json::Error> {
    json::decode_into(json.to_string().as_bytes(), &mut *object)?;
    Ok(object)
}

fn decoded(object: AnyObject, json: &Value) -> Result<AnyObject, Violations> {
    decoded_as_is(object, json).map_err(|error| error.to_string().into())
}

fn hub_of(version: &Undecoded<'_>, json: &Value) -> Result<AnyObject, SchemeError> {
    let found = version.to_hub_json(json)?;
    Ok(decoded_as_is(version.side.empty_hub()?, &found)?)
}

fn seen_from_the_hub(typed: &ViaHub, object: AnyObject) -> Result<AnyObject, Violations> {
    typed.to_hub(object).map_err(|error: ConvertError| error.to_string().into())
}

/// What both conversions return; `None` if both refuse the object.
fn both(
    results: [Result<AnyObject, SchemeError>; 2],
    json: &Value,
) -> Result<Option<[AnyObject; 2]>, Violations> {
    match results {
        [Ok(typed), Ok(undecoded)] => Ok(Some([typed, undecoded])),
        [typed, undecoded] => {
            let refusals = [typed, undecoded].map(|result| match result.map_err(Stop::from) {
                Ok(_) => "converts".to_owned(),
                Err(Stop::Refused) => "is refused".to_owned(),
                Err(Stop::Wrong(error)) => error.to_string(),
            });
            match &refusals {
                [one, other] if one == other => Ok(None),
                [one, other] => {
                    Err(format!("the typed object: {one}; undecoded JSON: {other}\n     of: {json}").into())
                }
            }
        }
    }
}

fn same(both: [&dyn Reflect; 2], json: &Value) -> Result<(), Violations> {
    let [typed, undecoded] =
        both.map(|object| Ok::<_, Violations>(without_empty(&without_stash(&json_of(object)?))));
    let (typed, undecoded) = (typed?, undecoded?);
    if typed == undecoded {
        return Ok(());
    }
    Err(format!("the typed object: {typed}\nundecoded JSON: {undecoded}\n     of: {json}").into())
}

/// A value without the members that are empty.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), without_empty(value)));
            members.filter(|(_, value)| !is_empty(value)).collect()
        }
        Value::Array(elements) => elements.iter().map(without_empty).collect(),
        value => value.clone(),
    }
}
