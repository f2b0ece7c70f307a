//! Makes CustomResourceDefinitions of the model.

use std::collections::BTreeMap;

use hubgen_model::{Api, Column, Definition, Resource, Scale, Shared, Type, TypeExpr};
use serde_json::{Map, Value, json};

use super::openapi_schema;
use crate::schema::{DEFINITION, Fault};

/// The CustomResourceDefinitions (apiextensions.k8s.io/v1) of all kinds that were read from such definitions,
/// by `metadata.name`, with all their versions.
///
/// The names under `required` are sorted. Versions are in their order of age: `v1alpha1`, `v1beta1`, `v1`.
///
/// ```
/// use hubgen_documents::{Source, crd};
/// use hubgen_model::Api;
///
/// let text = "
/// apiVersion: apiextensions.k8s.io/v1
/// kind: CustomResourceDefinition
/// metadata: {name: widgets.example.com}
/// spec:
///   group: example.com
///   scope: Cluster
///   names: {kind: Widget, plural: widgets}
///   versions:
///   - name: v1
///     served: true
///     storage: true
///     schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string, maxLength: 5}}}}
/// ";
/// let source = Source::new("widgets.yaml", text);
/// let api = crd::read(&[source], &crd::Options::default(), &Api::default()).unwrap().api;
/// let definitions = crd::definitions(&api).unwrap();
/// let version = &definitions["widgets.example.com"]["spec"]["versions"][0];
/// assert_eq!(version["schema"]["openAPIV3Schema"]["properties"]["spec"]["maxLength"], 5);
/// ```
///
/// # Errors
/// All facts that versions of a kind do not agree on, and all that are missing.
pub fn definitions(api: &Api) -> Result<BTreeMap<String, Value>, Vec<Fault>> {
    let mut errors = Vec::new();
    let mut out = BTreeMap::new();
    for (name, definition) in each_definition(api) {
        match definition {
            Ok(definition) => drop(out.insert(name, definition)),
            Err(of_definition) => errors.extend(of_definition),
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// Like [`definitions`], with the errors of each definition instead of those of all together.
pub fn each_definition(api: &Api) -> BTreeMap<String, Result<Value, Vec<Fault>>> {
    let mut resources: BTreeMap<(&str, &str), Vec<Version<'_>>> = BTreeMap::new();
    for ty in api.own_types() {
        let Some(kind) = &ty.kind else { continue };
        let (Some(facts), Some(resource)) = (kind.definition.as_deref(), &kind.resource) else { continue };
        let key = (ty.id.group_version.group.as_str(), resource.plural.as_str());
        resources.entry(key).or_default().push(Version { ty, facts, resource });
    }
    let made = resources.into_iter().map(|((group, plural), versions)| {
        let name = definition_name(group, plural);
        let mut writer = Writer { api, errors: Vec::new() };
        let definition = writer.definition(&name, &versions);
        let made = definition.filter(|_| writer.errors.is_empty()).ok_or(writer.errors);
        (name, made)
    });
    made.collect()
}

/// The `metadata.name` of the definition of a resource.
pub fn definition_name(group: &str, plural: &str) -> String {
    format!("{plural}.{group}")
}

/// A version of a kind, and what its definition specifies about it.
#[derive(Clone, Copy)]
struct Version<'a> {
    ty: &'a Type,
    facts: &'a Definition,
    resource: &'a Resource,
}

impl Version<'_> {
    /// The kind, which is not the name of the type if its source has another one.
    fn kind(&self) -> &str {
        let name = self.ty.kind.as_ref().and_then(|kind| kind.registered.first());
        name.map_or(&self.ty.id.name, |name| &name.kind)
    }

    fn name(&self) -> &str {
        &self.ty.id.group_version.version
    }
}

struct Writer<'a> {
    api: &'a Api,
    errors: Vec<Fault>,
}

/// What to do where the files of several imports do not agree.
const AGAIN: &str = "import the definition again, and delete the files of versions that it no longer has";

impl Writer<'_> {
    /// Reports an error at facts of a kind.
    fn error(&mut self, version: Version<'_>, keys: &[&str], message: String, help: &str) {
        self.errors.push(Fault::in_type(&version.ty.id, keys, message, help));
    }

    fn definition(&mut self, name: &str, versions: &[Version<'_>]) -> Option<Value> {
        let stored = self.stored(name, versions)?;
        for version in versions {
            self.agree(*version, stored);
        }
        let nothing = Shared::default();
        let shared = stored.facts.shared.as_ref().unwrap_or(&nothing);
        let mut metadata = Map::from_iter([("name".to_owned(), name.into())]);
        for (key, map) in [("labels", &shared.labels), ("annotations", &shared.annotations)] {
            if !map.is_empty() {
                metadata.insert(key.to_owned(), json!(map));
            }
        }
        let preserves = shared.preserve_unknown_fields == Some(true);
        let versions: Vec<Value> = versions.iter().map(|version| self.version(*version, preserves)).collect();
        let mut spec = Map::new();
        spec.insert("group".to_owned(), stored.ty.id.group_version.group.clone().into());
        spec.insert("names".to_owned(), self.names(stored));
        spec.insert("scope".to_owned(), stored.resource.scope.as_str().into());
        spec.insert("versions".to_owned(), versions.into());
        if let Some(conversion) = &shared.conversion {
            spec.insert("conversion".to_owned(), conversion.clone());
        }
        if shared.preserve_unknown_fields == Some(false) {
            spec.insert("preserveUnknownFields".to_owned(), false.into());
        }
        Some(json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": metadata,
            "spec": spec,
        }))
    }

    /// The version at which objects are stored.
    fn stored<'v>(&mut self, name: &str, versions: &[Version<'v>]) -> Option<Version<'v>> {
        let stored: Vec<Version<'v>> =
            versions.iter().copied().filter(|version| version.facts.storage).collect();
        let keys = [DEFINITION, "storage"];
        match stored[..] {
            [version] => return Some(version),
            [] => self.error(
                *versions.last()?,
                &keys,
                format!("no version of {name} has `storage: true`, as OpenAPI documents do not tell which one is stored"),
                "import the definition, or write `\"storage\": true` in the schema of one version",
            ),
            [.., last] => {
                let names: Vec<String> =
                    stored.iter().map(|version| format!("`{}`", version.name())).collect();
                let message = format!("{} of {name} have `storage: true`", names.join(" and "));
                self.error(last, &keys, message, AGAIN);
            }
        }
        None
    }

    /// Checks that a version has what all versions have together.
    fn agree(&mut self, version: Version<'_>, stored: Version<'_>) {
        let facts = |version: Version<'_>| {
            let resource = version.resource;
            [
                ("kind", Value::from(version.kind())),
                ("singular", resource.singular.clone().into()),
                ("scope", resource.scope.as_str().into()),
                ("shortNames", resource.short_names.clone().into()),
                ("categories", resource.categories.clone().into()),
            ]
        };
        for ((key, here), (_, there)) in facts(version).into_iter().zip(facts(stored)) {
            if here != there {
                let keys: &[&str] = if key == "kind" { &[] } else { &["x-resource", key] };
                let message = format!("`{key}` is {here} here, but {there} in {}", stored.name());
                self.error(version, keys, message, AGAIN);
            }
        }
        if version.resource.subresources.contains_key("scale") && version.facts.scale.is_none() {
            self.error(
                version,
                &[DEFINITION, "scale"],
                "the paths of the scale subresource are missing, as OpenAPI documents do not tell them".to_owned(),
                "import the definition, or write `\"scale\": {\"specReplicasPath\": …, \"statusReplicasPath\": …}`",
            );
        }
    }

    fn names(&self, version: Version<'_>) -> Value {
        let Version { ty, resource, .. } = version;
        let kind = version.kind();
        let items = TypeExpr::List(Box::new(TypeExpr::Ref(ty.id.clone())));
        let is_list = |other: &&Type| {
            other.kind.as_ref().is_some_and(|kind| kind.definition.is_none())
                && other.field("items").is_some_and(|field| field.ty == items)
        };
        let types = self.api.versions.get(&ty.id.group_version);
        let list = types.and_then(|version| version.types.values().find(is_list));
        let list = list.map_or_else(|| format!("{kind}List"), |list| list.id.name.clone());
        let mut names = Map::new();
        names.insert("kind".to_owned(), kind.into());
        names.insert("listKind".to_owned(), list.into());
        names.insert("plural".to_owned(), resource.plural.clone().into());
        names.insert("singular".to_owned(), resource.singular.clone().into());
        for (key, list) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
            if !list.is_empty() {
                names.insert(key.to_owned(), list.clone().into());
            }
        }
        names.into()
    }

    fn version(&self, version: Version<'_>, preserves: bool) -> Value {
        let Version { ty, facts, resource } = version;
        let mut schema = openapi_schema(self.api, self.api, ty);
        if let Value::Object(schema) = &mut schema
            && preserves
        {
            // v1 has this key in schemas only.
            schema.insert("x-kubernetes-preserve-unknown-fields".to_owned(), true.into());
        }
        let mut out = Map::new();
        out.insert("name".to_owned(), version.name().into());
        out.insert("served".to_owned(), facts.served.into());
        out.insert("storage".to_owned(), facts.storage.into());
        if facts.deprecated {
            out.insert("deprecated".to_owned(), true.into());
        }
        if let Some(warning) = &facts.deprecation_warning {
            out.insert("deprecationWarning".to_owned(), warning.clone().into());
        }
        out.insert("schema".to_owned(), json!({ "openAPIV3Schema": schema }));
        let mut subresources = Map::new();
        if resource.subresources.contains_key("status") {
            subresources.insert("status".to_owned(), json!({}));
        }
        if let Some(scale) = &facts.scale {
            subresources.insert("scale".to_owned(), paths(scale));
        }
        if !subresources.is_empty() {
            out.insert("subresources".to_owned(), subresources.into());
        }
        if !facts.columns.is_empty() {
            let columns = facts.columns.iter().map(column);
            out.insert("additionalPrinterColumns".to_owned(), columns.collect());
        }
        if !facts.selectable_fields.is_empty() {
            let fields = facts.selectable_fields.iter().map(|path| json!({ "jsonPath": path }));
            out.insert("selectableFields".to_owned(), fields.collect());
        }
        out.into()
    }
}

fn paths(scale: &Scale) -> Value {
    let mut out = json!({
        "specReplicasPath": scale.spec_replicas,
        "statusReplicasPath": scale.status_replicas,
    });
    if let Some(path) = &scale.label_selector {
        out["labelSelectorPath"] = path.clone().into();
    }
    out
}

fn column(column: &Column) -> Value {
    let mut out = json!({ "name": column.name, "type": column.ty, "jsonPath": column.json_path });
    for (key, text) in [("format", &column.format), ("description", &column.description)] {
        if let Some(text) = text {
            out[key] = text.clone().into();
        }
    }
    if let Some(priority) = column.priority {
        out["priority"] = priority.into();
    }
    out
}
