//! Volumes of attachments are defaulted at v1alpha1.

use serde_json::{Value, json};

use super::{Case, Mismatch};

/// The fields and their defaults at v1 and v1beta1 (`SetObjectDefaults_VolumeAttachment`).
fn defaults() -> [(&'static str, Value); 11] {
    [
        ("hostPath.type", json!("")),
        ("rbd.pool", json!("rbd")),
        ("rbd.user", json!("admin")),
        ("rbd.keyring", json!("/etc/ceph/keyring")),
        ("iscsi.iscsiInterface", json!("default")),
        ("azureDisk.cachingMode", json!("ReadWrite")),
        ("azureDisk.fsType", json!("ext4")),
        ("azureDisk.readOnly", json!(false)),
        ("azureDisk.kind", json!("Shared")),
        ("scaleIO.storageMode", json!("ThinProvisioned")),
        ("scaleIO.fsType", json!("xfs")),
    ]
}

/// They have nothing; we have the default.
pub fn applies(case: &Case<'_>, place: &Mismatch<'_>) -> bool {
    let Some(path) = place.path.strip_prefix("spec.source.inlineVolumeSpec.") else { return false };
    case.kind == "VolumeAttachment"
        && case.from.version == "v1alpha1"
        && case.default
        && place.theirs.is_none()
        && defaults().iter().any(|(field, value)| *field == path && place.ours == Some(value))
}
