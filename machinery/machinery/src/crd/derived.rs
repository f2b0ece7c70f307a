//! The definition of a kind with one version, of `#[kind(…)]` and the descriptor.

use std::marker::PhantomData;

use serde_json::{Map, Value, json};

use super::{Crd, GeneratedCrd};
use crate::defaults;
use crate::reflect::{Descriptor, Kind, StructType, Type};
use crate::structural;

/// What `#[kind(…)]` specifies about a definition besides its schema: for derived code.
pub struct Specified {
    /// The last part of the path of objects: `widgets`.
    pub plural: &'static str,
    /// The name of one object for users of the command line: `widget`.
    pub singular: &'static str,
    /// The kind of lists: `WidgetList`.
    pub list: &'static str,
    /// Short names for users of the command line.
    pub short: &'static [&'static str],
    /// Names of groups of kinds, such as `all`.
    pub categories: &'static [&'static str],
    /// Whether objects are in namespaces.
    pub is_namespaced: bool,
    /// Whether the API server serves the version.
    pub is_served: bool,
    /// Whether clients should stop using the version, and the warning that they receive.
    pub deprecated: Option<Option<&'static str>>,
    /// Whether it has a status subresource.
    pub has_status: bool,
    /// Where the scale subresource finds its numbers.
    pub scale: Option<Scale>,
    /// The columns that `kubectl get` prints.
    pub columns: &'static [Column],
    /// The paths of fields that field selectors can use.
    pub selectable: &'static [&'static str],
    /// Labels of the definition itself.
    pub labels: &'static [(&'static str, &'static str)],
    /// Annotations of the definition itself.
    pub annotations: &'static [(&'static str, &'static str)],
    /// How the API server converts between versions, as JSON.
    pub conversion: Option<&'static str>,
    /// Whether the API server keeps fields that no schema mentions.
    pub preserve_unknown_fields: Option<bool>,
}

/// Where the scale subresource finds its numbers.
pub struct Scale {
    /// The path of the number of replicas that somebody asked for.
    pub spec: &'static str,
    /// The path of the number of replicas that exist.
    pub status: &'static str,
    /// The path of the label selector of the replicas, as text.
    pub selector: Option<&'static str>,
}

/// A column that `kubectl get` prints.
pub struct Column {
    /// The heading.
    pub name: &'static str,
    /// The path of the value.
    pub path: &'static str,
    /// The type, if it does not follow from the field.
    pub ty: Option<&'static str>,
    /// The format, such as `int32`.
    pub format: Option<&'static str>,
    /// What the column shows.
    pub description: Option<&'static str>,
    /// Columns with a priority above 0 are shown in wide output only.
    pub priority: Option<i32>,
}

/// Chooses the definition of a kind. Derived code calls `crd` of it, which is the function below if the kind has
/// a generated definition, because a type's own functions come before those of traits.
pub struct Choice<T>(PhantomData<T>);

impl<T: GeneratedCrd> Choice<T> {
    /// The definition that was generated, with all versions.
    #[must_use]
    pub fn crd(_: &Specified) -> Crd {
        T::generated_crd()
    }
}

/// The definition of a kind without generated code.
pub trait OneVersion {
    /// The definition, with this version only.
    fn crd(specified: &Specified) -> Crd;
}

impl<T: Kind> OneVersion for Choice<T> {
    fn crd(specified: &Specified) -> Crd {
        definition(T::GROUP, T::VERSION, T::KIND, T::describe(), specified)
    }
}

fn definition(
    group: &str,
    version: &str,
    kind: &str,
    descriptor: &'static Descriptor,
    specified: &Specified,
) -> Crd {
    let mut names = json!({
        "kind": kind,
        "listKind": specified.list,
        "plural": specified.plural,
        "singular": specified.singular,
    });
    for (key, words) in [("shortNames", specified.short), ("categories", specified.categories)] {
        if !words.is_empty() {
            names[key] = words.into();
        }
    }
    defaults::check(descriptor).unwrap_or_else(|error| panic!("{error}"));
    let name = format!("{}.{group}", specified.plural);
    let mut definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": group,
            "names": names,
            "scope": if specified.is_namespaced { "Namespaced" } else { "Cluster" },
            "versions": [one_version(version, descriptor, specified)],
        },
    });
    for (key, pairs) in [("labels", specified.labels), ("annotations", specified.annotations)] {
        for (name, value) in pairs {
            definition["metadata"][key][*name] = (*value).into();
        }
    }
    // The derive has checked that it is JSON.
    if let Some(conversion) = specified.conversion.and_then(|json| serde_json::from_str::<Value>(json).ok()) {
        definition["spec"]["conversion"] = conversion;
    }
    match specified.preserve_unknown_fields {
        // Definitions of v1 do so with the schema.
        Some(true) => {
            let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
            schema["x-kubernetes-preserve-unknown-fields"] = true.into();
        }
        Some(false) => definition["spec"]["preserveUnknownFields"] = false.into(),
        None => {}
    }
    Crd { name: name.into(), json: definition.to_string().into() }
}

fn one_version(name: &str, descriptor: &'static Descriptor, specified: &Specified) -> Value {
    let mut out = json!({"name": name, "served": specified.is_served, "storage": true});
    if let Some(warning) = specified.deprecated {
        out["deprecated"] = true.into();
        if let Some(warning) = warning {
            out["deprecationWarning"] = warning.into();
        }
    }
    out["schema"] = json!({"openAPIV3Schema": structural::schema(descriptor)});
    let mut subresources = Map::new();
    if specified.has_status {
        subresources.insert("status".to_owned(), json!({}));
    }
    if let Some(Scale { spec, status, selector }) = &specified.scale {
        let mut scale = json!({"specReplicasPath": spec, "statusReplicasPath": status});
        if let Some(selector) = selector {
            scale["labelSelectorPath"] = (*selector).into();
        }
        subresources.insert("scale".to_owned(), scale);
    }
    if !subresources.is_empty() {
        out["subresources"] = subresources.into();
    }
    if !specified.columns.is_empty() {
        out["additionalPrinterColumns"] =
            specified.columns.iter().map(|column| printed(column, descriptor)).collect();
    }
    if !specified.selectable.is_empty() {
        out["selectableFields"] = specified.selectable.iter().map(|path| json!({"jsonPath": path})).collect();
    }
    out
}

fn printed(column: &Column, descriptor: &'static Descriptor) -> Value {
    let ty = column.ty.or_else(|| column_type(descriptor, column.path)).unwrap_or_else(|| {
        panic!(
            "{}: the type of the column \"{}\" does not follow from `{}`; name a field of the kind, or add the type: \
             `type = \"string\"`",
            descriptor.name, column.name, column.path
        )
    });
    let mut out = json!({"name": column.name, "type": ty, "jsonPath": column.path});
    for (key, text) in [("format", column.format), ("description", column.description)] {
        if let Some(text) = text {
            out[key] = text.into();
        }
    }
    if let Some(priority) = column.priority {
        out["priority"] = priority.into();
    }
    out
}

/// The type of a column, which follows from its field.
fn column_type(descriptor: &'static Descriptor, path: &str) -> Option<&'static str> {
    match field_at(descriptor, path)? {
        Type::Int32 | Type::Int64 | Type::Uint16 | Type::Uint32 | Type::Uint64 => Some("integer"),
        Type::Float | Type::Double => Some("number"),
        Type::Bool => Some("boolean"),
        Type::Time | Type::MicroTime => Some("date"),
        Type::String
        | Type::Enum(_)
        | Type::Words(_)
        | Type::Leaf(_)
        | Type::Quantity
        | Type::IntOrString
        | Type::Duration => Some("string"),
        Type::Bytes
        | Type::Raw
        | Type::Strings
        | Type::Struct(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Union(_) => None,
    }
}

/// The type of the field that a JSON path names: `.spec.replicas`.
fn field_at(mut descriptor: &'static Descriptor, path: &str) -> Option<&'static Type> {
    let mut names = path.strip_prefix('.')?.split('.');
    let mut found = field(descriptor, names.next()?)?;
    for name in names {
        let Type::Struct(StructType::Compiled(describe)) = found else { return None };
        descriptor = describe();
        found = field(descriptor, name)?;
    }
    Some(found)
}

fn field(descriptor: &'static Descriptor, name: &str) -> Option<&'static Type> {
    descriptor.named().iter().find(|field| field.name == name).map(|field| &field.ty)
}
