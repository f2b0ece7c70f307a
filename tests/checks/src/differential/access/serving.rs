//! `hubgen serve` as a process, which writes all that it can.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::material::Material;

/// The longest time until it serves.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server. It ends when it is dropped.
pub struct Serving {
    child: Child,
    url: String,
    log: PathBuf,
}

impl Serving {
    /// Starts a server of an empty store in memory.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(hubgen: &Path, material: &Material) -> Result<Self, String> {
        let context = |error: std::io::Error| format!("{}: {error}", hubgen.display());
        let (ready, log) = (material.path("ready"), material.path("log"));
        // That of an earlier server would tell of this one too soon.
        let _ = fs::remove_file(&ready);
        let output = File::create(&log).map_err(context)?;
        let child = Command::new(hubgen)
            .args(["serve", "--in-memory", "--port=0"])
            .arg(format!("--cert-dir={}", material.path("serving").display()))
            .arg(format!("--ready-file={}", ready.display()))
            .args(material.flags())
            .env("RUST_LOG", "trace")
            .stdout(output.try_clone().map_err(context)?)
            .stderr(output)
            .spawn()
            .map_err(context)?;
        let mut serving = Self { child, url: String::new(), log };
        let begin = Instant::now();
        loop {
            if let Ok(address) = fs::read_to_string(&ready) {
                serving.url = format!("https://{address}");
                return Ok(serving);
            }
            if let Some(status) = serving.child.try_wait().map_err(context)? {
                return Err(format!("{}: ended with {status}: {}", hubgen.display(), serving.log()?));
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("{}: not ready after {PATIENCE:?}", hubgen.display()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it has written so far.
    ///
    /// # Errors
    /// If that cannot be read.
    pub fn log(&self) -> Result<String, String> {
        fs::read_to_string(&self.log).map_err(|error| format!("{}: {error}", self.log.display()))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
