//! Requests that fail on purpose, and watches that are lost.

use hubgen_test_server::{Fault, Lost, Requests, TestServer};
use serde_json::json;

use crate::api::{Api, MAPS, map, names};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_fail_as_they_do_by_themselves() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    api.post(MAPS, &map("a", "a"));
    let path = format!("{MAPS}/a");

    // The same answer as of a conflict that is one.
    let mut stale = map("a", "b");
    stale["metadata"]["resourceVersion"] = "1".into();
    let conflict = api.put(&path, &stale);
    let planned =
        server.faults().next(Fault::conflict(), Requests::to("update").resource("configmaps").name("a"));
    assert_eq!(api.put(&path, &map("a", "b")), conflict);
    assert_eq!((conflict.0, planned.struck()), (409, 1));
    assert_eq!(api.put(&path, &map("a", "b")).0, 200);

    server.faults().times(2, Fault::too_many_requests(7), Requests::to("get").namespace("default"));
    for _ in 0..2 {
        let (code, status) = api.get(&path);
        assert_eq!((code, &status["reason"]), (429, &json!("TooManyRequests")));
        assert_eq!(status["details"]["retryAfterSeconds"], 7);
    }
    assert_eq!(api.get(&path).0, 200);

    server.faults().next(Fault::internal_error(), Requests::to("get").name("a"));
    assert_eq!(api.get(&path).1["reason"], "InternalError");

    let always = server.faults().always(Fault::expired(), Requests::to("list").resource("configmaps"));
    for _ in 0..3 {
        let (code, status) = api.get(MAPS);
        assert_eq!((code, &status["reason"]), (410, &json!("Expired")));
    }
    assert_eq!(api.get("/api/v1/secrets").0, 200);
    always.remove();
    assert_eq!(names(&api.get(MAPS).1), ["a"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_fails_before_or_after_it_is_done() {
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    let creates = || Requests::to("create").resource("configmaps");
    server.faults().next(Fault::timeout(), creates());
    assert_eq!(api.post(MAPS, &map("a", "a")).1["reason"], "Timeout");
    assert_eq!(names(&api.get(MAPS).1), [""; 0]);
    server.faults().next(Fault::timeout().after_all(), creates());
    assert_eq!(api.post(MAPS, &map("a", "a")).0, 504);
    assert_eq!(names(&api.get(MAPS).1), ["a"]);

    server.faults().next(Fault::closed(), creates());
    api.try_post(MAPS, &map("b", "a")).unwrap_err();
    server.faults().next(Fault::closed().after_all(), creates());
    api.try_post(MAPS, &map("c", "a")).unwrap_err();
    assert_eq!(names(&api.get(MAPS).1), ["a", "c"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_watches_are_lost() {
    let maps = || Requests::to("watch").resource("configmaps");
    for lost in [Lost::Ended, Lost::Expired, Lost::Closed] {
        let server = TestServer::start().await.unwrap();
        let api = Api::of(&server);
        let open = |path: &str| api.watch(&format!("{path}?watch=true"));
        let (watch, other) = (open(MAPS), open("/api/v1/secrets"));
        api.post(MAPS, &map("a", "a"));
        assert_eq!(watch.told().0, "ADDED");
        assert_eq!(server.faults().lose_watches(lost, &maps()), 1);
        if lost == Lost::Expired {
            let error = watch.next();
            assert_eq!((&error["type"], &error["object"]["code"]), (&json!("ERROR"), &json!(410)));
            assert_eq!(error["object"]["reason"], "Expired");
        }
        assert_eq!(watch.ends(), lost != Lost::Closed, "{lost:?}");
        let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}});
        api.post("/api/v1/namespaces/default/secrets", &secret);
        assert_eq!(other.told().0, "ADDED", "another watch goes on");
        assert_eq!(server.faults().lose_watches(lost, &maps()), 0, "it is lost once");
    }
    let server = TestServer::start().await.unwrap();
    let api = Api::of(&server);
    server.faults().next(Fault::expired(), maps());
    assert_eq!(api.get(&format!("{MAPS}?watch=true")).0, 410);
}
