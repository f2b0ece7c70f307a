//! `hubgen envtest install`, and the programs that it writes, as controller-runtime's envtest starts them.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;
use ureq::tls::TlsConfig;

use crate::client::Client;
use crate::process::hubgen;

fn install(folder: &Path) -> Output {
    hubgen().args(["envtest", "install"]).arg(folder).output().expect("hubgen starts")
}

/// The folder of the programs, installed as a team would.
fn assets(folder: &Path) -> PathBuf {
    let output = install(&folder.join("assets"));
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).expect("a path");
    PathBuf::from(printed.trim_end())
}

fn run(program: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(program).args(arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A program that runs, and is killed when it is dropped.
struct Running(Child);

impl Running {
    /// Starts a program; returns the first line of its standard error, too.
    fn start(program: &Path, arguments: &[String]) -> (Self, String) {
        let mut command = Command::new(program);
        let mut child = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        (Self(child), line)
    }

    fn stop(mut self) -> ExitStatus {
        assert!(Command::new("kill").arg(self.0.id().to_string()).status().unwrap().success());
        self.0.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An address of which nobody listens.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Asks until there is an answer, as envtest does.
fn asked<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "no answer");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn programs_are_installed_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let assets = assets(folder.path());
    assert!(assets.is_absolute() && assets.ends_with("assets"), "{}", assets.display());
    let again = install(&assets);
    assert!(again.status.success(), "{again:?}");
    let mut names: Vec<_> = fs::read_dir(&assets)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| name != "kubectl");
    names.sort();
    assert_eq!(names, ["etcd", "hubgen-envtest.txt", "kube-apiserver"]);
    // Programs of others stay.
    let others = folder.path().join("others");
    fs::create_dir(&others).unwrap();
    fs::write(others.join("etcd"), "of others").unwrap();
    let refused = install(&others);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    let why = "expected no file, or one that `hubgen envtest install` wrote, found another one";
    assert!(message.contains(why), "{message}");
    assert_eq!(fs::read_to_string(others.join("etcd")).unwrap(), "of others");
}

#[test]
fn flags_are_those_of_the_programs() {
    let folder = tempfile::tempdir().unwrap();
    let assets = assets(folder.path());
    let [apiserver, etcd] = ["kube-apiserver", "etcd"].map(|name| assets.join(name));
    let (code, out, _) = run(&apiserver, &["--version"]);
    assert!(code == Some(0) && out.starts_with("Kubernetes v1.37."), "{out}");
    // envtest looks for flags at the beginning of lines.
    let (code, out, _) = run(&apiserver, &["--help"]);
    let has = |out: &str, flag: &str| out.lines().any(|line| line.trim_start().starts_with(flag));
    assert!(code == Some(0) && has(&out, "--secure-port") && !has(&out, "--insecure-port"), "{out}");
    let (code, out, _) = run(&etcd, &["--help"]);
    assert!(code == Some(0) && has(&out, "--unsafe-no-fsync"), "{out}");
    assert_eq!(
        run(&apiserver, &["--nope"]),
        (Some(1), String::new(), "Error: unknown flag: --nope\n".to_owned())
    );
    assert_eq!(
        run(&etcd, &["--nope"]),
        (Some(2), String::new(), "flag provided but not defined: -nope\n".to_owned())
    );
}

#[test]
fn etcd_is_healthy_and_stores_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let etcd = assets(folder.path()).join("etcd");
    let address = free();
    let arguments = [format!("--listen-client-urls=http://{address}"), "--data-dir=d".to_owned()];
    let (running, line) = Running::start(&etcd, &arguments);
    assert!(
        line.ends_with(": it answers /health and stores nothing; without effect: --data-dir\n"),
        "{line}"
    );
    assert_eq!(Client(address).get("/health").expect(200)["health"], "true");
    assert_eq!(Client(address).send("POST", "/etcdserverpb.KV/Range", &[], b"").code, 404);
    let (code, _, error) = run(&etcd, &[&arguments[0]]);
    assert!(code == Some(1) && error.starts_with(&format!("etcd (hubgen): {address}: ")), "{error}");
    assert!(running.stop().success());
}

#[test]
fn a_kube_apiserver_is_ready_with_its_namespaces() {
    let folder = tempfile::tempdir().unwrap();
    let apiserver = assets(folder.path()).join("kube-apiserver");
    let address = free();
    let tokens = folder.path().join("tokens.csv");
    fs::write(&tokens, "secret,ada,1,\"system:masters\"\n").unwrap();
    let arguments = [
        "--allow-privileged=true".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--cert-dir={}", folder.path().join("certs").display()),
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--etcd-servers=http://127.0.0.1:1".to_owned(),
        format!("--secure-port={}", address.port()),
        format!("--service-account-issuer=https://{address}/"),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        format!("--token-auth-file={}", tokens.display()),
    ];
    let (running, line) = Running::start(&apiserver, &arguments);
    let told = ": objects are in memory, not in etcd; without effect: --allow-privileged, --etcd-servers\n";
    assert!(line.ends_with(told), "{line}");
    let tls = TlsConfig::builder().disable_verification(true).build();
    let agent: Agent = Agent::config_builder().tls_config(tls).build().into();
    let get = |path: &str| agent.get(format!("https://{address}{path}"));
    // envtest asks without credentials whether it is healthy, and nothing else.
    asked(|| get("/healthz").call().ok());
    let refused = get("/api/v1/namespaces/default").call().unwrap_err();
    assert!(matches!(refused, ureq::Error::StatusCode(403)), "{refused}");
    let object = |path: &str| {
        let mut answer = get(path).header("authorization", "Bearer secret").call().expect("an answer");
        serde_json::from_str::<Value>(&answer.body_mut().read_to_string().unwrap()).unwrap()
    };
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        assert_eq!(object(&format!("/api/v1/namespaces/{name}"))["status"]["phase"], "Active", "{name}");
    }
    let service = object("/api/v1/namespaces/default/services/kubernetes");
    assert_eq!(service["spec"]["clusterIP"], "10.0.0.1");
    assert!(running.stop().success());
}
