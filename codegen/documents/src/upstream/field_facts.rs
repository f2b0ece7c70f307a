//! Reads field facts: the fields of each type in the order in which the reference implementation
//! declares them, with pointer or value, omission, protobuf number and embedding. For the type of a
//! field, other documents are more exact.

use hubgen_model::{Omit, Presence, RawForm, TypeExpr, TypeId};
use indexmap::IndexMap;

use super::name::{self, Named};
use super::{FieldFacts, TypeFacts};
use crate::node::Node;
use crate::{Diagnostic, Source};

pub(super) fn read(source: &Source, document: &Node) -> Result<IndexMap<TypeId, TypeFacts>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut types = IndexMap::new();
    for (full, ty) in document.object().into_iter().flatten() {
        let id = match name::kubernetes(full) {
            Some(Named::Type(id)) => id,
            Some(_) => continue,
            None => match name::by_domain(full) {
                Some(id) => id,
                None => {
                    errors.push(source.error(
                        ty.span.clone(),
                        full,
                        "this is not the name of a type",
                        "write `package.version.Name`",
                    ));
                    continue;
                }
            },
        };
        let mut facts = TypeFacts::default();
        for (key, field) in ty.object().into_iter().flatten() {
            if let Err((message, help)) = read_field(&id, full, key, field, document, &mut facts) {
                errors.push(source.error(field.span.clone(), format!("{full}.{key}"), message, help));
            }
        }
        types.insert(id, facts);
    }
    let flat = types.keys().map(|id| (id.clone(), flatten(id, &types, 0))).collect();
    if errors.is_empty() { Ok(flat) } else { Err(errors) }
}

/// Prefix of a placeholder for an embedded type, which its fields replace later.
const EMBEDDED: &str = "<inline> ";

fn read_field(
    id: &TypeId,
    full: &str,
    key: &str,
    field: &Node,
    document: &Node,
    facts: &mut TypeFacts,
) -> Result<(), (String, &'static str)> {
    let flag = |key: &str| field.get(key).and_then(Node::bool).unwrap_or(false);
    let go_type = field.get("type").and_then(Node::str).unwrap_or("");
    let number = match field.get("protobuf") {
        None => None,
        Some(number) => match number.u32() {
            Some(number) => Some(number),
            None => {
                return Err(("`protobuf` is not a number".to_owned(), "write the field's protobuf number"));
            }
        },
    };
    if flag("inline") {
        let name = go_type.rsplit('.').next().unwrap_or(go_type);
        if name == "TypeMeta" {
            facts.typed = true;
        } else if !go_type.starts_with("map[") {
            let inner = TypeId::at(id.group_version.clone(), name);
            facts.fields.insert(format!("{EMBEDDED}{name}"), FieldFacts::default());
            facts.inlined.push((number.unwrap_or(0), inner));
        }
        return Ok(());
    }
    let presence = match field.get("shape").and_then(Node::str) {
        Some("pointer") => Presence::Pointer,
        Some("value" | "list" | "map" | "bytes") => Presence::Value,
        other => {
            let shape = other.unwrap_or("nothing");
            return Err((
                format!("unknown shape `{shape}`"),
                "write pointer, value, list, map or bytes, or `inline: true`",
            ));
        }
    };
    let omit = if flag("omitzero") {
        Omit::Zero
    } else if flag("omitempty") {
        Omit::Empty
    } else {
        Omit::Never
    };
    let number = number.into_iter().collect();
    let package = full.rsplit_once('.').map_or("", |(package, _)| package);
    let guess = declared(go_type, package, document);
    let field =
        FieldFacts { guess, presence: Some(presence), omit: Some(omit), number, ..FieldFacts::default() };
    facts.fields.insert(key.to_owned(), field);
    Ok(())
}

/// The type that a Go declaration denotes, derived from its text and its own package only: a name that
/// is not a struct in the package is a named string.
fn declared(text: &str, package: &str, document: &Node) -> Option<TypeExpr> {
    if let Some(element) = text.strip_prefix("[]") {
        let element = declared(element, package, document)?;
        return Some(TypeExpr::List(Box::new(element)));
    }
    if let Some(value) = text.strip_prefix("map[string]") {
        return Some(TypeExpr::Map(Box::new(declared(value, package, document)?)));
    }
    Some(match text {
        "bool" => TypeExpr::Bool,
        "int32" => TypeExpr::Int32,
        "int64" => TypeExpr::Int64,
        "float64" => TypeExpr::Double,
        "string" => TypeExpr::String,
        "interface{}" => TypeExpr::Raw(RawForm::Json),
        "runtime.RawExtension" => TypeExpr::Raw(RawForm::Extension),
        _ => {
            let (package, name) = match text.split_once('.') {
                None => (package, text),
                // In the packages of the API machinery, `v1` is the sibling package.
                Some(("v1", name)) if package.contains(".apis.meta.") => (META_V1, name),
                Some(("metav1", name)) => (META_V1, name),
                Some(_) => return None,
            };
            let full = format!("{package}.{name}");
            match name::kubernetes(&full).or_else(|| name::by_domain(&full).map(Named::Type))? {
                Named::Scalar(expr) => expr,
                Named::Type(id) if document.get(&full).is_some() => TypeExpr::Ref(id),
                Named::Type(_) => TypeExpr::String,
                Named::Foreign => return None,
            }
        }
    })
}

const META_V1: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Replaces embedded types by their fields.
fn flatten(id: &TypeId, types: &IndexMap<TypeId, TypeFacts>, depth: usize) -> TypeFacts {
    let facts = &types[id];
    let mut flat = TypeFacts { fields: IndexMap::new(), ..facts.clone() };
    for (key, field) in &facts.fields {
        let Some(name) = key.strip_prefix(EMBEDDED) else {
            flat.fields.insert(key.clone(), field.clone());
            continue;
        };
        let Some((number, inner)) = facts.inlined.iter().find(|(_, inner)| inner.name == name) else {
            continue;
        };
        if !types.contains_key(inner) || depth > 8 {
            continue;
        }
        for (key, mut field) in flatten(inner, types, depth + 1).fields {
            if *number > 0 && !field.number.is_empty() {
                field.number.insert(0, *number);
            }
            // An outer field hides an inner one of the same name.
            if !facts.fields.contains_key(&key) {
                flat.fields.insert(key, field);
            }
        }
    }
    flat
}
