//! Applies the named rules: accepts widened types, corrects documents, and adds what no document
//! contains.

use hubgen_model::{GroupVersion, Omit, Presence, RawForm, Type, TypeExpr, TypeId};

use super::report::Report;
use super::rules::WIDENINGS;
use super::sightings::{Owner, Sighting, Sightings, sort};
use crate::upstream::Form;
use crate::upstream::name::META;

/// Types that no field refers to, because they travel as JSON inside annotations.
const IN_ANNOTATIONS: [(&str, &str, &str); 7] = [
    ("", "v1", "AvoidPods"),
    ("", "v1", "SerializedReference"),
    ("autoscaling", "v1", "HorizontalPodAutoscalerCondition"),
    ("autoscaling", "v1", "MetricSpec"),
    ("autoscaling", "v1", "MetricStatus"),
    ("extensions", "v1beta1", "CustomMetricCurrentStatusList"),
    ("extensions", "v1beta1", "CustomMetricTargetList"),
];

/// Whether a type travels as JSON inside annotations.
pub fn in_annotation(id: &TypeId) -> bool {
    let GroupVersion { group, version } = &id.group_version;
    IN_ANNOTATIONS.contains(&(group, version, &id.name))
}

/// Formats a type expression as rules and messages write it.
pub fn show(expr: &TypeExpr) -> String {
    match expr {
        TypeExpr::Ref(id) => id.to_string(),
        TypeExpr::List(inner) => format!("[]{}", show(inner)),
        TypeExpr::Map(inner) => format!("map {}", show(inner)),
        TypeExpr::OrBool(inner) | TypeExpr::OrArray(inner) | TypeExpr::OrStrings(inner) => {
            format!("{} or more", show(inner))
        }
        TypeExpr::Raw(RawForm::Extension) => "object".to_owned(),
        TypeExpr::Raw(RawForm::Fields) => "fields".to_owned(),
        TypeExpr::Raw(RawForm::Json) => "JSON".to_owned(),
        scalar => format!("{scalar:?}").to_lowercase(),
    }
}

/// Whether a named rule allows the field's type to change from the older type to the newer one.
/// Records the rule in the report.
pub fn widened(id: &TypeId, field: &str, older: &TypeExpr, newer: &TypeExpr, report: &mut Report) -> bool {
    let place = id.to_string();
    let (from, to) = (show(older), show(newer));
    let found = WIDENINGS.iter().find(|widening| {
        widening.from == from
            && widening.to == to
            && widening.at.iter().any(|(ty, name)| *ty == place && *name == field)
    });
    if let Some(widening) = found {
        report.apply(widening.rule.name, format!("{place}.{field}"));
    }
    found.is_some()
}

/// The type of a field that only field facts describe. They give its type in Go, which is not
/// enough; the field becomes raw JSON, and the report gets a conflict.
pub fn untyped(id: &TypeId, field: &str, report: &mut Report) -> TypeExpr {
    let key =
        [format!("{id}.{field}"), "described by field facts only".to_owned(), "of unknown type".to_owned()];
    report.conflicts.entry(key).or_default();
    TypeExpr::Raw(RawForm::Json)
}

/// Applies the corrections that change what documents contain.
pub fn correct(sightings: &mut Sightings, report: &mut Report) {
    no_kind(sightings, report);
    left_core(sightings, report);
    managed_fields(sightings, report);
    meta_v1beta1(sightings, report);
    predecessors(sightings);
    let v2alpha1 = GroupVersion::new("autoscaling", "v2alpha1");
    let types: Vec<TypeId> = sightings.keys().filter(|id| id.group_version == v2alpha1).cloned().collect();
    for id in types {
        let sibling = TypeId { group_version: GroupVersion::new("autoscaling", "v2beta1"), ..id.clone() };
        if borrow(sightings, &id, &sibling) {
            report.apply("autoscaling-v2alpha1-as-v2beta1", id.to_string());
        }
    }
    for name in ["HorizontalPodAutoscaler", "HorizontalPodAutoscalerSpec", "HorizontalPodAutoscalerStatus"] {
        let id = TypeId::new("extensions", "v1beta1", name);
        if borrow(sightings, &id, &TypeId::new("autoscaling", "v1", name)) {
            report.apply("extensions-autoscaler-as-autoscaling-v1", id.to_string());
        }
    }
    let subresource = TypeId::new("extensions", "v1beta1", "SubresourceReference");
    as_plain_values(sightings, &subresource, Omit::Empty, "subresource-reference-has-plain-fields", report);
    for name in ["GroupResource", "GroupVersionKind", "GroupVersionResource"] {
        let id = TypeId::new(META, "v1", name);
        as_plain_values(sightings, &id, Omit::Never, "names-of-kinds-have-plain-fields", report);
    }
}

/// Marks all fields of a type without field facts as plain values (not pointers).
fn as_plain_values(
    sightings: &mut Sightings,
    id: &TypeId,
    omit: Omit,
    rule: &'static str,
    report: &mut Report,
) {
    let Some(seen) = sightings.get_mut(id) else { return };
    let Some(newest) = seen.first().filter(|newest| newest.form != Form::FieldFacts).cloned() else { return };
    let mut values = Sighting { form: Form::FieldFacts, of: Owner::Sibling, ..newest };
    for field in values.facts.fields.values_mut() {
        (field.presence, field.omit) = (Some(Presence::Value), Some(omit));
    }
    seen.push(values);
    report.apply(rule, id.to_string());
}

/// Types of the API machinery that the core group once defined itself.
const LEFT_CORE: [&str; 4] = ["DeleteOptions", "ListOptions", "ObjectMeta", "Preconditions"];

fn left_core(sightings: &mut Sightings, report: &mut Report) {
    for name in LEFT_CORE {
        let id = TypeId::new("", "v1", name);
        if sightings.contains_key(&TypeId::new(META, "v1", name)) && sightings.remove(&id).is_some() {
            report.apply("machinery-left-core", id.to_string());
        }
    }
}

fn managed_fields(sightings: &mut Sightings, report: &mut Report) {
    let id = TypeId::new(META, "v1", "ManagedFieldsEntry");
    for sighting in sightings.get_mut(&id).into_iter().flatten() {
        if let Some(field) = sighting.facts.fields.get_mut("fields") {
            field.number.clear();
            report.apply("managed-fields-of-1.14", id.to_string());
        }
    }
}

fn no_kind(sightings: &mut Sightings, report: &mut Report) {
    let id = TypeId::new("", "v1", "NodeConfigSource");
    for sighting in sightings.get_mut(&id).into_iter().flatten() {
        if !sighting.facts.kinds.is_empty() {
            report.apply("node-config-source-is-not-a-kind", id.to_string());
            report.leave_out("v1 NodeConfigSource as a kind", "it only occurs inside Node");
        }
        sighting.facts.kinds.clear();
        sighting.facts.typed &= sighting.form != Form::FieldFacts;
    }
}

fn meta_v1beta1(sightings: &mut Sightings, report: &mut Report) {
    let v1beta1 = GroupVersion::new(META, "v1beta1");
    let mut names = Vec::new();
    sightings.retain(|id, _| {
        let keep = id.group_version != v1beta1 || id.name == "PartialObjectMetadataList";
        if !keep {
            names.push(id.clone());
        }
        keep
    });
    for id in names {
        report.apply("meta-v1beta1-names-v1", id.to_string());
    }
}

/// Where the type of a field was replaced by another one, counts the fields of the old type, from
/// the releases in which the field had it, as fields of the new type.
fn predecessors(sightings: &mut Sightings) {
    for widening in WIDENINGS {
        let (Some(from), Some(to)) = (type_named(widening.from), type_named(widening.to)) else { continue };
        let holders = widening.at.iter().filter_map(|(ty, field)| Some((type_named(ty)?, *field)));
        let pointing: Vec<_> = holders
            .flat_map(|(id, field)| {
                let seen = sightings.get(&id).into_iter().flatten();
                seen.filter_map(move |sighting| Some((sighting.release, sighting.facts.fields.get(field)?)))
            })
            .filter(|(_, field)| field.ty.as_ref().is_some_and(|ty| ty.named() == Some(&from)))
            .map(|(release, _)| release)
            .collect();
        let mut facts: Vec<Sighting> = sightings.get(&from).into_iter().flatten().cloned().collect();
        facts.retain(|sighting| pointing.contains(&sighting.release));
        for sighting in &mut facts {
            sighting.of = Owner::Predecessor;
        }
        if let Some(seen) = sightings.get_mut(&to) {
            seen.extend(facts);
            sort(seen);
        }
    }
}

/// Parses a type name as rules write it: `core/v1 Handler`, or a list of it, `[]core/v1 Handler`.
pub fn type_named(text: &str) -> Option<TypeId> {
    let (group_version, name) = text.trim_start_matches("[]").split_once(' ')?;
    let (group, version) = group_version.split_once('/')?;
    Some(TypeId::new(if group == "core" { "" } else { group }, version, name))
}

/// Gives a type without field facts those of a sibling. Returns whether it did.
fn borrow(sightings: &mut Sightings, id: &TypeId, sibling: &TypeId) -> bool {
    let facts = |sighting: &&Sighting| sighting.form == Form::FieldFacts;
    let Some(theirs) = sightings.get(sibling).and_then(|seen| seen.iter().find(facts)).cloned() else {
        return false;
    };
    let Some(seen) = sightings.get_mut(id) else { return false };
    if seen.iter().any(|sighting| sighting.form == Form::FieldFacts) {
        return false;
    }
    seen.push(Sighting { of: Owner::Sibling, ..theirs });
    true
}

/// The type whose documents tell whether a release has a type: another one if no document contains it.
pub fn documented(id: &TypeId) -> TypeId {
    let version =
        if *id == TypeId::new("batch", "v1", "JobTemplate") { "v1beta1" } else { &id.group_version.version };
    TypeId::new(id.group_version.group.clone(), version, id.name.clone())
}

/// Adds the types that no document contains.
pub fn add(api: &mut hubgen_model::Api, report: &mut Report) {
    let v1 = GroupVersion::new("batch", "v1");
    let v1beta1 = TypeId::new("batch", "v1beta1", "JobTemplate");
    let id = TypeId::at(v1.clone(), "JobTemplate");
    let spec = TypeId::at(v1.clone(), "JobTemplateSpec");
    if api.find(&id).is_some() {
        return;
    }
    let (Some(template), Some(spec)) = (api.find(&v1beta1).cloned(), api.find(&spec)) else { return };
    let mut template = Type { id: id.clone(), since: spec.since, ..template };
    let hubgen_model::TypeBody::Struct(fields) = &mut template.body;
    for field in fields {
        field.since = template.since.max(field.since);
        if let TypeExpr::Ref(target) = &mut field.ty
            && target.group_version == v1beta1.group_version
        {
            target.group_version = v1.clone();
        }
    }
    if let Some(kind) = &mut template.kind {
        kind.since = template.since;
        kind.until = template.until;
        for registered in &mut kind.registered {
            registered.group_version = v1.clone();
        }
    }
    report.apply("batch-v1-job-template", id.to_string());
    if let Some(version) = api.versions.get_mut(&v1) {
        version.types.insert(id.name.clone(), template);
        version.types.sort_keys();
    }
}
