//! Cells of volumes, claims and storage classes, and of versions in which objects are stored.

use hubgen_machinery::columns::{Cell, Value};
use hubgen_machinery::scalar::Time;

use super::listed::listed;

/// The modes in which a volume can be used, in short.
const MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

/// The modes in which a volume can be used.
pub fn access_modes(modes: Value<'_>, _: Time) -> Cell {
    let has = |mode: &str| modes.items().any(|own| own.text() == mode);
    let short: Vec<&str> = MODES.into_iter().filter(|(mode, _)| has(mode)).map(|(_, short)| short).collect();
    Cell::Text(short.join(","))
}

/// The modes of a claim, once it has a volume.
pub fn claim_access_modes(claim: Value<'_>, now: Time) -> Cell {
    match claim.get("spec.volumeName").text() {
        "" => Cell::text(""),
        _ => access_modes(claim.get("status.accessModes"), now),
    }
}

/// How much a claim has, once it has a volume.
pub fn claim_capacity(claim: Value<'_>, _: Time) -> Cell {
    if claim.get("spec.volumeName").text().is_empty() {
        return Cell::text("");
    }
    let capacity = claim.get("status.capacity.storage");
    Cell::Text(if capacity.is_present() { capacity.shown() } else { "0".to_owned() })
}

/// The claim that has a volume.
pub fn claim(claim: Value<'_>, _: Time) -> Cell {
    Cell::Text(match claim.is_present() {
        true => format!("{}/{}", claim.get("namespace").text(), claim.get("name").text()),
        false => String::new(),
    })
}

/// The storage class of a volume or a claim. An annotation of old comes first.
pub fn class(volume: Value<'_>, _: Time) -> Cell {
    let annotation = volume.get("metadata.annotations").member("volume.beta.kubernetes.io/storage-class");
    let field = volume.get("spec.storageClassName");
    Cell::text(if annotation.is_present() { annotation.text() } else { field.text() })
}

/// The phase of a volume or a claim.
pub fn phase(volume: Value<'_>, _: Time) -> Cell {
    let is_being_deleted = volume.get("metadata.deletionTimestamp").is_present();
    Cell::text(if is_being_deleted { "Terminating" } else { volume.get("status.phase").text() })
}

/// When a storage class was created that is marked as the default.
pub fn default_since(metadata: Value<'_>, _: Time) -> Cell {
    let is_default =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]
            .into_iter()
            .any(|name| metadata.get("metadata.annotations").member(name).text() == "true");
    if is_default { Cell::Text(metadata.get("metadata.creationTimestamp").shown()) } else { Cell::Null }
}

/// In which version each server stores the objects of a resource.
pub fn encoding_versions(versions: Value<'_>, _: Time) -> Cell {
    let version = |version: Value<'_>| {
        format!("{}={}", version.get("apiServerID").text(), version.get("encodingVersion").text())
    };
    let versions: Vec<String> = versions.items().map(version).collect();
    Cell::Text(listed(&versions, 3))
}
