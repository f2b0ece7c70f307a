//! kube's clients with types of ours and definitions of their own kinds, and an API server: ours, or a real one.
//!
//! To ask a real one that nobody needs:
//!
//! ```console
//! $ export HUBGEN_API_SERVER=https://127.0.0.1:6443 HUBGEN_TOKEN=…
//! $ cargo test --manifest-path tests/kube/Cargo.toml --test api_server -- --nocapture
//! ```
//!
//! The certificate of the server is not checked. The definitions `widgets.kube.example.com` and `notes.kube.example.com`
//! must not be installed yet; they are removed at the end.

mod widgets;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use hubgen_apps::v1::Deployment;
use hubgen_kube::v5::{
    CONVERSION_MANAGER, Kube, Migrated, MigrationError, migrate_stored_versions, patch_ca_bundle,
};
use hubgen_machinery::meta::string_map;
use hubgen_machinery::scheme::Scheme;
use hubgen_meta::v1::LabelSelector;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, ServiceReference,
};
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::config::AuthInfo;
use kube::core::{ApiResource, GroupVersionKind};
use kube::runtime::controller::Action;
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{Controller, WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config, CustomResourceExt, ResourceExt};
use serde_json::{Value, json};

use self::widgets::{Widget, WidgetStatus, widget};

/// A client of the server that the environment names, or of one of ours.
async fn client() -> Client {
    let Ok(url) = std::env::var("HUBGEN_API_SERVER") else {
        let mut scheme = Scheme::new();
        hubgen_core::register(&mut scheme);
        hubgen_apps::register(&mut scheme);
        hubgen_apiextensions::register(&mut scheme);
        // For scale.
        hubgen_autoscaling::register(&mut scheme);
        let store = Embedded::in_memory(Options::default()).unwrap();
        let server = Server::bind(0, Settings::new(Arc::new(scheme), Arc::new(store))).await.unwrap();
        let url = format!("http://{}", server.address());
        tokio::spawn(server.run(std::future::pending()));
        return Client::try_from(Config::new(url.parse().unwrap())).unwrap();
    };
    let mut config = Config::new(url.parse().unwrap());
    config.accept_invalid_certs = true;
    let token = std::env::var("HUBGEN_TOKEN").ok().map(Into::into);
    config.auth_info = AuthInfo { token, ..AuthInfo::default() };
    Client::try_from(config).unwrap()
}

/// Waits at most a minute.
async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let result = tokio::time::timeout(Duration::from_secs(60), future).await;
    result.unwrap_or_else(|_| panic!("waited a minute for {what}"))
}

async fn install(client: &Client, definition: &CustomResourceDefinition) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let name = definition.name_any();
    definitions
        .create(&PostParams::default(), definition)
        .await
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let established = await_condition(definitions, &name, conditions::is_crd_established());
    soon("the definition", established).await.unwrap();
}

async fn remove(client: &Client, name: &str) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.delete(name, &DeleteParams::default()).await.unwrap();
    soon("the definition to be gone", async {
        while definitions.get_opt(name).await.unwrap().is_some() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
}

/// Runs a test, and removes a definition whether it succeeds or not.
async fn with_definition<F: Future<Output = ()> + Send + 'static>(
    client: &Client,
    definition: CustomResourceDefinition,
    test: impl FnOnce(Client) -> F,
) {
    let name = definition.name_any();
    install(client, &definition).await;
    let result = tokio::spawn(test(client.clone())).await;
    remove(client, &name).await;
    result.unwrap();
}

#[tokio::test]
async fn a_deployment() {
    let client = client().await;
    let api: Api<Kube<Deployment>> = Api::namespaced(client, "default");
    let name = "hubgen-kube-web";
    let _ = api.delete(name, &DeleteParams::default()).await;

    let mut object = Kube::new(Deployment::default());
    object.metadata.name = name.into();
    object.spec.replicas = Some(2);
    let labels = string_map([("app", name)]);
    object.spec.selector = Some(LabelSelector { match_labels: labels.clone(), ..LabelSelector::default() });
    object.spec.template.metadata.labels = labels;
    let container =
        hubgen_core::v1::Container { name: "main".into(), image: "a".into(), ..Default::default() };
    object.spec.template.spec.containers = vec![container];
    let applied = api.patch(name, &PatchParams::apply("person"), &Patch::Apply(&object)).await.unwrap();
    assert_eq!(applied.spec.replicas, Some(2));
    assert_eq!(applied.managed_fields().len(), 1);
    assert_eq!(applied.metadata.managed_fields[0].manager, "person");
    // Applied again: nothing changes.
    let again = api.patch(name, &PatchParams::apply("person"), &Patch::Apply(&object)).await.unwrap();
    assert_eq!(again, applied);

    let scale = api.get_scale(name).await.unwrap();
    assert_eq!(scale.spec.unwrap().replicas, Some(2));
    let patch = Patch::Merge(json!({"spec": {"replicas": 4}}));
    api.patch_scale(name, &PatchParams::default(), &patch).await.unwrap();
    let mut read = api.get(name).await.unwrap();
    assert_eq!(read.spec.replicas, Some(4));
    read.status.replicas = 4;
    let status = api.replace_status(name, &PostParams::default(), &read).await.unwrap();
    assert_eq!(status.status.replicas, 4);
    let list = api.list(&ListParams::default().fields(&format!("metadata.name={name}"))).await.unwrap();
    assert_eq!(list.items, [status]);
    api.delete(name, &DeleteParams::default()).await.unwrap();
}

#[tokio::test]
async fn a_kind_of_a_user() {
    let client = client().await;
    with_definition(&client, Kube::<Widget>::crd(), |client| async move {
        let api: Api<Kube<Widget>> = Api::namespaced(client.clone(), "default");
        soon("widgets to be served", async {
            while api.list(&ListParams::default()).await.is_err() {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
        .await;
        let created = api.create(&PostParams::default(), &widget("one", "red")).await.unwrap();
        assert_eq!(created.spec.replicas, Some(1), "the definition's default");
        let refused = api.create(&PostParams::default(), &widget("No Name", "red")).await;
        assert!(matches!(refused, Err(kube::Error::Api(status)) if status.code == 422));
        apply_and_subresources(&api).await;
        reflector_and_controller(client, &api).await;
    })
    .await;
}

async fn apply_and_subresources(api: &Api<Kube<Widget>>) {
    let mut applied = widget("two", "blue");
    applied.spec.size = Some(3);
    let parameters = PatchParams::apply("person");
    let object = api.patch("two", &parameters, &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(object.spec.size, Some(3));
    // What is applied no more is gone.
    applied.spec.size = None;
    let object = api.patch("two", &parameters, &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(object.spec.size, None);
    let conflict = api.patch("two", &PatchParams::apply("other"), &Patch::Apply(widget("two", "red"))).await;
    assert!(matches!(conflict, Err(kube::Error::Api(status)) if status.code == 409));

    let mut scale = api.get_scale("two").await.unwrap();
    scale.spec.as_mut().unwrap().replicas = Some(5);
    api.replace_scale("two", &PostParams::default(), &scale).await.unwrap();
    let mut object = api.get("two").await.unwrap();
    assert_eq!(object.spec.replicas, Some(5));
    object.status = Some(WidgetStatus { replicas: Some(5), painted: None });
    let object = api.replace_status("two", &PostParams::default(), &object).await.unwrap();
    assert_eq!(object.status.as_ref().and_then(|status| status.replicas), Some(5));
    println!("server-side apply, scale and status");
}

async fn reflector_and_controller(client: Client, api: &Api<Kube<Widget>>) {
    let (reader, writer) = reflector::store();
    let watch = watcher(api.clone(), watcher::Config::default()).default_backoff().reflect(writer);
    let watch = tokio::spawn(watch.try_for_each(|_| async { Ok(()) }));
    soon("the reflector", reader.wait_until_ready()).await.unwrap();
    assert_eq!(reader.len(), 2);

    let reconcile = |widget: Arc<Kube<Widget>>, client: Arc<Client>| async move {
        let api: Api<Kube<Widget>> = Api::namespaced(Client::clone(&client), &widget.namespace().unwrap());
        let status = json!({"status": {"painted": widget.spec.color.as_str()}});
        api.patch_status(&widget.name_any(), &PatchParams::default(), &Patch::Merge(status)).await?;
        Ok::<_, kube::Error>(Action::await_change())
    };
    let failed = |_: Arc<Kube<Widget>>, error: &kube::Error, _: Arc<Client>| panic!("{error}");
    let controller = Controller::new(api.clone(), watcher::Config::default())
        .run(reconcile, failed, Arc::new(client))
        .for_each(|_| async {});
    let controller = tokio::spawn(controller);
    let color = |name: &str| {
        let found = reader.find(|widget| widget.metadata.name == name)?;
        found.status.as_ref()?.painted.as_deref().map(str::to_owned)
    };
    soon("the controller to paint", async {
        while color("one").as_deref() != Some("red") || color("two").as_deref() != Some("blue") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let patch = Patch::Merge(json!({"spec": {"color": "green"}}));
    api.patch("one", &PatchParams::default(), &patch).await.unwrap();
    soon("the controller to paint again", async {
        while color("one").as_deref() != Some("green") {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    api.delete("two", &DeleteParams::default()).await.unwrap();
    soon("the reflector to forget", async {
        while reader.len() != 1 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    controller.abort();
    watch.abort();
    println!("watch, reflector, Controller");
}

/// A definition with two versions of the same schema.
fn notes(storage: &str) -> CustomResourceDefinition {
    let version = |name: &str| {
        json!({
            "name": name, "served": true, "storage": name == storage,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    serde_json::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "notes.kube.example.com"},
        "spec": {
            "group": "kube.example.com", "scope": "Namespaced",
            "names": {"kind": "Note", "plural": "notes"},
            "versions": [version("v1alpha1"), version("v1")],
        },
    }))
    .unwrap()
}

#[tokio::test]
async fn stored_versions_and_conversion() {
    let client = client().await;
    with_definition(&client, notes("v1alpha1"), |client| async move {
        stored_versions(&client).await;
        conversion(&client).await;
    })
    .await;
}

async fn stored_versions(client: &Client) {
    const COUNT: usize = 700; // more than one page
    let name = "notes.kube.example.com";
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("kube.example.com", "v1", "Note"));
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    soon("notes to be served", async {
        while api.list(&ListParams::default()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    let create = |index: usize| {
        let api = api.clone();
        let mut note = DynamicObject::new(&format!("note-{index}"), &resource);
        note.data = json!({"text": "a", "index": index});
        async move { api.create(&PostParams::default(), &note).await.map(drop) }
    };
    futures::stream::iter((0..COUNT).map(create)).buffer_unordered(16).try_collect::<()>().await.unwrap();

    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let set_storage = async |storage: &str| {
        let spec = json!({"spec": {"versions": notes(storage).spec.versions}});
        definitions.patch(name, &PatchParams::default(), &Patch::Merge(spec)).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
    };
    let stored = async || definitions.get(name).await.unwrap().status.unwrap().stored_versions.unwrap();
    set_storage("v1").await;
    create(COUNT).await.unwrap();
    assert_eq!(stored().await, ["v1alpha1", "v1"]);
    let only_v1 = json!({"spec": {"versions": [&notes("v1").spec.versions[1]]}});
    let refused = definitions.patch(name, &PatchParams::default(), &Patch::Merge(&only_v1)).await;
    assert!(refused.unwrap_err().to_string().contains("storedVersions"), "v1alpha1 cannot be dropped yet");

    // Somebody deletes, changes and replaces objects meanwhile.
    let others = async {
        for index in (0..COUNT).rev().step_by(70) {
            api.delete(&format!("note-{index}"), &DeleteParams::default()).await.unwrap();
            let patch = Patch::Merge(json!({"text": "b"}));
            api.patch(&format!("note-{}", index - 1), &PatchParams::default(), &patch).await.unwrap();
            // Another object of the same name.
            api.delete(&format!("note-{}", index - 2), &DeleteParams::default()).await.unwrap();
            create(index - 2).await.unwrap();
        }
    };
    let (migrated, ()) = tokio::join!(migrate_stored_versions(client.clone(), name), others);
    let migrated = migrated.unwrap();
    println!("{migrated:?}");
    assert_eq!((&*migrated.storage_version, &migrated.dropped), ("v1", &vec!["v1alpha1".to_owned()]));
    assert!(migrated.rewritten > COUNT - 100 && migrated.unchanged >= 1, "{migrated:?}");
    assert_eq!(stored().await, ["v1"]);
    let again = migrate_stored_versions(client.clone(), name).await.unwrap();
    let expected = Migrated {
        storage_version: "v1".to_owned(),
        rewritten: 0,
        unchanged: again.unchanged,
        gone: 0,
        dropped: Vec::new(),
    };
    assert_eq!((&again, again.unchanged), (&expected, COUNT + 1 - 10));

    // Another storage version while objects are rewritten: the list keeps both.
    set_storage("v1alpha1").await;
    let change = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        set_storage("v1").await;
    };
    let (result, ()) = tokio::join!(migrate_stored_versions(client.clone(), name), change);
    assert!(
        matches!(&result, Err(MigrationError::Changed { from, to, .. }) if from == "v1alpha1" && to == "v1"),
        "{result:?}"
    );
    assert_eq!(stored().await, ["v1", "v1alpha1"]);
    migrate_stored_versions(client.clone(), name).await.unwrap();
    definitions.patch(name, &PatchParams::default(), &Patch::Merge(&only_v1)).await.unwrap();
    assert_eq!(api.list(&ListParams::default()).await.unwrap().items.len(), COUNT + 1 - 10);

    let missing = migrate_stored_versions(client.clone(), "none.kube.example.com").await.unwrap_err();
    assert!(missing.to_string().starts_with("get none.kube.example.com: "), "{missing}");
}

async fn conversion(client: &Client) {
    let name = "notes.kube.example.com";
    let bundle = include_bytes!("bundle.pem");
    let service = ServiceReference {
        namespace: "notes".to_owned(),
        name: "webhook".to_owned(),
        path: Some("/convert".to_owned()),
        port: Some(443),
    };
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    // Somebody's definition, without a conversion.
    let mut theirs = notes("v1");
    theirs.spec.versions.remove(0);
    let apply = async || {
        let parameters = PatchParams::apply("person").force();
        definitions.patch(name, &parameters, &Patch::Apply(&theirs)).await.unwrap()
    };
    apply().await;
    patch_ca_bundle(client.clone(), name, bundle, &service).await.unwrap();
    let after = apply().await;
    let conversion = after.spec.conversion.unwrap();
    assert_eq!(conversion.strategy, "Webhook");
    let config = conversion.webhook.unwrap().client_config.unwrap();
    assert_eq!(
        (config.ca_bundle.unwrap().0.as_slice(), config.service),
        (&bundle[..], Some(service.clone()))
    );
    // It owns its own fields only.
    let object: Value = serde_json::to_value(definitions.get(name).await.unwrap()).unwrap();
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let own = entries.iter().find(|entry| entry["manager"] == CONVERSION_MANAGER).unwrap();
    assert_eq!(own["fieldsV1"]["f:spec"].as_object().unwrap().keys().collect::<Vec<_>>(), ["f:conversion"]);

    let missing = patch_ca_bundle(client.clone(), "none.kube.example.com", bundle, &service).await;
    assert!(matches!(missing, Err(kube::Error::Api(status)) if status.code == 404));
}
