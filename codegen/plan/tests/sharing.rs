//! The laws of sharing, on every type of the committed schemas.

use std::collections::BTreeSet;
use std::path::Path;

use hubgen_documents::{rules, schema};
use hubgen_model::{Api, Field, Type, TypeExpr, TypeId};
use hubgen_plan::family;
use hubgen_plan::sharing::{self, Sharing};

fn committed() -> (Api, Sharing) {
    let schemas =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("schemas/kubernetes");
    let api = schema::read_dir(&schemas).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let rules = rules::read_dir(&schemas.join("rules")).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let families = family::families(&api, &rules.declared());
    let sharing = sharing::canonical(&api, &families);
    (api, sharing)
}

/// Compares what JSON and the protobuf wire contain of a field. `same` compares the types that it
/// refers to.
fn is_same_field(a: &Field, b: &Field, same: &dyn Fn(&TypeId, &TypeId) -> bool) -> bool {
    let shape = |field: &Field| (field.name.clone(), field.presence, field.omit, field.number.clone());
    let refers = match (a.ty.named(), b.ty.named()) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    };
    shape(a) == shape(b) && anonymous(&a.ty) == anonymous(&b.ty) && refers
}

/// The type with a placeholder instead of the named type at its bottom.
fn anonymous(ty: &TypeExpr) -> TypeExpr {
    let inner = |ty: &TypeExpr| Box::new(anonymous(ty));
    match ty {
        TypeExpr::Ref(_) => TypeExpr::Ref(TypeId::new("", "", "")),
        TypeExpr::List(ty) => TypeExpr::List(inner(ty)),
        TypeExpr::Map(ty) => TypeExpr::Map(inner(ty)),
        TypeExpr::OrBool(ty) => TypeExpr::OrBool(inner(ty)),
        TypeExpr::OrArray(ty) => TypeExpr::OrArray(inner(ty)),
        TypeExpr::OrStrings(ty) => TypeExpr::OrStrings(inner(ty)),
        scalar => scalar.clone(),
    }
}

fn is_same_type(a: &Type, b: &Type, same: &dyn Fn(&TypeId, &TypeId) -> bool) -> bool {
    a.fields().len() == b.fields().len()
        && a.fields().iter().zip(b.fields()).all(|(a, b)| is_same_field(a, b, same))
}

#[test]
fn a_shared_type_equals_the_one_that_represents_it() {
    let (api, sharing) = committed();
    let shared: Vec<&Type> = api.types().filter(|ty| sharing.is_shared(&ty.id)).collect();
    assert_eq!(shared.len(), sharing.len());
    assert!(!shared.is_empty());
    for ty in shared {
        let representing = sharing.representing(&ty.id);
        let canonical = api.find(representing).unwrap_or_else(|| panic!("{} → {representing}", ty.id));
        assert_eq!(ty.id.name, canonical.id.name);
        assert_ne!(ty.id, canonical.id);
        assert!(
            !sharing.is_shared(representing),
            "{} → {representing} → {}",
            ty.id,
            sharing.representing(representing)
        );
        // One step suffices: the types that these refer to are compared separately.
        let same = |a: &TypeId, b: &TypeId| sharing.representing(a) == sharing.representing(b);
        assert!(is_same_type(ty, canonical, &same), "{} is not {representing}", ty.id);
    }
}

#[test]
fn kinds_are_never_shared() {
    let (api, sharing) = committed();
    for ty in api.types().filter(|ty| ty.kind.is_some()) {
        assert!(!sharing.is_shared(&ty.id), "{}", ty.id);
        let other = api.types().find(|other| other.id != ty.id && *sharing.representing(&other.id) == ty.id);
        assert!(other.is_none(), "{} represents {:?}", ty.id, other.map(|ty| &ty.id));
    }
}

/// The converse, computed differently: from all pairs with the same name in a group, differing ones
/// are removed until nothing changes. All remaining pairs must be shared.
#[test]
fn all_equal_types_are_shared() {
    let (api, sharing) = committed();
    let types: Vec<&Type> = api.types().filter(|ty| ty.kind.is_none()).collect();
    let mut equal: BTreeSet<(&TypeId, &TypeId)> = BTreeSet::new();
    for a in &types {
        let of_group = |b: &&&Type| b.id.group_version.group == a.id.group_version.group;
        for b in types.iter().filter(of_group).filter(|b| b.id.name == a.id.name) {
            equal.insert((&a.id, &b.id));
        }
    }
    let find = |id: &TypeId| api.find(id).unwrap();
    loop {
        let same = |a: &TypeId, b: &TypeId| a == b || equal.contains(&(a, b));
        let different: Vec<_> =
            equal.iter().copied().filter(|(a, b)| !is_same_type(find(a), find(b), &same)).collect();
        if different.is_empty() {
            break;
        }
        for pair in different {
            equal.remove(&pair);
        }
    }
    let mut pairs = 0;
    for (a, b) in equal.into_iter().filter(|(a, b)| a != b) {
        assert_eq!(sharing.representing(a), sharing.representing(b), "{a} and {b} are equal");
        pairs += 1;
    }
    assert!(pairs > 0);
}
