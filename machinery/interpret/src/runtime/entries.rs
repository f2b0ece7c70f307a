//! Converts families of the model to entries of a Scheme.

use std::sync::Arc;

use hubgen_machinery::canonical::Forms;
use hubgen_machinery::convert::{Functions, ViaHub};
use hubgen_machinery::reflect::{Text, Words};
use hubgen_machinery::scheme::{self, Conversion, KindEntry};
use hubgen_model::behaviour::Behaviours;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_model::{
    Api, GroupVersion, GroupVersionKind, Release, Resource, Scope, Type, TypeExpr, TypeId, Verb,
};
use hubgen_plan::{Family, FamilyPlan, How, Plan};

use super::named::named;
use super::{Snapshot, SnapshotError, behaviour, columns, forms};
use crate::{FunctionError, NewObject, Version};

/// The model of the kinds to build.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    /// Their types.
    pub api: &'a Api,
    /// How they convert.
    pub plan: &'a Plan,
    /// Their defaults.
    pub defaults: &'a Defaults,
    /// Their canonical forms.
    pub canonical: &'a CanonicalForms,
    /// What a server does with their objects, beyond storing them.
    pub behaviours: &'a Behaviours,
    /// The functions of a user's own code that the rules name.
    pub functions: &'a Functions,
    /// Whether JSON converts without being decoded, where the rules allow it, so that partial objects stay partial. Not
    /// for Kubernetes' own kinds: there the zero values of Go decide what is written.
    pub over_json: bool,
}

/// Builds the entries of all versions of a family and of their lists, for
/// [`Scheme::add`](scheme::Scheme::add). The entries share one snapshot and own it together.
///
/// # Errors
/// When a type is missing or cannot be built, a default does not fit its type, or a rule names a
/// function that is not registered.
pub fn entries(model: Model<'_>, family: &Family) -> Result<Vec<KindEntry>, SnapshotError> {
    let root = |member: &GroupVersion| {
        let missing = || SnapshotError::NoSuchType(TypeId::at(member.clone(), &*family.kind));
        model.api.root(member, &family.kind).ok_or_else(missing)
    };
    let roots = family.members.iter().map(root).collect::<Result<Vec<&Type>, _>>()?;
    let lists: Vec<&Type> = model.api.types().filter(|ty| is_list_of(ty, &roots)).collect();
    let plan = model.plan.conversions.iter().find(|plan| plan.family == *family);
    let ids = roots.iter().chain(&lists).map(|ty| &ty.id).chain(plan.map(|plan| &plan.hub));
    let snapshot =
        Arc::new(Snapshot::new(model.plan.types(model.api), &model.plan.sharing, model.defaults, ids)?);
    let mut entries = Vec::new();
    for list in lists {
        for name in list.kind.iter().flat_map(|kind| &kind.registered) {
            entries.push(entry(&snapshot, list, name)?);
        }
    }
    let about = family.has_versions().then(|| Arc::new(about(family, plan)));
    let versions = plan.map(|plan| Versions::new(plan, &snapshot, model));
    for (member, root) in family.members.iter().zip(roots) {
        let name = GroupVersionKind { group_version: member.clone(), kind: family.kind.clone() };
        let conversion = match &versions {
            Some(versions) => versions.conversion(member)?,
            None => Conversion::Single,
        };
        entries.push(KindEntry {
            canonical: Forms::Runtime(forms(model.api, model.canonical, root).into()),
            behaviour: behaviour(model.behaviours.get(&name)),
            columns: columns(model.behaviours.columns.get(&name))?,
            family: about.clone(),
            conversion,
            hoisted: plan.map(|plan| hoisted(plan, member)).unwrap_or_default(),
            ..entry(&snapshot, root, &name)?
        });
    }
    Ok(entries)
}

/// Whether a type is a kind whose objects are lists of one of the roots.
fn is_list_of(ty: &Type, roots: &[&Type]) -> bool {
    let items = ty.field("items").map(|field| &field.ty);
    let Some(TypeExpr::List(items)) = items.filter(|_| ty.is_list()) else { return false };
    items.named().is_some_and(|item| roots.iter().any(|root| root.id == *item))
}

/// The entry of a kind, without its family.
fn entry(snapshot: &Snapshot, ty: &Type, name: &GroupVersionKind) -> Result<KindEntry, SnapshotError> {
    let missing = || SnapshotError::NoSuchType(ty.id.clone());
    let new = snapshot.maker(&ty.id).ok_or_else(missing)?;
    let mut entry = KindEntry::new(named(name), new);
    entry.defaults = snapshot.table(&ty.id);
    let Some(kind) = &ty.kind else { return Ok(entry) };
    entry.name = entry.name.filter(|_| !kind.bare);
    let release = |release: Release| Text::from(release.to_string());
    let (since, until) = ty.kind_releases();
    entry.resource = kind.resource_of(name).map(|of| resource(of, until));
    (entry.since, entry.until) = (since.map(release), until.map(release));
    Ok(entry)
}

/// A resource whose kind's last release is `until`.
fn resource(resource: &Resource, until: Option<Release>) -> scheme::Resource {
    let subresources = resource.subresources.iter();
    scheme::Resource {
        plural: Text::from(resource.plural.clone()),
        singular: Text::from(resource.singular.clone()),
        namespaced: resource.scope == Scope::Namespaced,
        verbs: verbs(&resource.verbs),
        short_names: resource.short_names.iter().cloned().collect(),
        categories: resource.categories.iter().cloned().collect(),
        subresources: subresources
            .map(|(name, subresource)| scheme::Subresource {
                name: Text::from(name.clone()),
                kind: subresource.kind.as_ref().map(named),
                verbs: verbs(&subresource.verbs),
                until: subresource
                    .until
                    .filter(|own| Some(*own) != until)
                    .map(|own| Text::from(own.to_string())),
            })
            .collect(),
    }
}

fn verbs(verbs: &[Verb]) -> Words {
    verbs.iter().map(|verb| verb.as_str().to_owned()).collect()
}

/// The part of the family that all members share.
fn about(family: &Family, plan: Option<&FamilyPlan>) -> scheme::Family {
    let member = |group_version: &GroupVersion| {
        named(&GroupVersionKind { group_version: group_version.clone(), kind: family.kind.clone() })
    };
    let words = plan.into_iter().flat_map(FamilyPlan::words);
    scheme::Family {
        members: family.members.iter().map(member).collect(),
        storage: member(&family.hub),
        words: words
            .map(|(field, word)| (Text::from(field.to_owned()), Text::from(word.to_owned())))
            .collect(),
    }
}

/// The fields that a version has once, and the hub in each element of a list.
fn hoisted(plan: &FamilyPlan, version: &GroupVersion) -> Vec<scheme::Hoisted> {
    let all = plan.hoisted(version).into_iter();
    all.map(|hoisted| scheme::Hoisted {
        list: Text::from(hoisted.list),
        fields: hoisted.fields.into_iter().collect(),
    })
    .collect()
}

/// How the versions of a family convert.
struct Versions<'a> {
    plan: Arc<FamilyPlan>,
    new: Arc<NewObject>,
    model: Model<'a>,
}

impl<'a> Versions<'a> {
    fn new(plan: &FamilyPlan, snapshot: &Arc<Snapshot>, model: Model<'a>) -> Self {
        let snapshot = Arc::clone(snapshot);
        let new =
            move |id: &TypeId| snapshot.object(id).expect("the snapshot contains all members and the hub");
        Self { plan: Arc::new(plan.clone()), new: Arc::new(new), model }
    }

    fn conversion(&self, member: &GroupVersion) -> Result<Conversion, FunctionError> {
        let Some(at) = self.plan.members.iter().position(|other| other.group_version == *member) else {
            return Ok(Conversion::Single);
        };
        if let How::NotConvertible(reason) = &self.plan.members[at].how {
            return Ok(Conversion::NotConvertible(Text::from(reason.clone())));
        }
        let mut version = Version::new(&self.plan, at, &self.new, self.model.functions)?;
        if self.model.over_json {
            version = version.map(|version| version.over_json(self.model.plan.types(self.model.api)));
        }
        let hub = |version| Conversion::Hub(ViaHub::Runtime(Arc::new(version)));
        Ok(version.map_or(Conversion::Single, hub))
    }
}
