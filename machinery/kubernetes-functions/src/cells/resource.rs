//! Cells of claims of devices, and of requests for the status of their pools.

use hubgen_machinery::columns::{Cell, Value, age};
use hubgen_machinery::scalar::Time;

/// What has become of a claim.
pub fn claim_state(claim: Value<'_>, _: Time) -> Cell {
    let is_being_deleted = claim.get("metadata.deletionTimestamp").is_present();
    let is_allocated = claim.get("status.allocation").is_present();
    let states = [
        ("deleted", is_being_deleted),
        ("pending", !is_allocated && !is_being_deleted),
        ("allocated", is_allocated),
        ("reserved", is_allocated && !claim.get("status.reservedFor").is_empty()),
    ];
    let states: Vec<&str> = states.into_iter().filter(|(_, is)| *is).map(|(state, _)| state).collect();
    Cell::Text(states.join(","))
}

/// The condition that tells the end of a request.
fn end<'a>(status: Value<'a>) -> Option<Value<'a>> {
    status.get("conditions").items().find(|condition| {
        matches!(condition.get("type").text(), "Complete" | "Failed")
            && condition.get("status").text() == "True"
    })
}

fn has_failed(status: Value<'_>) -> bool {
    end(status).is_some_and(|end| end.get("type").text() == "Failed")
}

/// What has become of a request, and how many pools are left out.
pub fn status(status: Value<'_>, _: Time) -> Cell {
    let Some(end) = end(status) else { return Cell::text("Pending") };
    let (shown, all) = (status.get("pools").len(), status.get("poolCount").integer());
    let is_cut = i64::try_from(shown).is_ok_and(|shown| all > shown);
    Cell::Text(match end.get("type").text() {
        "Complete" if is_cut => format!("Complete ({shown}/{all} pools)"),
        end => end.to_owned(),
    })
}

/// When a request was completed.
pub fn completed(status: Value<'_>, now: Time) -> Cell {
    let completed = end(status).filter(|end| end.get("type").text() == "Complete");
    let Some(completed) = completed else { return Cell::text("<none>") };
    let time = completed.get("lastTransitionTime").time();
    Cell::Text(time.map_or_else(|| "<unknown>".to_owned(), |time| age(time, now)))
}

/// How many devices there are.
pub fn total_devices(status: Value<'_>, _: Time) -> Cell {
    sum(status, "totalDevices")
}

/// How many of them are available.
pub fn available_devices(status: Value<'_>, _: Time) -> Cell {
    sum(status, "availableDevices")
}

/// How many of them are allocated.
pub fn allocated_devices(status: Value<'_>, _: Time) -> Cell {
    sum(status, "allocatedDevices")
}

/// How many of them are unavailable.
pub fn unavailable_devices(status: Value<'_>, _: Time) -> Cell {
    sum(status, "unavailableDevices")
}

/// How many pools are invalid.
pub fn invalid_pools(status: Value<'_>, _: Time) -> Cell {
    of_pools(status, |pool| i32::from(pool.get("validationError").is_present()))
}

fn sum(status: Value<'_>, field: &str) -> Cell {
    of_pools(status, |pool| i32::try_from(pool.get(field).integer()).unwrap_or_default())
}

/// A sum over all pools, which a request that failed does not have.
fn of_pools(status: Value<'_>, number: impl Fn(Value<'_>) -> i32) -> Cell {
    if !status.is_present() || has_failed(status) {
        return Cell::text("-");
    }
    // As in Go, a sum that is too large begins anew.
    let sum = status.get("pools").items().map(number).fold(0, i32::wrapping_add);
    Cell::Text(sum.to_string())
}
