//! What a running server does beyond decoding and defaults: `served.json`
//! lists by kind and path what it sets or takes away, and says who does it and
//! what for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::compare::general;
use super::differences::{Case, Place};
use crate::check::title;

/// Kind (`apps/DaemonSet`, `autoscaling/v1 HorizontalPodAutoscaler` for what is sent at that version
/// only, or `*` for all) → path, after `-` where something is taken away → who, and what for.
type List = BTreeMap<String, BTreeMap<String, String>>;

fn list() -> &'static List {
    static LIST: OnceLock<List> = OnceLock::new();
    LIST.get_or_init(|| {
        let list: Value = serde_json::from_str(include_str!("served.json")).expect("served.json is JSON");
        let paths = |paths: &Value| {
            let paths = paths.as_object().expect("served.json has paths for each kind");
            let text = |who: &Value| who.as_str().expect("served.json says who it is").to_owned();
            paths.iter().map(|(path, who)| (path.clone(), text(who))).collect()
        };
        let kinds = list.as_object().expect("served.json has kinds");
        kinds.iter().map(|(kind, value)| (kind.clone(), paths(value))).collect()
    })
}

/// Who set all that differs there.
pub fn set_by(case: &Case<'_>, place: &Place<'_>) -> Option<&'static str> {
    if !case.record.server {
        return None;
    }
    if place.refused.is_some() {
        let error = case.record.answer.as_ref().err()?;
        return error
            .contains(" is invalid: ")
            .then_some("validation: an object that breaks the rules of its kind");
    }
    let kinds = ["*", &title(case.to), &case.from.to_string()];
    let lists: Vec<_> = kinds.iter().filter_map(|kind| list().get(*kind)).collect();
    let listed = |path: &str, theirs: &Value| {
        let is_in = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
        let of = |listed: &str| match listed.strip_prefix('-') {
            Some(listed) => theirs.is_null() && path.strip_prefix(listed).is_some_and(is_in),
            None => !theirs.is_null() && path.strip_prefix(listed).is_some_and(is_in),
        };
        lists.iter().flat_map(|list| list.iter()).find(|(path, _)| of(path)).map(|(_, who)| who.as_str())
    };
    all_listed(&general(&place.path), place.theirs, place.ours, &listed)
}

/// The same for all members of an object that is on one side only.
fn all_listed(
    path: &str,
    theirs: &Value,
    ours: &Value,
    listed: &dyn Fn(&str, &Value) -> Option<&'static str>,
) -> Option<&'static str> {
    if let Some(who) = listed(path, theirs) {
        return Some(who);
    }
    let (Value::Object(members), Value::Null) = (theirs, ours) else { return None };
    let mut all =
        members.iter().map(|(name, value)| all_listed(&format!("{path}.{name}"), value, ours, listed));
    let first = all.next()??;
    all.all(|who| who.is_some()).then_some(first)
}
