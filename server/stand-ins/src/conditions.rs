//! Conditions of a status.

use serde_json::{Value, json};

/// A condition that holds.
pub(crate) struct Holds {
    pub(crate) ty: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

/// Lets conditions of a status hold. `times` are the members with the time of a change: the last is that of the last transition,
/// which stays where the condition held already. Conditions of other types stay.
pub(crate) fn hold(status: &mut Value, conditions: Vec<Holds>, times: &[&str], now: &str) {
    if !status["conditions"].is_array() {
        status["conditions"] = json!([]);
    }
    let Some(all) = status["conditions"].as_array_mut() else { return };
    for Holds { ty, reason, message } in conditions {
        let mut condition = json!({"type": ty, "status": "True"});
        if !reason.is_empty() {
            condition["reason"] = reason.into();
        }
        if !message.is_empty() {
            condition["message"] = message.into();
        }
        let before = all.iter_mut().find(|other| other["type"] == ty);
        let is_same = |before: &Value| {
            let members = ["status", "reason", "message"];
            members.iter().all(|member| before[*member] == condition[*member])
        };
        match before {
            Some(before) if is_same(before) => {}
            Some(before) => {
                let held = before["status"] == "True";
                for (at, time) in times.iter().enumerate() {
                    let is_transition = at + 1 == times.len();
                    let stays = held && is_transition && before[*time].is_string();
                    condition[*time] = if stays { before[*time].clone() } else { now.into() };
                }
                *before = condition;
            }
            None => {
                times.iter().for_each(|time| condition[*time] = now.into());
                all.push(condition);
            }
        }
    }
}
