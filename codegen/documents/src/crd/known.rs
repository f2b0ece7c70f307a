//! The names of types that were imported before.

use hubgen_model::{Api, Type};

use super::names::Known;

/// The names that the objects of a group already have. Of several versions, the newest counts.
pub(super) fn of_group(api: &Api, group: &str) -> Known {
    let mut out = Known::new();
    for version in api.versions.iter().filter(|(name, _)| name.group == group).map(|(_, version)| version) {
        let is_defined = |ty: &&Type| ty.kind.as_ref().is_some_and(|kind| kind.definition.is_some());
        for ty in version.types.values().filter(is_defined) {
            add_known(api, &mut vec![ty], &ty.id.name, &mut out);
        }
    }
    out
}

/// Adds the names of the objects below the last type of `inside`.
fn add_known<'a>(api: &'a Api, inside: &mut Vec<&'a Type>, path: &str, out: &mut Known) {
    let Some(ty) = inside.last().copied() else { return };
    for field in ty.fields() {
        let below = field.ty.named().filter(|id| id.group_version == ty.id.group_version);
        let Some(below) = below.and_then(|id| api.find(id)).filter(|below| below.kind.is_none()) else {
            continue;
        };
        // Somebody may have edited the schemas: types in definitions do not contain themselves.
        if inside.iter().any(|outer| outer.id == below.id) {
            continue;
        }
        let path = format!("{path}.{}", field.name);
        inside.push(below);
        add_known(api, inside, &path, out);
        inside.pop();
        out.insert(path, below.id.name.clone());
    }
}
