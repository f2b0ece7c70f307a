//! Updates known schemas from a user's document or from that of a running cluster.

use hubgen_model::{Api, Resource, Type, TypeBody};

use super::merge::alike;

/// Returns the known API with the types of `update` in place of its own. Facts that a cluster's
/// documents do not contain (order, pointer or value, protobuf numbers, releases) are copied from
/// the known API, field by field. A field that the update lacks stays, but is no longer required.
pub fn overlay(mut known: Api, update: Api) -> Api {
    for (group_version, version) in update.versions {
        let slot = known.versions.entry(group_version).or_default();
        slot.since = slot.since.or(version.since);
        for (name, ty) in version.types {
            let ty = match slot.types.swap_remove(&name) {
                Some(old) => carry(old, ty),
                None => ty,
            };
            slot.types.insert(name, ty);
        }
        slot.types.sort_keys();
    }
    known
}

fn carry(old: Type, new: Type) -> Type {
    let mut fields = Vec::new();
    for old_field in old.fields() {
        let mut field = new.field(&old_field.name).cloned().unwrap_or_else(|| old_field.clone());
        if new.field(&field.name).is_none() {
            field.required = false;
        }
        field.presence = old_field.presence;
        field.omit = old_field.omit;
        field.number.clone_from(&old_field.number);
        field.since = old_field.since;
        field.until = old_field.until;
        // A cluster's documents know some types less exactly (a duration is text to them). The new
        // type counts only if it is really another one.
        if alike(&old_field.ty, &field.ty) {
            field.ty = old_field.ty.clone();
        }
        fields.push(field);
    }
    fields.extend(new.fields().iter().filter(|field| old.field(&field.name).is_none()).cloned());
    let kind = match (old.kind, new.kind) {
        (Some(mut old), Some(new)) => {
            for name in new.registered {
                if !old.registered.contains(&name) {
                    old.registered.push(name);
                }
            }
            old.resource = match (old.resource, new.resource) {
                (Some(old), Some(new)) => Some(carry_resource(&old, new)),
                (old, new) => new.or(old),
            };
            Some(old)
        }
        (old, new) => old.or(new),
    };
    Type {
        body: TypeBody::Struct(fields),
        kind,
        description: new.description.or(old.description),
        refuses_unknown: new.refuses_unknown,
        facts: new.facts.or(old.facts),
        since: old.since,
        until: old.until,
        id: old.id,
    }
}

/// The resource of the update. Releases of subresources are copied from the known resource, and so
/// are subresources that the update lacks.
fn carry_resource(old: &Resource, mut new: Resource) -> Resource {
    for (name, known) in &old.subresources {
        let part = new.subresources.entry(name.clone()).or_insert_with(|| known.clone());
        (part.since, part.until) = (known.since, known.until);
    }
    new
}
