//! Keys of objects in the store.

/// The key of an object. `prefix` is the prefix of all keys of its kind
/// ([`storage_prefix`](hubgen_machinery::scheme::Scheme::storage_prefix)).
pub(crate) fn key(prefix: &str, namespace: &str, name: &str) -> Vec<u8> {
    match namespace {
        "" => format!("{prefix}{name}"),
        namespace => format!("{prefix}{namespace}/{name}"),
    }
    .into_bytes()
}
