//! Cells of evictions and of requests for them.

use hubgen_machinery::columns::{Cell, Value, age, human};
use hubgen_machinery::scalar::Time;

use super::listed::listed;

/// How far an eviction is.
pub fn status(status: Value<'_>, _: Time) -> Cell {
    let holds = |name: &str| {
        let mut conditions = status.get("conditions").items();
        let condition = conditions.find(|condition| condition.get("type").text() == name)?;
        let text = || format!("{name} ({})", condition.get("reason").text());
        (condition.get("status").text() == "True").then(text)
    };
    let begun = if status.get("observedGeneration").integer() > 0 { "Progressing" } else { "Pending" };
    Cell::Text(holds("TargetEvicted").or_else(|| holds("Failed")).unwrap_or_else(|| begun.to_owned()))
}

/// What is evicted.
pub fn target_type(target: Value<'_>, _: Time) -> Cell {
    Cell::text(if target.get("pod").is_present() { "Pod" } else { "<unset>" })
}

/// The responder that acts, or else the last one that did.
fn current(status: Value<'_>) -> Option<Value<'_>> {
    let last = |is: fn(&str) -> bool| {
        status.get("targetResponders").items().rev().find(|responder| is(responder.get("state").text()))
    };
    last(|state| state == "Active").or_else(|| last(has_acted))
}

fn has_acted(state: &str) -> bool {
    matches!(state, "Canceled" | "Interrupted" | "Completed")
}

/// The name of the responder that acts, and how many have acted or do, of how many.
pub fn responder(status: Value<'_>, _: Time) -> Cell {
    let all = status.get("targetResponders");
    let acted = all.items().filter(|responder| {
        let state = responder.get("state").text();
        state == "Active" || has_acted(state)
    });
    let name = current(status).map_or("<unset>", |responder| responder.get("name").text());
    Cell::Text(format!("{name} ({}/{})", acted.count(), all.len()))
}

/// The state of the current responder, and what it reports.
fn reported(status: Value<'_>) -> Option<(&str, Value<'_>)> {
    let current = current(status)?;
    let name = current.get("name").text();
    let report = status.get("responders").items().find(|report| report.get("name").text() == name)?;
    Some((current.get("state").text(), report))
}

/// What the responder does.
pub fn responder_status(status: Value<'_>, now: Time) -> Cell {
    let Some((state, report)) = reported(status) else { return Cell::text("<unset>") };
    let since = |word: &str, field: &str| {
        report.get(field).time().map(|time| format!("{word} ({} ago)", age(time, now)))
    };
    let told = match state {
        "Active" => since("Started", "startTime"),
        "Completed" => since("Completed", "completionTime"),
        _ => None,
    };
    Cell::Text(told.unwrap_or_else(|| state.to_owned()))
}

/// When the responder expects to be done.
pub fn expected_finish(status: Value<'_>, now: Time) -> Cell {
    let unknown = || Cell::text("<unknown>");
    let Some((state, report)) = reported(status) else { return unknown() };
    if has_acted(state) {
        return Cell::text("-");
    }
    let started = report.get("startTime").is_present();
    let expected = report.get("expectedCompletionTime").time().filter(|_| state == "Active" && started);
    let Some(expected) = expected else { return unknown() };
    let left = expected.0.as_second() - now.0.as_second();
    Cell::Text(if left > 0 { format!("in {}", human(left)) } else { format!("{} ago", human(-left)) })
}

/// When the responder was heard of.
pub fn heartbeat(status: Value<'_>, now: Time) -> Cell {
    let time = reported(status).and_then(|(_, report)| report.get("heartbeatTime").time());
    Cell::Text(time.map_or_else(|| "<unset>".to_owned(), |time| format!("{} ago", age(time, now))))
}

/// The message of the responder.
pub fn responder_message(status: Value<'_>, _: Time) -> Cell {
    let message = reported(status).map_or("", |(_, report)| report.get("message").text()).trim();
    Cell::text(if message.is_empty() { "<unset>" } else { message })
}

/// Who has requested the eviction, and still does.
pub fn requesters(requesters: Value<'_>, _: Time) -> Cell {
    let still = requesters.items().filter(|requester| requester.get("intent").text() != "Withdrawn");
    let mut names: Vec<String> = still.map(|requester| requester.get("name").text().to_owned()).collect();
    names.sort_unstable();
    Cell::Text(match (requesters.is_empty(), names.is_empty()) {
        (true, _) => "<none>".to_owned(),
        (false, true) => "<withdrawn>".to_owned(),
        (false, false) => listed(&names, 1),
    })
}
