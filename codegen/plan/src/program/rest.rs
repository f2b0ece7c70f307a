//! The fields of objects that a type does not have.
//!
//! Two versions of a kind may keep unknown fields and list different ones. What is a field of one of them is then
//! an unknown field of the other: both have the same JSON. So nothing has to be stashed for it.

use hubgen_model::{Field, Type, TypeExpr};

use super::claims::{Claim, Claims};
use super::lower::Lowered;
use super::ops::{Op, Rest};
use super::path::{owner, resolve};
use super::refusal::Refusal;
use super::{Mapper, ResolvedPath};

impl Mapper<'_> {
    /// The rests of both types, if no rule covers them, with the fields that only one of the types has and no
    /// rule covers. Records these as covered.
    pub(super) fn rests(&self, version: &Type, hub: &Type, claims: &mut Claims) -> Option<Lowered> {
        let name = [Field::REST.to_owned()];
        let is_free = claims.version_state(&name) == Claim::None && claims.hub_state(&name) == Claim::None;
        if !is_free || !version.has_rest() || !hub.has_rest() {
            return None;
        }
        let only = |own: &Type, other: &Type, state: &dyn Fn(&[String]) -> Claim| -> Vec<ResolvedPath> {
            let of_one = own.named().filter(|field| other.field(&field.name).is_none());
            let names = of_one.map(|field| [field.name.clone()]).filter(|name| state(name) == Claim::None);
            names.filter_map(|name| resolve(self.types, own, &name).ok()).collect()
        };
        let of_version = only(version, hub, &|name| claims.version_state(name));
        let of_hub = only(hub, version, &|name| claims.hub_state(name));
        let place = |ty: &Type| resolve(self.types, ty, &name).ok();
        let (own, field) = (place(version)?, place(hub)?);
        for place in of_version.iter().chain([&own]) {
            claims.version.insert(vec![place.field().name.clone()]);
        }
        for place in of_hub.iter().chain([&field]) {
            claims.hub.insert(vec![place.field().name.clone()]);
        }
        Some(self.rest((version, own, of_version), (hub, field, of_hub)))
    }

    /// A rule moves the rest of an object to the rest of another one, or to a map.
    pub(super) fn moved_rest(
        &self,
        (version, own): (&Type, ResolvedPath),
        (hub, field): (&Type, ResolvedPath),
    ) -> Result<Lowered, Refusal> {
        let is_map = |place: &ResolvedPath| {
            let is_raw =
                matches!(&place.field().ty, TypeExpr::Map(value) if matches!(**value, TypeExpr::Raw(_)));
            is_raw && !place.may_be_absent()
        };
        if let Some(other) = [&own, &field].into_iter().find(|place| !is_map(place)) {
            return Err(Refusal {
                message: format!("unknown fields are a map of raw JSON; `{other}` is {}", other.field().ty),
                help: "move them to the unknown fields of another object, which are called `*`, or to such a map"
                    .to_owned(),
            });
        }
        Ok(self.rest((version, own, Vec::new()), (hub, field, Vec::new())))
    }

    /// Copies a rest. Each side is the type that its path begins with, the path, and the fields that only this side
    /// has, which are unknown fields of the other one.
    pub(super) fn rest(
        &self,
        (version, own, of_version): (&Type, ResolvedPath, Vec<ResolvedPath>),
        (hub, field, of_hub): (&Type, ResolvedPath, Vec<ResolvedPath>),
    ) -> Lowered {
        let op = |(source, from, given): (&Type, &ResolvedPath, &[ResolvedPath]),
                  (target, to, taken): (&Type, &ResolvedPath, &[ResolvedPath])| {
            let known = self.names_beside(source, from);
            let mut taken_otherwise = self.names_beside(target, to);
            taken_otherwise.retain(|name| {
                !known.contains(name) && !taken.iter().any(|place| place.field().name == *name)
            });
            Op::Rest(Rest {
                from: from.clone(),
                to: to.clone(),
                given: given.to_vec(),
                taken: taken.to_vec(),
                known: taken_otherwise,
            })
        };
        let (version, hub) = ((version, &own, &*of_version), (hub, &field, &*of_hub));
        Lowered::both(op(version, hub), op(hub, version))
    }

    /// The names of the fields beside a rest; none if the path leads to a field.
    fn names_beside(&self, root: &Type, place: &ResolvedPath) -> Vec<String> {
        let path: Vec<String> = place.names().into_iter().map(str::to_owned).collect();
        let owner = owner(self.types, root, &path).filter(|_| place.field().is_rest());
        owner.into_iter().flat_map(Type::named).map(|field| field.name.clone()).collect()
    }
}
