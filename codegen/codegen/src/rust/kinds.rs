//! Makes kinds of `#[kind(…)]`.

use hubgen_derive_core::{Column as WrittenColumn, KindAttributes};
use hubgen_documents::crd;
use hubgen_model::{
    Api, Column, Definition, Facts, Field, GroupVersionKind, Kind, Presence, Resource, Scale, Scope, Shared,
    Type, TypeExpr, TypeId,
};
use serde_json::json;
use syn::{LitBool, LitStr};

/// The kind of a struct.
pub(super) fn kind(id: &TypeId, attributes: &KindAttributes) -> Kind {
    let name = GroupVersionKind { group_version: id.group_version.clone(), kind: attributes.kind.clone() };
    Kind {
        registered: vec![name],
        resource: Some(resource(attributes)),
        bare: false,
        since: None,
        until: None,
        definition: Some(Box::new(definition(attributes))),
    }
}

fn resource(attributes: &KindAttributes) -> Resource {
    let scope = if attributes.namespaced.is_some() { Scope::Namespaced } else { Scope::Cluster };
    let mut resource = crd::resource(attributes.plural_name(), attributes.singular_name(), scope);
    resource.short_names = attributes.short.iter().map(LitStr::value).collect();
    resource.categories = attributes.category.iter().map(LitStr::value).collect();
    crd::add_subresources(&mut resource, attributes.status, attributes.scale.is_some());
    resource
}

fn definition(attributes: &KindAttributes) -> Definition {
    Definition {
        served: !attributes.unserved,
        storage: attributes.storage,
        deprecated: attributes.deprecated.is_some(),
        deprecation_warning: attributes.deprecated.iter().flatten().next().map(LitStr::value),
        scale: attributes.scale.as_ref().map(|scale| Scale {
            spec_replicas: scale.spec.value(),
            status_replicas: scale.status.value(),
            label_selector: scale.selector.as_ref().map(LitStr::value),
        }),
        selectable_fields: attributes.selectable.iter().map(LitStr::value).collect(),
        shared: shared(attributes),
        type_meta: ["apiVersion", "kind"]
            .map(|name| (name.to_owned(), json!({"type": "string"})))
            .into_iter()
            .collect(),
        ..Definition::default()
    }
}

/// What concerns all versions; `None` if the kind tells nothing of it and is not stored at this version.
fn shared(attributes: &KindAttributes) -> Option<Shared> {
    let pairs = |pairs: &[(LitStr, LitStr)]| {
        pairs.iter().map(|(name, value)| (name.value(), value.value())).collect()
    };
    let shared = Shared {
        // The derive has checked that it is JSON.
        conversion: attributes.conversion.as_ref().and_then(|json| serde_json::from_str(&json.value()).ok()),
        preserve_unknown_fields: attributes.preserve_unknown_fields.as_ref().map(LitBool::value),
        labels: pairs(&attributes.label),
        annotations: pairs(&attributes.annotation),
    };
    (attributes.storage || shared != Shared::default()).then_some(shared)
}

/// The columns of a kind; for each that is wrong, what is wrong.
pub(super) fn columns<'a>(
    api: &Api,
    root: &Type,
    attributes: &'a KindAttributes,
) -> (Vec<Column>, Vec<(&'a LitStr, String)>) {
    let (mut columns, mut wrong) = (Vec::new(), Vec::new());
    for written in &attributes.column {
        match column_type(api, root, written) {
            Ok(ty) => columns.push(Column {
                name: written.name.value(),
                ty,
                format: written.format.as_ref().map(LitStr::value),
                description: written.description.as_ref().map(LitStr::value),
                priority: written.priority,
                json_path: written.path.value(),
            }),
            Err(message) => wrong.push((&written.path, message)),
        }
    }
    (columns, wrong)
}

/// The type of a column: the written one, or that of its field.
fn column_type(api: &Api, root: &Type, column: &WrittenColumn) -> Result<String, String> {
    if let Some(ty) = &column.ty {
        return Ok(ty.value());
    }
    let path = column.path.value();
    usual_column_type(api, root, &path).map(str::to_owned).ok_or_else(|| {
        format!("the type of the column does not follow from `{path}`; add it: `type = \"string\"`")
    })
}

/// The type of a column that follows from its field, if it does.
pub(crate) fn usual_column_type(api: &Api, root: &Type, path: &str) -> Option<&'static str> {
    if path == ".metadata.creationTimestamp" {
        return Some("date");
    }
    match field_at(api, root, path)?.ty {
        TypeExpr::Int32 | TypeExpr::Int64 | TypeExpr::Uint16 | TypeExpr::Uint32 | TypeExpr::Uint64 => {
            Some("integer")
        }
        TypeExpr::Float | TypeExpr::Double => Some("number"),
        TypeExpr::Bool => Some("boolean"),
        TypeExpr::Time | TypeExpr::MicroTime => Some("date"),
        TypeExpr::String | TypeExpr::Quantity | TypeExpr::IntOrString | TypeExpr::Duration => Some("string"),
        _ => None,
    }
}

/// The field that a JSON path names: `.spec.replicas`.
fn field_at<'a>(api: &'a Api, root: &'a Type, path: &str) -> Option<&'a Field> {
    let mut names = path.strip_prefix('.')?.split('.');
    let mut field = root.field(names.next()?)?;
    for name in names {
        let TypeExpr::Ref(id) = &field.ty else { return None };
        field = api.find(id)?.field(name)?;
    }
    Some(field)
}

/// The metadata of every kind, of which a definition has at most a description. `is_whole`: the schema of the kind
/// contains that of its metadata, if any.
pub(super) fn set_metadata(field: &mut Field, is_whole: bool) {
    field.presence = Presence::Value;
    if field.facts.is_none() && !is_whole {
        let mut schema = json!({"type": "object"});
        if let Some(description) = &field.description {
            schema["description"] = description.as_str().into();
        }
        field.facts = Facts::imported(schema).boxed();
    }
}
