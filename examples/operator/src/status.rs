//! The status of a Cache.

use hubgen_apps::v1::Deployment;
use hubgen_machinery::Str;
use hubgen_machinery::scalar::Time;
use hubgen_meta::v1::Condition;

use crate::api::v1::{Cache, CacheStatus};
use crate::deployment::replicas;
use crate::reconcile::Error;

/// The condition that everything is as it should be.
pub const READY: &str = "Ready";

/// The status of a Cache with this Deployment, or why it has none.
pub fn of(cache: &Cache, deployment: Result<&Deployment, &Error>, now: Time) -> CacheStatus {
    let before = cache.status.as_ref();
    let (ready, reason, message) = match deployment {
        Ok(deployment) => progress(cache, deployment),
        Err(error) => (false, error.reason(), error.to_string()),
    };
    let status: Str = if ready { "True" } else { "False" }.into();
    let condition = before.into_iter().flat_map(|before| &before.conditions).find(|one| one.type_ == READY);
    let since = condition.filter(|condition| condition.status == status);
    CacheStatus {
        observed_generation: Some(cache.metadata.generation),
        ready_replicas: match deployment {
            Ok(deployment) => Some(deployment.status.ready_replicas),
            // Nobody has looked.
            Err(_) => before.and_then(|before| before.ready_replicas),
        },
        conditions: vec![Condition {
            type_: READY.into(),
            last_transition_time: since.map_or(Some(now), |condition| condition.last_transition_time),
            status,
            observed_generation: cache.metadata.generation,
            reason: reason.into(),
            message: message.into(),
        }],
    }
}

/// Whether a Deployment is as the Cache asks for, with a reason and a message.
fn progress(cache: &Cache, deployment: &Deployment) -> (bool, &'static str, String) {
    let (wanted, status) = (replicas(cache), &deployment.status);
    let seen = status.observed_generation >= deployment.metadata.generation;
    let message = format!("{} of {wanted} servers are ready", status.ready_replicas);
    let all = [status.replicas, status.updated_replicas, status.ready_replicas];
    if seen && all.iter().all(|count| *count == wanted) {
        (true, "Available", message)
    } else {
        (false, "Progressing", message)
    }
}
