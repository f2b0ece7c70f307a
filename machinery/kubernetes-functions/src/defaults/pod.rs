//! Defaults of pods. Pod templates have none of these defaults.

use super::access::{ResourceList, add_missing, amounts, each, get, get_mut, is_true, objects, text};
use super::resources::is_binary;
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};
use hubgen_machinery::scalar::Quantity;
use hubgen_machinery::{Str, StrMap};

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

/// Requests and limits of a pod as a whole, if it has any. The limits of huge pages default to the
/// sum over the containers, except for huge pages that the pod requests. If the pod then has
/// limits, its requests default to the sum over the containers, or else to the limits.
pub fn pod_requests(pod: &mut dyn Reflect, _: &Context) {
    let non_empty = |field| amounts(pod, field).filter(|amounts| !amounts.is_empty());
    let requested = non_empty("spec.resources.requests");
    if requested.is_none() && non_empty("spec.resources.limits").is_none() {
        return;
    }
    let is_requested = |resource: &Str| requested.is_some_and(|amounts| amounts.contains_key(resource));
    let mut limits = needed(pod, LIMITS);
    limits.retain(|resource, _| is_huge_pages(resource) && !is_requested(resource));
    add_missing(pod, "spec.resources.limits", limits);
    if amounts(pod, "spec.resources.limits").is_none_or(ResourceList::is_empty) {
        return;
    }

    let mut requests = needed(pod, REQUESTS);
    requests.retain(|resource, _| matches!(&**resource, "cpu" | "memory"));
    add_missing(pod, "spec.resources.requests", requests);
    let mut limits = amounts(pod, "spec.resources.limits").cloned().unwrap_or_default();
    limits.retain(|resource, _| matches!(&**resource, "cpu" | "memory") || is_huge_pages(resource));
    add_missing(pod, "spec.resources.requests", limits);
}

fn is_huge_pages(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// The most that a pod needs at any time. Containers run together, and with them the init
/// containers that keep running (sidecars). The other init containers run before, one after
/// another, together with the sidecars that are already running.
fn needed(pod: &dyn Reflect, field: &str) -> ResourceList {
    let of = |container: &dyn Reflect| amounts(container, field).cloned().unwrap_or_default();
    let mut all = Sum::default();
    let mut sidecars = Sum::default();
    let mut most = Sum::default();
    for container in objects(pod, CONTAINERS) {
        all.add(&of(container));
    }
    for container in objects(pod, INIT_CONTAINERS) {
        let amounts = of(container);
        if text(container, "restartPolicy") == "Always" {
            all.add(&amounts);
            sidecars.add(&amounts);
            most.raise_to(&sidecars);
        } else {
            let mut beside = sidecars.clone();
            beside.add(&amounts);
            most.raise_to(&beside);
        }
    }
    all.raise_to(&most);
    all.0.into_iter().map(|(resource, amount)| (resource, amount.quantity())).collect()
}

#[derive(Clone, Default)]
struct Sum(StrMap<Amount>);

/// An amount to compute with.
#[derive(Clone)]
struct Amount {
    thousandths: i64,
    /// Whether it is written with a suffix such as `Gi`.
    binary: bool,
}

impl Sum {
    fn add(&mut self, amounts: &ResourceList) {
        for (resource, amount) in amounts {
            let amount = Amount::of(amount);
            match self.0.get_mut(resource) {
                Some(sum) => {
                    if sum.thousandths == 0 {
                        sum.binary = amount.binary;
                    }
                    sum.thousandths = sum.thousandths.saturating_add(amount.thousandths);
                }
                None => {
                    self.0.insert(resource.clone(), amount);
                }
            }
        }
    }

    fn raise_to(&mut self, other: &Self) {
        for (resource, amount) in &other.0 {
            if self.0.get(resource).is_none_or(|own| own.thousandths < amount.thousandths) {
                self.0.insert(resource.clone(), amount.clone());
            }
        }
    }
}

impl Amount {
    /// An amount that does not fit into 64 bits exceeds any machine.
    fn of(quantity: &Quantity) -> Self {
        let thousandths = quantity.milli().unwrap_or(i64::MAX);
        Self { thousandths, binary: is_binary(quantity.as_str()) }
    }

    fn quantity(&self) -> Quantity {
        let bytes = self.thousandths / 1000;
        let text = if self.binary && self.thousandths % 1000 == 0 && bytes % 1024 == 0 && bytes != 0 {
            format!("{}Ki", bytes / 1024)
        } else {
            format!("{}000000n", self.thousandths)
        };
        text.parse().expect("digits and a suffix are a quantity")
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
