//! The functions that rules, defaults and columns can name, as data: their names, and the fields that they take.
//!
//! Their code is in `hubgen-machinery` and `hubgen-kubernetes-functions`. What reads rules and defaults, or plans
//! conversions, needs to know only what is here; a test (`machinery/interpret/tests/signatures.rs`) compares it with
//! the code.

use std::fmt;

use crate::{Field, PlainType, Presence, TypeExpr};

/// A pair of functions that rules can name, one for each direction. Each takes what the other one returns.
#[derive(Debug)]
pub struct RuleFunction {
    /// Its name: `first`.
    pub name: &'static str,
    /// The version's fields: what the function to the hub takes.
    pub version: &'static [Parameter],
    /// The hub's fields: what the function to the hub returns.
    pub hub: &'static [Parameter],
    /// Whether hub → version → hub is the identity, so that nothing has to be stashed.
    pub is_exact: bool,
    /// Whether it is for Kubernetes' own kinds: its code is then in `hubgen-kubernetes-functions`, and that of the
    /// others in `hubgen-machinery`.
    pub is_of_kubernetes: bool,
}

/// A field that a function takes or returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A field with this type in Rust, as [`PlainType`] writes it: `Option<Str>`.
    Of(&'static str),
    /// An object that may be absent, of the same type on both sides.
    Object,
}

/// A function that defaults can name. It sets fields of the struct that it is called for.
#[derive(Debug)]
pub struct DefaultFunction {
    /// Its module and name: `pod::host_ports`.
    pub name: &'static str,
    /// The paths of the fields that the struct must have.
    pub needs: &'static [&'static str],
}

use Parameter::{Object, Of};

/// All functions that rules can name.
pub const OF_RULES: &[RuleFunction] = &[
    RuleFunction {
        name: "empty_selector",
        version: &[Object],
        hub: &[Object],
        is_exact: false,
        is_of_kubernetes: true,
    },
    RuleFunction {
        name: "first",
        version: &[Of("Vec<Str>")],
        hub: &[Of("Str"), Of("Vec<Str>")],
        is_exact: true,
        is_of_kubernetes: false,
    },
    RuleFunction {
        name: "object_target",
        version: &[Of("Quantity"), Of("Option<Quantity>")],
        hub: &[Of("Option<Quantity>"), Of("Option<Quantity>")],
        is_exact: false,
        is_of_kubernetes: true,
    },
    RuleFunction {
        name: "scale_selector",
        version: &[Of("StrMap<Str>"), Of("Str")],
        hub: &[Of("Str")],
        is_exact: true,
        is_of_kubernetes: true,
    },
    RuleFunction {
        name: "subject",
        version: &[Of("Str"), Of("Str"), Of("Str")],
        hub: &[Of("Str"), Of("Str"), Of("Str")],
        is_exact: false,
        is_of_kubernetes: true,
    },
    RuleFunction {
        name: "topology",
        version: &[Of("StrMap<Str>"), Of("Option<Str>")],
        hub: &[Of("StrMap<Str>"), Of("Option<Str>"), Of("Option<Str>")],
        is_exact: false,
        is_of_kubernetes: true,
    },
];

macro_rules! of_defaults {
    ($($name:literal needs [$($field:literal),*];)*) => {
        &[$(DefaultFunction { name: $name, needs: &[$($field),*] }),*]
    };
}

/// All functions that defaults can name.
pub const OF_DEFAULTS: &[DefaultFunction] = of_defaults! {
    "autoscaling::cpu_utilization" needs ["metadata.annotations", "spec.targetCPUUtilizationPercentage"];
    "csr::signer_name" needs ["request", "usages", "signerName"];
    "custom_resource::names" needs ["spec.names.kind", "spec.names.singular", "spec.names.listKind"];
    "custom_resource::stored_versions" needs ["spec.versions", "status.storedVersions"];
    "custom_resource::versions" needs ["spec.version", "spec.versions"];
    "flow_control::nominal_shares" needs ["metadata.annotations", "spec.limited.nominalConcurrencyShares"];
    "image::container_pull_policy" needs ["image", "imagePullPolicy"];
    "image::volume_pull_policy" needs ["reference", "pullPolicy"];
    "namespace::name_label" needs ["metadata.name", "metadata.labels"];
    "node::allocatable" needs ["capacity", "allocatable"];
    "pod::addresses" needs ["podIP", "podIPs"];
    "pod::container_requests" needs ["spec.containers", "spec.initContainers"];
    "pod::grace_period" needs ["spec.terminationGracePeriodSeconds"];
    "pod::host_ports" needs ["spec.hostNetwork", "spec.containers", "spec.initContainers"];
    "pod::service_account" needs ["serviceAccount", "serviceAccountName"];
    "resources::limit_range" needs ["type", "max", "min", "default", "defaultRequest"];
    "resources::round_up" needs [];
    "service::ip_mode" needs ["spec.type", "status.loadBalancer.ingress"];
    "service::session_affinity" needs ["sessionAffinity", "sessionAffinityConfig"];
    "service::target_port" needs ["port", "targetPort"];
    "taint::time_added" needs ["timeAdded"];
    "template::labels" needs ["metadata.labels", "spec.template.metadata.labels"];
    "template::selector" needs ["spec.selector", "spec.template.metadata.labels"];
    "volume::empty_dir" needs ["emptyDir"];
};

impl RuleFunction {
    /// Finds the function with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OF_RULES.iter().find(|function| function.name == name)
    }

    /// Whether the JSON of a value is not enough to call it: it takes objects by their types.
    pub fn takes_objects(&self) -> bool {
        self.version.iter().chain(self.hub).any(|parameter| *parameter == Object)
    }
}

impl DefaultFunction {
    /// Finds the function with a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        OF_DEFAULTS.iter().find(|function| function.name == name)
    }
}

impl Parameter {
    /// Whether a field contains the values that the function takes or returns.
    pub fn fits(self, field: &Field) -> bool {
        match self {
            Self::Object => field.presence != Presence::Value && matches!(field.ty, TypeExpr::Ref(_)),
            Self::Of(ty) => PlainType::from_field(field).is_some_and(|own| own.to_string() == ty),
        }
    }
}

/// Formats the type as in Rust, if it is one.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Of(ty) => ty,
            Self::Object => "an object that may be absent",
        })
    }
}

/// All functions that columns can name, each with its module.
pub const OF_CELLS: &[&str] = &[
    "admission::param_kind",
    "admission::param_ref",
    "api_service::available",
    "api_service::service",
    "autoscaler::metrics",
    "certificate::duration",
    "certificate::pod_request_state",
    "certificate::request_condition",
    "component::status",
    "controller_revision::controller",
    "definition::established",
    "definition::versions",
    "endpoints::addresses",
    "endpoints::slice_addresses",
    "endpoints::slice_ports",
    "event::count",
    "event::first_seen",
    "event::last_seen",
    "event::message",
    "event::object",
    "event::source",
    "eviction::expected_finish",
    "eviction::heartbeat",
    "eviction::requesters",
    "eviction::responder",
    "eviction::responder_message",
    "eviction::responder_status",
    "eviction::status",
    "eviction::target_type",
    "ingress::address",
    "ingress::class_name",
    "ingress::class_parameters",
    "ingress::hosts",
    "ingress::parent",
    "ingress::ports",
    "job::completions",
    "job::duration",
    "job::status",
    "labels::all",
    "labels::selector",
    "labels::selector_or_empty",
    "migration::resource",
    "migration::status",
    "node::kernel",
    "node::roles",
    "node::status",
    "pod::completed",
    "pod::readiness_gates",
    "pod::ready",
    "pod::restarts",
    "pod::status",
    "pod_group::policy",
    "pod_group::status",
    "quota::limits",
    "quota::requests",
    "rbac::groups",
    "rbac::service_accounts",
    "rbac::users",
    "resource::allocated_devices",
    "resource::available_devices",
    "resource::claim_state",
    "resource::completed",
    "resource::invalid_pools",
    "resource::status",
    "resource::total_devices",
    "resource::unavailable_devices",
    "scalar::capitalized",
    "scalar::digits",
    "service::external_ip",
    "service::ports",
    "storage::access_modes",
    "storage::claim",
    "storage::claim_access_modes",
    "storage::claim_capacity",
    "storage::class",
    "storage::default_since",
    "storage::encoding_versions",
    "storage::phase",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(OF_RULES.is_sorted_by(|a, b| a.name < b.name));
        assert!(OF_DEFAULTS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn types_are_written_as_those_of_fields_are() {
        for function in OF_RULES {
            for parameter in function.version.iter().chain(function.hub) {
                if let Of(text) = parameter {
                    assert_eq!(PlainType::parse(text).map(|ty| ty.to_string()).as_deref(), Some(*text));
                }
            }
        }
    }

    #[test]
    fn a_parameter_fits_fields_of_its_type_and_presence() {
        let texts = TypeExpr::List(Box::new(TypeExpr::String));
        assert!(Of("Vec<Str>").fits(&Field::new("a", texts.clone())));
        assert!(!Of("Vec<i32>").fits(&Field::new("a", texts)));
        let mut number = Field::new("a", TypeExpr::Int32);
        assert!(Of("Option<i32>").fits(&number) && !Of("i32").fits(&number) && !Object.fits(&number));
        number.presence = Presence::Value;
        assert!(Of("i32").fits(&number) && !Of("Option<i32>").fits(&number));
    }
}
