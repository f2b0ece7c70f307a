//! The keys that objects are stored under, and kinds that would share keys.

use hubgen_machinery::ApiType;
use hubgen_machinery::scheme::{
    BehaviourRow, FamilyRow, KindEntry, KindRow, Kinds, RegisterError, ResourceRow, Scheme, StorageRow,
};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Gear")]
struct Gear {
    #[field(number = 1)]
    size: i32,
}

const fn entry(api_version: &'static str, kind: &'static str, plural: &'static str) -> KindRow {
    let resource = ResourceRow {
        plural,
        singular: "",
        namespaced: true,
        verbs: &[],
        short_names: &[],
        categories: &[],
        subresources: &[],
    };
    KindRow {
        resource: Some(resource),
        ..KindRow::new(api_version, kind, || Box::new(Gear { ..Default::default() }))
    }
}

const fn built_in(api_version: &'static str, kind: &'static str, plural: &'static str) -> KindRow {
    KindRow { is_built_in: true, ..entry(api_version, kind, plural) }
}

const fn stored(storage: StorageRow, entry: KindRow) -> KindRow {
    KindRow { behaviour: BehaviourRow { storage, ..BehaviourRow::USUAL }, ..entry }
}

const fn of_family(entry: KindRow, family: &'static FamilyRow) -> KindRow {
    KindRow { family: Some(family), ..entry }
}

static INGRESSES: FamilyRow = FamilyRow {
    members: &[("extensions", "v1beta1", "Ingress"), ("networking.k8s.io", "v1", "Ingress")],
    storage: ("networking.k8s.io", "v1", "Ingress"),
    words: &[],
};
static POLICIES: FamilyRow = FamilyRow {
    members: &[("extensions", "v1beta1", "PodSecurityPolicy"), ("policy", "v1beta1", "PodSecurityPolicy")],
    storage: ("policy", "v1beta1", "PodSecurityPolicy"),
    words: &[],
};

const INGRESS: StorageRow = StorageRow::Named("ingress");
const POLICY: StorageRow = StorageRow::Named("podsecuritypolicy");

static KINDS: Kinds = &[
    built_in("v1", "Pod", "pods"),
    stored(StorageRow::Named("minions"), built_in("v1", "Node", "nodes")),
    built_in("apps/v1", "Deployment", "deployments"),
    built_in("rbac.authorization.k8s.io/v1", "Role", "roles"),
    of_family(stored(INGRESS, built_in("extensions/v1beta1", "Ingress", "ingresses")), &INGRESSES),
    of_family(stored(INGRESS, built_in("networking.k8s.io/v1", "Ingress", "ingresses")), &INGRESSES),
    of_family(
        stored(POLICY, built_in("extensions/v1beta1", "PodSecurityPolicy", "podsecuritypolicies")),
        &POLICIES,
    ),
    of_family(
        stored(POLICY, built_in("policy/v1beta1", "PodSecurityPolicy", "podsecuritypolicies")),
        &POLICIES,
    ),
    stored(
        StorageRow::Separate,
        built_in("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions"),
    ),
    entry("example.com/v1", "Gear", "gears"),
    // Custom resources, whatever the name of their group.
    entry("gateway.networking.k8s.io/v1", "Gateway", "gateways"),
    entry("snapshot.storage.k8s.io/v1", "Pod", "pods"),
];

#[test]
fn built_in_kinds_are_marked_and_not_recognised_by_their_group() {
    let mut scheme = Scheme::new();
    scheme.register(KINDS);
    let expected = [
        "/registry/pods/",
        "/registry/minions/",
        "/registry/deployments/",
        "/registry/roles/",
        "/registry/ingress/",
        "/registry/ingress/",
        "/registry/podsecuritypolicy/",
        "/registry/podsecuritypolicy/",
        "/registry/apiextensions.k8s.io/customresourcedefinitions/",
        "/registry/example.com/gears/",
        "/registry/gateway.networking.k8s.io/gateways/",
        "/registry/snapshot.storage.k8s.io/pods/",
    ];
    let found: Vec<String> = KINDS
        .iter()
        .map(|row| scheme.storage_prefix(scheme.kind(row.group, row.version, row.kind).unwrap()))
        .collect();
    assert_eq!(found, expected);
    // Registering the same table again is allowed.
    scheme.register(KINDS);
}

#[test]
fn kinds_that_would_share_storage_keys_are_refused() {
    static CLASHES: &[(KindRow, &str)] = &[
        // The plural of another built-in group, and a historic name.
        (built_in("batch/v1", "Pod", "pods"), "/registry/pods/"),
        (built_in("apps/v1", "Ingress", "ingress"), "/registry/ingress/"),
        // Another kind of the same group.
        (entry("example.com/v2", "Cog", "gears"), "/registry/example.com/gears/"),
        // A group whose name equals a resource, so that its objects look like those of a namespace.
        (entry("pods/v1", "Gear", "gears"), "/registry/pods/gears/"),
    ];
    for (clash, prefix) in CLASHES {
        let mut scheme = Scheme::new();
        scheme.register(KINDS);
        let error = scheme.try_register(std::slice::from_ref(clash)).unwrap_err();
        assert!(matches!(&error, RegisterError::SameKeys { one, .. } if one.1 == *prefix), "{error}");
        let name = KindEntry::from(clash).to_string();
        assert!(error.to_string().contains(&name), "{error}");
        // And in the other order.
        let mut scheme = Scheme::new();
        scheme.register(std::slice::from_ref(clash));
        assert!(matches!(scheme.try_register(KINDS), Err(RegisterError::SameKeys { .. })), "{name}");
    }
}

#[test]
#[should_panic(expected = "example.com/v1 Gear is registered twice")]
fn a_kind_cannot_be_registered_twice() {
    static OTHER: Kinds = &[entry("example.com/v1", "Gear", "gears")];
    Scheme::new().register(KINDS).register(OTHER);
}
