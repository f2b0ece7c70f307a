//! The named rules: what widens a field whose type changed, what undoes a
//! mistake of a published document, what is added that no document shows. Each
//! fails the import of the whole archive when it no longer applies.

use hubgen_model::{GroupVersion, Omit, Presence, RawForm, Type, TypeExpr, TypeId};

use super::report::Report;
use super::sightings::{Owner, Sighting, Sightings, sort};
use crate::upstream::Form;
pub use crate::upstream::name::META;

/// A named rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub sort: Sort,
    /// What upstream did, and what becomes of it here.
    pub why: &'static str,
}

/// What a named rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// A field's type changed: the newest holds all older values.
    Widening,
    /// A published document is wrong, or silent where a sibling is not.
    Correction,
    /// Something real that no document shows.
    Addition,
}

impl Sort {
    /// As messages and the index write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Widening => "widening",
            Self::Correction => "correction",
            Self::Addition => "addition",
        }
    }
}

/// A field whose type changed.
struct Widening {
    rule: Rule,
    /// Type and field; `*` for any.
    at: &'static [(&'static str, &'static str)],
    from: &'static str,
    to: &'static str,
}

const fn widening(
    name: &'static str,
    at: &'static [(&'static str, &'static str)],
    from: &'static str,
    to: &'static str,
    why: &'static str,
) -> Widening {
    Widening { rule: Rule { name, sort: Sort::Widening, why }, at, from, to }
}

const WIDENINGS: &[Widening] = &[
    widening(
        "collision-count-32-bit",
        &[
            ("apps/v1beta1 DeploymentStatus", "collisionCount"),
            ("extensions/v1beta1 DaemonSetStatus", "collisionCount"),
            ("extensions/v1beta1 DeploymentStatus", "collisionCount"),
        ],
        "int64",
        "int32",
        "64 bits in 1.7 only; it counts retries",
    ),
    widening(
        "lifecycle-handler",
        &[("core/v1 Lifecycle", "postStart"), ("core/v1 Lifecycle", "preStop")],
        "core/v1 Handler",
        "core/v1 LifecycleHandler",
        "Handler was split in 1.23; the fields are the same",
    ),
    widening(
        "claim-resources",
        &[("core/v1 PersistentVolumeClaimSpec", "resources")],
        "core/v1 ResourceRequirements",
        "core/v1 VolumeResourceRequirements",
        "a type of its own since 1.29; `claims` is kept",
    ),
    widening(
        "claim-data-source-ref",
        &[("core/v1 PersistentVolumeClaimSpec", "dataSourceRef")],
        "core/v1 TypedLocalObjectReference",
        "core/v1 TypedObjectReference",
        "may point to another namespace since 1.26",
    ),
    widening(
        "persistent-cinder",
        &[("core/v1 PersistentVolumeSpec", "cinder"), ("core/v1 PersistentVolumeSource", "cinder")],
        "core/v1 CinderVolumeSource",
        "core/v1 CinderPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-flex",
        &[("core/v1 PersistentVolumeSpec", "flexVolume"), ("core/v1 PersistentVolumeSource", "flexVolume")],
        "core/v1 FlexVolumeSource",
        "core/v1 FlexPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-glusterfs",
        &[("core/v1 PersistentVolumeSpec", "glusterfs"), ("core/v1 PersistentVolumeSource", "glusterfs")],
        "core/v1 GlusterfsVolumeSource",
        "core/v1 GlusterfsPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-iscsi",
        &[("core/v1 PersistentVolumeSpec", "iscsi"), ("core/v1 PersistentVolumeSource", "iscsi")],
        "core/v1 ISCSIVolumeSource",
        "core/v1 ISCSIPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-rbd",
        &[("core/v1 PersistentVolumeSpec", "rbd"), ("core/v1 PersistentVolumeSource", "rbd")],
        "core/v1 RBDVolumeSource",
        "core/v1 RBDPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-azurefile",
        &[("core/v1 PersistentVolumeSpec", "azureFile")],
        "core/v1 AzureFileVolumeSource",
        "core/v1 AzureFilePersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-cephfs",
        &[("core/v1 PersistentVolumeSpec", "cephfs")],
        "core/v1 CephFSVolumeSource",
        "core/v1 CephFSPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-scaleio",
        &[("core/v1 PersistentVolumeSpec", "scaleIO")],
        "core/v1 ScaleIOVolumeSource",
        "core/v1 ScaleIOPersistentVolumeSource",
        "persistent volumes got a source of their own, whose secrets may be in other namespaces",
    ),
    widening(
        "persistent-secret-references",
        &[
            ("core/v1 CephFSPersistentVolumeSource", "secretRef"),
            ("core/v1 FlexPersistentVolumeSource", "secretRef"),
            ("core/v1 ISCSIPersistentVolumeSource", "secretRef"),
            ("core/v1 RBDPersistentVolumeSource", "secretRef"),
            ("core/v1 ScaleIOPersistentVolumeSource", "secretRef"),
        ],
        "core/v1 LocalObjectReference",
        "core/v1 SecretReference",
        "as above: the secret gained a namespace",
    ),
    widening(
        "webhook-mutating",
        &[("admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration", "webhooks")],
        "[]admissionregistration.k8s.io/v1beta1 Webhook",
        "[]admissionregistration.k8s.io/v1beta1 MutatingWebhook",
        "Webhook was split in 1.15",
    ),
    widening(
        "webhook-validating",
        &[("admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration", "webhooks")],
        "[]admissionregistration.k8s.io/v1beta1 Webhook",
        "[]admissionregistration.k8s.io/v1beta1 ValidatingWebhook",
        "Webhook was split in 1.15",
    ),
    widening(
        "webhook-rules-of-v1",
        &[
            ("admissionregistration.k8s.io/v1beta1 MutatingWebhook", "rules"),
            ("admissionregistration.k8s.io/v1beta1 ValidatingWebhook", "rules"),
        ],
        "[]admissionregistration.k8s.io/v1beta1 RuleWithOperations",
        "[]admissionregistration.k8s.io/v1 RuleWithOperations",
        "v1beta1 takes the rules of v1 since 1.26; they are the same",
    ),
    widening(
        "custom-resource-status-subresource",
        &[("apiextensions.k8s.io/v1beta1 CustomResourceSubresources", "status")],
        "JSON",
        "apiextensions.k8s.io/v1beta1 CustomResourceSubresourceStatus",
        "documents of 1.10 to 1.13 forgot to say that it is an object",
    ),
    widening(
        "ingress-load-balancer-extensions",
        &[("extensions/v1beta1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "extensions/v1beta1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-extensions",
        &[("extensions/v1beta1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]extensions/v1beta1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-extensions",
        &[("extensions/v1beta1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]extensions/v1beta1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-load-balancer-networking-v1",
        &[("networking.k8s.io/v1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "networking.k8s.io/v1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-networking-v1",
        &[("networking.k8s.io/v1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]networking.k8s.io/v1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-networking-v1",
        &[("networking.k8s.io/v1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]networking.k8s.io/v1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-load-balancer-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressStatus", "loadBalancer")],
        "core/v1 LoadBalancerStatus",
        "networking.k8s.io/v1beta1 IngressLoadBalancerStatus",
        "ingresses got a status of their own in 1.26; the fields are the same",
    ),
    widening(
        "ingress-load-balancer-points-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressLoadBalancerStatus", "ingress")],
        "[]core/v1 LoadBalancerIngress",
        "[]networking.k8s.io/v1beta1 IngressLoadBalancerIngress",
        "as above, its elements",
    ),
    widening(
        "ingress-load-balancer-ports-networking-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressLoadBalancerIngress", "ports")],
        "[]core/v1 PortStatus",
        "[]networking.k8s.io/v1beta1 IngressPortStatus",
        "as above, their ports",
    ),
    widening(
        "ingress-class-parameters-v1",
        &[("networking.k8s.io/v1 IngressClassSpec", "parameters")],
        "core/v1 TypedLocalObjectReference",
        "networking.k8s.io/v1 IngressClassParametersReference",
        "may point into a namespace since 1.21",
    ),
    widening(
        "ingress-class-parameters-v1beta1",
        &[("networking.k8s.io/v1beta1 IngressClassSpec", "parameters")],
        "core/v1 TypedLocalObjectReference",
        "networking.k8s.io/v1beta1 IngressClassParametersReference",
        "may point into a namespace since 1.21",
    ),
    widening(
        "partial-metadata-of-v1",
        &[("meta.k8s.io/v1beta1 PartialObjectMetadataList", "items")],
        "[]meta.k8s.io/v1beta1 PartialObjectMetadata",
        "[]meta.k8s.io/v1 PartialObjectMetadata",
        "v1beta1 lists the objects of v1 since 1.15; they are the same",
    ),
];

const fn rule(sort: Sort, name: &'static str, why: &'static str) -> Rule {
    Rule { name, sort, why }
}

/// A field's type is written as in `schemas/` of the type's own group.
const RULES: &[Rule] = &[
    rule(
        Sort::Correction,
        "node-config-source-is-no-kind",
        "documents since 1.8 register NodeConfigSource as a kind; it only ever stood inside Node",
    ),
    rule(
        Sort::Correction,
        "status-is-no-resource",
        "documents of 1.23 to 1.30 call Status a kind of resource.k8s.io; it is what a server answers there",
    ),
    rule(
        Sort::Correction,
        "discovery-is-no-resource",
        "documents call what discovery answers a kind of the core group; no server keeps such objects",
    ),
    rule(
        Sort::Correction,
        "managed-fields-of-1.14",
        "`fields` of ManagedFieldsEntry, in 1.14 and 1.15, was a protobuf message of its own; only its JSON is read",
    ),
    rule(
        Sort::Correction,
        "machinery-left-core",
        "field facts and descriptors of 1.8 hold earlier copies of the machinery's types in core/v1; they are those of meta.k8s.io/v1",
    ),
    rule(
        Sort::Correction,
        "options-of-groups-that-never-were",
        "documents of 1.7 and 1.8 register DeleteOptions and WatchEvent under federation/v1beta1, which no server of Kubernetes offered",
    ),
    rule(
        Sort::Correction,
        "meta-v1beta1-names-v1",
        "Table and PartialObjectMetadata of meta.k8s.io/v1beta1 became names of the v1 types, and are the same in JSON",
    ),
    rule(
        Sort::Correction,
        "autoscaling-v2alpha1-as-v2beta1",
        "autoscaling/v2alpha1 was gone before the first field facts; order, presence and numbers are those of v2beta1",
    ),
    rule(
        Sort::Correction,
        "extensions-autoscaler-as-autoscaling-v1",
        "the autoscaler of extensions/v1beta1 was gone before the first field facts; order and presence are those of autoscaling/v1",
    ),
    rule(
        Sort::Correction,
        "subresource-reference-holds-values",
        "the fields of extensions/v1beta1 SubresourceReference are plain strings, left out when empty",
    ),
    rule(
        Sort::Correction,
        "names-of-kinds-hold-values",
        "no field facts tell of the types that name a kind or a resource: their fields are plain strings, always written",
    ),
    rule(
        Sort::Addition,
        "batch-v1-job-template",
        "batch/v1 registers JobTemplate, which no document shows: that of v1beta1 over the types of v1",
    ),
];

/// Types that nothing refers to because they travel as JSON inside
/// annotations.
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

/// Every named rule.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    WIDENINGS.iter().map(|widening| &widening.rule).chain(RULES)
}

/// A type expression as rules and messages write it.
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

/// Whether a rule says that the newer type takes the older one's place.
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

/// What a field holds that only field facts know, which say it in the
/// implementation's language.
pub fn untyped(id: &TypeId, field: &str, report: &mut Report) -> TypeExpr {
    let key =
        [format!("{id}.{field}"), "known to field facts alone".to_owned(), "of unknown type".to_owned()];
    report.conflicts.entry(key).or_default();
    TypeExpr::Raw(RawForm::Json)
}

/// The corrections that change what documents say.
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
    hold_values(sightings, &subresource, Omit::Empty, "subresource-reference-holds-values", report);
    for name in ["GroupResource", "GroupVersionKind", "GroupVersionResource"] {
        let id = TypeId::new(META, "v1", name);
        hold_values(sightings, &id, Omit::Never, "names-of-kinds-hold-values", report);
    }
}

/// Says of a type without field facts that its fields are plain values.
fn hold_values(sightings: &mut Sightings, id: &TypeId, omit: Omit, rule: &'static str, report: &mut Report) {
    let Some(seen) = sightings.get_mut(id) else { return };
    let Some(newest) = seen.first().filter(|newest| newest.form != Form::FieldFacts).cloned() else { return };
    let mut values = Sighting { form: Form::FieldFacts, of: Owner::Sibling, ..newest };
    for field in values.facts.fields.values_mut() {
        (field.presence, field.omit) = (Some(Presence::Value), Some(omit));
    }
    seen.push(values);
    report.apply(rule, id.to_string());
}

/// Types of the machinery that the core group defined itself at first.
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
            report.apply("node-config-source-is-no-kind", id.to_string());
            report.leave_out("v1 NodeConfigSource as a kind", "it only ever stood inside Node");
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

/// Where a field came to point to another type, the new one counts the fields
/// that the old one had while the field pointed there.
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

/// The type that a rule names: `core/v1 Handler`, or a list of it.
fn type_named(text: &str) -> Option<TypeId> {
    let (group_version, name) = text.trim_start_matches("[]").split_once(' ')?;
    let (group, version) = group_version.split_once('/')?;
    Some(TypeId::new(if group == "core" { "" } else { group }, version, name))
}

/// Lets a type without field facts take those of a sibling.
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

/// What no document shows.
pub fn add(api: &mut hubgen_model::Api, report: &mut Report) {
    let v1 = GroupVersion::new("batch", "v1");
    let v1beta1 = TypeId::new("batch", "v1beta1", "JobTemplate");
    let id = TypeId { group_version: v1.clone(), name: "JobTemplate".to_owned() };
    let spec = TypeId { group_version: v1.clone(), name: "JobTemplateSpec".to_owned() };
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
