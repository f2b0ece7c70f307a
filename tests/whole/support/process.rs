//! Runs `hubgen serve` as a child process.
#![allow(dead_code, reason = "not every test needs all of it")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::client::Client;

/// The timeout for starting and stopping a process.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server. Dropping it kills the process.
pub struct Process {
    child: Child,
    /// A client of the server.
    pub client: Client,
}

impl Process {
    /// Starts a server of every version of every kind on a free port with the store in a directory, and waits until it is
    /// ready.
    pub fn start(data_dir: &Path, storage_versions: &str) -> Self {
        Self::start_with(
            data_dir,
            &["--runtime-config", "api/all=true", "--storage-versions", storage_versions],
        )
    }

    /// Like [`Process::start`], with these options and no others. Nothing is done that no request asks for, and namespaces need not
    /// exist.
    pub fn start_with(data_dir: &Path, options: &[&str]) -> Self {
        let alone = ["--controllers=", "--disable-admission-plugins=NamespaceLifecycle"];
        Self::start_as_users(data_dir, &[&alone[..], options].concat())
    }

    /// Like [`Process::start_with`], with what users get who give no other option.
    pub fn start_as_users(data_dir: &Path, options: &[&str]) -> Self {
        let ready = data_dir.join("ready");
        let _ = std::fs::remove_file(&ready);
        let mut child = hubgen()
            .args(["serve", "--port", "0"])
            .args(options)
            .arg("--data-dir")
            .arg(data_dir.join("data"))
            .arg("--ready-file")
            .arg(&ready)
            .stdout(Stdio::null())
            .spawn()
            .expect("hubgen starts");
        let address: SocketAddr = wait(|| {
            if let Some(status) = child.try_wait().expect("the process can be asked") {
                panic!("hubgen serve ended with {status} before it was ready");
            }
            std::fs::read_to_string(&ready).ok().map(|text| text.parse().expect("an address"))
        });
        Self { child, client: Client(address) }
    }

    /// Sends a signal to the server, and waits until it has stopped.
    pub fn stop(mut self, signal: &str) -> ExitStatus {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("there is a kill command").success());
        wait(|| self.child.try_wait().expect("the process can be asked"))
    }
}

impl Drop for Process {
    /// Sends SIGKILL, so that the server cannot clean up.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program under test.
pub fn hubgen() -> Command {
    Command::new(env!("CARGO_BIN_EXE_hubgen-under-test"))
}

fn wait<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < PATIENCE, "waited for {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
