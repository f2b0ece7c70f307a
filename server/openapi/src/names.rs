//! The names under which types are published.
//!
//! Upstream names a type by the Go package that has it: `io.k8s.api.apps.v1.Deployment`. Clients know some of these
//! names, so ours are the same.

/// The Go packages of groups that are not `io.k8s.api.GROUP`.
const PACKAGES: [(&str, &str); 4] = [
    ("meta.k8s.io", META),
    ("apiextensions.k8s.io", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"),
    ("apiregistration.k8s.io", "io.k8s.kube-aggregator.pkg.apis.apiregistration"),
    ("internal.apiserver.k8s.io", "io.k8s.api.apiserverinternal"),
];

/// The package of the API machinery's types.
const META: &str = "io.k8s.apimachinery.pkg.apis.meta";

/// The name of a type of the API machinery, such as `ObjectMeta`.
pub(crate) fn of_meta(name: &str) -> String {
    format!("{META}.v1.{name}")
}

/// The name of a type of the distilled schemas. `core` is the group without a name.
pub(crate) fn of_archive(group: &str, version: &str, name: &str) -> String {
    match PACKAGES.iter().find(|(of, _)| *of == group) {
        Some((_, package)) => format!("{package}.{version}.{name}"),
        None => {
            let package = group.split('.').next().unwrap_or(group);
            format!("io.k8s.api.{package}.{version}.{name}")
        }
    }
}

/// The name of a kind that comes from a definition: its group in reverse, as a domain.
pub(crate) fn of_definition(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').rev().collect();
    parts.extend([version, kind]);
    parts.retain(|part| !part.is_empty());
    parts.join(".")
}

/// Where a schema of OpenAPI v3 is referred to.
pub(crate) const SCHEMAS: &str = "#/components/schemas/";

/// Where a schema of OpenAPI v2 is referred to.
pub(crate) const DEFINITIONS: &str = "#/definitions/";

/// The words of a name, each with a capital: `RbacAuthorization`. Operations are named and gathered by their group so.
pub(crate) fn camel(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    };
    words.map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_upstreams() {
        for (group, version, name, published) in [
            ("core", "v1", "Pod", "io.k8s.api.core.v1.Pod"),
            ("rbac.authorization.k8s.io", "v1", "Role", "io.k8s.api.rbac.v1.Role"),
            ("flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "io.k8s.api.flowcontrol.v1.FlowSchema"),
            ("meta.k8s.io", "v1", "Status", "io.k8s.apimachinery.pkg.apis.meta.v1.Status"),
        ] {
            assert_eq!(of_archive(group, version, name), published);
        }
        assert_eq!(of_definition("cert-manager.io", "v1", "Issuer"), "io.cert-manager.v1.Issuer");
        assert_eq!(camel("rbac.authorization"), "RbacAuthorization");
    }
}
