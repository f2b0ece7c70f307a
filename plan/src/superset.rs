//! Hubs that hold more than their version.

use hubgen_model::rules::{Add, At, Problem, Rules, Where};
use hubgen_model::{Api, Field, GroupVersion, Type, TypeBody, TypeExpr, TypeId};

use crate::HUB;

/// Adds the hub that the rules ask for; `None` where they add nothing, or
/// something is wrong.
pub(crate) fn add(api: &mut Api, index: usize, rules: &Rules, problems: &mut Vec<Problem>) -> Option<TypeId> {
    let hub = rules.hub.value.clone();
    let root = api.root(&hub, &rules.kind.value)?.id.clone();
    if rules.add.is_empty() {
        return None;
    }
    let version = GroupVersion::new(hub.group.clone(), HUB);
    for add in &rules.add {
        if let Err((path, message)) = add_field(api, &version, &root, &rules.kind.value, add) {
            problems.push(Problem {
                place: Where::Rules(index, add.span.clone()),
                path,
                message,
                help: format!("name a field of {} that {hub} does not have", add.value.from),
            });
        }
    }
    Some(TypeId { group_version: version, name: root.name })
}

fn add_field(
    api: &mut Api,
    version: &GroupVersion,
    root: &TypeId,
    kind: &str,
    add: &At<Add>,
) -> Result<(), (String, String)> {
    let Add { path, from } = &add.value;
    let wrong = |message: String| (path.to_string(), message);
    let mut source = api.root(from, kind).ok_or_else(|| wrong(format!("{from} has no {kind}")))?;
    let (name, parents) = path.0.split_last().ok_or_else(|| wrong("is empty".to_owned()))?;
    let mut chain = Vec::new();
    for parent in parents {
        let field =
            source.field(parent).ok_or_else(|| wrong(format!("{} has no field {parent}", source.id)))?;
        let TypeExpr::Ref(next) = &field.ty else {
            return Err(wrong(format!("{parent} of {} is no object", source.id)));
        };
        chain.push(parent.clone());
        source = api.find(next).ok_or_else(|| wrong(format!("{next} is not known")))?;
    }
    let mut field =
        source.field(name).ok_or_else(|| wrong(format!("{} has no field {name}", source.id)))?.clone();
    // Only some versions have it, so an object without it is valid.
    field.required = false;
    field.ty = adopted(api, version, root, &field.ty).map_err(wrong)?;
    let mut origin = root.clone();
    let mut owner = own(api, version, root).map_err(wrong)?;
    for parent in chain {
        let missing = |owner: &TypeId| wrong(format!("{owner} has no field {parent}"));
        let at = api.find(&owner).and_then(|ty| position(ty, &parent)).ok_or_else(|| missing(&owner))?;
        let next = match &api.find(&owner).ok_or_else(|| missing(&owner))?.fields()[at].ty {
            TypeExpr::Ref(next) => next.clone(),
            _ => return Err(wrong(format!("{parent} of {owner} is no object"))),
        };
        origin = next;
        let next = own(api, version, &origin).map_err(wrong)?;
        fields(api, &owner)[at].ty = TypeExpr::Ref(next.clone());
        owner = next;
    }
    // Another kind of the group that has the type may have got it already.
    let had = api.find(&origin).and_then(|ty| ty.field(name)).is_some();
    let fields = fields(api, &owner);
    if !had && fields.iter().any(|other| other.name == field.name && other.ty == field.ty) {
        return Ok(());
    }
    if fields.iter().any(|other| other.name == field.name) {
        return Err(wrong("the hub has it already".to_owned()));
    }
    // The number may say something else by now; the hub's own are nobody's.
    if fields.iter().any(|other| other.number == field.number) {
        let last = fields.iter().filter_map(|other| other.number.first()).max();
        field.number = last.map(|last| last + 1).into_iter().collect();
    }
    // Where protobuf would have put it.
    let at = fields.iter().position(|other| other.number > field.number).unwrap_or(fields.len());
    fields.insert(at, field);
    Ok(())
}

/// The type of a field that the hub gets, so that the hub needs no version but
/// its own: what that one has no type of becomes the hub's, all the way down.
fn adopted(api: &mut Api, version: &GroupVersion, root: &TypeId, ty: &TypeExpr) -> Result<TypeExpr, String> {
    let mut ty = ty.clone();
    let Some(id) = ty.named_mut() else { return Ok(ty) };
    let of_hub = TypeId { group_version: root.group_version.clone(), name: id.name.clone() };
    let is_part = api.find(id).is_some_and(|ty| ty.kind.is_none());
    if !is_part || id.group_version.group != version.group || api.find(&of_hub).is_some() {
        return Ok(ty);
    }
    let known = api.find(&TypeId { group_version: version.clone(), name: id.name.clone() }).is_some();
    *id = own(api, version, id)?;
    if !known {
        for index in 0..fields(api, id).len() {
            let inner = fields(api, id)[index].ty.clone();
            fields(api, id)[index].ty = adopted(api, version, root, &inner)?;
        }
    }
    Ok(ty)
}

/// The hub's own copy of a type, made if there is none yet.
fn own(api: &mut Api, version: &GroupVersion, id: &TypeId) -> Result<TypeId, String> {
    let own = TypeId { group_version: version.clone(), name: id.name.clone() };
    if api.find(&own).is_none() {
        let mut ty = api.find(id).ok_or_else(|| format!("{id} is not known"))?.clone();
        ty.id = own.clone();
        // Clients do not name it.
        ty.kind = None;
        api.versions.entry(version.clone()).or_default().types.insert(own.name.clone(), ty);
    }
    Ok(own)
}

fn position(ty: &Type, name: &str) -> Option<usize> {
    ty.fields().iter().position(|field| field.name == name)
}

fn fields<'a>(api: &'a mut Api, id: &TypeId) -> &'a mut Vec<Field> {
    let version = api.versions.get_mut(&id.group_version).expect("the hub's version was made");
    let TypeBody::Struct(fields) = &mut version.types.get_mut(&id.name).expect("the type was made").body;
    fields
}
