//! Jobs: all of their pods have succeeded, unless the job is suspended.

use hubgen_server::loops::Resource;
use serde_json::{Value, json};

use crate::conditions::{Holds, hold};
use crate::marks::{Marks, number, set, status_of};

pub(crate) const JOBS: Marks =
    Marks { of: &[Resource { group: "batch", version: "v1", plural: "jobs" }], status: job };

fn job(object: &Value, now: &str) -> Value {
    let mut status = status_of(object);
    let is_over = ["Complete", "Failed"].iter().any(|ty| {
        let conditions = status["conditions"].as_array();
        conditions.into_iter().flatten().any(|other| other["type"] == *ty && other["status"] == "True")
    });
    let times = ["lastProbeTime", "lastTransitionTime"];
    if is_over {
        return status;
    }
    if object["spec"]["suspend"] == true {
        let message = "Job suspended".to_owned();
        hold(&mut status, vec![Holds { ty: "Suspended", reason: "JobSuspended", message }], &times, now);
        return status;
    }
    for time in ["startTime", "completionTime"] {
        if !status[time].is_string() {
            status[time] = now.into();
        }
    }
    // Without a number of completions, one success is enough.
    let completions = number(object, "/spec/completions", 1);
    set(&mut status, "succeeded", completions);
    status["ready"] = 0.into();
    status["terminating"] = 0.into();
    status["uncountedTerminatedPods"] = json!({});
    if object["spec"]["completionMode"] == "Indexed" && completions > 0 {
        status["completedIndexes"] =
            if completions == 1 { "0".into() } else { format!("0-{}", completions - 1).into() };
    }
    let reached = |ty| {
        let message = "Reached expected number of succeeded pods".to_owned();
        Holds { ty, reason: "CompletionsReached", message }
    };
    hold(&mut status, vec![reached("SuccessCriteriaMet"), reached("Complete")], &times, now);
    status
}
