//! kube's watcher and reflector with a server of ours that ends and starts again, gracefully or not.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt;
use hubgen_machinery::scheme::Scheme;
use hubgen_server::loops::Controllers;
use hubgen_server::store::{Embedded, Options};
use hubgen_server::{Server, Settings};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, Config, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long a client may take to see what happened.
const PATIENCE: Duration = Duration::from_secs(60);
/// The objects of each kind.
const OBJECTS: usize = 10;
/// The changes of each object in each round.
const CHANGES: usize = 5;

/// A server with a store in a folder, on threads of its own.
struct Running {
    runtime: Runtime,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
    port: u16,
}

impl Running {
    fn start(folder: &Path, port: u16) -> Self {
        let mut scheme = Scheme::new();
        hubgen_core::register(&mut scheme);
        hubgen_apps::register(&mut scheme);
        let runtime = Runtime::new().unwrap();
        let (server, port) = runtime.block_on(async {
            // The one before may still have it open.
            let start = Instant::now();
            let store = loop {
                match Embedded::open(folder, Options::default()) {
                    Ok(store) => break store,
                    Err(error) => assert!(start.elapsed() < PATIENCE, "{error}"),
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            };
            let mut settings = Settings::new(Arc::new(scheme), Arc::new(store));
            // Whatever is there, the test has written.
            settings.loops.controllers = Controllers::none();
            let server = Server::bind(port, settings).await.unwrap();
            let port = server.address().port();
            (server, port)
        });
        let (stop, stopped) = oneshot::channel();
        let running = runtime.spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self { runtime, stop, running, port }
    }

    /// Ends as a process that is asked to.
    fn stop(self) {
        self.stop.send(()).unwrap();
        self.runtime.block_on(self.running).unwrap();
        self.runtime.shutdown_timeout(PATIENCE);
    }

    /// Ends as a process that is killed.
    fn kill(self) {
        self.runtime.shutdown_timeout(Duration::ZERO);
    }
}

/// What a client has seen of one kind.
#[derive(Default)]
struct Seen {
    /// How often it listed all objects.
    lists: usize,
    /// The revisions of each object, in the order in which they came.
    applied: BTreeMap<String, Vec<u64>>,
    deleted: BTreeMap<String, usize>,
}

fn revision(object: &impl ResourceExt) -> u64 {
    object.resource_version().expect("a revision").parse().expect("a number")
}

/// Watches a kind, and keeps its objects.
fn follow<K>(client: Client, config: watcher::Config) -> (Arc<Mutex<Seen>>, reflector::Store<K>)
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Send + Sync + 'static,
{
    let seen = Arc::new(Mutex::new(Seen::default()));
    let (reader, writer) = reflector::store();
    let events = watcher(Api::<K>::default_namespaced(client), config).default_backoff().reflect(writer);
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        let mut events = std::pin::pin!(events);
        while let Some(event) = events.next().await {
            let mut seen = log.lock().unwrap();
            match event {
                Ok(watcher::Event::Init) => seen.lists += 1,
                Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => {
                    seen.applied.entry(object.name_any()).or_default().push(revision(&object));
                }
                Ok(watcher::Event::Delete(object)) => {
                    *seen.deleted.entry(object.name_any()).or_default() += 1;
                }
                // The server is not there.
                Ok(watcher::Event::InitDone) | Err(_) => {}
            }
        }
    });
    (seen, reader)
}

/// Tries until the server is there.
async fn until_it_is_there<T, F: Future<Output = Result<T, kube::Error>>>(mut ask: impl FnMut() -> F) -> T {
    let start = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(error) => assert!(start.elapsed() < PATIENCE, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// One round of changes: creates objects that are missing, changes all, and deletes every third. Returns the revisions of
/// each object.
async fn change<K>(client: &Client, round: usize, body: &Value) -> HashMap<String, Vec<u64>>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Serialize,
{
    let api = Api::<K>::default_namespaced(client.clone());
    let mut written: HashMap<String, Vec<u64>> = HashMap::new();
    for number in 0..OBJECTS {
        let name = format!("o{number}");
        if until_it_is_there(|| api.get_opt(&name)).await.is_none() {
            let mut object = body.clone();
            object["metadata"] = json!({"name": name});
            let object: K = serde_json::from_value(object).unwrap();
            let created = api.create(&PostParams::default(), &object).await.unwrap();
            written.entry(name.clone()).or_default().push(revision(&created));
        }
        for change in 0..CHANGES {
            let patch =
                Patch::Merge(json!({"metadata": {"labels": {"change": format!("{round}-{change}")}}}));
            let patched = api.patch(&name, &PatchParams::default(), &patch).await.unwrap();
            written.entry(name.clone()).or_default().push(revision(&patched));
        }
        if number % 3 == 0 {
            api.delete(&name, &DeleteParams::default()).await.unwrap();
        }
    }
    written
}

/// Follows one kind through restarts of its server.
struct Followed<K: Resource<DynamicType = ()> + 'static> {
    seen: Arc<Mutex<Seen>>,
    store: reflector::Store<K>,
    body: Value,
    written: BTreeMap<String, Vec<u64>>,
    rounds: usize,
}

impl<K> Followed<K>
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    K: Clone + Debug + DeserializeOwned + Serialize + Send + Sync + 'static,
{
    fn new(client: &Client, config: watcher::Config, body: Value) -> Self {
        let (seen, store) = follow(client.clone(), config);
        Self { seen, store, body, written: BTreeMap::new(), rounds: 0 }
    }

    async fn round(&mut self, client: &Client) {
        let written = change::<K>(client, self.rounds, &self.body).await;
        for (name, revisions) in written {
            self.written.entry(name).or_default().extend(revisions);
        }
        self.rounds += 1;
    }

    /// Waits until the client has seen all that was written, and compares.
    async fn check(&self, client: &Client) {
        let kind = K::kind(&());
        let deletions =
            |name: &str| if name[1..].parse::<usize>().unwrap() % 3 == 0 { self.rounds } else { 0 };
        let start = Instant::now();
        loop {
            let has_all = {
                let seen = self.seen.lock().unwrap();
                let count = |lists: &BTreeMap<String, Vec<u64>>| lists.values().map(Vec::len).sum::<usize>();
                let deleted: usize = seen.deleted.values().sum();
                count(&seen.applied) >= count(&self.written)
                    && deleted >= self.written.keys().map(|name| deletions(name)).sum()
            };
            if has_all {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "{kind}: the client does not see everything");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        {
            let seen = self.seen.lock().unwrap();
            // Each write once, in its order, and no second list: the watch went on where it was.
            assert_eq!(seen.applied, self.written, "{kind}");
            for name in self.written.keys() {
                assert_eq!(
                    seen.deleted.get(name).copied().unwrap_or_default(),
                    deletions(name),
                    "{kind} {name}"
                );
            }
            assert_eq!(seen.lists, 1, "{kind}");
        }
        let listed = Api::<K>::default_namespaced(client.clone()).list(&Default::default()).await.unwrap();
        let state = |objects: &mut dyn Iterator<Item = (String, u64)>| objects.collect::<BTreeMap<_, _>>();
        let listed = state(&mut listed.items.iter().map(|object| (object.name_any(), revision(object))));
        let kept =
            state(&mut self.store.state().iter().map(|object| (object.name_any(), revision(&**object))));
        assert_eq!(kept, listed, "{kind}");
    }
}

#[tokio::test]
async fn nothing_is_lost_and_nothing_is_doubled_when_the_server_restarts() {
    let folder = std::env::temp_dir().join(format!("hubgen-kube-server-{}", std::process::id()));
    let folder_of_server = folder.clone();
    let start = move |port| {
        let folder = folder_of_server.clone();
        tokio::task::spawn_blocking(move || Running::start(&folder, port))
    };
    let mut server = start(0).await.unwrap();
    let config = Config::new(format!("http://127.0.0.1:{}", server.port).parse().unwrap());
    let client = Client::try_from(config).unwrap();
    let workload = json!({"spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "serviceName": "s",
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    }});
    let (list, stream) = (watcher::Config::default(), watcher::Config::default().streaming_lists());
    let mut maps = Followed::<ConfigMap>::new(&client, list.clone(), json!({"data": {"a": "b"}}));
    let mut secrets = Followed::<Secret>::new(&client, stream.clone(), json!({"stringData": {"a": "b"}}));
    let mut accounts = Followed::<ServiceAccount>::new(&client, list.clone(), json!({}));
    let mut deployments = Followed::<Deployment>::new(&client, stream, workload.clone());
    let mut sets = Followed::<StatefulSet>::new(&client, list, workload);
    for round in 0..4 {
        maps.round(&client).await;
        secrets.round(&client).await;
        if round < 3 {
            let port = server.port;
            tokio::task::spawn_blocking(move || if round == 1 { server.kill() } else { server.stop() })
                .await
                .unwrap();
            server = start(port).await.unwrap();
        }
        accounts.round(&client).await;
        deployments.round(&client).await;
        sets.round(&client).await;
    }
    maps.check(&client).await;
    secrets.check(&client).await;
    accounts.check(&client).await;
    deployments.check(&client).await;
    sets.check(&client).await;
    tokio::task::spawn_blocking(move || server.stop()).await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}
