//! Decides which file each type of a version is written to. The file of a kind contains the kind,
//! its list, and the types that it refers to, spec and status first.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use hubgen_model::{Type, TypeExpr, TypeId};
use hubgen_plan::sharing::Sharing;

/// One file of types.
pub struct TypeFile<'a> {
    /// The type that gives the file its name.
    pub root: &'a Type,
    /// All types of the file in reading order, the root first.
    pub types: Vec<&'a Type>,
}

/// The files of one version, ordered by name. `own` are the types that the version itself defines.
///
/// A type that several kinds refer to is written to the file of the nearest kind; among equally
/// near kinds, to that of the kind whose name is a prefix of its own, or else of the first kind by
/// name.
pub fn layout<'a>(own: &[&'a Type], sharing: &Sharing) -> Vec<TypeFile<'a>> {
    let by_id: HashMap<&TypeId, &'a Type> = own.iter().map(|ty| (&ty.id, *ty)).collect();
    let targets = |ty: &'a Type| -> Vec<&'a Type> {
        let named = ty.fields().iter().filter_map(|field| field.ty.named());
        named.filter_map(|id| by_id.get(sharing.representing(id)).copied()).collect()
    };
    let item = |ty: &'a Type| list_item(ty).and_then(|id| by_id.get(sharing.representing(id)).copied());
    let referenced: HashSet<&TypeId> =
        own.iter().flat_map(|ty| targets(ty)).map(|target| &target.id).collect();
    // A kind, or a type that no other type of the version refers to.
    let is_root = |ty: &Type| ty.kind.is_some() || !referenced.contains(&ty.id);
    let roots: Vec<&Type> = own.iter().copied().filter(|ty| is_root(ty) && item(ty).is_none()).collect();
    let mut nearest: HashMap<&TypeId, Nearest<'a>> = HashMap::new();
    let mut files: BTreeMap<&str, Vec<&'a Type>> = BTreeMap::new();
    for root in &roots {
        for (step, (ty, distance)) in walk(root, &targets).into_iter().enumerate() {
            // Other roots have their own files.
            if ty.id != root.id && is_root(ty) {
                continue;
            }
            let found = Nearest {
                distance,
                is_prefix: ty.id.name.starts_with(&root.id.name),
                root: &root.id.name,
                step,
            };
            match nearest.get(&ty.id) {
                Some(known) if known.key() <= found.key() => {}
                _ => drop(nearest.insert(&ty.id, found)),
            }
        }
    }
    for ty in own {
        if let Some(item) = item(ty) {
            // The list comes right after its kind.
            let root = nearest.get(&item.id).map_or(item.id.name.as_str(), |nearest| nearest.root);
            nearest.insert(&ty.id, Nearest { distance: 0, is_prefix: true, root, step: 0 });
        }
    }
    for ty in own {
        // Types that are only referred to in a cycle of their own do not belong to a root.
        let root = nearest.get(&ty.id).map_or(ty.id.name.as_str(), |nearest| nearest.root);
        files.entry(root).or_default().push(ty);
    }
    files
        .into_values()
        .map(|mut types| {
            types.sort_by_key(|ty| {
                let step = nearest.get(&ty.id).map_or(0, |nearest| nearest.step);
                (step, list_item(ty).is_some(), ty.id.name.as_str())
            });
            TypeFile { root: types[0], types }
        })
        .collect()
}

/// The root that is nearest to a type.
struct Nearest<'a> {
    distance: usize,
    is_prefix: bool,
    root: &'a str,
    /// The position of the type in the walk from the root.
    step: usize,
}

impl Nearest<'_> {
    fn key(&self) -> (usize, bool, &str) {
        (self.distance, !self.is_prefix, self.root)
    }
}

/// All types that can be reached from a root, the nearest first, each with its distance.
fn walk<'a>(root: &'a Type, targets: &impl Fn(&'a Type) -> Vec<&'a Type>) -> Vec<(&'a Type, usize)> {
    let mut seen = HashSet::from([&root.id]);
    let mut todo = VecDeque::from([(root, 0)]);
    let mut out = Vec::new();
    while let Some((ty, distance)) = todo.pop_front() {
        out.push((ty, distance));
        todo.extend(
            targets(ty).into_iter().filter(|next| seen.insert(&next.id)).map(|next| (next, distance + 1)),
        );
    }
    out
}

/// The type of a list's items.
fn list_item(ty: &Type) -> Option<&TypeId> {
    let items = ty.field("items").filter(|_| ty.is_list())?;
    match &items.ty {
        TypeExpr::List(item) => item.named(),
        _ => None,
    }
}
