//! Changes that a running server makes beyond decoding and defaults: `served.json` lists by kind
//! and path what it sets or removes, who does it and why.
//!
//! An entry contains the value that the server sets, and under `ours` the value in our answer, if
//! any. A path that begins with `-` is one that the server removes, and for which our answer has
//! the requested value. A value is JSON, in which these texts have a meaning:
//!
//! - `$uid`, `$time`, `$digits`, `$address`, `$text`, `$port`: any value of that form;
//! - `$same /pointer`: the value of the same answer at that pointer;
//! - `{"$one of": […]}`: one of these values.
//!
//! The behavior of an autoscaler is ours, with the defaults of the version at which it is stored.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{Object, Scheme};
use serde_json::Value;

use super::differences::{Case, Mismatch, autoscalers};
use super::path::general;
use crate::title;

/// A value that a server sets or removes.
struct Entry {
    value: Value,
    /// The value in our answer; `None` if the entry does not contain it.
    ours: Option<Value>,
    by: String,
}

/// Kind → path → entry. A kind is `apps/DaemonSet`, or `autoscaling/v1 HorizontalPodAutoscaler` for
/// objects sent at that version only, or `*` for all.
type List = BTreeMap<String, BTreeMap<String, Entry>>;

static LIST: LazyLock<List> = LazyLock::new(|| {
    let list: Value = serde_json::from_str(include_str!("served.json")).expect("served.json is JSON");
    let entry = |entry: &Value| Entry {
        value: entry["value"].clone(),
        ours: entry.get("ours").cloned(),
        by: entry["by"].as_str().expect("served.json names who sets it").to_owned(),
    };
    let entries = |paths: &Value| {
        let paths = paths.as_object().expect("served.json has paths for each kind");
        paths.iter().map(|(path, value)| (path.clone(), entry(value))).collect()
    };
    let kinds = list.as_object().expect("served.json has kinds");
    kinds.iter().map(|(kind, paths)| (kind.clone(), entries(paths))).collect()
});

/// Who set or removed everything that differs.
pub fn set_by(scheme: &Scheme, case: &Case<'_>, place: &Mismatch<'_>) -> Option<&'static str> {
    let kinds = ["*", &title(case.to), &case.from.to_string()];
    let entry = |path: &str| kinds.iter().find_map(|kind| LIST.get(*kind)?.get(path));
    let is_set = |path: &str, theirs: &Value, ours: Option<&Value>| {
        let entry = entry(path).filter(|entry| entry.ours.as_ref() == ours)?;
        fits(&entry.value, theirs, case).then_some(&*entry.by)
    };
    let path = general(&place.path);
    let behavior = [format!("metadata.annotations.{}", autoscalers::BEHAVIOR), "spec.behavior".to_owned()];
    if let Some(whole) = behavior.iter().find(|whole| path.starts_with(&**whole)) {
        // Either side can lack a part of it, so the whole behavior is compared.
        let entry = entry(whole).filter(|_| has_stored_defaults(scheme, case) == Some(true));
        return entry.map(|entry| &*entry.by);
    }
    match (place.theirs, place.ours) {
        (Some(theirs), None) => all_set(&path, theirs, &|path, theirs| is_set(path, theirs, None)),
        (Some(theirs), ours) => is_set(&path, theirs, ours),
        (None, Some(ours)) => {
            let name = match path.split_once("annotations.") {
                Some((_, key)) => key,
                None => path.rsplit('.').next().unwrap_or_default(),
            };
            let entry = entry(&format!("-{path}")).filter(|_| is_asked(case.asked, name, ours));
            entry.map(|entry| &*entry.by)
        }
        (None, None) => None,
    }
}

/// Whether a value is in the request, in a field of that name; at other versions the field has
/// another path.
fn is_asked(asked: &Value, name: &str, ours: &Value) -> bool {
    match asked {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| (key == name && covers(ours, value)) || is_asked(value, name, ours)),
        Value::Array(elements) => elements.iter().any(|element| is_asked(element, name, ours)),
        _ => false,
    }
}

/// Whether a value is the requested one, apart from defaults.
fn covers(ours: &Value, asked: &Value) -> bool {
    match (ours, asked) {
        (Value::Object(ours), Value::Object(asked)) => {
            asked.iter().all(|(name, asked)| ours.get(name).is_some_and(|ours| covers(ours, asked)))
        }
        (Value::Array(ours), Value::Array(asked)) => {
            ours.len() == asked.len() && ours.iter().zip(asked).all(|(ours, asked)| covers(ours, asked))
        }
        (ours, asked) => ours == asked,
    }
}

/// The same for all members of an object that only the server has.
fn all_set(
    path: &str,
    theirs: &Value,
    is_set: &dyn Fn(&str, &Value) -> Option<&'static str>,
) -> Option<&'static str> {
    if let Some(by) = is_set(path, theirs) {
        return Some(by);
    }
    let members = theirs.as_object()?;
    let mut all = members.iter().map(|(name, value)| all_set(&format!("{path}.{name}"), value, is_set));
    let first = all.next()??;
    all.all(|by| by.is_some()).then_some(first)
}

/// Whether a value matches an entry.
fn fits(entry: &Value, value: &Value, case: &Case<'_>) -> bool {
    match (entry, value) {
        (Value::String(form), value) if form.starts_with('$') => has_form(form, value, case),
        (Value::Array(entries), Value::Array(values)) => {
            entries.len() == values.len()
                && entries.iter().zip(values).all(|(entry, value)| fits(entry, value, case))
        }
        (Value::Object(entry), value) if entry.contains_key("$one of") => {
            let choices = entry["$one of"].as_array().expect("served.json has a list of choices");
            choices.contains(value)
        }
        (Value::Object(entry), Value::Object(value)) => {
            let fits = |(name, entry): (&String, &Value)| {
                value.get(name).is_some_and(|value| fits(entry, value, case))
            };
            entry.len() == value.len() && entry.iter().all(fits)
        }
        (entry, value) => entry == value,
    }
}

fn has_form(form: &str, value: &Value, case: &Case<'_>) -> bool {
    let is_text = |is: &dyn Fn(&str) -> bool| value.as_str().is_some_and(is);
    match form {
        "$uid" => is_text(&is_uid),
        "$time" => is_text(&|text| text.parse::<Time>().is_ok()),
        "$digits" => is_text(&|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())),
        "$address" => is_text(&|text| text.parse::<std::net::IpAddr>().is_ok()),
        "$text" => is_text(&|text| !text.is_empty()),
        "$port" => value.as_u64().is_some_and(|port| (1..65_536).contains(&port)),
        form => {
            let pointer = form.strip_prefix("$same ").unwrap_or_else(|| panic!("served.json: {form}"));
            case.theirs.is_ok_and(|theirs| theirs.pointer(pointer) == Some(value))
        }
    }
}

fn is_uid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether the behavior of an autoscaler is ours with the defaults of autoscaling/v2.
fn has_stored_defaults(scheme: &Scheme, case: &Case<'_>) -> Option<bool> {
    let text = serde_json::to_vec(case.ours.ok()?).ok()?;
    let (ours, _) = Object::decode(case.to, &text).ok()?;
    let stored = scheme.named("autoscaling/v2", case.kind)?;
    let mut stored = scheme.convert(ours, stored).ok()?;
    stored.set_defaults(&Context { now: Time::default() });
    let defaulted: Value = serde_json::from_slice(&stored.encode().unwrap()).ok()?;
    let theirs = autoscalers::behavior(case.to, case.theirs.ok()?)?;
    Some(theirs == autoscalers::behavior(&stored.entry, &defaulted)?)
}
