//! Builds hubs that contain more fields than their version.

use std::collections::BTreeMap;

use hubgen_model::rules::{Add, At, Problem, Rules, Where};
use hubgen_model::{Api, Field, Type, TypeBody, TypeExpr, TypeId};

use crate::sharing;

/// The types of the hub that rules require: the one of the kind, and those on the paths to added fields.
#[derive(Clone, Debug)]
pub(crate) struct Superset<'a> {
    api: &'a Api,
    /// The kind's type at the version that the hub extends.
    pub(crate) root: &'a TypeId,
    /// The hub's own types, by the names of the types that they extend.
    pub(crate) types: BTreeMap<String, Type>,
}

/// The hub that the rules require; `None` if the rules add nothing or are invalid.
pub(crate) fn add<'a>(
    api: &'a Api,
    index: usize,
    rules: &Rules,
    problems: &mut Vec<Problem>,
) -> Option<Superset<'a>> {
    if rules.add.is_empty() {
        return None;
    }
    let hub = &rules.hub.value;
    let root = &api.root(hub, &rules.kind.value)?.id;
    let mut superset = Superset { api, root, types: BTreeMap::new() };
    for add in &rules.add {
        if let Err((path, message)) = superset.add_field(&rules.kind.value, add) {
            problems.push(Problem {
                place: Where::Rules(index, add.span.clone()),
                path,
                message,
                help: format!("name a field of {} that {hub} lacks", add.value.from),
            });
        }
    }
    superset.types.contains_key(&root.name).then_some(superset)
}

impl Superset<'_> {
    fn add_field(&mut self, kind: &str, add: &At<Add>) -> Result<(), (String, String)> {
        let (api, Add { path, from }) = (self.api, &add.value);
        let wrong = |message: String| (path.to_string(), message);
        let mut source = api.root(from, kind).ok_or_else(|| wrong(format!("{from} has no {kind}")))?;
        let (name, parents) = path.0.split_last().ok_or_else(|| wrong("is empty".to_owned()))?;
        let mut chain = Vec::new();
        for parent in parents {
            let field =
                source.field(parent).ok_or_else(|| wrong(format!("{} has no field {parent}", source.id)))?;
            let next = objects(&field.ty)
                .ok_or_else(|| wrong(format!("{parent} of {} contains no objects", source.id)))?;
            chain.push(parent.clone());
            source = api.find(next).ok_or_else(|| wrong(format!("unknown type {next}")))?;
        }
        let mut field =
            source.field(name).ok_or_else(|| wrong(format!("{} has no field {name}", source.id)))?.clone();
        // Only some versions have the field, so an object without it is valid.
        field.required = false;
        field.ty = self.adopted(&field.ty).map_err(wrong)?;
        let mut owner = self.own(self.root).map_err(wrong)?;
        for parent in chain {
            let missing = |owner: &TypeId| wrong(format!("{owner} has no field {parent}"));
            let ty = self.find(&owner).ok_or_else(|| missing(&owner))?;
            let at = position(ty, &parent).ok_or_else(|| missing(&owner))?;
            let next = objects(&ty.fields()[at].ty)
                .ok_or_else(|| wrong(format!("{parent} of {owner} contains no objects")))?
                .clone();
            let next = self.own(&next).map_err(wrong)?;
            self.fields(&owner)[at].ty.named_mut().expect("it contains objects").clone_from(&next);
            owner = next;
        }
        // Another path to the same type may have added the field already.
        let root = self.api.find(self.root);
        let had = root.is_some_and(|root| self.api.positions(root, &path.0).is_some());
        let fields = self.fields(&owner);
        if !had && fields.iter().any(|other| other.name == field.name && other.ty == field.ty) {
            return Ok(());
        }
        if fields.iter().any(|other| other.name == field.name) {
            return Err(wrong("the hub already has this field".to_owned()));
        }
        // Protobuf may use the number for another field by now, so the field gets a number of the
        // hub.
        if fields.iter().any(|other| other.number == field.number) {
            let last = fields.iter().filter_map(|other| other.number.first()).max();
            field.number = last.map(|last| last + 1).into_iter().collect();
        }
        // The position by protobuf number.
        if field.is_rest() {
            field = Field::rest(fields);
        }
        field.rust_name = field.rust_name.generated();
        let is_after = |other: &Field| other.number > field.number || other.is_rest();
        let at = fields.iter().position(is_after).unwrap_or(fields.len());
        fields.insert(at, field);
        Ok(())
    }

    /// The type of an added field. The hub must not depend on other versions, so types that its own
    /// version lacks become types of the hub, including all types below them.
    fn adopted(&mut self, ty: &TypeExpr) -> Result<TypeExpr, String> {
        let mut ty = ty.clone();
        let Some(id) = ty.named_mut() else { return Ok(ty) };
        let of_version = TypeId::at(self.root.group_version.clone(), &id.name);
        let is_part = self.find(id).is_some_and(|ty| ty.kind.is_none());
        let is_of_group = id.group_version.group == of_version.group_version.group;
        if !is_part || !is_of_group {
            return Ok(ty);
        }
        if self.api.find(&of_version).is_some() {
            // Other fields of the hub have it, and a version's type converts to one type only.
            if sharing::are_equal(self.api, id, &of_version) {
                *id = of_version;
            }
            return Ok(ty);
        }
        let is_known = self.find(&self.hub_type_id(&id.name)).is_some();
        *id = self.own(id)?;
        if !is_known {
            for index in 0..self.fields(id).len() {
                let inner = self.fields(id)[index].ty.clone();
                self.fields(id)[index].ty = self.adopted(&inner)?;
            }
        }
        Ok(ty)
    }

    /// The id of the hub's own type with a name.
    fn hub_type_id(&self, name: &str) -> TypeId {
        TypeId::of_hub(self.root.group_version.clone(), name)
    }

    /// The hub's own copy of a type, created if necessary.
    fn own(&mut self, id: &TypeId) -> Result<TypeId, String> {
        let own = self.hub_type_id(&id.name);
        if self.find(&own).is_none() {
            let mut ty = self.find(id).ok_or_else(|| format!("unknown type {id}"))?.clone();
            ty.id = own.clone();
            // Clients never see its name.
            ty.kind = None;
            let TypeBody::Struct(fields) = &mut ty.body;
            for field in fields {
                field.rust_name = std::mem::take(&mut field.rust_name).generated();
            }
            self.types.insert(id.name.clone(), ty);
        }
        Ok(own)
    }

    fn find(&self, id: &TypeId) -> Option<&Type> {
        if id.of_hub { self.types.get(&id.name) } else { self.api.find(id) }
    }

    fn fields(&mut self, id: &TypeId) -> &mut Vec<Field> {
        let TypeBody::Struct(fields) = &mut self.types.get_mut(&id.name).expect("the type was made").body;
        fields
    }
}

fn position(ty: &Type, name: &str) -> Option<usize> {
    ty.fields().iter().position(|field| field.name == name)
}

/// The type of an object, or of the objects in lists and maps.
fn objects(ty: &TypeExpr) -> Option<&TypeId> {
    match ty {
        TypeExpr::Ref(id) => Some(id),
        TypeExpr::List(inner) | TypeExpr::Map(inner) => objects(inner),
        _ => None,
    }
}
