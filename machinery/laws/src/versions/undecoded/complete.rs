//! The laws of complete objects: what comes back is what there was, and an edit wins.

use std::collections::BTreeSet;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json;
use hubgen_machinery::reflect::{Reflect, equal};
use hubgen_machinery::scheme::SchemeError;
use serde_json::Value;

use super::super::{Convertible, Stop, same, unless_refused};
use super::{Undecoded, lacks_required, without_stash};
use crate::Violations;
use crate::objects::{Source, differences, json_edit, same_json};

/// Version → hub → version returns JSON as it was, except for what the conversion [declares](Convertible::canonical).
///
/// # Errors
/// The JSON that came back instead, and the paths at which it differs.
pub(in super::super) fn comes_back(version: &Undecoded<'_>, json: &Value) -> Result<(), Violations> {
    unless_refused(|| {
        let back = without_stash(&version.convert_json(json, version)?);
        Ok(same_json(&back, json, version.empty().descriptor(), &version.canonical())?)
    })
}

/// The hub of an object at the version survives every version, with its required fields. Neither the hub nor a version
/// has fields that its type lacks.
///
/// # Errors
/// What came back instead, or the fields.
pub(in super::super) fn hub_survives(
    versions: &[Undecoded<'_>],
    index: usize,
    json: &Value,
) -> Result<(), Violations> {
    unless_refused(|| {
        let hub = versions[index].to_hub_json(json)?;
        for version in versions {
            let shown = version.from_hub_json(hub.to_string().as_bytes())?;
            let back = version.to_hub_json(&shown)?;
            let describe = |error: Violations| format!("{error}\n  shown: {shown}\n     of: {json}");
            let [mut found, mut expected] = [version.side.empty_hub()?, version.side.empty_hub()?];
            decode(&back, &mut *found).map_err(describe)?;
            decode(&hub, &mut *expected).map_err(describe)?;
            decode(&shown, &mut *version.empty()).map_err(describe)?;
            same(&*found, &*expected).map_err(describe)?;
            if !lacks_required(&hub, &*expected)? && lacks_required(&back, &*found)? {
                let error = format!("a required field of the hub is lost\n    hub: {hub}\n   back: {back}");
                return Err(describe(error.into()).into());
            }
        }
        Ok(())
    })
}

/// Decodes an object, which must have no fields but those of its type.
fn decode(json: &Value, object: &mut dyn Reflect) -> Result<(), Violations> {
    let decoded =
        json::decode_into(json.to_string().as_bytes(), object).map_err(|error| error.to_string())?;
    if decoded.unknown.is_empty() {
        return Ok(());
    }
    Err(format!("unknown fields: {}\n  found: {json}", decoded.unknown.join(", ")).into())
}

/// An edit of the object at each version wins, although the stash is that of the object before it: the version shows
/// what was written, or what that converts to without a stash. Nothing else changes.
///
/// # Errors
/// What the version shows instead, or what else changed.
pub(in super::super) fn an_edit_wins(
    versions: &[Undecoded<'_>],
    index: usize,
    json: &Value,
    source: &mut Source<'_>,
) -> Result<(), Violations> {
    unless_refused(|| {
        let hub = versions[index].to_hub_json(json)?;
        versions.iter().try_for_each(|version| edit_wins(version, &hub, source))
    })
}

fn edit_wins(version: &Undecoded<'_>, hub: &Value, source: &mut Source<'_>) -> Result<(), Stop> {
    let object = version.from_hub_json(hub.to_string().as_bytes())?;
    let mut edited = object.clone();
    let at = json_edit::edit(&mut edited, version.empty().descriptor(), source);
    let back = version.to_hub_json(&edited)?;
    let describe = |error: Violations| {
        format!(
            "{error}\n    hub: {hub}\n  shown: {object}\n   edit: {at}\n edited: {edited}\n   back: {back}"
        )
    };
    shows(version, &back, &edited)?.map_err(describe)?;
    let [before, after] = [&object, &edited].map(|object| version.to_hub_json(&without_stash(object)));
    let (before, after) = (before?, after?);
    let meant = differences::paths(&before, &after);
    let made = differences::paths(hub, &back);
    for path in made.iter().filter(|path| !meant.iter().any(|other| differences::is_within(path, other))) {
        let mut as_it_was = back.clone();
        put_back(hub, &mut as_it_was, path);
        if is_same_hub(version, &back, &as_it_was)? {
            continue;
        }
        // What the rules do not distinguish does not count here: the stash tells it apart.
        let without_rules = |found: &Value, written: &Value| is_same_typed(version, found, written);
        if matches!(shows_by(version, &as_it_was, &edited, without_rules), Ok(Ok(()))) {
            return Err(describe(format!("{path} changed as well").into()).into());
        }
    }
    for path in &meant {
        let [before, after, hub, back] =
            [&before, &after, hub, &back].map(|value| differences::len(value, path));
        // If the version shows only some elements, the rules decide what happens to the others.
        if before == hub && after != back {
            return Err(describe(format!("{path} has {back} elements, expected {after}").into()).into());
        }
    }
    Ok(())
}

/// Whether two hubs are the same when they are decoded, and no required field is lost in the first.
fn is_same_hub(version: &Undecoded<'_>, found: &Value, expected: &Value) -> Result<bool, Stop> {
    let [mut one, mut other] = [version.side.empty_hub()?, version.side.empty_hub()?];
    decode(found, &mut *one)?;
    decode(expected, &mut *other)?;
    let is_lost = lacks_required(found, &*one)? && !lacks_required(expected, &*other)?;
    Ok(equal(&*one, &*other) && !is_lost)
}

/// Whether the version shows of a hub what was written, or what that converts to without a stash.
fn shows(version: &Undecoded<'_>, hub: &Value, written: &Value) -> Result<Result<(), Violations>, Stop> {
    shows_by(version, hub, written, |found, written| is_same(version, found, written))
}

fn shows_by(
    version: &Undecoded<'_>,
    hub: &Value,
    written: &Value,
    is_same: impl Fn(&Value, &Value) -> bool,
) -> Result<Result<(), Violations>, Stop> {
    let written = without_stash(written);
    let expected = without_stash(&version.convert_json(&written, version)?);
    let found = match version.from_hub_json(hub.to_string().as_bytes()) {
        Ok(found) => without_stash(&found),
        // The restored data may be too large to be stashed again.
        Err(SchemeError::Convert(
            ConvertError::TooLarge { .. } | ConvertError::TooDeep(_) | ConvertError::NotJson(_),
        )) => return Ok(Ok(())),
        // The version accepted these values when they were written, so they cannot be refused now.
        Err(error) => return Ok(Err(error.to_string().into())),
    };
    let mut settled = Some(found.clone());
    settle(&mut settled, Some(&written), Some(&expected));
    if is_same(&settled.unwrap_or_default(), &written) {
        return Ok(Ok(()));
    }
    Ok(Err(format!("expected: {expected}\n   found: {found}").into()))
}

/// Whether two objects are the same, or differ only by an absent required field where the other has an empty one: a
/// stash has values of typed objects, to which both are the same.
fn is_same(version: &Undecoded<'_>, found: &Value, expected: &Value) -> bool {
    same_json(found, expected, version.empty().descriptor(), &version.canonical()).is_ok()
        || is_same_typed(version, found, expected)
}

/// Whether two objects are the same when they are decoded.
fn is_same_typed(version: &Undecoded<'_>, found: &Value, expected: &Value) -> bool {
    let decoded = |json: &Value| {
        let mut object = version.empty();
        json::decode_into(json.to_string().as_bytes(), &mut *object).map(|_| object)
    };
    matches!((decoded(found), decoded(expected)), (Ok(found), Ok(expected)) if equal(&*found, &*expected))
}

/// Replaces what equals the other value by the one value.
fn settle(found: &mut Option<Value>, one: Option<&Value>, other: Option<&Value>) {
    if found.as_ref() == other {
        *found = one.cloned();
        return;
    }
    match (found, one, other) {
        (Some(Value::Object(found)), Some(Value::Object(one)), Some(Value::Object(other))) => {
            let names: BTreeSet<String> =
                found.keys().chain(one.keys()).chain(other.keys()).cloned().collect();
            for name in names {
                let mut value = found.remove(&name);
                settle(&mut value, one.get(&name), other.get(&name));
                found.extend(value.map(|value| (name, value)));
            }
        }
        (Some(Value::Array(found)), Some(Value::Array(one)), Some(Value::Array(other)))
            if found.len() == one.len() && found.len() == other.len() =>
        {
            for (found, (one, other)) in found.iter_mut().zip(one.iter().zip(other)) {
                let mut value = Some(found.take());
                settle(&mut value, Some(one), Some(other));
                *found = value.unwrap_or_default();
            }
        }
        _ => {}
    }
}

/// Copies the value at a path from one object to another, or removes it.
fn put_back(from: &Value, to: &mut Value, path: &str) {
    let mut names: Vec<&str> = path.split('.').skip(1).collect();
    let Some(last) = names.pop() else { return };
    let at = |value: &Value| names.iter().try_fold(value.clone(), |value, name| value.get(name).cloned());
    let value = at(from).and_then(|parent| parent.get(last).cloned());
    let parent = names.iter().try_fold(to, |value, name| value.get_mut(name));
    if let Some(Value::Object(members)) = parent {
        match value {
            Some(value) => members.insert(last.to_owned(), value),
            None => members.remove(last),
        };
    }
}
