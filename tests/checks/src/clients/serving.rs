//! `hubgen serve` as a process, with a kubeconfig for its clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time until it serves.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server over TLS, with a token. It ends when it is dropped.
pub struct Serving {
    child: Child,
    folder: PathBuf,
}

impl Serving {
    /// Starts a server of an empty store in memory, which keeps its files in a folder.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(hubgen: &Path, folder: &Path, options: &[&str]) -> Result<Self, String> {
        Self::of(hubgen, folder, None, options)
    }

    /// Starts a server of the objects in a folder of data, or of an empty store in memory, which keeps its other files in
    /// a folder.
    ///
    /// # Errors
    /// If it does not start.
    pub fn of(hubgen: &Path, folder: &Path, data: Option<&Path>, options: &[&str]) -> Result<Self, String> {
        let context = |error: std::io::Error| format!("{}: {error}", hubgen.display());
        fs::create_dir_all(folder).map_err(context)?;
        let tokens = folder.join("tokens.csv");
        fs::write(&tokens, "secret,ada,1,\"system:masters\"\n").map_err(context)?;
        // That of a server before this one.
        let _ = fs::remove_file(folder.join("ready"));
        let mut command = Command::new(hubgen);
        match data {
            Some(data) => command.arg("serve").arg("--data-dir").arg(data),
            None => command.args(["serve", "--in-memory"]),
        };
        let child = command
            .args(["--port", "0", "--cert-dir"])
            .arg(folder.join("certs"))
            .arg("--token-auth-file")
            .arg(tokens)
            .arg("--kubeconfig")
            .arg(folder.join("kubeconfig"))
            .arg("--ready-file")
            .arg(folder.join("ready"))
            .args(options)
            .stdout(Stdio::null())
            .spawn()
            .map_err(context)?;
        let mut serving = Self { child, folder: folder.to_owned() };
        let begin = Instant::now();
        while !folder.join("ready").exists() {
            if let Some(status) = serving.child.try_wait().map_err(context)? {
                return Err(format!("{}: ended with {status}", hubgen.display()));
            }
            if begin.elapsed() > PATIENCE {
                return Err(format!("{}: not ready after {PATIENCE:?}", hubgen.display()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(serving)
    }

    /// The file that clients need.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
