//! Defaults that are computed, each by a function over one struct.
//!
//! A function gets the struct that the defaults files name it for, whatever its Rust type.
//! The model lists the fields that the struct must have, and generation checks that it has them. Like all defaults, a
//! function leaves set fields unchanged, unless its comment tells otherwise, and a second call changes nothing.

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

use hubgen_machinery::defaults::Function;

/// A function that files of defaults can name.
pub struct Entry {
    /// Module and name: `pod::host_ports`.
    pub name: &'static str,
    /// The function itself.
    pub function: Function,
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

/// All functions that defaults can call.
pub const ALL: &[Entry] = entries! {
    autoscaling::cpu_utilization,
    csr::signer_name,
    custom_resource::names,
    custom_resource::stored_versions,
    custom_resource::versions,
    flow_control::nominal_shares,
    image::container_pull_policy,
    image::volume_pull_policy,
    namespace::name_label,
    node::allocatable,
    pod::addresses,
    pod::container_requests,
    pod::grace_period,
    pod::host_ports,
    pod::service_account,
    resources::limit_range,
    resources::round_up,
    service::ip_mode,
    service::session_affinity,
    service::target_port,
    taint::time_added,
    template::labels,
    template::selector,
    volume::empty_dir,
};
