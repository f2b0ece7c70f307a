//! How messages name a kind and its resource, as upstream's do.

use hubgen_machinery::scheme::KindEntry;

/// `deployments.apps`, or `pods` for the core group.
pub(crate) fn resource(entry: &KindEntry) -> String {
    let plural = plural(entry);
    if entry.group.is_empty() { plural.to_owned() } else { format!("{plural}.{}", entry.group) }
}

/// `Deployment.apps`, or `Pod` for the core group.
pub(crate) fn kind(entry: &KindEntry) -> String {
    let KindEntry { kind, group, .. } = entry;
    if group.is_empty() { kind.to_string() } else { format!("{kind}.{group}") }
}

/// `deployments`.
pub(crate) fn plural(entry: &KindEntry) -> &str {
    entry.resource.as_ref().map_or(&entry.kind, |resource| &resource.plural)
}
