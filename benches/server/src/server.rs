//! The servers that are measured.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::client::{Connection, JSON};
use crate::credentials::{self, MEASURED, User};
use crate::{Error, Programs};

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server.
#[expect(async_fn_in_trait, reason = "nobody else implements it")]
pub trait Server: Sized {
    /// The program that it needs.
    fn program(programs: &Programs) -> &Path;
    /// Starts it with an empty store, until it answers.
    async fn start(program: &Path) -> Result<Self, Error>;
    fn address(&self) -> SocketAddr;
    /// How long it took from its start to the first answer.
    fn started(&self) -> Duration;
    /// Its processes.
    fn processes(&self) -> Vec<u32>;

    /// The resident memory of all its processes, in MB.
    fn memory(&self) -> Result<f64, Error> {
        let mut kilobytes = 0.0;
        for process in self.processes() {
            let status = fs::read_to_string(format!("/proc/{process}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
            kilobytes += line.trim().trim_end_matches(" kB").parse::<f64>()?;
        }
        Ok(kilobytes * 1024.0 / 1e6)
    }
}

pub struct Ours {
    child: Child,
    address: SocketAddr,
    started: Duration,
    _folder: TempDir,
}

impl Server for Ours {
    fn program(programs: &Programs) -> &Path {
        &programs.hubgen
    }

    async fn start(program: &Path) -> Result<Self, Error> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name);
        // A certificate that is there already, as for the other one.
        credentials::copy(folder.path())?;
        let address = free()?;
        let begin = Instant::now();
        let child = Command::new(program)
            .args(["serve", "--port", &address.port().to_string(), "--max-connections", "20000"])
            .arg("--data-dir")
            .arg(file("data"))
            .arg("--client-ca-file")
            .arg(file("ca.crt"))
            .args(["--authorization-mode", "RBAC"])
            .arg("--tls-cert-file")
            .arg(file("tls.crt"))
            .arg("--tls-private-key-file")
            .arg(file("tls.key"))
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        answers(address).await?;
        let started = begin.elapsed();
        bind(address).await?;
        Ok(Self { child, address, started, _folder: folder })
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn started(&self) -> Duration {
        self.started
    }

    fn processes(&self) -> Vec<u32> {
        self.child.id().into_iter().collect()
    }
}

pub struct Kube {
    apiserver: Child,
    etcd: Child,
    address: SocketAddr,
    started: Duration,
    _folder: TempDir,
}

impl Server for Kube {
    fn program(programs: &Programs) -> &Path {
        &programs.kube_apiserver
    }

    async fn start(program: &Path) -> Result<Self, Error> {
        let folder = tempfile::tempdir()?;
        let file = |name: &str| folder.path().join(name);
        credentials::copy(folder.path())?;
        let (address, clients, peers) = (free()?, free()?, free()?);
        let url = |address: SocketAddr| format!("http://{address}");
        let begin = Instant::now();
        let etcd = Command::new("etcd")
            .arg("--data-dir")
            .arg(file("etcd"))
            .args(["--listen-client-urls", &url(clients), "--advertise-client-urls", &url(clients)])
            .args(["--listen-peer-urls", &url(peers), "--log-level", "error"])
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let path = |name: &str| file(name).display().to_string();
        let apiserver = Command::new(program)
            .arg(format!("--etcd-servers={}", url(clients)))
            .arg(format!("--secure-port={}", address.port()))
            .args(["--bind-address=127.0.0.1", "--service-account-issuer=https://127.0.0.1"])
            .arg(format!("--tls-cert-file={}", path("tls.crt")))
            .arg(format!("--tls-private-key-file={}", path("tls.key")))
            .arg(format!("--cert-dir={}", path("certs")))
            .arg(format!("--service-account-key-file={}", path("tls.key")))
            .arg(format!("--service-account-signing-key-file={}", path("tls.key")))
            .arg(format!("--client-ca-file={}", path("ca.crt")))
            .args(["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"])
            .arg("--disable-admission-plugins=ServiceAccount")
            // As many as the clients of this benchmark are.
            .args(["--max-requests-inflight=2000", "--max-mutating-requests-inflight=1000"])
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        answers(address).await?;
        let started = begin.elapsed();
        bind(address).await?;
        Ok(Self { apiserver, etcd, address, started, _folder: folder })
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn started(&self) -> Duration {
        self.started
    }

    fn processes(&self) -> Vec<u32> {
        [&self.apiserver, &self.etcd].into_iter().filter_map(Child::id).collect()
    }
}

/// A port that is free now.
fn free() -> Result<SocketAddr, Error> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// Waits until a server answers a request with a certificate.
async fn answers(address: SocketAddr) -> Result<(), Error> {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        if let Ok(mut connection) = Connection::http1(address, User::Admin).await
            && let Ok((200, _)) = connection.send("GET", "/readyz", "", Vec::new()).await
            && let Ok((200, _)) =
                connection.send("GET", "/api/v1/namespaces/default/configmaps", "", Vec::new()).await
        {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    Err(format!("{address} does not answer").into())
}

/// Allows the measured user what the requests of this benchmark do.
async fn bind(address: SocketAddr) -> Result<(), Error> {
    const GROUP: &str = "/apis/rbac.authorization.k8s.io/v1";
    let api_version = "rbac.authorization.k8s.io/v1";
    let metadata = json!({"name": MEASURED});
    let rule = json!({"apiGroups": [""], "resources": ["pods", "configmaps"], "verbs": ["*"]});
    let role =
        json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": metadata, "rules": [rule]});
    let binding = json!({
        "apiVersion": api_version,
        "kind": "ClusterRoleBinding",
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": MEASURED},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": MEASURED}],
    });
    let mut admin = Connection::http1(address, User::Admin).await?;
    for (kind, object) in [("clusterroles", role), ("clusterrolebindings", binding)] {
        let (code, body) =
            admin.send("POST", &format!("{GROUP}/{kind}"), JSON, object.to_string().into_bytes()).await?;
        if code != 201 {
            return Err(format!("{kind}: {code}: {}", String::from_utf8_lossy(&body)).into());
        }
    }
    // A kube-apiserver learns of its roles by watching them.
    let mut measured = Connection::http1(address, User::Measured).await?;
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let (code, _) = measured.send("GET", "/api/v1/namespaces/default/pods", "", Vec::new()).await?;
        if code == 200 {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Err(format!("{address} does not learn of a role").into())
}
