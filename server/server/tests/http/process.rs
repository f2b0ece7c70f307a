//! A process stops when it is asked to, even if requests are stuck.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hubgen_server::admission::{AdmissionRequest, Chain, Validate, Verdict};
use hubgen_server::loops::{self, Controllers};
use hubgen_server::store::{Embedded, Options, Store};
use hubgen_server::{DoorLimits, Limits, Server, Settings, process};
use serde_json::json;

use crate::client::Client;
use crate::scheme::scheme;

const NOTES: &str = "/api/v1/namespaces/a/notes";
/// The environment variable that makes this program the server of the test, and contains the
/// directory of its files.
const DIRECTORY: &str = "HUBGEN_TEST_STUCK_SERVER";
/// The timeout of the test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Blocks forever for an object named `stuck`, after it has written a file.
struct Spin(PathBuf);

impl Validate for Spin {
    fn admit<'a>(&'a self, request: &'a AdmissionRequest<'_>) -> Verdict<'a> {
        if request.name == "stuck" {
            std::fs::write(&self.0, "").unwrap();
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
        Box::pin(async { Ok(()) })
    }
}

/// The server process.
#[test]
#[ignore = "started by the test below"]
fn server() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let directory = PathBuf::from(directory);
    let serve = async {
        let store: Arc<dyn Store> = Arc::new(Embedded::open(&directory, Options::default()).unwrap());
        let admission =
            Chain { validating: vec![Box::new(Spin(directory.join("inside")))], ..Chain::default() };
        let limits = Limits {
            door: DoorLimits { grace: Duration::from_millis(300), ..DoorLimits::default() },
            ..Limits::default()
        };
        let loops = loops::Settings { controllers: Controllers::none(), ..loops::Settings::default() };
        let settings = Settings { admission, limits, loops, ..Settings::new(Arc::new(scheme()), store) };
        let stop = process::asked_to_stop().unwrap();
        let server = Server::bind(0, settings).await.unwrap();
        std::fs::write(directory.join("address.new"), server.address().to_string()).unwrap();
        std::fs::rename(directory.join("address.new"), directory.join("address")).unwrap();
        server.run(stop).await;
    };
    process::run(serve).unwrap();
    // The test runner would wait for stuck threads; a program ends here.
    std::process::exit(0);
}

/// A process that is killed when the test ends.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn wait<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_stuck_request_does_not_block_shutdown() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--ignored", "process::server"]).env(DIRECTORY, directory.path());
    let mut child = Killed(command.spawn().unwrap());
    let address = wait("the server", || std::fs::read_to_string(file("address")).ok());
    let client = Client(address.parse().unwrap());
    client.post(NOTES, &json!({"metadata": {"name": "kept"}})).expect(201);
    let stuck = std::thread::spawn(move || {
        std::panic::catch_unwind(|| client.post(NOTES, &json!({"metadata": {"name": "stuck"}})))
    });
    wait("the stuck request", || file("inside").exists().then_some(()));
    let sent = Command::new("kill").args(["-TERM", &child.0.id().to_string()]).status();
    assert!(sent.unwrap().success());
    let status = wait("the end of the process", || child.0.try_wait().unwrap());
    assert!(status.success(), "{status}");
    assert!(stuck.join().unwrap().is_err(), "the stuck request was answered");
    assert_eq!(names(directory.path()), ["/registry/notes/a/kept"]);
}

/// Reopens the store and returns its keys.
fn names(directory: &Path) -> Vec<String> {
    let keys = async {
        let store = Embedded::open(directory, Options::default()).unwrap();
        let page = store.list(Default::default()).await.unwrap();
        page.items.into_iter().map(|item| String::from_utf8(item.key).unwrap()).collect()
    };
    process::run(keys).unwrap()
}
