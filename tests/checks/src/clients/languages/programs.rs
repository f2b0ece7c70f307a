//! The programs: how each is installed, and how it runs.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::clients::copy;

/// The longest time that a program may take, so that a watch that never tells anything ends.
const PATIENCE: Duration = Duration::from_secs(300);

/// A language with a client library.
pub struct Language {
    pub name: &'static str,
    /// The folder of the program, from the root of the repository.
    source: &'static str,
    /// What installs the library and builds the program in a copy of the folder.
    install: &'static [&'static [&'static str]],
    /// What runs the program there, without the kubeconfig.
    run: &'static [&'static str],
    /// What runs the tests whose fixture starts the server, if the pages show one.
    fixture: Option<&'static [&'static str]>,
}

pub const NAMES: [&str; 4] = ["go", "python", "javascript", "java"];

/// The languages. The newest version of each library is pinned beside the program.
pub const LANGUAGES: [Language; 4] = [
    Language {
        name: NAMES[0],
        source: "tests/differential/client",
        install: &[&["go", "build", "-o", "program", "."]],
        run: &["./program", "--kubeconfig"],
        fixture: None,
    },
    Language {
        name: NAMES[1],
        source: "tests/clients/python",
        install: &[
            &["python3", "-m", "venv", "venv"],
            &["venv/bin/python", "-m", "pip", "install", "--quiet", "--requirement", "requirements.txt"],
        ],
        run: &["venv/bin/python", "check.py"],
        fixture: Some(&["venv/bin/python", "-m", "pytest", "--quiet"]),
    },
    Language {
        name: NAMES[2],
        source: "tests/clients/javascript",
        install: &[&["npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]],
        run: &["node", "check.js"],
        // Jest reads modules only so.
        fixture: Some(&["node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js"]),
    },
    Language {
        name: NAMES[3],
        source: "tests/clients/java",
        install: &[&["mvn", "--quiet", "--batch-mode", "package", "dependency:copy-dependencies"]],
        run: &["java", "-cp", "target/classes:target/dependency/*", "Main"],
        fixture: None,
    },
];

/// What a program has printed.
pub struct Output {
    pub is_success: bool,
    pub out: String,
    pub err: String,
}

impl Language {
    /// Copies the program to a folder, and installs there what it needs.
    ///
    /// # Errors
    /// If the tools of the language are missing, or cannot get the library.
    pub fn install(&self, folder: &Path) -> Result<(), String> {
        copy(&crate::root().join(self.source), folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        for words in self.install {
            let Output { is_success, out, err } = started(words, &[], None, folder)?;
            if !is_success {
                return Err(format!("`{}` has failed\n{out}{err}", words.join(" ")));
            }
        }
        Ok(())
    }

    /// Runs the program.
    ///
    /// # Errors
    /// If it does not start, or takes too long.
    pub fn run(&self, folder: &Path, kubeconfig: &Path) -> Result<Output, String> {
        started(self.run, &[kubeconfig], None, folder)
    }

    /// Runs the tests whose fixture starts the server itself; `None` if there are none.
    pub fn run_fixture(&self, folder: &Path, hubgen: &Path) -> Option<Result<(), String>> {
        let output = started(self.fixture?, &[], Some(hubgen), folder);
        Some(
            output.and_then(
                |Output { is_success, out, err }| if is_success { Ok(()) } else { Err(out + &err) },
            ),
        )
    }
}

/// Runs a command in a folder to its end. Fixtures find the program `hubgen` in a variable.
fn started(words: &[&str], files: &[&Path], hubgen: Option<&Path>, folder: &Path) -> Result<Output, String> {
    let context = |error: std::io::Error| format!("{}: {error}", words[0]);
    // A path is from here, and not from where the command runs.
    let program = if words[0].contains('/') { folder.join(words[0]) } else { PathBuf::from(words[0]) };
    // Files take any amount of output while nobody reads.
    let [out, err] = ["out", "err"].map(|name| folder.join(format!("{name}.txt")));
    let mut child = Command::new(program)
        .args(&words[1..])
        .args(files)
        .envs(hubgen.map(|hubgen| ("HUBGEN", hubgen)))
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&out).map_err(context)?)
        .stderr(File::create(&err).map_err(context)?)
        .spawn()
        .map_err(context)?;
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(context)? {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            let told = fs::read_to_string(&out).unwrap_or_default();
            return Err(format!("`{}` was ended after {PATIENCE:?}\n{told}", words.join(" ")));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let text = |path: &Path| {
        fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(context)
    };
    Ok(Output { is_success: status.success(), out: text(&out)?, err: text(&err)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_there_with_a_version_of_its_library() {
        for language in LANGUAGES {
            let source = crate::root().join(language.source);
            let pinned = ["go.mod", "requirements.txt", "package.json", "pom.xml"];
            assert!(pinned.iter().any(|file| source.join(file).exists()), "{}", source.display());
        }
    }

    #[test]
    fn a_command_that_is_missing_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = started(&["no-such-command"], &[], None, folder.path()).err().unwrap();
        assert!(error.starts_with("no-such-command: "), "{error}");
        let output = started(&["sh", "-c", "echo a; echo b >&2; exit 3"], &[], None, folder.path()).unwrap();
        assert_eq!((output.is_success, &*output.out, &*output.err), (false, "a\n", "b\n"));
    }
}
