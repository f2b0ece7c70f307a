//! The functions that defaults can call, with the fields that each needs.

/// What stands in `machinery::defaults::functions`.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("autoscaling::cpu_utilization", &["metadata.annotations", "spec.targetCPUUtilizationPercentage"]),
    ("csr::signer_name", &["request", "usages", "signerName"]),
    ("custom_resource::names", &["spec.names.kind", "spec.names.singular", "spec.names.listKind"]),
    ("custom_resource::stored_versions", &["spec.versions", "status.storedVersions"]),
    ("custom_resource::versions", &["spec.version", "spec.versions"]),
    ("flow_control::nominal_shares", &["metadata.annotations", "spec.limited.nominalConcurrencyShares"]),
    ("image::container_pull_policy", &["image", "imagePullPolicy"]),
    ("image::volume_pull_policy", &["reference", "pullPolicy"]),
    ("namespace::name_label", &["metadata.name", "metadata.labels"]),
    ("node::allocatable", &["capacity", "allocatable"]),
    ("pod::container_requests", &["spec.containers", "spec.initContainers"]),
    ("pod::host_ports", &["spec.hostNetwork", "spec.containers", "spec.initContainers"]),
    (
        "pod::pod_requests",
        &["spec.resources.limits", "spec.resources.requests", "spec.containers", "spec.initContainers"],
    ),
    ("resources::limit_range", &["type", "max", "min", "default", "defaultRequest"]),
    ("resources::round_up", &[]),
    ("service::ip_mode", &["spec.type", "status.loadBalancer.ingress"]),
    ("service::session_affinity", &["sessionAffinity", "sessionAffinityConfig"]),
    ("service::target_port", &["port", "targetPort"]),
    ("taint::time_added", &["timeAdded"]),
    ("template::labels", &["metadata.labels", "spec.template.metadata.labels"]),
    ("template::selector", &["spec.selector", "spec.template.metadata.labels"]),
    ("volume::empty_dir", &["emptyDir"]),
];

/// The fields that a function needs of the type that it is called for; `None`
/// where there is no such function.
pub fn needs(name: &str) -> Option<&'static [&'static str]> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, needs)| *needs)
}

/// The names of all functions, for errors.
pub fn names() -> String {
    FUNCTIONS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::FUNCTIONS;

    /// What is listed here and what is written there are the same functions.
    #[test]
    fn every_function_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machinery/src/defaults/functions");
        let mut there = BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            for line in
                text.lines().filter(|line| line.contains("&mut dyn Reflect, ") && line.contains("&Context)"))
            {
                if let Some(rest) = line.strip_prefix("pub fn ") {
                    there.insert(format!("{module}::{}", rest.split('(').next().unwrap()));
                }
            }
        }
        let listed: BTreeSet<String> = FUNCTIONS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, there);
    }
}
