//! Defaults that are computed, each by a function over one struct.
//!
//! A function gets the struct that the defaults files name it for, whatever its Rust type.
//! Generation checks that the struct has the fields that [`ALL`] lists. Like all defaults, a
//! function leaves set fields unchanged, and a second call changes nothing.

mod access;
pub mod autoscaling;
pub mod csr;
pub mod custom_resource;
mod der;
pub mod flow_control;
pub mod image;
pub mod namespace;
pub mod node;
pub mod pod;
pub mod resources;
pub mod service;
pub mod taint;
pub mod template;
pub mod volume;

use super::Function;

/// A function that files of defaults can name.
pub struct Entry {
    /// Module and name: `pod::host_ports`.
    pub name: &'static str,
    /// The field paths that the struct must have.
    pub needs: &'static [&'static str],
    /// The function itself.
    pub function: Function,
}

/// Looks up a function by name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

macro_rules! entries {
    ($($module:ident::$name:ident needs [$($field:literal),*];)*) => {
        &[$(Entry {
            name: concat!(stringify!($module), "::", stringify!($name)),
            needs: &[$($field),*],
            function: $module::$name,
        }),*]
    };
}

/// All functions that defaults can call.
pub const ALL: &[Entry] = entries! {
    autoscaling::cpu_utilization needs ["metadata.annotations", "spec.targetCPUUtilizationPercentage"];
    csr::signer_name needs ["request", "usages", "signerName"];
    custom_resource::names needs ["spec.names.kind", "spec.names.singular", "spec.names.listKind"];
    custom_resource::stored_versions needs ["spec.versions", "status.storedVersions"];
    custom_resource::versions needs ["spec.version", "spec.versions"];
    flow_control::nominal_shares needs ["metadata.annotations", "spec.limited.nominalConcurrencyShares"];
    image::container_pull_policy needs ["image", "imagePullPolicy"];
    image::volume_pull_policy needs ["reference", "pullPolicy"];
    namespace::name_label needs ["metadata.name", "metadata.labels"];
    node::allocatable needs ["capacity", "allocatable"];
    pod::container_requests needs ["spec.containers", "spec.initContainers"];
    pod::host_ports needs ["spec.hostNetwork", "spec.containers", "spec.initContainers"];
    pod::pod_requests needs ["spec.resources.limits", "spec.resources.requests", "spec.containers", "spec.initContainers"];
    resources::limit_range needs ["type", "max", "min", "default", "defaultRequest"];
    resources::round_up needs [];
    service::ip_mode needs ["spec.type", "status.loadBalancer.ingress"];
    service::session_affinity needs ["sessionAffinity", "sessionAffinityConfig"];
    service::target_port needs ["port", "targetPort"];
    taint::time_added needs ["timeAdded"];
    template::labels needs ["metadata.labels", "spec.template.metadata.labels"];
    template::selector needs ["spec.selector", "spec.template.metadata.labels"];
    volume::empty_dir needs ["emptyDir"];
};
