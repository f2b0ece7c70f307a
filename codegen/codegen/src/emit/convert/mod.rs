//! Emits conversions: the functions of each kind at each version, in one file for each version.
//!
//! Each pair of types that differ has a function in each direction. It is a program of the plan,
//! printed op by op. The kind's `Convert` implementation calls the function of the root types, and
//! keeps what these functions lose.

mod edits;
mod element;
mod file;
mod function;
mod kept;
mod literal;
mod modules;
mod names;
mod one_of;
mod plain;
mod program;
mod root;
mod terms;
mod tree;
mod value;
mod value_table;

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::{GroupVersion, TypeId};
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{Direction, FamilyPlan, How, Mapping, Member, Pairs, Types, fallible, reading};
use proc_macro2::TokenStream;
use quote::quote;

pub use self::edits::file as edits_file;
pub use self::file::{file, identities};
use self::modules::Modules;
use self::names::Names;
use super::Functions;
use super::homes::Homes;
use crate::boxed::Boxed;
use crate::enums::Enums;
use crate::module::Module;
use crate::naming::{ident, name_ident, snake};
use crate::rust::Written;

/// What the functions of one kind at one version are emitted from.
struct Context<'a> {
    types: Types<'a>,
    plan: &'a FamilyPlan,
    member: &'a Member,
    mapping: &'a Mapping,
    /// The pairs of types whose functions return a `Result`.
    fallible: Pairs,
    /// The pairs of types whose functions take the metadata as well.
    reading: Pairs,
    boxed: &'a Boxed<'a>,
    enums: &'a Enums<'a>,
    written: &'a Written,
    modules: Modules<'a>,
    names: &'a Names<'a>,
}

/// The functions of every version of every family, by version.
pub fn emit(
    homes: &Homes<'_>,
    plans: &[FamilyPlan],
    types: Types<'_>,
    sharing: &Sharing,
    boxed: &Boxed<'_>,
    enums: &Enums<'_>,
    written: &Written,
) -> BTreeMap<GroupVersion, Vec<Functions>> {
    let mut names = Names::default();
    for (plan, member, mapping) in plans.iter().flat_map(converting) {
        if twin(types, plan, member, mapping, enums, sharing).is_none() {
            names.add(plan, &member.root, mapping);
        }
    }
    let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (plan, member, mapping) in plans.iter().flat_map(converting) {
        let of_version = out.entry(member.root.group_version.clone()).or_default();
        if is_identity(plan, member, mapping) {
            of_version.push(Functions::Identity { ty: member.root.name.clone() });
            continue;
        }
        let own = Module::of(&member.root);
        let modules = Modules::new(homes, &own);
        let (fallible, reading, names) = (fallible(mapping), reading(mapping), &names);
        let context = Context {
            types,
            plan,
            member,
            mapping,
            fallible,
            reading,
            boxed,
            enums,
            written,
            modules,
            names,
        };
        let (code, edits) = match twin(types, plan, member, mapping, enums, sharing) {
            Some(twin) => (root::through(&context, twin), None),
            None => (root::whole(&context), edits_items(&context)),
        };
        of_version.push(context.modules.finish(&plan.family.kind, code, edits));
    }
    out
}

/// The versions of a family that convert. A type may be registered under several versions.
fn converting(plan: &FamilyPlan) -> impl Iterator<Item = (&FamilyPlan, &Member, &Mapping)> {
    let mut done: BTreeSet<&TypeId> = BTreeSet::new();
    plan.members.iter().filter_map(move |member| match &member.how {
        How::Convert(mapping) if done.insert(&member.root) => Some((plan, member, mapping)),
        _ => None,
    })
}

/// The items for the JSON of a version that is not the hub.
fn edits_items(context: &Context<'_>) -> Option<TokenStream> {
    let converts = !context.mapping.pairs.is_empty();
    edits::emit(context).filter(|_| converts).map(|(_, items)| items)
}

/// Whether the version's type is the hub, no annotation has to be removed, and nothing has to be said of it.
fn is_identity(plan: &FamilyPlan, member: &Member, mapping: &Mapping) -> bool {
    let converts = mapping.pairs.contains_key(&(member.root.clone(), plan.hub.clone()));
    !converts && !plan.keeps() && plan.reserved.is_empty() && member.may_be_invalid.is_empty()
}

/// Another version with fields of the same types and the same rules. Converting through it avoids
/// emitting the same code twice.
fn twin<'a>(
    types: Types<'_>,
    plan: &'a FamilyPlan,
    member: &Member,
    mapping: &Mapping,
    enums: &Enums<'_>,
    sharing: &Sharing,
) -> Option<&'a Member> {
    let api = types.api;
    if !mapping.pairs.keys().any(|(version, _)| *version != member.root) && mapping.kept.is_empty() {
        return None;
    }
    let root = api.find(&member.root)?;
    // The last version of the hub's group that is not the hub's version.
    plan.members.iter().rev().find(|other| {
        let How::Convert(others) = &other.how else { return false };
        let Some(other_root) = api.find(&other.root) else { return false };
        let is_earlier = other.root.group_version.group == plan.family.home()
            && (member.root.group_version.group != plan.family.home()
                || other.root.group_version > member.root.group_version);
        let whole =
            |mapping: &Mapping, root: &TypeId| mapping.pairs.get(&(root.clone(), plan.hub.clone())).cloned();
        let below = |mapping: &Mapping, root: &TypeId| {
            let pairs = mapping.pairs.iter().filter(|((version, _), _)| version != root);
            pairs.map(|(key, pair)| (key.clone(), pair.clone())).collect::<Vec<_>>()
        };
        is_earlier
            && other.root != plan.hub
            && root.fields().len() == other_root.fields().len()
            && root.fields().iter().zip(other_root.fields()).all(|(a, b)| {
                a.name == b.name
                    && a.presence == b.presence
                    && sharing.same(&a.ty, &b.ty)
                    && enums.id(&member.root, a) == enums.id(&other.root, b)
            })
            && mapping.kept == others.kept
            && whole(mapping, &member.root) == whole(others, &other.root)
            && below(mapping, &member.root) == below(others, &other.root)
    })
}

impl Context<'_> {
    fn path(&self, id: &TypeId) -> TokenStream {
        self.modules.path(id)
    }

    /// Whether a function may refuse objects of the kind.
    fn may_fail(&self) -> bool {
        self.fallible.contains(&(self.member.root.clone(), self.plan.hub.clone()))
    }

    /// The parameter with the metadata, if the function of a pair takes it: `metadata: &ObjectMeta`.
    fn metadata(&self, version: &TypeId, hub: &TypeId) -> Option<TokenStream> {
        let is_reading = self.reading.contains(&(version.clone(), hub.clone()));
        let root = self.types.find(&self.member.root).filter(|_| is_reading)?;
        let path = self.path(root.field("metadata")?.ty.named()?);
        Some(quote!(metadata: &#path))
    }

    /// The function for a pair of types, in this module.
    fn function(&self, version: &TypeId, direction: Direction) -> syn::Ident {
        self.function_of(&self.member.root.group_version, version, direction)
    }

    /// The function for a pair of types, in the module of a version.
    fn function_of(&self, module: &GroupVersion, version: &TypeId, direction: Direction) -> syn::Ident {
        ident(&self.names.function(module, self.plan, version, direction))
    }
}

/// The name of a function's parameter: the last word of its type.
fn parameter(id: &TypeId) -> syn::Ident {
    let name = snake(&id.name);
    name_ident(name.rsplit('_').next().unwrap_or(&name))
}
