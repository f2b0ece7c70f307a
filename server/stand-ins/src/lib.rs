//! Takes the place of controllers that tests wait for.
//!
//! A stand-in writes the status that an object of its kind has when all has gone well, at once: no other objects are made for
//! it, so a Deployment is ready without a ReplicaSet and without pods. There are two others: that of services writes the endpoints
//! that follow from the pods that there are, and that of CronJobs makes the Jobs that are due.
//!
//! ```
//! # let store = std::sync::Arc::new(hubgen_server::store::Embedded::in_memory(Default::default()).unwrap());
//! # let scheme = std::sync::Arc::new(hubgen_kubernetes::scheme());
//! let mut settings = hubgen_server::Settings::new(scheme, store);
//! settings.loops.stand_ins = hubgen_stand_ins::named("deployments,pods")?;
//! # Ok::<(), hubgen_stand_ins::UnknownStandIn>(())
//! ```

mod claims;
mod conditions;
mod cron_jobs;
mod jobs;
mod marks;
mod names;
mod pods;
mod schedule;
mod services;
mod workloads;

use std::sync::Arc;

use hubgen_server::loops::StandIn;

use self::cron_jobs::CronJobs;
use self::marks::Marks;
pub use self::names::UnknownStandIn;
use self::services::Services;

/// All of them, in the order of their names.
pub fn all() -> Vec<Arc<dyn StandIn>> {
    let marks = [
        workloads::DAEMON_SETS,
        workloads::DEPLOYMENTS,
        jobs::JOBS,
        claims::CLAIMS,
        pods::PODS,
        workloads::REPLICA_SETS,
        workloads::REPLICATION_CONTROLLERS,
        workloads::STATEFUL_SETS,
    ];
    let marks = marks.into_iter().map(|marks: Marks| Arc::new(marks) as Arc<dyn StandIn>);
    let mut all: Vec<_> = marks.chain([Arc::new(CronJobs) as _, Arc::new(Services) as _]).collect();
    all.sort_by_key(|one| one.name());
    all
}

/// Those of a list of names, separated by commas; `*` is all.
///
/// # Errors
/// If there is none of a name.
pub fn named(list: &str) -> Result<Vec<Arc<dyn StandIn>>, UnknownStandIn> {
    names::chosen(all(), list)
}
