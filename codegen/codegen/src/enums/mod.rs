//! Which string fields are enums in Rust, because their schema lists the words that they may contain.
//!
//! These enums are open: a word that the schema does not list is kept. An enum and a string therefore
//! convert to each other without loss, and a field is an enum independent of its counterparts in other
//! versions. Equal enums of the same field are one type, as structs are.

mod constants;
pub(crate) mod strings;
mod variants;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hubgen_documents::crd;
use hubgen_model::{Field, Type, TypeExpr, TypeId};
use hubgen_plan::program::Op;
use hubgen_plan::sharing::Sharing;
use hubgen_plan::{FamilyPlan, How, ResolvedPath, Types, Value};

pub use self::constants::Constant;
pub use self::variants::Variant;
use self::variants::variants;
use crate::module::Module;
use crate::rust::Written;

/// The enums of an API. By default there are none, and no constants either.
#[derive(Default)]
pub struct Enums<'a> {
    sharing: Option<&'a Sharing>,
    /// The enum of each field, by the type that contains it and the field's JSON name.
    fields: HashMap<(TypeId, String), TypeId>,
    types: BTreeMap<TypeId, Enum>,
}

/// An enum.
pub struct Enum {
    /// Its name, and the module that contains it.
    pub id: TypeId,
    /// The type that contains the field.
    pub owner: TypeId,
    /// The field's JSON name.
    pub field: String,
    /// A variant for each word, in the order of the schema.
    pub variants: Vec<Variant>,
    /// The variant for all other words; `None` if there are no others. Only users write such enums.
    pub other: Option<String>,
    /// Whether it is a leaf: a foreign type, which has no variants.
    pub is_leaf: bool,
}

impl Enum {
    /// The variant of a word.
    pub fn variant(&self, word: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.word == word)
    }

    /// Whether it has exactly the words that a field's schema lists.
    pub fn has_words_of(&self, field: &Field) -> bool {
        field.words().eq(self.variants.iter().map(|variant| variant.word.clone()))
    }
}

/// A field that may become an enum.
struct Candidate {
    owner: TypeId,
    /// The type of a version that a hub's type extends; otherwise the owner.
    version: TypeId,
    variants: Vec<Variant>,
    /// Whether the words are those of items of a list or values of a map.
    is_item: bool,
}

impl<'a> Enums<'a> {
    /// All words as constants, and no enums but those in users' source.
    pub fn constants_only(sharing: &'a Sharing, written: &Written) -> Self {
        let mut enums = Self { sharing: Some(sharing), ..Self::default() };
        enums.add_written(written);
        enums
    }

    /// The enums of all fields for which they are possible.
    pub fn find(types: Types<'a>, sharing: &'a Sharing, plans: &[FamilyPlan], written: &Written) -> Self {
        let mut enums = Self::of_types(own_types(types), types, sharing, plans, written);
        enums.join(types, plans);
        enums
    }

    /// The enums of versions, for source that users own. It has no hubs.
    pub fn of_versions(types: Types<'a>, sharing: &'a Sharing, plans: &[FamilyPlan]) -> Self {
        Self::of_types(types.api.own_types(), types, sharing, plans, &Written::default())
    }

    fn of_types(
        all: impl Iterator<Item = &'a Type>,
        types: Types<'a>,
        sharing: &'a Sharing,
        plans: &[FamilyPlan],
        written: &Written,
    ) -> Self {
        let strings = strings::required(types, sharing, plans);
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        let is_emitted = |ty: &&Type| !sharing.is_shared(&ty.id) && !written.types.contains_key(&ty.id);
        for ty in all.filter(is_emitted) {
            let group = groups.entry(&ty.id.group_version.group).or_default();
            group.names.insert(ty.id.name.to_lowercase());
            for field in ty.fields().iter().filter(|field| is_text(&field.ty)) {
                if strings.contains(&(ty.id.clone(), field.name.clone())) {
                    continue;
                }
                let Some(variants) = variants(&words(types, sharing, ty, field)) else { continue };
                let is_item = field.ty != TypeExpr::String;
                let version = types.hubs.extended(&ty.id);
                let candidate = Candidate { owner: ty.id.clone(), version, variants, is_item };
                group.fields.entry((ty.id.name.clone(), field.name.clone())).or_default().push(candidate);
            }
        }
        let mut enums = Self::constants_only(sharing, written);
        enums.add_leaves_of_hubs(types, written);
        for group in groups.into_values() {
            enums.add(group);
        }
        enums
    }

    /// Adds the enums in users' source.
    fn add_written(&mut self, written: &Written) {
        for (id, words) in &written.words {
            let variants = words.words.iter();
            let variants = variants.map(|(name, word)| Variant { name: name.clone(), word: word.clone() });
            let new = Enum {
                id: id.clone(),
                // No struct is followed by it.
                owner: id.clone(),
                field: String::new(),
                variants: variants.collect(),
                other: words.other.clone(),
                is_leaf: words.leaf.is_some(),
            };
            self.types.insert(id.clone(), new);
            self.fields.extend(words.fields.iter().map(|field| (field.clone(), id.clone())));
        }
    }

    /// Hubs of versions in users' source have the leaves of these versions.
    fn add_leaves_of_hubs(&mut self, types: Types<'a>, written: &Written) {
        for ty in types.hubs.types() {
            for field in ty.fields() {
                let version = types.hubs.extended(&ty.id);
                let leaf = self.fields.get(&(version, field.name.clone()));
                let leaf = leaf.filter(|id| written.words.get(id).is_some_and(|words| words.leaf.is_some()));
                if let Some(leaf) = leaf.cloned() {
                    self.fields.insert((ty.id.clone(), field.name.clone()), leaf);
                }
            }
        }
    }

    fn add(&mut self, mut group: Group) {
        for ((owner, field), mut candidates) in group.fields {
            let name = name(&mut group.names, &owner, &field, candidates[0].is_item);
            // The newest version first. The hub comes after its version, because it may use that
            // version's types and no others.
            candidates.sort_by(|a, b| {
                let key =
                    |candidate: &Candidate| (candidate.owner.group_version.clone(), !candidate.owner.of_hub);
                key(b).cmp(&key(a))
            });
            let mut homes: Vec<TypeId> = Vec::new();
            for Candidate { owner, version, variants, .. } in candidates {
                // The hub of a version in users' source has the enums of that version.
                if let Some(id) = self.fields.get(&(version, field.clone())).filter(|_| owner.of_hub)
                    && self.is_written(id)
                {
                    self.fields.insert((owner, field.clone()), id.clone());
                    continue;
                }
                let is_equal = |id: &&TypeId| {
                    let may_use = !owner.of_hub || id.group_version == owner.group_version;
                    may_use && self.types[*id].variants == variants
                };
                let known = homes.iter().find(is_equal).cloned();
                let id = known.unwrap_or_else(|| {
                    let id = TypeId { name: name.clone(), ..owner.clone() };
                    let (owner, field) = (owner.clone(), field.clone());
                    let other = Some(variants::other(&variants));
                    let new = Enum { id: id.clone(), owner, field, variants, other, is_leaf: false };
                    self.types.insert(id.clone(), new);
                    homes.push(id.clone());
                    id
                });
                self.fields.insert((owner, field.clone()), id);
            }
        }
    }

    /// Replaces enums by those of the hub's fields to which their fields are copied, if both have the same
    /// words: the types that contain the fields may have different names.
    fn join(&mut self, types: Types<'_>, plans: &[FamilyPlan]) {
        let of_hubs: HashSet<TypeId> =
            self.fields.iter().filter(|((owner, _), _)| owner.of_hub).map(|(_, id)| id.clone()).collect();
        for ((version, from), (hub, to)) in copies(plans) {
            let enum_at =
                |root: &TypeId, path: &ResolvedPath| self.at(types, root, path).map(|found| found.id.clone());
            let (Some(old), Some(new)) = (enum_at(version, from), enum_at(hub, to)) else { continue };
            // A hub uses no types of other versions. Enums in users' source stay what they are.
            let may_join = !self.is_written(&old)
                && old != new
                && old.group_version.group == new.group_version.group
                && !of_hubs.contains(&old);
            if may_join && self.types[&old].variants == self.types[&new].variants {
                self.types.remove(&old);
                self.fields.values_mut().filter(|id| **id == old).for_each(|id| *id = new.clone());
            }
        }
    }

    /// Whether an enum is in users' source.
    fn is_written(&self, id: &TypeId) -> bool {
        self.types[id].owner == *id
    }

    /// The enum of a field, if it is one.
    pub fn field(&self, owner: &TypeId, field: &Field) -> Option<&Enum> {
        if self.fields.is_empty() || !is_text(&field.ty) {
            return None;
        }
        let owner = self.sharing.map_or(owner, |sharing| sharing.representing(owner));
        self.types.get(self.fields.get(&(owner.clone(), field.name.clone()))?)
    }

    /// The name and module of a field's enum, if it is one.
    pub fn id(&self, owner: &TypeId, field: &Field) -> Option<&TypeId> {
        self.field(owner, field).map(|found| &found.id)
    }

    /// The enum of the last field of a path that begins at a type, if it is one.
    pub fn at(&self, types: Types<'_>, root: &TypeId, path: &ResolvedPath) -> Option<&Enum> {
        self.field(&owner(types, root, path)?, path.field())
    }

    /// The enums that are written after a type.
    pub fn after<'s>(&'s self, ty: &'s Type) -> impl Iterator<Item = &'s Enum> {
        let of_field = |field| self.field(&ty.id, field).filter(|found| found.owner == ty.id);
        ty.fields().iter().filter_map(of_field)
    }

    /// The constants of a type: for the words of its fields that are strings.
    pub fn constants(&self, ty: &Type) -> Vec<Constant> {
        let is_string = |field: &&Field| is_text(&field.ty) && self.field(&ty.id, field).is_none();
        match self.sharing {
            Some(_) => constants::constants(ty.fields().iter().filter(is_string)),
            None => Vec::new(),
        }
    }

    /// The enums of the fields of these types that other modules define.
    pub fn elsewhere(&self, module: &Module, types: &[&Type]) -> BTreeSet<&TypeId> {
        let fields = types.iter().flat_map(|ty| ty.fields().iter().map(move |field| (&ty.id, field)));
        let ids = fields.filter_map(|(owner, field)| Some(&self.field(owner, field)?.id));
        let is_here = |id: &&TypeId| Module::of(id) != *module && id.group_version.group == module.group();
        ids.filter(is_here).collect()
    }

    /// The number of enums.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }
}

/// The candidates of a group.
#[derive(Default)]
struct Group {
    /// The names that types have in any version, in lower case.
    names: HashSet<String>,
    /// The candidates by the names of type and field, which are the same in all versions.
    fields: BTreeMap<(String, String), Vec<Candidate>>,
}

/// A name that nothing else in the group has.
fn name(taken: &mut HashSet<String>, owner: &str, field: &str, is_item: bool) -> String {
    let [short, long] = crd::names_of_field(owner, field, is_item);
    let numbered = (2..).map(|number| format!("{long}{number}"));
    let mut all = [short, long.clone()].into_iter().chain(numbered);
    all.find(|name| taken.insert(name.to_lowercase())).unwrap_or(long)
}

/// The type that contains the last field of a path.
pub(crate) fn owner(types: Types<'_>, root: &TypeId, path: &ResolvedPath) -> Option<TypeId> {
    let mut owner = root.clone();
    for field in &path.0[..path.0.len() - 1] {
        let TypeExpr::Ref(next) = &types.find(&owner)?.field(&field.name)?.ty else { return None };
        owner = next.clone();
    }
    Some(owner)
}

/// A field by a type and a path from it.
type At<'a> = (&'a TypeId, &'a ResolvedPath);

/// The fields of versions that are copied to the hub unchanged, each with the hub's field.
fn copies(plans: &[FamilyPlan]) -> impl Iterator<Item = (At<'_>, At<'_>)> {
    let members = plans.iter().flat_map(|plan| &plan.members);
    let mappings = members.filter_map(|member| match &member.how {
        How::Convert(mapping) => Some(mapping),
        How::NotConvertible(_) => None,
    });
    mappings.flat_map(|mapping| &mapping.pairs).flat_map(|((version, hub), pair)| {
        let copies = pair.to_hub.ops.iter().filter_map(|op| match op {
            Op::Copy(copy) if copy.value == Value::Same => Some(copy),
            _ => None,
        });
        copies.map(move |copy| ((version, &copy.from), (hub, &copy.to)))
    })
}

fn own_types<'a>(types: Types<'a>) -> impl Iterator<Item = &'a Type> {
    types.hubs.types().chain(types.api.own_types())
}

/// The words that a field may contain in any version that shares its type; the newest first.
fn words<'a>(
    types: Types<'a>,
    sharing: &Sharing,
    ty: &'a Type,
    field: &'a Field,
) -> Vec<&'a serde_json::Value> {
    let mut out: Vec<_> = field.enumeration.iter().collect();
    if out.is_empty() || ty.id.of_hub {
        return out;
    }
    let others =
        types.api.own_types().filter(|other| other.id != ty.id && *sharing.representing(&other.id) == ty.id);
    let mut others: Vec<&Type> = others.collect();
    others.sort_by(|a, b| b.id.group_version.cmp(&a.id.group_version));
    for other in others.into_iter().filter_map(|other| other.field(&field.name)) {
        for word in &other.enumeration {
            if !out.contains(&word) {
                out.push(word);
            }
        }
    }
    out
}

/// Whether a field contains strings only, perhaps in lists and maps.
fn is_text(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::String => true,
        TypeExpr::List(inner) | TypeExpr::Map(inner) => is_text(inner),
        _ => false,
    }
}
