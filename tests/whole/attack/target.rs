//! The attacked server: `hubgen serve` as a child process.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{PATIENCE, wire};

/// The path of the object that plain GETs read.
pub const PLAIN: &str = "/api/v1/namespaces/default/configmaps/plain";
/// The collection of that object.
pub const CONFIGMAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A running server. Dropping it kills the process.
pub struct Target {
    child: Child,
    address: SocketAddr,
    idle: u64,
    gives_memory_back: bool,
}

impl Target {
    /// Starts a server with its store in a directory, and waits until it is idle. `gives_memory_back` specifies whether
    /// its allocator returns memory to the system, so that the memory after an attack can be checked.
    ///
    /// # Errors
    /// If the server does not start.
    pub fn start(program: &Path, directory: &Path, gives_memory_back: bool) -> Result<Self, String> {
        let mut target = Self::start_with(program, directory, gives_memory_back, &[], "")?;
        target.settle()?;
        Ok(target)
    }

    /// Starts a server with further options, which is not [settled](Self::settle) yet. `who` is the header of somebody who
    /// may do everything.
    ///
    /// # Errors
    /// If the server does not start.
    pub fn start_with(
        program: &Path,
        directory: &Path,
        gives_memory_back: bool,
        options: &[&str],
        who: &str,
    ) -> Result<Self, String> {
        let ready = directory.join("ready");
        let mut child = Command::new(program)
            .args(["serve", "--port", "0", "--runtime-config", "api/all=true"])
            .arg("--data-dir")
            .arg(directory.join("data"))
            .arg("--ready-file")
            .arg(&ready)
            .args(options)
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let start = Instant::now();
        let address = loop {
            if let Some(address) = fs::read_to_string(&ready).ok().and_then(|text| text.parse().ok()) {
                break address;
            }
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("hubgen serve ended with {status}"));
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("hubgen serve is not ready after {PATIENCE:?}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let target = Self { child, address, idle: 0, gives_memory_back };
        let headers = format!("{who}Content-Type: application/json\r\n");
        let plain = wire::request("POST", CONFIGMAPS, &headers, b"{\"metadata\":{\"name\":\"plain\"}}");
        let created = wire::send(address, &plain)?;
        if created != 201 {
            return Err(format!("cannot create the first object: got {}", wire::shown(created)));
        }
        Ok(target)
    }

    /// Records the current memory of the server as that of an idle one.
    ///
    /// # Errors
    /// If the memory cannot be read.
    pub fn settle(&mut self) -> Result<(), String> {
        for _ in 0..20 {
            self.plain_get()?;
        }
        std::thread::sleep(Duration::from_secs(1));
        self.idle = self.memory()?;
        Ok(())
    }

    /// The address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The memory of the idle server, in KiB.
    pub fn idle_memory(&self) -> u64 {
        self.idle
    }

    /// Whether the server must release its memory after an attack.
    pub fn gives_memory_back(&self) -> bool {
        self.gives_memory_back
    }

    /// The resident memory, in KiB.
    ///
    /// # Errors
    /// If the process has ended.
    pub fn memory(&self) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        number.ok_or_else(|| format!("{path} has no VmRSS: the server has ended"))
    }

    /// Reads the plain object. Returns the duration.
    ///
    /// # Errors
    /// If the status code is not 200.
    pub fn plain_get(&self) -> Result<Duration, String> {
        let start = Instant::now();
        match wire::send(self.address, &wire::get(PLAIN)) {
            Ok(200) => Ok(start.elapsed()),
            Ok(code) => Err(format!("a plain GET failed: got {}", wire::shown(code))),
            Err(error) => Err(format!("a plain GET failed: {error}")),
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
