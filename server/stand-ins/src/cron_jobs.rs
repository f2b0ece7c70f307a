//! CronJobs: a Job is made when one is due, as the controller of a cluster does.
//!
//! Other stand-ins make no objects, because what is waited for is a status. Of a CronJob it is its Jobs: nobody waits for a CronJob
//! itself, and one that tells of a run before any was due would be wrong. Time is that of the server's clock, so a test that moves it
//! over midnight finds the Job of midnight. Whoever moves it over several times finds the last one only, as after a controller has
//! been away. With the stand-in of Jobs, the Job succeeds at once.

use std::hash::{DefaultHasher, Hash, Hasher};

use hubgen_machinery::scalar::Time;
use hubgen_server::loops::{Changed, Done, Resource, StandIn, World};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde_json::{Value, json};

use crate::marks::{is_being_deleted, status_of};
use crate::schedule::Schedule;

const CRON_JOBS: Resource = Resource { group: "batch", version: "v1", plural: "cronjobs" };
const JOBS: Resource = Resource { group: "batch", version: "v1", plural: "jobs" };
const EVENTS: Resource = Resource { group: "", version: "v1", plural: "events" };
/// The annotation of a Job that tells for when it was due.
const DUE: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// The component that tells what is wrong, as upstream has it.
const COMPONENT: &str = "cronjob-controller";

/// Makes the Jobs of CronJobs.
pub(crate) struct CronJobs;

impl StandIn for CronJobs {
    fn name(&self) -> &'static str {
        CRON_JOBS.plural
    }

    fn follows(&self) -> &'static [Resource] {
        &[CRON_JOBS, JOBS]
    }

    fn act<'a>(&'a self, changed: &'a Changed, world: &'a World) -> Done<'a, Option<Time>> {
        Box::pin(async move {
            if changed.resource == JOBS {
                for cron_job in world.list(CRON_JOBS, &changed.namespace).await? {
                    if concerns(changed, &cron_job) {
                        tend(&cron_job, world).await?;
                    }
                }
                return Ok(None);
            }
            match &changed.object {
                Some(cron_job) => tend(cron_job, world).await,
                // The Jobs go with their owner.
                None => Ok(None),
            }
        })
    }
}

/// Whether a Job that has changed is one of a CronJob, or was.
fn concerns(job: &Changed, cron_job: &Value) -> bool {
    match &job.object {
        Some(job) => is_controlled(job, cron_job),
        None => active(cron_job).iter().any(|active| active["name"] == *job.name),
    }
}

fn is_controlled(job: &Value, cron_job: &Value) -> bool {
    let owners = job["metadata"]["ownerReferences"].as_array().into_iter().flatten();
    let uid = &cron_job["metadata"]["uid"];
    owners.into_iter().any(|owner| owner["controller"] == true && owner["uid"] == *uid)
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn time(object: &Value, pointer: &str) -> Option<Time> {
    text(object, pointer).parse().ok()
}

/// The references to the Jobs that run.
fn active(cron_job: &Value) -> Vec<Value> {
    cron_job["status"]["active"].as_array().cloned().unwrap_or_default()
}

/// How a Job has ended: as `Complete` or `Failed`; `None` if it has not.
fn end_of(job: &Value) -> Option<&str> {
    let conditions = job["status"]["conditions"].as_array().into_iter().flatten();
    let mut ends = conditions.into_iter().filter(|condition| condition["status"] == "True");
    ends.find_map(|condition| condition["type"].as_str().filter(|ty| ["Complete", "Failed"].contains(ty)))
}

/// Makes the Job that is due, forgets Jobs that have ended, and tells it in the status. Returns when there is more to do.
async fn tend(cron_job: &Value, world: &World) -> Result<Option<Time>, String> {
    let (namespace, name) = (text(cron_job, "/metadata/namespace"), text(cron_job, "/metadata/name"));
    let mut jobs = world.list(JOBS, namespace).await?;
    jobs.retain(|job| is_controlled(job, cron_job));
    let mut running = active(cron_job);
    running.retain(|active| {
        let job = jobs.iter().find(|job| job["metadata"]["uid"] == active["uid"]);
        job.is_some_and(|job| end_of(job).is_none())
    });
    let succeeded = jobs.iter().filter(|job| end_of(job) == Some("Complete"));
    let succeeded = succeeded.filter_map(|job| time(job, "/status/completionTime"));
    let last_success = succeeded.chain(time(cron_job, "/status/lastSuccessfulTime")).max();
    let mut last = time(cron_job, "/status/lastScheduleTime");
    let mut next = None;
    let is_on = !is_being_deleted(cron_job) && cron_job["spec"]["suspend"] != true;
    let found = if is_on { schedule(cron_job, world).await? } else { None };
    if let Some((schedule, zone)) = found {
        let now = world.now().0;
        let is_waiting = text(cron_job, "/spec/concurrencyPolicy") == "Forbid" && !running.is_empty();
        if let Some(due) = due(cron_job, &schedule, now).filter(|_| !is_waiting) {
            if text(cron_job, "/spec/concurrencyPolicy") == "Replace" {
                for job in running.drain(..) {
                    world.delete(JOBS, namespace, text(&job, "/name")).await?;
                }
            }
            if let Some(job) = make(cron_job, &due.to_zoned(zone), world).await? {
                running.push(job);
            }
            last = Some(Time(due));
        }
        next = schedule.next(now).map(Time);
    }
    for (end, limit) in [("Complete", "successfulJobsHistoryLimit"), ("Failed", "failedJobsHistoryLimit")] {
        let Some(limit) = cron_job["spec"][limit].as_u64() else { continue };
        let mut ended: Vec<&Value> = jobs.iter().filter(|job| end_of(job) == Some(end)).collect();
        ended.sort_by_key(|job| (time(job, "/status/startTime"), text(job, "/metadata/name").to_owned()));
        let others = ended.len().saturating_sub(usize::try_from(limit).unwrap_or(usize::MAX));
        for job in &ended[..others] {
            world.delete(JOBS, namespace, text(job, "/metadata/name")).await?;
        }
    }
    let tell = move |object: &mut Value| {
        let mut status = status_of(object);
        let text = |time: Option<Time>| time.map(|time| Value::from(time.to_string()));
        let members = [
            ("active", (!running.is_empty()).then(|| running.clone().into())),
            ("lastScheduleTime", text(last)),
            ("lastSuccessfulTime", text(last_success)),
        ];
        for (member, value) in members {
            match (status.as_object_mut(), value) {
                (Some(status), Some(value)) => drop(status.insert(member.to_owned(), value)),
                (Some(status), None) => drop(status.remove(member)),
                (None, _) => {}
            }
        }
        let differs = object["status"] != status;
        object["status"] = status;
        differs
    };
    world.change_status(CRON_JOBS, namespace, name, tell).await?;
    Ok(next)
}

/// The schedule of a CronJob and its time zone; `None` if it is not valid, which an Event tells.
async fn schedule(cron_job: &Value, world: &World) -> Result<Option<(Schedule, TimeZone)>, String> {
    let zone = match text(cron_job, "/spec/timeZone") {
        "" => TimeZone::UTC,
        name => match TimeZone::get(name) {
            Ok(zone) => zone,
            Err(error) => {
                let message = format!("invalid timeZone: {name:?}: {error}");
                return warn(cron_job, "UnknownTimeZone", &message, world).await.map(|()| None);
            }
        },
    };
    let text = text(cron_job, "/spec/schedule");
    match Schedule::parse(text, zone.clone()) {
        Ok(schedule) => Ok(Some((schedule, zone))),
        Err(why) => {
            let message = format!("unparseable schedule: {text:?} : {why}");
            warn(cron_job, "UnparseableSchedule", &message, world).await.map(|()| None)
        }
    }
}

/// Tells in an Event, once, what is wrong with a CronJob.
async fn warn(cron_job: &Value, reason: &str, message: &str, world: &World) -> Result<(), String> {
    let (metadata, now) = (&cron_job["metadata"], world.now().to_string());
    let mut hasher = DefaultHasher::new();
    (text(metadata, "/uid"), message).hash(&mut hasher);
    let name = format!("{}.{:016x}", text(metadata, "/name"), hasher.finish());
    let event = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": metadata["namespace"]},
        "involvedObject": {
            "apiVersion": "batch/v1", "kind": "CronJob", "namespace": metadata["namespace"], "name": metadata["name"],
            "uid": metadata["uid"],
        },
        "type": "Warning", "reason": reason, "message": message,
        "source": {"component": COMPONENT}, "reportingComponent": COMPONENT,
        "firstTimestamp": now, "lastTimestamp": now, "count": 1,
    });
    world.ensure(EVENTS, event, |_| false).await
}

/// The last time at which a Job was due and was not made, unless it is too late for it.
fn due(cron_job: &Value, schedule: &Schedule, now: Timestamp) -> Option<Timestamp> {
    let made = time(cron_job, "/status/lastScheduleTime");
    let begin = made.or_else(|| time(cron_job, "/metadata/creationTimestamp"))?.0;
    let due = schedule.last(begin, now)?;
    let deadline = cron_job["spec"]["startingDeadlineSeconds"].as_i64();
    let is_late =
        deadline.is_some_and(|seconds| now.duration_since(due) > SignedDuration::from_secs(seconds));
    (!is_late).then_some(due)
}

/// Makes the Job of a time. Returns a reference to it; `None` if somebody else's Job has its name, or the namespace is going.
async fn make(cron_job: &Value, due: &Zoned, world: &World) -> Result<Option<Value>, String> {
    let (metadata, template) = (&cron_job["metadata"], &cron_job["spec"]["jobTemplate"]);
    let namespace = text(metadata, "/namespace");
    let name = format!("{}-{}", text(metadata, "/name"), due.timestamp().as_second().div_euclid(60));
    let mut annotations = template["metadata"]["annotations"].as_object().cloned().unwrap_or_default();
    let due = match due.offset().is_zero() {
        true => Time(due.timestamp()).to_string(),
        false => due.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
    };
    annotations.insert(DUE.to_owned(), due.into());
    let mut job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name, "namespace": namespace, "annotations": annotations,
            "ownerReferences": [{
                "apiVersion": "batch/v1", "kind": "CronJob", "name": metadata["name"], "uid": metadata["uid"],
                "controller": true, "blockOwnerDeletion": true,
            }],
        },
        "spec": template["spec"],
    });
    if let Some(labels) = template["metadata"].get("labels") {
        job["metadata"]["labels"] = labels.clone();
    }
    world.ensure(JOBS, job, |_| false).await?;
    let made = world.get(JOBS, namespace, &name).await?.filter(|job| is_controlled(job, cron_job));
    Ok(made.map(|job| {
        let metadata = &job["metadata"];
        json!({
            "apiVersion": "batch/v1", "kind": "Job", "namespace": namespace, "name": name, "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"],
        })
    }))
}
