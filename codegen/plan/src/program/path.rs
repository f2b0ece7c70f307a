//! Resolves paths of field names through types.

use hubgen_model::{Type, TypeExpr};

use crate::{ResolvedPath, Types};

/// The object type that an expression contains, through lists and maps.
pub(super) fn object<'a>(types: Types<'a>, ty: &TypeExpr) -> Option<&'a Type> {
    match ty {
        TypeExpr::Ref(id) => types.find(id),
        TypeExpr::List(inner) | TypeExpr::Map(inner) => object(types, inner),
        _ => None,
    }
}

/// Descends both types while all paths share their first name. Returns the types, and by how many
/// names the paths became shorter.
pub(super) fn common<'a>(
    types: Types<'a>,
    mut version: &'a Type,
    mut hub: &'a Type,
    paths: &[&[String]],
) -> (&'a Type, &'a Type, usize) {
    let mut depth = 0;
    loop {
        let mut names = paths.iter().map(|path| (path.len() > depth + 1).then(|| &path[depth]));
        let Some(Some(name)) = names.next() else { break };
        if names.any(|other| other != Some(name)) {
            break;
        }
        let next = |ty: &Type| ty.field(name).and_then(|field| object(types, &field.ty));
        let (Some(next_version), Some(next_hub)) = (next(version), next(hub)) else { break };
        (version, hub) = (next_version, next_hub);
        depth += 1;
    }
    (version, hub, depth)
}

/// The type that contains the last field of a path.
pub(crate) fn owner<'a>(types: Types<'a>, root: &'a Type, path: &[String]) -> Option<&'a Type> {
    let parents = &path[..path.len().saturating_sub(1)];
    parents.iter().try_fold(root, |ty, name| object(types, &ty.field(name)?.ty))
}

/// Resolves a path to its fields.
///
/// # Errors
/// What is missing.
pub(super) fn resolve(types: Types<'_>, root: &Type, path: &[String]) -> Result<ResolvedPath, String> {
    let mut ty = root;
    let mut fields = Vec::new();
    for (index, name) in path.iter().enumerate() {
        let field = ty.field(name).ok_or_else(|| no_field(ty, name))?;
        fields.push(field.clone());
        if index + 1 < path.len() {
            ty = match &field.ty {
                TypeExpr::Ref(id) => types.find(id).ok_or_else(|| format!("unknown type {id}"))?,
                TypeExpr::List(_) | TypeExpr::Map(_) => {
                    return Err(format!(
                        "`{name}` of {} is a list or map, and the rule's other path does not go through it",
                        ty.id
                    ));
                }
                _ => return Err(format!("`{name}` of {} is not an object", ty.id)),
            };
        }
    }
    Ok(ResolvedPath(fields))
}

fn no_field(ty: &Type, name: &str) -> String {
    let names: Vec<&str> = ty.fields().iter().map(|field| field.name.as_str()).collect();
    format!("{} has no field `{name}`; its fields are {}", ty.id, names.join(", "))
}

/// Joins a path and a path below it.
pub(crate) fn join(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}
