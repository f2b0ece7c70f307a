//! Words that specs of pods and templates of pods may have, which upstream checks in code: a pull policy, and a restart policy
//! that fits those who make the pods. A controller whose pods are wrong learns it from the refusal.

use std::fmt::Write as _;

use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scheme::KindEntry;

use super::{Violation, Violations, Written, quoted};
use crate::part::Part;

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const ALWAYS: &str = "Always";

/// Kinds with a spec of pods: group, kind, where the spec is, and the restart policies that it may have.
const KINDS: [(&str, &str, &[&str], &[&str]); 8] = [
    ("", "Pod", &["spec"], &[ALWAYS, "OnFailure", "Never"]),
    ("", "ReplicationController", &["spec", "template", "spec"], &[ALWAYS]),
    ("apps", "Deployment", &["spec", "template", "spec"], &[ALWAYS]),
    ("apps", "ReplicaSet", &["spec", "template", "spec"], &[ALWAYS]),
    ("apps", "StatefulSet", &["spec", "template", "spec"], &[ALWAYS]),
    ("apps", "DaemonSet", &["spec", "template", "spec"], &[ALWAYS]),
    ("batch", "Job", &["spec", "template", "spec"], &["OnFailure", "Never"]),
    ("batch", "CronJob", &["spec", "jobTemplate", "spec", "template", "spec"], &["OnFailure", "Never"]),
];

/// The words of an object at its hub that are wrong, and were not so before.
pub(crate) fn violations(written: &Written<'_>) -> Violations {
    let Written { entry, part, object, old } = *written;
    let mut found = Violations::default();
    if part != Part::Main {
        return found;
    }
    let before = old.map(|old| wrong(entry, old)).unwrap_or_default();
    found.extend(wrong(entry, object).into_iter().filter(|violation| !before.contains(violation)));
    found
}

fn wrong(entry: &KindEntry, object: &dyn Reflect) -> Vec<Violation> {
    let meant = KINDS.iter().find(|(group, kind, ..)| entry.group == *group && entry.kind == *kind);
    let Some((_, _, path, policies)) = meant else { return Vec::new() };
    let mut spec = object;
    for field in *path {
        let Some(Slot::Struct(inner)) = spec.field(field) else { return Vec::new() };
        spec = inner;
    }
    let path = path.join(".");
    let mut found = Vec::new();
    for list in ["initContainers", "containers"] {
        let Some(Slot::List(containers)) = spec.field(list) else { continue };
        for (index, container) in containers.iter().enumerate() {
            let Slot::Struct(container) = container else { continue };
            let policy = text(container, "imagePullPolicy");
            if !policy.is_empty() && !PULL_POLICIES.contains(&policy) {
                let at = format!("{path}.{list}[{index}].imagePullPolicy");
                found.push(Violation::not_supported(at, policy, &PULL_POLICIES));
            }
        }
    }
    found.extend(restart_policy(&path, text(spec, "restartPolicy"), policies));
    found
}

/// What is wrong with a restart policy. One that is usual and does not fit is as one that is missing, as upstream.
fn restart_policy(path: &str, policy: &str, policies: &[&str]) -> Option<Violation> {
    let at = format!("{path}.restartPolicy");
    if policies.contains(&policy) || (policy.is_empty() && policies.contains(&ALWAYS)) {
        return None;
    }
    if policy.is_empty() || policy == ALWAYS {
        let mut why = "valid values: ".to_owned();
        for (index, policy) in policies.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let _ = write!(why, "{comma}{}", quoted(policy));
        }
        return Some(Violation::required(at, &why));
    }
    Some(Violation::not_supported(at, policy, policies))
}

fn text<'a>(object: &'a dyn Reflect, field: &str) -> &'a str {
    match object.field(field) {
        Some(Slot::String(text)) => text.as_str(),
        _ => "",
    }
}
