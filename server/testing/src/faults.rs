//! Which requests fail, and which watches are lost.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hubgen_server::access::Attributes;
use hubgen_server::faults::{self, Fault, Losing, Lost};
use tokio::sync::oneshot;

/// Which requests a fault is for: by default all requests for resources.
///
/// A request that creates an object has no name, since its path has none.
///
/// ```
/// use hubgen_test_server::Requests;
///
/// let writes_of_status = Requests::to("patch").resource("deployments").subresource("status").name("web");
/// # drop(writes_of_status);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    verb: Option<String>,
    group: Option<String>,
    resource: Option<String>,
    subresource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
}

impl Requests {
    /// All requests for resources.
    pub fn all() -> Self {
        Self::default()
    }

    /// Those of a verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`.
    pub fn to(verb: &str) -> Self {
        Self { verb: Some(verb.to_owned()), ..Self::default() }
    }

    /// Those for a resource, by its plural name, such as `deployments`; of its objects as well as of their subresources.
    #[must_use]
    pub fn resource(self, plural: &str) -> Self {
        Self { resource: Some(plural.to_owned()), ..self }
    }

    /// Those for resources of a group; empty for the core group.
    #[must_use]
    pub fn group(self, group: &str) -> Self {
        Self { group: Some(group.to_owned()), ..self }
    }

    /// Those for a subresource, such as `status`; empty for the objects themselves.
    #[must_use]
    pub fn subresource(self, subresource: &str) -> Self {
        Self { subresource: Some(subresource.to_owned()), ..self }
    }

    /// Those in a namespace; empty for cluster-scoped kinds and for all namespaces.
    #[must_use]
    pub fn namespace(self, namespace: &str) -> Self {
        Self { namespace: Some(namespace.to_owned()), ..self }
    }

    /// Those for one object.
    #[must_use]
    pub fn name(self, name: &str) -> Self {
        Self { name: Some(name.to_owned()), ..self }
    }

    fn has(&self, request: &Attributes<'_>) -> bool {
        let Some(of) = &request.resource else { return false };
        let Self { verb, group, resource, subresource, namespace, name } = self;
        let pairs = [
            (verb, request.verb),
            (group, of.group),
            (resource, of.resource),
            (subresource, of.subresource),
            (namespace, of.namespace),
            (name, of.name),
        ];
        pairs.into_iter().all(|(wanted, found)| wanted.as_deref().is_none_or(|wanted| wanted == found))
    }
}

/// The faults of a server, of which there are none at first. Clones are those of the same server.
///
/// Where several are for a request, the one that was planned first strikes.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    planned: Vec<Arc<Plan>>,
    watches: Vec<OpenWatch>,
}

struct Plan {
    fault: Fault,
    requests: Requests,
    /// How often it strikes; `None` for always.
    times: Option<usize>,
    struck: AtomicUsize,
}

/// A fault that is planned.
#[derive(Clone)]
pub struct Planned {
    plan: Arc<Plan>,
    faults: Weak<Mutex<State>>,
}

struct OpenWatch {
    /// What it watches, as a request for one.
    watched: Requests,
    lose: oneshot::Sender<Lost>,
}

impl Faults {
    /// The next of some requests fails.
    pub fn next(&self, fault: Fault, requests: Requests) -> Planned {
        self.times(1, fault, requests)
    }

    /// The next ones of some requests fail.
    pub fn times(&self, times: usize, fault: Fault, requests: Requests) -> Planned {
        self.plan(Some(times), fault, requests)
    }

    /// Some requests fail, until the fault is [removed](Planned::remove).
    pub fn always(&self, fault: Fault, requests: Requests) -> Planned {
        self.plan(None, fault, requests)
    }

    /// Loses the open watches among some requests, and returns how many these are.
    pub fn lose_watches(&self, lost: Lost, requests: &Requests) -> usize {
        let is_meant = |watch: &mut OpenWatch| {
            let pairs = [
                (&requests.group, &watch.watched.group),
                (&requests.resource, &watch.watched.resource),
                (&requests.namespace, &watch.watched.namespace),
                (&requests.name, &watch.watched.name),
            ];
            requests.verb.as_deref().is_none_or(|verb| verb == "watch")
                && pairs.into_iter().all(|(wanted, found)| wanted.is_none() || wanted == found)
        };
        let meant: Vec<_> = self.state().watches.extract_if(.., is_meant).collect();
        meant.into_iter().filter_map(|watch| watch.lose.send(lost).ok()).count()
    }

    /// Removes all faults that are planned.
    pub fn clear(&self) {
        self.state().planned.clear();
    }

    fn plan(&self, times: Option<usize>, fault: Fault, requests: Requests) -> Planned {
        let plan = Arc::new(Plan { fault, requests, times, struck: AtomicUsize::new(0) });
        self.state().planned.push(Arc::clone(&plan));
        Planned { plan, faults: Arc::downgrade(&self.0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Planned {
    /// How often it has struck.
    pub fn struck(&self) -> usize {
        self.plan.struck.load(Ordering::Acquire)
    }

    /// Removes it: it strikes no more.
    pub fn remove(&self) {
        if let Some(faults) = self.faults.upgrade() {
            lock(&faults).planned.retain(|plan| !Arc::ptr_eq(plan, &self.plan));
        }
    }
}

impl faults::Faults for Faults {
    fn strike(&self, request: &Attributes<'_>) -> Option<Fault> {
        let mut state = self.state();
        let index = state.planned.iter().position(|plan| plan.requests.has(request))?;
        let plan = Arc::clone(&state.planned[index]);
        let struck = plan.struck.fetch_add(1, Ordering::AcqRel) + 1;
        if plan.times.is_some_and(|times| struck >= times) {
            state.planned.remove(index);
        }
        Some(plan.fault)
    }

    fn losing(&self, watch: &Attributes<'_>) -> Option<Losing> {
        let of = watch.resource.as_ref()?;
        let (lose, lost) = oneshot::channel();
        let watched =
            Requests::to("watch").group(of.group).resource(of.resource).namespace(of.namespace).name(of.name);
        let mut state = self.state();
        state.watches.retain(|watch| !watch.lose.is_closed());
        state.watches.push(OpenWatch { watched, lose });
        Some(Box::pin(async {
            match lost.await {
                Ok(lost) => lost,
                // The faults are gone, and the server with them.
                Err(_) => std::future::pending().await,
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use hubgen_server::access::{ResourceAttributes, User};
    use hubgen_server::faults::FaultAnswer;
    use hubgen_server::faults::Faults as _;

    use super::*;

    #[test]
    fn the_first_that_fits_strikes_as_often_as_it_is_planned() {
        let faults = Faults::default();
        let twice = faults.times(2, Fault::conflict(), Requests::to("update").resource("pods").name("a"));
        let always = faults.always(Fault::timeout(), Requests::all().resource("pods"));
        let user = User::anonymous();
        let ask = |verb: &str, resource: &str, name: &str| {
            let resource = ResourceAttributes {
                group: "",
                version: "v1",
                resource,
                subresource: "",
                namespace: "default",
                name,
            };
            let request = Attributes { user: &user, verb, path: "", resource: Some(resource) };
            faults.strike(&request).map(|fault| fault.answer)
        };
        assert_eq!(ask("update", "nodes", "a"), None);
        assert_eq!(ask("update", "pods", "b"), Some(FaultAnswer::Timeout));
        let found: Vec<_> = (0..3).map(|_| ask("update", "pods", "a")).collect();
        assert_eq!(found, [FaultAnswer::Conflict, FaultAnswer::Conflict, FaultAnswer::Timeout].map(Some));
        assert_eq!((twice.struck(), always.struck()), (2, 2));
        always.remove();
        assert_eq!(ask("update", "pods", "a"), None);
    }
}
