//! A user's crate that works with ten kinds of Kubernetes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::subject::Subject;
use super::{K8S_OPENAPI, Peers, RELEASE, Result};
use crate::programs::root;

/// What the crate works with.
const KINDS: [(&str, &str); 10] = [
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("core", "ConfigMap"),
    ("core", "Namespace"),
    ("core", "Pod"),
    ("core", "Secret"),
    ("core", "Service"),
];

/// The crate over ours, and over the peer.
pub(super) fn sides(peers: &Peers) -> Result<[Subject; 2]> {
    Ok([over_ours()?, over_theirs(peers)?])
}

fn over_ours() -> Result<Subject> {
    let generated = root().join("generated");
    let mut dependencies =
        format!("hubgen-machinery = {{ path = {:?} }}\n", root().join("machinery/machinery"));
    for group in KINDS.map(|(group, _)| group).into_iter().collect::<BTreeSet<_>>() {
        let path = generated.join(group);
        let _ = writeln!(
            dependencies,
            "hubgen-{group} = {{ path = {path:?}, default-features = false, features = [\"v1\"] }}"
        );
    }
    let source = KINDS.map(|(group, kind)| {
        function(
            kind,
            &format!("hubgen_{group}::v1::{kind}"),
            "hubgen_machinery::json::decode(bytes).unwrap()",
            "hubgen_machinery::json::encode(&object).unwrap()",
        )
    });
    Subject::user("user-hubgen", &dependencies, &[("src/lib.rs", source.concat())])
}

fn over_theirs(peers: &Peers) -> Result<Subject> {
    let dependencies = format!(
        "{K8S_OPENAPI} = {{ version = \"={}\", features = [{RELEASE:?}] }}\nserde_json = \"1\"\n",
        peers.k8s_openapi.version
    );
    let source = KINDS.map(|(group, kind)| {
        function(
            kind,
            &format!("k8s_openapi::api::{group}::v1::{kind}"),
            "serde_json::from_slice(bytes).unwrap()",
            "serde_json::to_vec(&object).unwrap()",
        )
    });
    Subject::user("user-k8s-openapi", &dependencies, &[("src/lib.rs", source.concat())])
}

/// A function of a user that does with a kind what users do.
fn function(kind: &str, path: &str, decode: &str, encode: &str) -> String {
    let is_ours = path.starts_with("hubgen");
    format!(
        "pub fn {}(bytes: &[u8], labels: &[(&str, &str)]) -> Option<Vec<u8>> {{
    let mut object: {path} = {decode};
    let before = object.clone();
    let own = labels.iter().map(|(key, value)| (key.to_string(), {value}));
    {labels}.extend(own);
    (object != before).then(|| {encode})
}}

",
        kind.to_lowercase(),
        labels =
            if is_ours { "object.metadata.labels" } else { "object.metadata.labels.get_or_insert_default()" },
        value = if is_ours { "hubgen_machinery::Str::from(*value)" } else { "value.to_string()" },
    )
}
