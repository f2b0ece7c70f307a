//! A rule keeps only what a version really cannot represent.
//!
//! A kept field has no counterpart: no field of the version, at any path, has the same name and
//! type, unless it represents another field of that name.

use std::collections::BTreeSet;
use std::path::Path;

use hubgen_documents::{rules, schema};
use hubgen_model::{Api, GroupVersion, TypeExpr, TypeId};
use hubgen_plan::program::ops::Op;
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{FamilyPlan, How, Mapping, ResolvedPath};

fn plans() -> (Api, Sharing, Vec<FamilyPlan>) {
    let schemas =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("schemas/kubernetes");
    let api = schema::read_dir(&schemas).unwrap();
    let rules = rules::read_dir(&schemas.join("rules")).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
    (api, plan.sharing, plan.conversions)
}

/// All types below a type.
fn below<'a>(api: &'a Api, root: &'a TypeId) -> BTreeSet<&'a TypeId> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![root];
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            let fields = api.find(id).map(|ty| ty.fields()).unwrap_or_default();
            todo.extend(fields.iter().filter_map(|field| field.ty.named()));
        }
    }
    seen
}

/// How the fields of a version's types convert.
#[derive(Default)]
struct Fates<'a> {
    /// Types whose fields are mapped separately. All other types are those of the hub.
    apart: BTreeSet<&'a TypeId>,
    /// Fields that represent fields of the same name, or whose own fields are mapped separately.
    same_name: BTreeSet<(&'a TypeId, &'a str)>,
}

impl<'a> Fates<'a> {
    fn find(mapping: &'a Mapping) -> Self {
        let mut out = Self::default();
        for ((version, _), pair) in &mapping.pairs {
            out.apart.insert(version);
            for op in &pair.from_hub.ops {
                // The fields of a function belong to one object.
                let whole = matches!(op, Op::Call { .. }).then_some(1);
                for place in op.writes().into_iter().take(whole.unwrap_or(usize::MAX)) {
                    let from = op.copy().filter(|copy| copy.to == *place).map(|copy| &copy.from);
                    out.find_place(version, place, from);
                }
            }
        }
        out
    }

    /// Records a field of the version. `from` is the hub's field path, if the field is a copy.
    fn find_place(&mut self, version: &'a TypeId, place: &'a ResolvedPath, from: Option<&ResolvedPath>) {
        let (last, parents) = place.0.split_last().unwrap();
        let mut owner = version;
        for parent in parents {
            self.same_name.insert((owner, &parent.name));
            owner = parent.ty.named().unwrap();
            self.apart.insert(owner);
        }
        if from.is_some_and(|from| from.field().name == last.name) {
            self.same_name.insert((owner, &last.name));
        }
    }

    fn stands_for_its_name(&self, owner: &TypeId, name: &str) -> bool {
        !self.apart.contains(owner) || self.same_name.contains(&(owner, name))
    }
}

/// A kept field, and a field of the version that could represent it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counterpart {
    family: String,
    version: String,
    kept: String,
    at: String,
}

/// The fields that are kept although the version could represent them, and the number of kept
/// fields checked.
fn counterparts(api: &Api, sharing: &Sharing, plans: &[FamilyPlan]) -> (usize, BTreeSet<Counterpart>) {
    let (mut count, mut found) = (0, BTreeSet::new());
    for plan in plans {
        for member in &plan.members {
            let How::Convert(mapping) = &member.how else { continue };
            let types = below(api, &member.root);
            let fates = Fates::find(mapping);
            for (hub, kept) in mapping
                .pairs
                .iter()
                .flat_map(|((_, hub), pair)| pair.kept.iter().map(move |place| (hub, place)))
            {
                count += 1;
                let field = kept.field();
                for owner in &types {
                    let own = api.find(owner).and_then(|ty| ty.field(&field.name));
                    let is_same = own.is_some_and(|own| same(sharing, mapping, &own.ty, &field.ty));
                    if is_same && !fates.stands_for_its_name(owner, &field.name) {
                        found.insert(Counterpart {
                            family: plan.family.title(),
                            version: member.group_version.api_version(),
                            kept: format!("{}.{kept}", hub.name),
                            at: format!("{}.{}", owner.name, field.name),
                        });
                    }
                }
            }
        }
    }
    (count, found)
}

/// Whether two types are equal or convert to each other.
fn same(sharing: &Sharing, mapping: &Mapping, version: &TypeExpr, hub: &TypeExpr) -> bool {
    match (version, hub) {
        (TypeExpr::Ref(version), TypeExpr::Ref(hub)) => {
            let key = (sharing.representing(version).clone(), sharing.representing(hub).clone());
            key.0 == key.1 || mapping.pairs.contains_key(&key)
        }
        (TypeExpr::List(version), TypeExpr::List(hub)) | (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
            same(sharing, mapping, version, hub)
        }
        (version, hub) => version == hub,
    }
}

#[test]
fn a_kept_field_has_no_counterpart() {
    let (api, sharing, plans) = plans();
    let (count, found) = counterparts(&api, &sharing, &plans);
    assert!(count > 40, "only {count} fields are kept");
    assert!(found.is_empty(), "these fields have counterparts: {found:#?}");
}

/// Without this test, the one above would also pass if it never found anything.
#[test]
fn a_counterpart_is_found() {
    let (api, sharing, mut plans) = plans();
    let plan = plans.iter_mut().find(|plan| plan.family.kind == "RuntimeClass").unwrap();
    let v1alpha1 = GroupVersion::new("node.k8s.io", "v1alpha1");
    let member = plan.members.iter_mut().find(|member| member.group_version == v1alpha1).unwrap();
    let How::Convert(mapping) = &mut member.how else { panic!("RuntimeClass converts") };
    for pair in mapping.pairs.values_mut() {
        // As if a rule kept the field.
        let is_overhead = |op: &Op| op.copy().is_some_and(|copy| copy.to.to_string() == "spec.overhead");
        if let Some(at) = pair.from_hub.ops.iter().position(is_overhead) {
            let op = pair.from_hub.ops.remove(at);
            pair.kept.push(op.copy().unwrap().from.clone());
        }
    }
    let (_, found) = counterparts(&api, &sharing, &plans);
    let found: Vec<_> = found.iter().map(|it| (&*it.family, &*it.at)).collect();
    assert_eq!(found, [("node.k8s.io RuntimeClass", "RuntimeClassSpec.overhead")]);
}
