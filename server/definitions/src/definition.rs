//! The kinds of a definition, as entries of a Scheme.

use std::sync::Arc;

use hubgen_machinery::columns::{Column, Columns};
use hubgen_machinery::reflect::{NewObject, Ref, Text, Words, boxed};
use hubgen_machinery::scheme::{
    Behaviour, Deprecation, Family, Generation, GroupVersionKind, KindEntry, Resource, SelectableField,
    Subresource, verbs,
};
use hubgen_validation::FieldErrors;
use hubgen_validation::definition::{self, Extent, Scope, V1};
use serde_json::Value;

use crate::deprecated;
use crate::object::CustomObject;
use crate::schema::Schemas;
use crate::strategy::Strategy;
use crate::version::Version;

/// A CustomResourceDefinition, read.
pub struct Definition {
    names: Names,
    versions: Vec<(Arc<Version>, Facts)>,
}

/// What all versions have.
struct Names {
    group: String,
    kind: String,
    plural: String,
    singular: String,
    short_names: Words,
    categories: Words,
    namespaced: bool,
    family: Arc<Family>,
}

/// What is told of a version.
struct Facts {
    name: String,
    has_status: bool,
    columns: Ref<Columns>,
    selectable: Vec<SelectableField>,
    deprecation: Option<Deprecation>,
}

/// Why a definition makes no kind.
#[derive(Debug, thiserror::Error)]
pub enum Unserved {
    /// It is none of `apiextensions.k8s.io/v1`, or lacks a version that is stored.
    #[error("{0}")]
    NoDefinition(String),
    /// The API server would refuse a schema.
    #[error("the schema of {version}: {errors}")]
    Schema {
        /// The version.
        version: String,
        /// What is wrong with it.
        errors: FieldErrors,
    },
}

impl Definition {
    /// Reads a definition of `apiextensions.k8s.io/v1`, whose versions convert by `strategy`. If its status tells which names were accepted, its kind has these.
    ///
    /// # Errors
    /// When it makes no kind.
    pub fn read(json: &Value, schemas: &mut Schemas, strategy: &Strategy) -> Result<Self, Unserved> {
        if json["apiVersion"] != V1 {
            return Err(Unserved::NoDefinition(format!("expected {V1}, found {}", json["apiVersion"])));
        }
        let read = definition::read(json, Extent::Whole).definition;
        let storage = read.versions.iter().find(|version| version.storage);
        let storage = storage.ok_or_else(|| Unserved::NoDefinition("no version is stored".to_owned()))?;
        let accepted = accepted(json);
        let member = |version: &str| GroupVersionKind {
            group: Text::from(read.group.clone()),
            version: Text::from(version.to_owned()),
            kind: Text::from(accepted.kind.clone()),
        };
        let family = Arc::new(Family {
            members: read.versions.iter().map(|version| member(&version.name)).collect(),
            storage: member(&storage.name),
            words: Vec::new(),
        });
        let names = Names {
            group: read.group.clone(),
            namespaced: read.scope == Some(Scope::Namespaced),
            family,
            kind: accepted.kind,
            plural: accepted.plural,
            singular: accepted.singular,
            short_names: accepted.short_names.into_iter().collect(),
            categories: accepted.categories.into_iter().collect(),
        };
        let preserves = read.preserve_unknown_fields == Some(true);
        let is_terminating = !json["metadata"]["deletionTimestamp"].is_null() || is_true(json, "Terminating");
        let mut versions = Vec::new();
        for version in &read.versions {
            let invalid = |errors| Unserved::Schema { version: version.name.clone(), errors };
            let anything =
                serde_json::json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
            let schema = schemas.compiled(version.schema.unwrap_or(&anything)).map_err(invalid)?;
            let made = Version {
                api_version: format!("{}/{}", read.group, version.name),
                kind: names.kind.clone(),
                schema,
                strategy: strategy.clone(),
                preserves,
                is_served: version.served,
                is_terminating,
                scale: version.scale.clone(),
            };
            versions.push((Arc::new(made), facts(version, &read)));
        }
        Ok(Self { names, versions })
    }

    /// The kind at each version, those that are not served included: objects may be stored at them.
    pub fn entries(&self) -> impl Iterator<Item = KindEntry> {
        self.versions.iter().map(|(version, facts)| self.entry(version, facts))
    }

    /// Group and kind, and for each version that is served its name and its schema, in JSON.
    pub fn published(&self) -> impl Iterator<Item = ([&str; 3], &Arc<str>)> {
        let served = self.versions.iter().filter(|(version, _)| version.is_served);
        served.map(|(version, facts)| {
            ([&*self.names.group, &*facts.name, &*self.names.kind], version.schema.text())
        })
    }

    fn entry(&self, version: &Arc<Version>, facts: &Facts) -> KindEntry {
        let Names { group, kind, plural, singular, short_names, categories, namespaced, family } =
            &self.names;
        let text = |text: &String| Text::from(text.clone());
        let name = GroupVersionKind { group: text(group), version: text(&facts.name), kind: text(kind) };
        let resource = Resource {
            plural: text(plural),
            singular: text(singular),
            namespaced: *namespaced,
            verbs: Words::Static(verbs::ALL),
            short_names: short_names.clone(),
            categories: categories.clone(),
            subresources: subresources(version, facts),
        };
        KindEntry {
            resource: Some(resource),
            behaviour: Behaviour {
                generation: Generation::Counted,
                selectable_fields: (!facts.selectable.is_empty()).then(|| facts.selectable.clone()),
                deprecation: facts.deprecation.clone(),
                ..Behaviour::default()
            },
            columns: facts.columns.clone(),
            family: Some(Arc::clone(family)),
            untyped: Some(Arc::clone(version) as Arc<_>),
            ..KindEntry::new(name, NewObject::Compiled(boxed::<CustomObject>))
        }
    }
}

/// The names that were accepted, or those that the definition wants.
fn accepted(json: &Value) -> definition::Definition<'static> {
    let accepted = &json["status"]["acceptedNames"];
    let names = if accepted["kind"].as_str().is_some_and(|kind| !kind.is_empty()) {
        accepted
    } else {
        &json["spec"]["names"]
    };
    let text = |key: &str| names[key].as_str().unwrap_or_default().to_owned();
    let texts = |key: &str| {
        let all = names[key].as_array().into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let kind = text("kind");
    definition::Definition {
        plural: text("plural"),
        singular: Some(text("singular"))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| kind.to_lowercase()),
        short_names: texts("shortNames"),
        categories: texts("categories"),
        kind,
        ..definition::Definition::default()
    }
}

/// Whether a condition of a definition is true.
fn is_true(json: &Value, condition: &str) -> bool {
    let conditions = json["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|found| found["type"] == condition && found["status"] == "True")
}

impl Definition {
    /// Whether the kind of a definition, in JSON, is served: when it is established, and as soon as nothing but that is left,
    /// so that who sees `Established` finds the kind. Upstream, too, serves what has its names.
    pub fn is_served(json: &Value) -> bool {
        let mut conditions = json["status"]["conditions"].as_array().into_iter().flatten();
        conditions.any(|found| {
            found["type"] == "Established" && (found["status"] == "True" || found["reason"] == "Installing")
        })
    }
}

fn facts(version: &definition::Version<'_>, definition: &definition::Definition<'_>) -> Facts {
    let columns = match &version.columns[..] {
        [] => Ref::Static(Columns::OF_DEFINITIONS),
        // As upstream, there are no columns after one whose path cannot be read.
        columns => {
            let columns = columns.iter().map_while(|column| Column::defined(column).ok());
            Ref::Shared(Arc::new(Columns::defined(columns)))
        }
    };
    let selectable = version.selectable_fields.iter().map(|path| SelectableField {
        name: Text::from(path.trim_start_matches('.').to_owned()),
        paths: None,
    });
    Facts {
        name: version.name.clone(),
        has_status: version.has_status,
        columns,
        selectable: selectable.collect(),
        deprecation: version.deprecated.then(|| Deprecation {
            warning: Some(Text::from(
                version
                    .deprecation_warning
                    .clone()
                    .unwrap_or_else(|| deprecated::warning(&version.name, definition)),
            )),
            ..Deprecation::default()
        }),
    }
}

/// The subresources of a version: its status, and the numbers of its replicas.
fn subresources(version: &Version, facts: &Facts) -> Vec<Subresource> {
    let subresource = |name: &'static str, kind| Subresource {
        name: Text::Static(name),
        kind,
        verbs: Words::Static(verbs::OF_PARTS),
        until: None,
    };
    let scale = || GroupVersionKind {
        group: Text::Static("autoscaling"),
        version: Text::Static("v1"),
        kind: Text::Static("Scale"),
    };
    let of_scale = version.scale.is_some().then(|| subresource("scale", Some(scale())));
    of_scale.into_iter().chain(facts.has_status.then(|| subresource("status", None))).collect()
}
