//! Kinds whose schema leaves out `apiVersion`, `kind` or `metadata`. Every object has these, and API servers know them,
//! so that a definition with them means the same. A type in Rust always has them.

use hubgen_documents::{Diagnostic, crd};
use hubgen_model::{Api, Facts, Type, TypeBody};
use serde_json::{Map, Value, json};

/// Completes the schemas of all kinds. Returns a warning about each that changes.
pub(super) fn complete(api: &mut Api) -> Vec<Diagnostic> {
    let incomplete: Vec<(Type, Vec<&str>)> = api
        .own_types()
        .map(|ty| (ty, missing(api, ty)))
        .filter(|(_, missing)| !missing.is_empty())
        .filter_map(|(ty, missing)| Some((completed(api, ty, &missing)?, missing)))
        .collect();
    let mut warnings = Vec::new();
    for (ty, missing) in incomplete {
        let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
        let message =
            format!("the definition of {} gets {}, which it does not list", ty.id, names.join(", "));
        let help = "there is nothing to do: every object has them, and API servers accept the same objects";
        warnings.push(Diagnostic::message(message, help).warning());
        if let Some(version) = api.versions.get_mut(&ty.id.group_version) {
            version.types.insert(ty.id.name.clone(), ty);
        }
    }
    warnings
}

/// What the schema of a kind leaves out; nothing for other types.
fn missing(api: &Api, ty: &Type) -> Vec<&'static str> {
    if ty.kind.as_ref().is_none_or(|kind| kind.definition.is_none()) {
        return Vec::new();
    }
    let schema = crd::openapi_schema(api, api, ty);
    let is_missing = |name: &&str| schema["properties"].get(name).is_none();
    ["apiVersion", "kind", "metadata"].into_iter().filter(is_missing).collect()
}

/// The kind with the fields that its schema leaves out; `None` if its type and facts do not make the rest of the
/// schema.
fn completed(api: &Api, ty: &Type, missing: &[&str]) -> Option<Type> {
    let mut expected = crd::openapi_schema(api, api, ty);
    let mut out = ty.clone();
    let definition = out.kind.as_mut()?.definition.as_mut()?;
    let properties = expected.as_object_mut()?.entry("properties").or_insert_with(|| json!({}));
    for name in missing {
        let schema = json!({"type": if *name == "metadata" { "object" } else { "string" }});
        properties[*name] = schema.clone();
        if *name == "metadata" {
            let TypeBody::Struct(fields) = &mut out.body;
            fields.iter_mut().find(|field| field.name == *name)?.facts = Facts::imported(schema).boxed();
        } else {
            definition.type_meta.insert((*name).to_owned(), schema);
        }
    }
    if let Some(Value::Object(whole)) = ty.facts.as_ref().and_then(|facts| facts.imported.as_ref()) {
        out.facts = Facts { keywords: keywords(ty, whole), ..Facts::default() }.boxed();
    }
    (crd::openapi_schema(api, api, &out) == expected).then_some(out)
}

/// The facts in the whole schema of a kind, without what its fields specify.
fn keywords(ty: &Type, whole: &Map<String, Value>) -> Map<String, Value> {
    let mut keywords = whole.clone();
    keywords.retain(|keyword, _| crd::is_fact(keyword) && keyword != "description");
    let is_of_field = |name: &Value| ty.fields().iter().any(|field| field.required && *name == *field.name);
    if let Some(Value::Array(names)) = keywords.get_mut("required") {
        names.retain(|name| !is_of_field(name));
        if names.is_empty() {
            keywords.shift_remove("required");
        }
    }
    keywords
}
