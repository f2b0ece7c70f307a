//! Checks the laws of conversions for every family and version of the archive, on objects generated from their types.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use hubgen_kubernetes::autoscaling::v2::HorizontalPodAutoscaler as V2;
use hubgen_kubernetes::machinery::Str;
use hubgen_kubernetes::machinery::convert::{
    self, Convert, ConvertError, MAX_ANNOTATIONS, STASH, with_annotations,
};
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::reflect::{ApiType, List, Reflect, Slot, SlotMut, equal};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_kubernetes::networking::v1 as networking_v1;
use hubgen_kubernetes::{
    apiextensions, apps, autoscaling, extensions, flowcontrol, policy, rbac, resource, scheme,
};
use hubgen_kubernetes_functions::conversions;
use hubgen_laws::Violations;
use hubgen_laws::objects::{Source, generate};
use hubgen_laws::versions::{self, AnyObject, Convertible, Version};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

/// Versions that represent some values differently from the hub. Their objects may come back in another form with the
/// same meaning.
const REPHRASED: &[(&str, &str)] = &[
    ("CustomResourceDefinition", "v1beta1"),
    ("EndpointSlice", "v1beta1"),
    ("EndpointSlice", "v1alpha1"),
    ("RoleBinding", "v1alpha1"),
    ("ClusterRoleBinding", "v1alpha1"),
    ("PodDisruptionBudget", "v1beta1"),
    ("Scale", "v1beta1"),
    ("Scale", "v1beta2"),
];

/// Annotations in which upstream or a rule stores values.
const RESERVED: &[&str] = &[
    "autoscaling.alpha.kubernetes.io/behavior",
    "autoscaling.alpha.kubernetes.io/conditions",
    "autoscaling.alpha.kubernetes.io/current-metrics",
    "autoscaling.alpha.kubernetes.io/metrics",
    // Always present at apps/v1.
    "deprecated.daemonset.template.generation",
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares",
    "conversion.hubgen.dev/allocation-controller",
    "conversion.hubgen.dev/controller",
    "conversion.hubgen.dev/deallocation-requested",
    "conversion.hubgen.dev/parent-uid",
];

/// Families with rules, whose conversions do more than copy fields of the same name.
const RULED: &[&str] = &[
    "apps DaemonSet",
    "apps Deployment",
    "autoscaling HorizontalPodAutoscaler",
    " Event",
    "networking.k8s.io Ingress",
    "batch CronJob",
    "node.k8s.io RuntimeClass",
    "authorization.k8s.io SubjectAccessReview",
    "apiextensions.k8s.io CustomResourceDefinition",
    "coordination.k8s.io LeaseCandidate",
    "discovery.k8s.io EndpointSlice",
    "flowcontrol.apiserver.k8s.io PriorityLevelConfiguration",
    "networking.k8s.io IPAddress",
    "policy PodDisruptionBudget",
    "rbac.authorization.k8s.io RoleBinding",
    "resource.k8s.io DeviceClass",
    "resource.k8s.io ResourceClaim",
    "resource.k8s.io ResourceSlice",
    "scheduling.k8s.io PodGroup",
    "scheduling.k8s.io Workload",
    "storagemigration.k8s.io StorageVersionMigration",
];

/// The changes that rules make to a canonical form: kind, JSON before, JSON after.
const CANONICALIZED: &[(&str, &str, &str)] = &[
    // A port with an empty name is the same as no port.
    ("Ingress", r#""servicePort":"""#, r#""servicePort":0"#),
    // v1 does not distinguish an empty name from an absent one.
    ("CertificateSigningRequest", r#""signerName":"","#, ""),
    ("CertificateSigningRequest", r#","signerName":"""#, ""),
    // Later versions do not distinguish an empty strategy from an absent one.
    ("LeaseCandidate", r#","preferredStrategies":[""]"#, ""),
    // Old versions always write the observed generation.
    ("StatefulSet", r#""observedGeneration":0,"#, ""),
    // An empty host name is the same as an empty node name.
    ("EndpointSlice", r#""deprecatedTopology":{"kubernetes.io/hostname":""},"#, ""),
    ("EndpointSlice", r#","kubernetes.io/hostname":"""#, ""),
    ("EndpointSlice", r#""kubernetes.io/hostname":"","#, ""),
    // A reference to no template is the same as no reference.
    ("PodGroup", r#""podGroupTemplateRef":{"workload":null}"#, r#""podGroupTemplateRef":null"#),
    // An empty mode is the same as no mode.
    ("PodGroup", r#","disruptionMode":"""#, ""),
    ("Workload", r#","disruptionMode":"""#, ""),
    // Devices of older versions are always basic.
    ("ResourceSlice", r#","basic":{}"#, ""),
];

/// All kinds.
static SCHEME: LazyLock<Scheme> = LazyLock::new(scheme);

/// All convertible families with their versions, in the Scheme's order.
fn families() -> BTreeMap<String, Vec<(&'static Arc<KindEntry>, Version)>> {
    let mut out: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for entry in SCHEME.kinds() {
        let Conversion::Hub(conversion) = &entry.conversion else { continue };
        let (group, _, kind) = entry.storage();
        let version = Version { new: entry.new.clone(), conversion: conversion.clone() };
        out.entry(format!("{group} {kind}")).or_default().push((entry, version));
    }
    out
}

/// Checks a law on every version of every family, with more generated objects for families with rules.
fn each(
    name: &str,
    law: impl Fn(&[(&'static Arc<KindEntry>, Version)], usize, &[u8]) -> Result<(), Violations>,
) {
    let families = families();
    assert!(families.len() > 55, "{} families convert", families.len());
    assert!(RULED.iter().all(|family| families.contains_key(*family)), "{:?}", families.keys());
    for (family, versions) in &families {
        let cases = if RULED.contains(&&**family) { 40 } else { 10 };
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        for (index, (entry, _)) in versions.iter().enumerate() {
            // A runner counts its runs, so each law and version needs a new one.
            let result = TestRunner::new(config.clone())
                .run(&prop::collection::vec(any::<u8>(), 0..1000), |bytes| Ok(law(versions, index, &bytes)?));
            if let Err(error) = result {
                panic!("{name}: {family} at {entry}: {error}");
            }
        }
    }
}

/// A source that also generates the values that rules and functions check.
fn source(bytes: &[u8]) -> Source<'_> {
    static WORDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
        let families = SCHEME.kinds().filter_map(|entry| entry.family.as_ref());
        let words = families.flat_map(|family| family.words()).chain(conversions::WORDS.iter().copied());
        words.collect::<BTreeSet<_>>().into_iter().collect()
    });
    Source::new(bytes, &WORDS)
}

/// The result of a conversion; `None` if it refuses a value without a counterpart, which no law forbids.
fn unless_refused(result: Result<AnyObject, ConvertError>) -> Result<Option<AnyObject>, Violations> {
    match result {
        Ok(object) => Ok(Some(object)),
        // A table refuses a value that is in none of its rows.
        Err(ConvertError::UnknownWord { .. } | ConvertError::Refused { .. }) => Ok(None),
        Err(error) => Err(error.to_string().into()),
    }
}

#[test]
fn a_hub_survives_every_version() {
    each("hub → version → hub", |versions, index, bytes| {
        let version = &versions[index].1;
        versions::hub_survives(&[version], &*version.generate_hub(&mut source(bytes)))
    });
}

#[test]
fn a_hub_survives_any_two_versions() {
    each("hub → A → B → hub", |versions, index, bytes| {
        let hub = versions[index].1.generate_hub(&mut source(bytes));
        versions.iter().try_for_each(|other| versions::hub_survives(&[&versions[index].1, &other.1], &*hub))
    });
}

#[test]
fn canonicalization_is_idempotent() {
    each("version → hub → version", |versions, index, bytes| {
        let version = &versions[index].1;
        versions::canonicalizes_once(version, &*version.generate(&mut source(bytes))).map(drop)
    });
}

/// An object of a version survives a round trip through the hub, except for reserved annotations and canonicalized
/// values.
#[test]
fn a_version_survives_the_hub() {
    each("version → hub → version", |versions, index, bytes| {
        let (entry, version) = &versions[index];
        let mut object = version.generate(&mut source(bytes));
        if entry.group == "extensions" && entry.kind == "HorizontalPodAutoscaler" {
            // The only subresource that ever existed.
            set_text(&mut *object, &["spec", "scaleRef", "subresource"], "scale");
        }
        let Some(hub) = unless_refused(version.try_to_hub(&*object))? else { return Ok(()) };
        let mut once = version.from_hub(&*hub)?;
        with_annotations(&mut *once, &mut |annotations| {
            annotations.retain(|key, _| !RESERVED.contains(&&**key) && key != STASH);
        });
        if REPHRASED.contains(&(&*entry.kind, &*entry.version)) {
            (once, object) = (version.to_hub(&*once)?, version.to_hub(&*object)?);
        }
        let text =
            |object: &dyn Reflect| String::from_utf8(json::encode(object).unwrap()).unwrap_or_default();
        let (mut expected, mut found) = (text(&*object), text(&*once));
        for (kind, from, to) in CANONICALIZED {
            if entry.kind == *kind {
                expected = expected.replace(from, to);
                found = found.replace(from, to);
            }
        }
        if expected == found {
            Ok(())
        } else {
            Err(format!("expected: {expected}\n   found: {found}").into())
        }
    });
}

fn set_text(object: &mut dyn Reflect, path: &[&str], to: &str) {
    match (object.field_mut(path[0]), &path[1..]) {
        (Some(SlotMut::Struct(inner)), rest) => set_text(inner, rest, to),
        (Some(SlotMut::String(text)), []) => text.set(to),
        _ => panic!("no string at {path:?}"),
    }
}

#[test]
fn an_edit_at_the_hub_survives_every_version() {
    each("an edit at the hub", |versions, index, bytes| {
        let version = &versions[index].1;
        let hub = version.generate_hub(&mut source(bytes));
        let Some(object) = unless_refused(version.try_from_hub(&*hub))? else { return Ok(()) };
        let mut edited = version.to_hub(&*object)?;
        with_annotations(&mut *edited, &mut |annotations| {
            annotations.insert("edited", "yes".into());
        });
        versions::hub_survives(&[version], &*edited)
    });
}

#[test]
fn invalid_annotations_cause_no_error_and_are_dropped() {
    // Uses a stash that was written for another object of the same version.
    each("annotations of another object", |versions, index, bytes| {
        let version = &versions[index].1;
        let mut kept = String::new();
        let hub = version.generate_hub(&mut source(bytes));
        let Some(mut other) = unless_refused(version.try_from_hub(&*hub))? else { return Ok(()) };
        with_annotations(&mut *other, &mut |annotations| {
            kept = annotations.get(STASH).map(|text| text.to_string()).unwrap_or_default()
        });
        // Under this many keys, it would exceed the limit of annotations.
        if kept.len() * (RESERVED.len() + 1) > MAX_ANNOTATIONS / 4 {
            kept.clear();
        }
        let object = version.generate(&mut source(&bytes[bytes.len() / 2..]));
        let cut = kept.floor_char_boundary(bytes.len() * 7 % (kept.len() + 1));
        for text in [&*kept, &kept[..cut], "{}", "null", "[1]", "", "5"] {
            let mut object = object.boxed_copy();
            for key in RESERVED.iter().chain([&STASH]) {
                with_annotations(&mut *object, &mut |annotations| {
                    annotations.insert(*key, text.into());
                });
            }
            // A dropped value must not come back.
            versions::canonicalizes_once(version, &*object)?;
        }
        Ok(())
    });
}

/// An edit of a field at one version appears at every other version.
#[test]
fn an_edit_at_a_version_survives_and_wins() {
    fn replicas(object: &mut dyn Reflect, to: i32) {
        let Some(SlotMut::Struct(spec)) = object.field_mut("spec") else { panic!("no spec") };
        let Some(SlotMut::Int32(max)) = spec.field_mut("maxReplicas") else { panic!("no maxReplicas") };
        *max = to;
    }
    let families = families();
    let versions = &families["autoscaling HorizontalPodAutoscaler"];
    assert_eq!(versions.len(), 6);
    proptest!(ProptestConfig::with_cases(100), |(bytes in prop::collection::vec(any::<u8>(), 0..1000), to in any::<i32>())| {
        for (_, version) in versions {
            let mut hub: AnyObject = version.generate_hub(&mut source(&bytes));
            let mut object = version.from_hub(&*hub)?;
            replicas(&mut *object, to);
            replicas(&mut *hub, to);
            let reconverted = version.to_hub(&*object)?;
            versions::same(&*reconverted, &*hub)?;
        }
    });
}

/// Checks that the generated objects exercise the rules; otherwise the laws would pass without checking them.
#[test]
fn generated_objects_exercise_the_rules() {
    use autoscaling::v1::HorizontalPodAutoscaler as V1;
    let version = Version::of::<V1>();
    let (mut shown, mut kept, mut both, mut annotated) = (0, 0, 0, 0);
    let mut runner = TestRunner::deterministic();
    for _ in 0..1000 {
        let bytes = prop::collection::vec(any::<u8>(), 0..1000).new_tree(&mut runner).unwrap().current();
        let words = [("type", "Resource"), ("type", "Utilization"), ("name", "cpu")];
        let object = V1::from_hub(generate(&mut Source::new(&bytes, &words))).unwrap();
        let is_shown = object.spec.target_cpu_utilization_percentage.is_some();
        let is_kept = object.metadata.annotations.contains_key(STASH);
        shown += usize::from(is_shown);
        kept += usize::from(is_kept);
        both += usize::from(is_shown && is_kept);
        annotated +=
            usize::from(RESERVED[..4].iter().all(|key| object.metadata.annotations.contains_key(key)));
        versions::canonicalizes_once(&version, &object).unwrap();
    }
    assert!(shown > 20 && kept > 100 && both > 10 && annotated > 100, "{shown} {kept} {both} {annotated}");
}

#[test]
fn autoscalers_use_upstreams_annotations() {
    use autoscaling::{v1, v2};
    let hub = v2::HorizontalPodAutoscaler {
        spec: v2::HorizontalPodAutoscalerSpec {
            metrics: vec![utilization("memory", 50), utilization("cpu", 80)],
            behavior: Some(Box::new(v2::HorizontalPodAutoscalerBehavior {
                scale_up: Some(v2::HPAScalingRules {
                    stabilization_window_seconds: Some(0),
                    policies: vec![v2::HPAScalingPolicy {
                        type_: "Pods".into(),
                        value: 4,
                        period_seconds: 60,
                    }],
                    ..Default::default()
                }),
                scale_down: None,
            })),
            ..Default::default()
        },
        ..Default::default()
    };
    let old = v1::HorizontalPodAutoscaler::from_hub(hub.clone()).unwrap();
    assert_eq!(old.spec.target_cpu_utilization_percentage, Some(80));
    let annotations = &old.metadata.annotations;
    assert_eq!(
        annotations["autoscaling.alpha.kubernetes.io/metrics"],
        r#"[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":50}}]"#
    );
    assert_eq!(
        annotations["autoscaling.alpha.kubernetes.io/behavior"],
        concat!(
            r#"{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":null,"Policies":[{"Type":"Pods","#,
            r#""Value":4,"PeriodSeconds":60}],"Tolerance":null},"ScaleDown":null}"#
        )
    );
    // Memory comes before cpu, as in upstream's order, so no stash is necessary.
    assert!(!annotations.contains_key(STASH), "{annotations:?}");
    assert_eq!(old.to_hub(), hub);
}

fn utilization(resource: &str, percent: i32) -> autoscaling::v2::MetricSpec {
    use autoscaling::v2::{MetricSpec, MetricTarget, ResourceMetricSource};
    MetricSpec {
        type_: "Resource".into(),
        resource: Some(ResourceMetricSource {
            name: resource.into(),
            target: MetricTarget {
                type_: "Utilization".into(),
                average_utilization: Some(percent),
                ..Default::default()
            },
        }),
        ..Default::default()
    }
}

#[test]
fn the_order_of_metrics_is_preserved() {
    use autoscaling::v2::{HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec};
    use extensions::v1beta1;
    let metrics = vec![utilization("cpu", 80), utilization("memory", 50)];
    let spec = HorizontalPodAutoscalerSpec { metrics, ..Default::default() };
    let hub = HorizontalPodAutoscaler { spec, ..Default::default() };
    let mut old = v1beta1::HorizontalPodAutoscaler::from_hub(hub.clone()).unwrap();
    assert_eq!(old.spec.scale_ref.subresource, "scale");
    old.spec.max_replicas = 5;
    old.spec.cpu_utilization.as_mut().unwrap().target_percentage = 70;
    let back = old.clone().to_hub();
    assert_eq!(back.spec.metrics, [utilization("cpu", 70), utilization("memory", 50)]);
    assert_eq!(back.spec.max_replicas, 5);
    // A client that omits annotations drops their contents.
    old.metadata.annotations.clear();
    assert_eq!(old.to_hub().spec.metrics, [utilization("cpu", 70)]);
}

/// The list at a field path. All objects on the path must be present.
fn list<'a>(object: &'a mut dyn Reflect, path: &[&str]) -> &'a mut dyn List {
    match (object.field_mut(path[0]), &path[1..]) {
        (Some(SlotMut::Struct(inner)), rest) => list(inner, rest),
        (Some(SlotMut::List(found)), []) => found,
        _ => panic!("no list at {path:?}"),
    }
}

/// If metrics are removed, reordered and added at a version, the hub changes in the same way, and what the version
/// cannot represent of the others is preserved.
#[test]
fn lists_edited_at_a_version_are_edited_in_the_hub() {
    let families = families();
    let mut edited = 0;
    let mut runner = TestRunner::deterministic();
    for (entry, version) in &families["autoscaling HorizontalPodAutoscaler"] {
        // Older versions have no list.
        if !entry.version.starts_with("v2") {
            continue;
        }
        for _ in 0..150 {
            let bytes = prop::collection::vec(any::<u8>(), 0..1000).new_tree(&mut runner).unwrap().current();
            let mut hub = version.generate_hub(&mut source(&bytes));
            let mut object = version.from_hub(&*hub).unwrap();
            let path = ["spec", "metrics"];
            let len = list(&mut *hub, &path).len();
            let metrics = list(&mut *object, &path);
            // Skip lists with equal metrics: it is undefined which one was removed.
            let is_equal = |a: usize, b: usize| match (metrics.get(a), metrics.get(b)) {
                (Slot::Struct(a), Slot::Struct(b)) => equal(a, b),
                _ => panic!("a metric is an object"),
            };
            // The same for metrics that are empty at the version.
            let is_empty = |at: usize| metrics.get(at).is_zero();
            if len < 3 || (0..len).any(|a| is_empty(a) || (0..a).any(|b| is_equal(a, b))) {
                continue;
            }
            edited += 1;
            for object in [&mut object, &mut hub] {
                let metrics = list(&mut **object, &path);
                metrics.shift(0, len - 1);
                metrics.shift(0, 1);
                metrics.truncate(len - 1);
                metrics.push();
                metrics.shift(len - 1, 1);
            }
            // The hub's form of an empty metric.
            let mut empty = version.new.object();
            list(&mut *empty, &path).push();
            let empty = version.to_hub(&*empty).unwrap();
            let back = version.to_hub(&*object).unwrap();
            let (back, hub, empty): (&V2, &V2, &V2) =
                (back.downcast_ref().unwrap(), hub.downcast_ref().unwrap(), empty.downcast_ref().unwrap());
            let mut hub = hub.clone();
            hub.spec.metrics[1].clone_from(&empty.spec.metrics[0]);
            assert_eq!(back.spec.metrics, hub.spec.metrics, "{entry}");
        }
    }
    assert!(edited > 20, "{edited}");
}

#[test]
fn a_rollback_is_an_annotation_in_newer_versions() {
    use extensions::v1beta1::{Deployment, DeploymentSpec, RollbackConfig};
    let spec = DeploymentSpec { rollback_to: Some(RollbackConfig { revision: 3 }), ..Default::default() };
    let old = Deployment { spec, ..Default::default() };
    let new = apps::v1::Deployment::from_hub(old.clone().to_hub()).unwrap();
    assert_eq!(new.metadata.annotations["deprecated.deployment.rollback.to"], "3");
    assert_eq!(Deployment::from_hub(new.clone().to_hub()).unwrap(), old);
    let mut wrong = new;
    wrong.metadata.annotations.insert("deprecated.deployment.rollback.to", "three".into());
    assert_eq!(wrong.to_hub().spec.rollback_to, None);
}

/// The hub can have a port number together with a port name, which old versions cannot represent. It must not replace
/// what a client wrote.
#[test]
fn an_edited_port_drops_its_stash() {
    use networking_v1::{Ingress, IngressBackend, IngressServiceBackend, IngressSpec, ServiceBackendPort};
    let port = ServiceBackendPort { name: "http".into(), number: 80 };
    let service = IngressServiceBackend { name: "web".into(), port };
    let backend = IngressBackend { service: Some(service), ..Default::default() };
    let spec = IngressSpec { default_backend: Some(Box::new(backend)), ..Default::default() };
    let hub = Ingress { spec, ..Default::default() };
    let shown = extensions::v1beta1::Ingress::from_hub(hub.clone()).unwrap();
    assert_eq!(shown.clone().to_hub(), hub);
    let mut edited = shown;
    edited.spec.backend.as_mut().unwrap().service_port = 0.into();
    let port = edited.to_hub().spec.default_backend.unwrap().service.unwrap().port;
    assert_eq!(port, ServiceBackendPort::default());
}

/// The same for a group that v1alpha1 cannot represent.
#[test]
fn an_edited_subject_drops_its_stash() {
    use rbac::{v1, v1alpha1};
    let hub = read::<v1::RoleBinding>(r#"{"subjects":[{"kind":"Robot","apiGroup":"x.y/z","name":"r"}]}"#);
    let shown = v1alpha1::RoleBinding::from_hub(hub.clone()).unwrap();
    assert_eq!(shown.clone().to_hub(), hub);
    let mut edited = shown;
    edited.subjects[0].api_version.clear();
    assert_eq!(edited.to_hub().subjects[0].api_group, "");
}

/// The annotation was written for another autoscaler of the same shape.
#[test]
fn a_stale_annotation_does_not_change_an_autoscaler() {
    use autoscaling::v1::HorizontalPodAutoscaler as V1;
    use autoscaling::v2::convert::HORIZONTAL_POD_AUTOSCALER_TERMS;
    let mut other = V2::default();
    other.spec.metrics = vec![utilization("cpu", 0)];
    let shown = V1::from_hub(other.clone()).unwrap();
    let mut hub = other;
    hub.spec.metrics[0].resource.as_mut().unwrap().target.type_.clear();
    let mut annotations = shown.metadata.annotations.clone();
    convert::stash(&mut annotations, &HORIZONTAL_POD_AUTOSCALER_TERMS, &shown.clone().to_hub(), &hub)
        .unwrap();
    assert!(annotations.contains_key(STASH));
    let mut stale = shown;
    stale.metadata.annotations = annotations;
    assert_eq!(stale.to_hub().spec.metrics, [utilization("cpu", 0)]);
}

/// Upstream reads annotations with Go's JSON package, which matches names case-insensitively.
#[test]
fn names_in_an_annotation_are_case_insensitive() {
    let metrics = |kind: &str, name: &str| {
        let text = format!(r#"[{{"{kind}":"Resource","resource":{{"{name}":"memory"}}}}]"#);
        let annotation = json!({"autoscaling.alpha.kubernetes.io/metrics": text});
        let object = json!({"metadata": {"annotations": annotation}}).to_string();
        read::<autoscaling::v1::HorizontalPodAutoscaler>(&object).to_hub().spec.metrics
    };
    assert_eq!(metrics("type", "name")[0].resource.as_ref().unwrap().name, "memory");
    assert_eq!(metrics("Type", "NAME"), metrics("type", "name"));
}

/// Old versions show the last status of cpu that has a utilization, like upstream's
/// `Convert_autoscaling_HorizontalPodAutoscalerStatus_To_v1_HorizontalPodAutoscalerStatus`.
#[test]
fn old_versions_show_the_last_status_of_cpu() {
    let status = |name: &str, percent: &str| {
        format!(
            r#"{{"type":"Resource","resource":{{"name":"{name}","current":{{"averageUtilization":{percent}}}}}}}"#
        )
    };
    let statuses =
        [status("cpu", "10"), status("memory", "20"), status("cpu", "30"), status("cpu", "null")].join(",");
    let hub = read::<V2>(&format!(r#"{{"status":{{"currentMetrics":[{statuses}]}}}}"#));
    let mut shown = autoscaling::v1::HorizontalPodAutoscaler::from_hub(hub.clone()).unwrap();
    assert_eq!(shown.status.current_cpu_utilization_percentage, Some(30));
    assert_eq!(shown.clone().to_hub(), hub);
    let old = extensions::v1beta1::HorizontalPodAutoscaler::from_hub(hub.clone()).unwrap();
    assert_eq!(old.status.current_cpu_utilization_percentage, Some(30));
    // An edit changes the element that was shown.
    shown.status.current_cpu_utilization_percentage = Some(40);
    let edited =
        read::<V2>(&format!(r#"{{"status":{{"currentMetrics":[{}]}}}}"#, statuses.replace("30", "40")));
    assert_eq!(shown.clone().to_hub(), edited);
    shown.status.current_cpu_utilization_percentage = None;
    let cleared = autoscaling::v1::HorizontalPodAutoscaler::from_hub(shown.to_hub()).unwrap();
    assert_eq!(cleared.status.current_cpu_utilization_percentage, None);
}

/// An empty selector has different meanings at the two versions; a conversion must preserve the meaning.
#[test]
fn an_empty_selector_of_a_disruption_budget_means_the_same_at_every_version() {
    use policy::{v1, v1beta1};
    let old = |selector: &str| read::<v1beta1::PodDisruptionBudget>(&spec("selector", selector));
    let new = |selector: &str| read::<v1::PodDisruptionBudget>(&spec("selector", selector));
    let only = |operator: &str| {
        let key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
        format!(r#"{{"matchExpressions":[{{"key":"{key}","operator":"{operator}"}}]}}"#)
    };
    for (in_old, in_new) in [("{}", &*only("Exists")), (&only("DoesNotExist"), "{}"), ("null", "null")] {
        assert_eq!(old(in_old).to_hub(), new(in_new));
        assert_eq!(v1beta1::PodDisruptionBudget::from_hub(new(in_new)).unwrap(), old(in_old));
    }
    let app = r#"{"matchLabels":{"app":"web"}}"#;
    assert_eq!(old(app).to_hub(), new(app));
}

/// A selector of v1 must not become `{}` at v1beta1, where that selects nothing. The expected values follow from
/// upstream's `Convert_policy_PodDisruptionBudget_To_v1beta1_PodDisruptionBudget` of 1.37, which exchanges two selectors,
/// and writes all others as they are. Older releases removed expressions with the special key before.
#[test]
fn a_disruption_budget_that_selects_pods_selects_them_at_v1beta1() {
    use policy::{v1, v1beta1};
    const KEY: &str = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match";
    let expression = |operator: &str, values: &str| {
        format!(r#"{{"key":"{KEY}","operator":"{operator}","values":{values}}}"#)
    };
    let selector = |expressions: &[&str], labels: &str| {
        format!(r#"{{"matchLabels":{labels},"matchExpressions":[{}]}}"#, expressions.join(","))
    };
    let (exists, missing) = (expression("Exists", "[]"), expression("DoesNotExist", "[]"));
    let not_in = expression("NotIn", r#"["a"]"#);
    let app = r#"{"key":"app","operator":"Exists"}"#;
    let twice = selector(&[&missing, &missing], "{}");
    let both = selector(&[&exists, &missing], "{}");
    let not_in = selector(&[&not_in], "{}");
    let with_app = selector(&[&missing, app], "{}");
    let with_label = selector(&[&exists], r#"{"a":"b"}"#);
    for (in_v1, in_v1beta1) in [
        ("{}".to_owned(), selector(&[&missing], "{}")),
        (selector(&[&exists], "{}"), "{}".to_owned()),
        (selector(&[&missing], "{}"), selector(&[&missing], "{}")),
        (not_in.clone(), not_in),
        (twice.clone(), twice),
        (both.clone(), both),
        (with_app.clone(), with_app),
        (with_label.clone(), with_label),
    ] {
        let hub = read::<v1::PodDisruptionBudget>(&spec("selector", &in_v1));
        let shown = v1beta1::PodDisruptionBudget::from_hub(hub.clone()).unwrap();
        let expected = read::<v1beta1::PodDisruptionBudget>(&spec("selector", &in_v1beta1));
        assert_eq!(shown.spec.selector, expected.spec.selector, "{in_v1}");
        // Nothing of the v1 selector is lost.
        assert_eq!(shown.to_hub(), hub, "{in_v1}");
    }
}

#[test]
fn a_zero_of_a_priority_level_is_marked_at_v1beta3() {
    use flowcontrol::{v1, v1beta2, v1beta3};
    let hub = read::<v1::PriorityLevelConfiguration>(&spec("limited", r#"{"nominalConcurrencyShares":0}"#));
    let shown = v1beta3::PriorityLevelConfiguration::from_hub(hub.clone()).unwrap();
    let mark = ("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares".into(), Str::new());
    assert_eq!(shown.metadata.annotations.clone().into_iter().collect::<Vec<_>>(), [mark]);
    assert_eq!(shown.to_hub(), hub);
    let absent = read::<v1beta3::PriorityLevelConfiguration>(&spec("limited", "{}"));
    assert_eq!(absent.to_hub().spec.limited.unwrap().nominal_concurrency_shares, None);
    let old =
        read::<v1beta2::PriorityLevelConfiguration>(&spec("limited", r#"{"assuredConcurrencyShares":5}"#));
    assert_eq!(old.to_hub().spec.limited.unwrap().nominal_concurrency_shares, Some(5));
}

#[test]
fn fields_shared_by_all_versions_of_a_custom_resource_are_at_the_top_in_v1beta1() {
    use apiextensions::{v1, v1beta1};
    let version =
        |name: &str, more: &str| format!(r#"{{"name":"{name}","served":true,"storage":true{more}}}"#);
    let columns = |path: &str| format!(r#"[{{"name":"a","type":"string","{path}":".a"}}]"#);
    let (schema, status) = (r#"{"openAPIV3Schema":{"type":"object"}}"#, r#"{"status":{}}"#);
    let in_each = format!(r#","schema":{schema},"additionalPrinterColumns":{}"#, columns("jsonPath"));
    let only_one = format!(r#"{in_each},"subresources":{status}"#);
    let new = spec("versions", &format!("[{},{}]", version("v2", &only_one), version("v1", &in_each)));
    let hub = read::<v1::CustomResourceDefinition>(&new);
    let old = v1beta1::CustomResourceDefinition::from_hub(hub.clone()).unwrap();
    let expected = format!(
        r#"{{"spec":{{"version":"v2","validation":{schema},"additionalPrinterColumns":{},"preserveUnknownFields":false,
            "versions":[{},{}]}}}}"#,
        columns("JSONPath"),
        version("v2", &format!(r#","subresources":{status}"#)),
        version("v1", "")
    );
    assert_eq!(old, read(&expected));
    assert_eq!(old.to_hub(), hub);
    // The oldest form has one version, in the field `version`.
    let oldest = read::<v1beta1::CustomResourceDefinition>(&format!(
        r#"{{"spec":{{"version":"v1","validation":{schema}}}}}"#
    ));
    let one = spec("versions", &format!("[{}]", version("v1", &format!(r#","schema":{schema}"#))));
    assert_eq!(oldest.to_hub(), read(&one));
}

#[test]
fn devices_and_requests_are_nested_where_each_version_nests_them() {
    use resource::{v1, v1alpha3, v1beta1};
    let devices = |device: &str| spec("devices", &format!("[{device}]"));
    let hub = read::<v1::ResourceSlice>(&devices(
        r#"{"name":"gpu","attributes":{"a":{"int":1}},"capacity":{"memory":{"value":"1Gi"}}}"#,
    ));
    let old = read::<v1beta1::ResourceSlice>(&devices(
        r#"{"name":"gpu","basic":{"attributes":{"a":{"int":1}},"capacity":{"memory":{"value":"1Gi"}}}}"#,
    ));
    assert_eq!(v1beta1::ResourceSlice::from_hub(hub.clone()).unwrap(), old);
    assert_eq!(old.to_hub(), hub);
    let oldest = read::<v1alpha3::ResourceSlice>(&devices(
        r#"{"name":"gpu","basic":{"attributes":{"a":{"int":1}},"capacity":{"memory":"1Gi"}}}"#,
    ));
    assert_eq!(v1alpha3::ResourceSlice::from_hub(hub.clone()).unwrap(), oldest);
    assert_eq!(oldest.to_hub(), hub);
    let requests = |request: &str| spec("devices", &format!(r#"{{"requests":[{request}]}}"#));
    let flat = read::<v1beta1::ResourceClaim>(&requests(r#"{"name":"a","deviceClassName":"gpu","count":2}"#));
    let nested = requests(r#"{"name":"a","exactly":{"deviceClassName":"gpu","count":2}}"#);
    assert_eq!(v1::ResourceClaim::from_hub(flat.clone().to_hub()).unwrap(), read(&nested));
    let nested = read::<v1::ResourceClaim>(&nested);
    assert_eq!(v1beta1::ResourceClaim::from_hub(nested.to_hub()).unwrap(), flat);
}

#[test]
fn the_user_wildcard_is_a_group_in_later_versions_of_a_binding() {
    use rbac::{v1, v1alpha1};
    let old = read::<v1alpha1::RoleBinding>(r#"{"subjects":[{"kind":"User","name":"*"}]}"#);
    let new = r#"{"subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"system:authenticated"}]}"#;
    assert_eq!(old.to_hub(), read::<v1::RoleBinding>(new));
}

fn spec(field: &str, value: &str) -> String {
    format!(r#"{{"spec":{{"{field}":{value}}}}}"#)
}

fn read<T: ApiType>(text: &str) -> T {
    json::decode(text.as_bytes()).unwrap()
}
