//! kube's `Api` with types of ours, and our server.

use std::sync::Arc;

use hubgen_apps::v1::Deployment;
use hubgen_example_backups::api::{self, v1, v1alpha1};
use hubgen_kube::v5::Kube;
use hubgen_machinery::convert::STASH;
use hubgen_machinery::meta::string_map;
use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::LabelSelector;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::{Api, Client, Config, ResourceExt};

/// A client of a server with the kinds of a Scheme.
async fn client(scheme: Scheme) -> Client {
    let store = Embedded::in_memory(Options::default()).unwrap();
    let server = Server::bind(0, Settings::new(Arc::new(scheme), Arc::new(store))).await.unwrap();
    let url = format!("http://{}", server.address());
    tokio::spawn(server.run(std::future::pending()));
    Client::try_from(Config::new(url.parse().unwrap())).unwrap()
}

fn deployment(name: &str) -> Kube<Deployment> {
    let mut object = Deployment::default();
    object.metadata.name = name.into();
    object.metadata.labels = string_map([("app", name)]);
    let match_labels = string_map([("app", name)]);
    object.spec.selector = Some(LabelSelector { match_labels, ..LabelSelector::default() });
    object.spec.template.metadata.labels = string_map([("app", name)]);
    let container = hubgen_core::v1::Container { name: "main".into(), ..Default::default() };
    object.spec.template.spec.containers = vec![container];
    object.into()
}

/// A kind of a user at two versions: each client has one.
#[tokio::test]
async fn two_versions_of_an_object_are_written_and_read() {
    let client = client(api::scheme()).await;
    let old: Api<Kube<v1alpha1::Backup>> = Api::default_namespaced(client.clone());
    let new: Api<Kube<v1::Backup>> = Api::default_namespaced(client);
    let mut backup = v1alpha1::Backup::default();
    backup.metadata.name = "web".into();
    backup.spec.bucket = Some("copies".into());
    backup.spec.schedule = "@daily".into();
    backup.spec.verbose = Some(true);
    old.create(&PostParams::default(), &backup.into()).await.unwrap();

    let mut backup = new.get("web").await.unwrap();
    assert_eq!(backup.spec.target.as_ref().and_then(|target| target.bucket.as_deref()), Some("copies"));
    assert!(backup.annotations().contains_key(STASH), "{backup:?}");
    backup.annotations_mut().insert("note".to_owned(), "a".to_owned());
    backup.spec.schedule = "@hourly".into();
    new.replace("web", &PostParams::default(), &backup).await.unwrap();

    let backup = old.get("web").await.unwrap();
    assert_eq!((&*backup.spec.schedule, backup.spec.verbose), ("@hourly", Some(true)));
    assert_eq!(backup.annotations().iter().collect::<Vec<_>>(), [(&"note".to_owned(), &"a".to_owned())]);
}

#[tokio::test]
async fn a_deployment_is_written_and_read() {
    let mut scheme = Scheme::new();
    hubgen_apps::register(&mut scheme);
    let client = client(scheme).await;
    let api: Api<Kube<Deployment>> = Api::default_namespaced(client.clone());
    let created = api.create(&PostParams::default(), &deployment("web")).await.unwrap();
    assert_eq!(created.spec.replicas, Some(1), "the server's default");
    assert!(created.uid().is_some());

    let mut read = api.get("web").await.unwrap();
    assert_eq!(read, created);
    read.spec.replicas = Some(3);
    read.labels_mut().insert("tier".to_owned(), "front".to_owned());
    let replaced = api.replace("web", &PostParams::default(), &read).await.unwrap();
    assert_eq!((replaced.spec.replicas, &*replaced.metadata.labels["tier"]), (Some(3), "front"));
    // `read` has an old resource version now.
    let conflict = api.replace("web", &PostParams::default(), &read).await.unwrap_err();
    assert!(matches!(conflict, kube::Error::Api(status) if status.code == 409));

    let mut status = replaced;
    status.status.replicas = 3;
    let status = api.replace_status("web", &PostParams::default(), &status).await.unwrap();
    assert_eq!(status.status.replicas, 3);

    api.create(&PostParams::default(), &deployment("other")).await.unwrap();
    let all = api.list(&ListParams::default()).await.unwrap();
    assert_eq!(all.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["other", "web"]);
    let some = api.list(&ListParams::default().labels("tier=front")).await.unwrap();
    assert_eq!(some.items, [status]);
    let everywhere: Api<Kube<Deployment>> = Api::all(client);
    assert_eq!(everywhere.list(&ListParams::default().limit(1)).await.unwrap().items.len(), 1);

    api.delete("web", &DeleteParams::default()).await.unwrap();
    assert!(api.get_opt("web").await.unwrap().is_none());
}
