//! Names in Rust: of crates, modules, types and fields. All others use it: those that read users' Rust, check names,
//! and print code.

use hubgen_derive_core::json_name;
use hubgen_model::{Field, RustName, TypeId};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

/// An identifier from a name that is not a Rust keyword, except with `r#` before it.
pub fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// The Rust field for a field: `clusterIPs` → `cluster_ips`.
pub fn field_ident(field: &Field) -> Ident {
    ident(&field_name(field))
}

/// The name that [`field_ident`] uses. It is not a valid identifier only if the JSON name has no
/// letter or digit.
pub fn field_name(field: &Field) -> String {
    let usual = || if field.is_rest() { "rest".to_owned() } else { rust_name(&field.name) };
    match &field.rust_name {
        RustName::Usual => usual(),
        RustName::Numbered(suffix) => format!("{}_{suffix}", usual().trim_end_matches('_')),
        RustName::Written(name) | RustName::Within { name, .. } => name.clone(),
    }
}

/// The way from an object to a field, through flattened objects: `limits.timeout`.
pub fn field_path(field: &Field) -> TokenStream {
    let around = field.rust_name.around().iter().map(|(name, _)| ident(name));
    let name = field_ident(field);
    quote!(#(#around.)*#name)
}

/// As [`rust_name`], for a name with a letter or digit.
pub fn name_ident(json: &str) -> Ident {
    ident(&rust_name(json))
}

/// The Rust name for a JSON name: `clusterIPs` → `cluster_ips`, `type` → `type_`, `3d` → `_3d`.
pub fn rust_name(json: &str) -> String {
    let mut name = snake(json);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if !is_ident(&name) {
        name.push('_');
    }
    name
}

/// Whether a name is a valid Rust identifier.
pub fn is_ident(name: &str) -> bool {
    // A keyword since the 2024 edition, which the parser does not know.
    name != "gen" && syn::parse_str::<Ident>(name).is_ok()
}

/// Whether the derive macro finds the JSON name without an attribute.
pub fn is_derived_name(field: &Field) -> bool {
    json_name(&field_name(field)) == field.name
}

/// The module of a type: `deployment_spec`. Avoids the names of modules with other content.
pub fn module_ident(type_name: &str) -> Ident {
    let name = rust_name(type_name);
    ident(&if matches!(&*name, "convert" | "defaults" | "canonical" | "edits") { name + "_" } else { name })
}

/// Converts to snake case, and keeps acronyms together, with the `s` of a plural: `nonResourceURLs`
/// → `non_resource_urls`, `allowedCSIDrivers` → `allowed_csi_drivers`.
pub fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let upper = |index: usize| chars.get(index).is_some_and(|c| c.is_ascii_uppercase());
    // An `s` right after two capitals, at the end or before another capital, belongs to the
    // acronym.
    let plural = |index: usize| {
        chars.get(index) == Some(&'s')
            && index >= 2
            && upper(index - 1)
            && upper(index - 2)
            && (index + 1 == chars.len() || upper(index + 1))
    };
    let is_word = |c: char| c.is_ascii_digit() || c.is_alphabetic();
    let lower = |index: usize| chars.get(index).is_some_and(|&c| is_word(c) && !c.is_ascii_uppercase());
    let mut out = String::with_capacity(name.len() + 4);
    for (index, &c) in chars.iter().enumerate() {
        if !is_word(c) {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            continue;
        }
        let after_word = index > 0 && lower(index - 1);
        let before_word = index > 0 && upper(index - 1) && lower(index + 1) && !plural(index + 1);
        if c.is_ascii_uppercase() && (after_word || before_word) && !out.ends_with('_') {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The name of the static with facts about a type, such as its defaults: `POD_SPEC`.
pub fn table_name(id: &TypeId) -> Ident {
    ident(&snake(&id.name).to_uppercase())
}

/// The last part of the name of Kubernetes' crate of a group.
pub fn kubernetes_name(group: &str) -> &str {
    match group {
        "" => "core",
        // "internal" alone would be too general; upstream's package has this name.
        "internal.apiserver.k8s.io" => "apiserverinternal",
        _ => first_label(group),
    }
}

/// The first label of a group: `cert-manager` for `cert-manager.io`.
pub fn first_label(group: &str) -> &str {
    group.split('.').next().unwrap_or(group)
}

#[cfg(test)]
mod tests {
    use hubgen_model::TypeExpr;

    use super::*;

    #[test]
    fn acronyms_stay_together() {
        for (json, rust) in [
            ("replicas", "replicas"),
            ("clusterIPs", "cluster_ips"),
            ("clusterIP", "cluster_ip"),
            ("nonResourceURLs", "non_resource_urls"),
            ("allowedCSIDrivers", "allowed_csi_drivers"),
            ("podCIDRs", "pod_cidrs"),
            ("targetCPUUtilizationPercentage", "target_cpu_utilization_percentage"),
            ("fsType", "fs_type"),
            ("volumeID", "volume_id"),
            ("hostIPC", "host_ipc"),
            ("x-kubernetes-list-map-keys", "x_kubernetes_list_map_keys"),
            ("type", "type_"),
            ("continue", "continue_"),
            ("$ref", "ref_"),
            ("fieldsV1", "fields_v1"),
            ("windowsOptions", "windows_options"),
            ("HTTPIngressPath", "http_ingress_path"),
            ("APIVersions", "api_versions"),
            ("CSINodeDriver", "csi_node_driver"),
            ("self", "self_"),
            ("3d", "_3d"),
            ("größe", "größe"),
        ] {
            assert_eq!(rust_name(json), rust, "{json}");
        }
    }

    #[test]
    fn names_that_the_derive_cannot_find_are_detected() {
        let is_derived = |json: &str| is_derived_name(&Field::new(json, TypeExpr::String));
        assert!(is_derived("minReadySeconds"));
        assert!(is_derived("type"));
        assert!(!is_derived("clusterIP"));
    }

    #[test]
    fn suffixes_distinguish_fields() {
        let field =
            |json: &str| Field { rust_name: RustName::Numbered(2), ..Field::new(json, TypeExpr::String) };
        for (json, rust) in [("proxyURL", "proxy_url_2"), ("Type", "type_2"), ("3d", "_3d_2")] {
            assert_eq!(field_name(&field(json)), rust);
        }
        assert!(!is_derived_name(&field("proxyUrl")));
    }
}
