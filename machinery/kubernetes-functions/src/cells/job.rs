//! Cells of Jobs.

use hubgen_machinery::columns::{Cell, Value, age};
use hubgen_machinery::scalar::Time;

/// How far the Job is.
pub fn status(job: Value<'_>, _: Time) -> Cell {
    // The first condition of a type counts.
    let is = |name: &str| {
        let mut conditions = job.get("status.conditions").items();
        let condition = conditions.find(|condition| condition.get("type").text() == name);
        condition.is_some_and(|condition| condition.get("status").text() == "True")
    };
    let is_being_deleted = job.get("metadata.deletionTimestamp").is_present();
    Cell::text(match () {
        () if is("Complete") => "Complete",
        () if is("Failed") => "Failed",
        () if is_being_deleted => "Terminating",
        () if is("Suspended") => "Suspended",
        () if is("FailureTarget") => "FailureTarget",
        () if is("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    })
}

/// How many of its Pods have succeeded, of how many.
pub fn completions(job: Value<'_>, _: Time) -> Cell {
    let succeeded = job.get("status.succeeded").integer();
    let (wanted, parallel) = (job.get("spec.completions"), job.get("spec.parallelism").integer());
    Cell::Text(match wanted.is_present() {
        true => format!("{succeeded}/{}", wanted.integer()),
        false if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        false => format!("{succeeded}/1"),
    })
}

/// How long it took, or takes until now.
pub fn duration(job: Value<'_>, now: Time) -> Cell {
    let Some(start) = job.get("status.startTime").time() else { return Cell::text("") };
    Cell::Text(age(start, job.get("status.completionTime").time().unwrap_or(now)))
}
