//! `Kube<T>` by itself: one object with one metadata, however it is read and changed.

mod widgets;

use std::collections::BTreeMap;

use hubgen_apps::v1::Deployment;
use hubgen_example_backups::api::{v1, v1alpha1};
use hubgen_kube::v5::Kube;
use hubgen_machinery::crd::HasCrd;
use hubgen_machinery::reflect::Kind;
use hubgen_meta::v1::ObjectMeta;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::crd::merge_crds;
use kube::{CustomResourceExt, Resource, ResourceExt};
use serde_json::{Value, json};

use self::widgets::Widget;

/// Everything that metadata can have.
fn whole() -> Value {
    json!({
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {
            "name": "web",
            "generateName": "w",
            "namespace": "default",
            "selfLink": "/apis/apps/v1/namespaces/default/deployments/web",
            "uid": "6f3a",
            "resourceVersion": "17",
            "generation": 3,
            "creationTimestamp": "2026-01-02T03:04:05Z",
            "deletionTimestamp": "2026-01-03T03:04:05Z",
            "deletionGracePeriodSeconds": 0,
            "labels": {"app": "web", "empty": ""},
            "annotations": {"note": "a"},
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": "one", "uid": "1", "controller": false, "blockOwnerDeletion": true},
                {"apiVersion": "v1", "kind": "ConfigMap", "name": "two", "uid": "2"},
            ],
            "finalizers": ["example.com/a", "example.com/b"],
            "managedFields": [{
                "manager": "kubectl", "operation": "Apply", "apiVersion": "apps/v1", "time": "2026-01-02T03:04:05Z",
                "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:replicas": {}}}, "subresource": "status",
            }],
        },
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {}, "spec": {"containers": null}}, "strategy": {}},
        "status": {},
    })
}

fn deployment() -> Kube<Deployment> {
    serde_json::from_value(whole()).unwrap()
}

#[test]
fn metadata_is_that_of_k8s_openapi_and_back() {
    let mut object = deployment();
    let theirs: kube::core::ObjectMeta = serde_json::from_value(whole()["metadata"].clone()).unwrap();
    assert_eq!(object.meta(), &theirs);
    // Unchanged, but lent for writing: the object's own metadata is made of it again.
    assert_eq!(object.meta_mut(), &theirs);
    assert_eq!(*object, *deployment());
    assert_eq!(serde_json::to_value(&object).unwrap(), whole());

    let empty = Kube::<Deployment>::default();
    assert_eq!(empty.meta(), &kube::core::ObjectMeta::default());
    let mut cleared = deployment();
    *cleared.meta_mut() = kube::core::ObjectMeta::default();
    assert_eq!(cleared.metadata, ObjectMeta::default());
    assert_eq!(cleared.spec, deployment().spec);
}

#[test]
fn a_change_is_seen_on_the_other_side() {
    let mut object = deployment();
    assert_eq!(object.name_any(), "web");
    object.metadata.name = "other".into();
    object.metadata.labels.insert("ours", "1".into());
    assert_eq!(object.name_any(), "other");
    object.labels_mut().insert("theirs".to_owned(), "2".to_owned());
    object.finalizers_mut().clear();
    assert_eq!(object.metadata.labels["ours"], "1");
    assert_eq!(object.metadata.labels["theirs"], "2");
    assert_eq!(object.metadata.finalizers, [""; 0]);
    // Twice, without a look at the object in between.
    object.annotations_mut().clear();
    object.meta_mut().generation = None;
    object.spec.replicas = Some(5);
    assert!(object.annotations().is_empty());
    let object = object.into_inner();
    assert!(object.metadata.annotations.is_empty());
    assert_eq!((object.metadata.generation, object.spec.replicas), (0, Some(5)));

    // A copy and what is written have the change as well.
    let mut object = deployment();
    object.meta_mut().resource_version = Some("18".to_owned());
    assert_eq!(object.clone().metadata.resource_version, "18");
    let mut object = deployment();
    object.meta_mut().resource_version = Some("18".to_owned());
    assert_eq!(serde_json::to_value(&object).unwrap()["metadata"]["resourceVersion"], "18");
    let mut object = deployment();
    object.meta_mut().name = None;
    assert_ne!(object, deployment());
    assert!(!format!("{object:?}").contains("\"web\", namespace"));
}

/// Fields of old releases, which k8s-openapi does not have, stay.
#[test]
fn what_kube_does_not_know_stays() {
    let mut object = deployment();
    object.metadata.cluster_name = Some("east".into());
    object.labels_mut().clear();
    assert_eq!(object.metadata.cluster_name.as_deref(), Some("east"));
}

#[test]
fn threads_may_look_at_a_changed_object_at_once() {
    let mut object = deployment();
    object.meta_mut().labels = Some(BTreeMap::from([("a".to_owned(), "b".to_owned())]));
    let object = &object;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(object.metadata.labels["a"], "b");
                assert_eq!(object.labels()["a"], "b");
            });
        }
    });
}

#[test]
fn resources_are_those_of_the_kind() {
    assert_eq!(
        Kube::<Deployment>::url_path(&(), Some("default")),
        "/apis/apps/v1/namespaces/default/deployments"
    );
    assert_eq!(Kube::<hubgen_core::v1::Node>::url_path(&(), None), "/api/v1/nodes");
    assert_eq!(Kube::<hubgen_core::v1::Endpoints>::plural(&()), "endpoints");
    assert_eq!(Kube::<Deployment>::api_version(&()), Deployment::API_VERSION);
    let owner = deployment().controller_owner_ref(&()).unwrap();
    assert_eq!(
        (owner.kind.as_str(), owner.uid.as_str(), owner.controller),
        ("Deployment", "6f3a", Some(true))
    );
}

#[test]
fn kinds_of_users_have_definitions() {
    type Object = Kube<Widget>;
    assert_eq!(Object::crd_name(), "widgets.kube.example.com");
    assert_eq!(Object::shortnames(), ["wi"]);
    let resource = Object::api_resource();
    assert_eq!((&*resource.api_version, &*resource.plural), ("kube.example.com/v1", "widgets"));
    assert_eq!(Object::crd(), Widget::crd().to().unwrap());
    assert_eq!(Object::crd().spec.versions.len(), 1);
    // Asked for again: the same texts.
    assert_eq!(Object::crd_name().as_ptr(), Object::crd_name().as_ptr());
}

/// With several versions, each has the definition with all of them.
#[test]
fn definitions_have_one_version_or_all() {
    type Old = Kube<v1alpha1::Backup>;
    type New = Kube<v1::Backup>;
    assert_eq!(Old::url_path(&(), Some("a")), "/apis/backup.example.com/v1alpha1/namespaces/a/backups");
    assert_eq!(Old::crd(), New::crd());
    let names = |crd: &CustomResourceDefinition| -> Vec<String> {
        crd.spec.versions.iter().map(|version| version.name.clone()).collect()
    };
    assert_eq!(names(&New::crd()), ["v1alpha1", "v1beta1", "v1"]);
    let one = Old::crd_of_one_version();
    assert_eq!((names(&one), one.spec.versions[0].storage), (vec!["v1alpha1".to_owned()], true));
    let merged = merge_crds(vec![New::crd_of_one_version(), one], "v1").unwrap();
    assert_eq!(names(&merged), ["v1", "v1alpha1"]);
}

/// The same object for two major releases of kube in one program.
#[test]
fn other_releases_of_kube_have_their_own_wrapper() {
    use kube_core_4::{CustomResourceExt as _, Resource as _, ResourceExt as _};
    type Object<T> = hubgen_kube::v4::Kube<T>;

    let mut object: Object<Deployment> = deployment().into_inner().into();
    assert_eq!(object.name_any(), "web");
    object.labels_mut().insert("a".to_owned(), "b".to_owned());
    assert_eq!(object.metadata.labels["a"], "b");
    let path = Object::<Deployment>::url_path(&(), Some("default"));
    assert_eq!(path, "/apis/apps/v1/namespaces/default/deployments");
    assert_eq!(Object::<Widget>::crd_name(), "widgets.kube.example.com");
}
