//! Cells of columns that are computed, each by a function over the object at its hub, or over a part of it.
//!
//! Files of columns name them where no path, text, count or age is what upstream shows. Each shows what
//! `pkg/printers/internalversion/printers.go` does for its kind.

pub mod admission;
pub mod api_service;
pub mod autoscaler;
pub mod certificate;
pub mod component;
pub mod controller_revision;
pub mod definition;
pub mod endpoints;
pub mod event;
pub mod eviction;
pub mod ingress;
pub mod job;
pub mod labels;
mod listed;
pub mod migration;
pub mod node;
pub mod pod;
pub mod pod_group;
pub mod quota;
pub mod rbac;
pub mod resource;
pub mod scalar;
pub mod service;
pub mod storage;

use hubgen_machinery::columns::CellFunction;

/// A function that files of columns can name.
pub struct Entry {
    /// Module and name: `pod::status`.
    pub name: &'static str,
    /// The function itself.
    pub function: CellFunction,
}

/// Looks up a function by name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

macro_rules! entries {
    ($($module:ident::$name:ident,)*) => {
        &[$(Entry {
            name: concat!(stringify!($module), "::", stringify!($name)),
            function: $module::$name,
        }),*]
    };
}

/// All functions that columns can call.
pub const ALL: &[Entry] = entries! {
    admission::param_kind,
    admission::param_ref,
    api_service::available,
    api_service::service,
    autoscaler::metrics,
    certificate::duration,
    certificate::pod_request_state,
    certificate::request_condition,
    component::status,
    controller_revision::controller,
    definition::established,
    definition::versions,
    endpoints::addresses,
    endpoints::slice_addresses,
    endpoints::slice_ports,
    event::count,
    event::first_seen,
    event::last_seen,
    event::message,
    event::object,
    event::source,
    eviction::expected_finish,
    eviction::heartbeat,
    eviction::requesters,
    eviction::responder,
    eviction::responder_message,
    eviction::responder_status,
    eviction::status,
    eviction::target_type,
    ingress::address,
    ingress::class_name,
    ingress::class_parameters,
    ingress::hosts,
    ingress::parent,
    ingress::ports,
    job::completions,
    job::duration,
    job::status,
    labels::all,
    labels::selector,
    labels::selector_or_empty,
    migration::resource,
    migration::status,
    node::kernel,
    node::roles,
    node::status,
    pod::completed,
    pod::readiness_gates,
    pod::ready,
    pod::restarts,
    pod::status,
    pod_group::policy,
    pod_group::status,
    quota::limits,
    quota::requests,
    rbac::groups,
    rbac::service_accounts,
    rbac::users,
    resource::allocated_devices,
    resource::available_devices,
    resource::claim_state,
    resource::completed,
    resource::invalid_pools,
    resource::status,
    resource::total_devices,
    resource::unavailable_devices,
    scalar::capitalized,
    scalar::digits,
    service::external_ip,
    service::ports,
    storage::access_modes,
    storage::claim,
    storage::claim_access_modes,
    storage::claim_capacity,
    storage::class,
    storage::default_since,
    storage::encoding_versions,
    storage::phase,
};
