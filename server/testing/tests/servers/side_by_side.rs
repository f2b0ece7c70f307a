//! Servers side by side, and what is left of one that is gone.

use std::net::TcpListener;
use std::time::Duration;

use hubgen_test_server::TestServer;

use crate::api::{Api, MAPS, map, names};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_side_by_side_see_nothing_of_each_other() {
    let mut servers = Vec::new();
    for number in 0..20 {
        let server = TestServer::start().await.unwrap();
        let api = Api::of(&server);
        let (code, answer) = api.post(MAPS, &map(&format!("of-{number}"), "a"));
        assert_eq!(code, 201, "{answer}");
        servers.push((server, api));
    }
    for (number, (_, api)) in servers.iter().enumerate() {
        assert_eq!(names(&api.get(MAPS).1), [format!("of-{number}")]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_begins_with_the_namespaces_of_a_cluster() {
    let server = TestServer::start().await.unwrap();
    let (_, list) = Api::of(&server).get("/api/v1/namespaces");
    assert_eq!(names(&list), ["default", "kube-node-lease", "kube-public", "kube-system"]);
}

/// Its port, its watches and its thread, while the runtime goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_server_is_gone() {
    let writers = || {
        let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm"));
        threads.filter_map(|thread| name(thread).ok()).filter(|name| name.starts_with("store-writer")).count()
    };
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let watch = api.watch(&format!("{MAPS}?watch=true"));
    api.post(MAPS, &map("a", "a"));
    assert_eq!(watch.told(), ("ADDED".to_owned(), "a".to_owned()));
    let address = server.url().strip_prefix("http://").unwrap().to_owned();
    drop(server);
    watch.ends();
    let start = std::time::Instant::now();
    while TcpListener::bind(&address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "{address} is still in use");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    if cfg!(target_os = "linux") {
        // Other tests have servers of their own, which end, too.
        while writers() > 0 {
            assert!(start.elapsed() < Duration::from_secs(60), "{} writers run on", writers());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_runtime_of_one_thread_is_enough() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let (code, _) = tokio::task::spawn_blocking(move || api.post(MAPS, &map("a", "a"))).await.unwrap();
    assert_eq!(code, 201);
}

#[tokio::test]
async fn a_kubeconfig_is_written() {
    let server = TestServer::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kubeconfig");
    server.write_kubeconfig(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, server.kubeconfig());
    assert!(text.contains(&format!("server: \"{}\"", server.url())), "{text}");
    assert!(server.write_kubeconfig(folder.path()).is_err());
}
