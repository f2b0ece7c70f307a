//! The sizes of generated types in memory.

use std::collections::BTreeMap;
use std::path::Path;

use hubgen_codegen::survey::survey;
use hubgen_kubernetes::{apiextensions, autoscaling, core, meta, networking, resource};

/// Elements of lists, of which objects have many. What most of them lack is boxed.
#[test]
fn elements_of_lists_are_small() {
    for (name, size, most) in [
        ("Volume", size_of::<core::v1::Volume>(), 300),
        ("VolumeProjection", size_of::<core::v1::VolumeProjection>(), 64),
        ("EnvVar", size_of::<core::v1::EnvVar>(), 64),
        ("Container", size_of::<core::v1::Container>(), 512),
        ("ContainerStatus", size_of::<core::v1::ContainerStatus>(), 352),
        ("MetricSpec", size_of::<autoscaling::v2::MetricSpec>(), 192),
        ("Pod", size_of::<core::v1::Pod>(), 2048),
        ("ObjectMeta", size_of::<meta::v1::ObjectMeta>(), 400),
    ] {
        assert!(size <= most, "{name} takes {size} bytes, {most} are allowed");
    }
}

/// The generator computes sizes from the schemas, to ask for decisions about large types.
#[test]
fn the_generator_knows_the_sizes() {
    let rows = survey(Path::new("../../schemas/kubernetes"), &[]).unwrap();
    let computed: BTreeMap<&str, usize> = rows.iter().map(|row| (&*row.name, row.size)).collect();
    macro_rules! sizes {
        ($($module:ident::$version:ident::$name:ident),* $(,)?) => {
            [$((stringify!($name), size_of::<$module::$version::$name>())),*]
        };
    }
    for (name, size) in sizes![
        apiextensions::v1::JSONSchemaProps,
        autoscaling::v2::HPAScalingRules,
        autoscaling::v2::ObjectMetricSource,
        core::v1::Affinity,
        core::v1::ContainerStateTerminated,
        core::v1::EnvVarSource,
        core::v1::HTTPGetAction,
        core::v1::Lifecycle,
        core::v1::NodeConfigSource,
        core::v1::ObjectReference,
        core::v1::PersistentVolumeSpec,
        core::v1::PodSecurityContext,
        core::v1::PodTemplateSpec,
        core::v1::Probe,
        core::v1::ResourceFieldSelector,
        core::v1::ResourceRequirements,
        core::v1::SecurityContext,
        meta::v1::DeleteOptions,
        meta::v1::Status,
        networking::v1::IngressBackend,
        resource::v1::CapacityRequestPolicy,
    ] {
        assert_eq!(computed.get(name), Some(&size), "{name}");
    }
}
