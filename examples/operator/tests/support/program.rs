//! The operator as a process.

#![allow(dead_code, reason = "each test uses a part")]

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A running operator, with its files. It is killed when it is dropped.
pub struct Program {
    child: Child,
    folder: TempDir,
}

/// How an operator starts.
pub struct Start {
    folder: TempDir,
    command: Command,
}

impl Start {
    /// With a cluster at a URL, and a user of it.
    pub fn new(url: &str, user: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kubeconfig = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": url, "insecure-skip-tls-verify": true}}],
            "users": [{"name": "it", "user": user}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        });
        let path = folder.path().join("kubeconfig");
        fs::write(&path, kubeconfig.to_string()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_cache-operator"));
        command.env_remove("WEBHOOK_URL").env("KUBECONFIG", path);
        Self { folder, command }
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Writes a certificate for `localhost` into the folder of certificates, and returns it.
    pub fn certificate(&mut self) -> String {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let folder = self.folder.path();
        fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
        fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
        self.command.env("CERTIFICATES", folder);
        made.cert.pem()
    }

    pub fn run(mut self) -> Program {
        let log = File::create(self.folder.path().join("log")).unwrap();
        self.command.stdout(log.try_clone().unwrap()).stderr(log).stdin(Stdio::null());
        Program { child: self.command.spawn().unwrap(), folder: self.folder }
    }
}

impl Program {
    /// What it has printed.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until it has ended.
    pub fn ended(&mut self) -> ExitStatus {
        let start = Instant::now();
        while self.is_running() {
            assert!(start.elapsed() < Duration::from_secs(60), "it runs on: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
        self.child.wait().unwrap()
    }

    /// Ends it as Kubernetes does.
    pub fn stop(&mut self) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let status = self.ended();
        assert!(status.success(), "{status}: {}", self.log());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the operator has printed:\n{}", self.log());
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody uses.
pub fn port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
