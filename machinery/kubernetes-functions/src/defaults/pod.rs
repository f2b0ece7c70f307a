//! Defaults of pods. Of these, pod templates have only the names of the service account.

use super::access::{add_missing, amounts, each, get, get_mut, is_true};
use hubgen_machinery::canonical::{CanonicalForm, Rewrite};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};

const CONTAINERS: &str = "spec.containers";
const INIT_CONTAINERS: &str = "spec.initContainers";
const LIMITS: &str = "resources.limits";
const REQUESTS: &str = "resources.requests";

/// A container's requests default to its limits, for each resource without a request.
pub fn container_requests(pod: &mut dyn Reflect, _: &Context) {
    for containers in [CONTAINERS, INIT_CONTAINERS] {
        each(pod, containers, &mut |container| {
            let limits = amounts(container, LIMITS).cloned().unwrap_or_default();
            add_missing(container, REQUESTS, limits);
        });
    }
}

/// In the network of its node, each container port also becomes the host port.
pub fn host_ports(pod: &mut dyn Reflect, _: &Context) {
    if !is_true(pod, "spec.hostNetwork") {
        return;
    }
    for containers in [CONTAINERS, INIT_CONTAINERS] {
        each(pod, containers, &mut |container| {
            each(container, "ports", &mut |port| {
                if get(port, "hostPort").is_zero()
                    && let Slot::Int32(number) = get(port, "containerPort")
                    && let Some(SlotMut::Int32(host)) = get_mut(port, "hostPort")
                {
                    *host = number;
                }
            });
        });
    }
}

/// For a pod spec: the two names of the service account agree; `serviceAccountName` wins. Until 1.36 upstream did this, and
/// what the next two functions do, in the conversion to its internal types. All three may replace a value that is set.
pub fn service_account(spec: &mut dyn Reflect, _: &Context) {
    const AGREE: CanonicalForm =
        CanonicalForm::new(&[], &[Rewrite::Alias { field: "serviceAccount", of: "serviceAccountName" }]);
    AGREE.apply(spec);
}

/// For a pod status: the address equals the first one of the list.
pub fn addresses(status: &mut dyn Reflect, _: &Context) {
    const AGREE: CanonicalForm =
        CanonicalForm::new(&[], &[Rewrite::First { field: "podIP", list: "podIPs", element: Some("ip") }]);
    AGREE.apply(status);
}

/// For a pod: a negative grace period means the shortest one.
pub fn grace_period(pod: &mut dyn Reflect, _: &Context) {
    const SHORTEST: CanonicalForm = CanonicalForm::new(
        &["spec"],
        &[Rewrite::Negative { path: &["terminationGracePeriodSeconds"], value: 1 }],
    );
    SHORTEST.apply(pod);
}
