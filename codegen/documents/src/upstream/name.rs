//! Maps published type names to API types. Upstream names types by Go package, and moved its
//! packages over the years; an API type is identified by group, version and name.

use hubgen_model::{GroupVersion, RawForm, TypeExpr, TypeId};

/// The group of the API machinery's own types.
pub const META: &str = "meta.k8s.io";

/// Packages whose API group is not `<package>.k8s.io`.
const PACKAGE_GROUPS: [(&str, &str); 9] = [
    ("core", ""),
    ("apps", "apps"),
    ("autoscaling", "autoscaling"),
    ("batch", "batch"),
    ("extensions", "extensions"),
    ("policy", "policy"),
    ("rbac", "rbac.authorization.k8s.io"),
    ("flowcontrol", "flowcontrol.apiserver.k8s.io"),
    ("apiserverinternal", "internal.apiserver.k8s.io"),
];

/// What a published type name denotes.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// A type of an API group.
    Type(TypeId),
    /// A type with its own representation in JSON or protobuf.
    Scalar(TypeExpr),
    /// A type that does not belong to an API (a vendored copy, a server's own type).
    Foreign,
}

/// What the name of a type in Kubernetes' packages denotes; `None` for other packages.
///
/// ```
/// use hubgen_documents::upstream::name::{Named, kubernetes};
/// use hubgen_model::TypeId;
///
/// let old = kubernetes("io.k8s.kubernetes.pkg.apis.rbac.v1beta1.Role");
/// assert_eq!(old, kubernetes("io.k8s.api.rbac.v1beta1.Role"));
/// assert_eq!(old, Some(Named::Type(TypeId::new("rbac.authorization.k8s.io", "v1beta1", "Role"))));
/// ```
pub fn kubernetes(full: &str) -> Option<Named> {
    let rest = full.strip_prefix("io.k8s.").or_else(|| full.strip_prefix("k8s.io."))?;
    let parts: Vec<&str> = rest.split('.').collect();
    if parts.contains(&"vendor") {
        return Some(Named::Foreign);
    }
    let (package, version, name) = match parts.as_slice() {
        ["kubernetes", "pkg", "api", version, name] => ("core", version, name),
        ["api", package, version, name]
        | ["kubernetes", "pkg", "apis", package, version, name]
        | ["kube-aggregator" | "kube_aggregator", "pkg", "apis", package, version, name]
        | ["apiextensions-apiserver" | "apiextensions_apiserver", "pkg", "apis", package, version, name] => {
            (*package, version, name)
        }
        ["apimachinery", "pkg", "apis", "meta", version, name] => ("meta", version, name),
        ["apimachinery", "pkg", "api", "resource", "Quantity"] => {
            return Some(Named::Scalar(TypeExpr::Quantity));
        }
        ["apimachinery", "pkg", "util", "intstr", "IntOrString"] => {
            return Some(Named::Scalar(TypeExpr::IntOrString));
        }
        ["apimachinery", "pkg", "runtime", "RawExtension"] => {
            return Some(Named::Scalar(TypeExpr::Raw(RawForm::Extension)));
        }
        _ => return Some(Named::Foreign),
    };
    let group = match PACKAGE_GROUPS.iter().find(|(known, _)| *known == package) {
        Some((_, group)) => (*group).to_owned(),
        None => format!("{package}.k8s.io"),
    };
    let id = TypeId::new(group, *version, *name);
    Some(match scalar(&id) {
        Some(expr) => Named::Scalar(expr),
        None => Named::Type(id),
    })
}

/// Types of API packages whose JSON is not an object with their fields.
fn scalar(id: &TypeId) -> Option<TypeExpr> {
    let GroupVersion { group, version } = &id.group_version;
    if group == META {
        return match id.name.as_str() {
            "Time" | "Timestamp" => Some(TypeExpr::Time),
            "MicroTime" => Some(TypeExpr::MicroTime),
            "Duration" => Some(TypeExpr::Duration),
            // For two releases, `Fields` was another name of the same JSON.
            "FieldsV1" | "Fields" => Some(TypeExpr::Raw(RawForm::Fields)),
            // The body of a patch, whose format depends on the media type.
            "Patch" => Some(TypeExpr::Raw(RawForm::Json)),
            _ => None,
        };
    }
    if group != "apiextensions.k8s.io" {
        return None;
    }
    let props = || Box::new(TypeExpr::Ref(TypeId::new(group.as_str(), version.as_str(), "JSONSchemaProps")));
    match id.name.as_str() {
        "JSON" => Some(TypeExpr::Raw(RawForm::Json)),
        "JSONSchemaPropsOrBool" => Some(TypeExpr::OrBool(props())),
        "JSONSchemaPropsOrArray" => Some(TypeExpr::OrArray(props())),
        "JSONSchemaPropsOrStringArray" => Some(TypeExpr::OrStrings(props())),
        _ => None,
    }
}

/// The type that the name of a user's own type denotes, if no kind determines its group: the last
/// two parts are version and name, the parts before are a domain in reverse order.
pub fn by_domain(full: &str) -> Option<TypeId> {
    let mut parts: Vec<&str> = full.split('.').collect();
    let name = parts.pop()?;
    let version = parts.pop()?;
    parts.reverse();
    (!parts.is_empty()).then(|| TypeId::new(parts.join("."), version, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_that_moved_are_one() {
        for name in ["io.k8s.kubernetes.pkg.api.v1.Pod", "io.k8s.api.core.v1.Pod", "k8s.io.api.core.v1.Pod"] {
            assert_eq!(kubernetes(name), Some(Named::Type(TypeId::new("", "v1", "Pod"))));
        }
        assert_eq!(
            kubernetes("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"),
            Some(Named::Type(TypeId::new("apiregistration.k8s.io", "v1", "APIService")))
        );
        assert_eq!(
            kubernetes("io.k8s.apimachinery.pkg.apis.meta.v1.Time"),
            Some(Named::Scalar(TypeExpr::Time))
        );
        assert_eq!(kubernetes("io.k8s.apimachinery.pkg.version.Info"), Some(Named::Foreign));
        assert_eq!(kubernetes("com.example.v1.Foo"), None);
        assert_eq!(by_domain("com.example.v1.Foo"), Some(TypeId::new("example.com", "v1", "Foo")));
    }
}
