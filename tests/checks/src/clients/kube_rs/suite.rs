//! The tests of one published crate that are ignored unless there is a cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::clients::judge::Spec;

/// The features that the tests need.
const FEATURES: &[(&str, &str)] = &[
    ("kube-client", "client,gzip,jsonpatch,oauth,ring,rustls-tls,unstable-client,ws"),
    ("kube-runtime", ""),
    ("kube", "client,derive,gzip,jsonpatch,ring,runtime,rustls-tls,unstable-client,unstable-runtime,ws"),
];

/// A crate with tests.
pub struct Suite {
    name: String,
    folder: PathBuf,
    target: PathBuf,
}

impl Suite {
    /// Finds a published crate as a workspace uses it, and copies it: where Cargo keeps it, nothing may be built.
    ///
    /// # Errors
    /// If the workspace does not use the crate, or it cannot be copied.
    pub fn find(manifest: &Path, name: &str, scratch: &Path) -> Result<Self, String> {
        let mut command = Command::new("cargo");
        command.args(["metadata", "--format-version", "1", "--manifest-path"]).arg(manifest);
        let output = command.output().map_err(|error| format!("cargo: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
        let mut packages = metadata["packages"].as_array().into_iter().flatten();
        let found = packages.find(|package| package["name"] == name).ok_or_else(|| {
            format!("{}: expected a workspace that uses {name}, found none of this name", manifest.display())
        })?;
        let from = Path::new(found["manifest_path"].as_str().unwrap_or_default()).parent();
        let folder = scratch.join(name);
        copy(from.unwrap_or(Path::new("")), &folder).map_err(|error| format!("{name}: {error}"))?;
        Ok(Self { name: name.to_owned(), folder, target: scratch.join("target") })
    }

    /// Runs the tests on a cluster, one after the other.
    ///
    /// # Errors
    /// If they cannot be built.
    pub fn run(&self, kubeconfig: &Path) -> Result<Vec<Spec>, String> {
        let features =
            FEATURES.iter().find(|(name, _)| *name == self.name).map_or("", |(_, features)| features);
        let mut command = Command::new("cargo");
        command.args(["test", "--lib", "--features", features, "--manifest-path"]);
        command.arg(self.folder.join("Cargo.toml")).arg("--target-dir").arg(&self.target);
        command.args(["--", "--ignored", "--test-threads", "1"]).env("KUBECONFIG", kubeconfig);
        let output = command.output().map_err(|error| format!("cargo: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let specs = specs(&text);
        if specs.is_empty() {
            return Err(format!(
                "no test of {} has run: {}",
                self.name,
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(specs)
    }
}

/// The tests in what the test runner of Rust has printed. Where a test has failed, its output follows under its name.
fn specs(text: &str) -> Vec<Spec> {
    let failure = |name: &str| {
        let begin = format!("---- {name} stdout ----\n");
        let output = text.split_once(&begin).map_or("", |(_, rest)| rest);
        output.split("\n\n").next().unwrap_or_default().trim().to_owned()
    };
    let results = text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let results = results.filter_map(|(name, result)| {
        // A test that says why it is ignored has the reason behind its name.
        let name = name.split(" - ").next()?;
        let is_failed = result.ends_with("FAILED");
        (is_failed || result.ends_with("ok"))
            .then(|| Spec { name: name.to_owned(), failure: is_failed.then(|| failure(name)) })
    });
    results.collect()
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::write(target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_ran_are_counted() {
        let text = "
running 3 tests
test api::one ... ok
test api::two ... FAILED
test api::three ... ignored, needs more

failures:

---- api::two stdout ----
Error: the reason
of two lines

failures:
    api::two

test result: FAILED. 1 passed; 1 failed
";
        let spec = |name: &str, failure: Option<&str>| Spec {
            name: name.to_owned(),
            failure: failure.map(str::to_owned),
        };
        assert_eq!(
            specs(text),
            [spec("api::one", None), spec("api::two", Some("Error: the reason\nof two lines"))]
        );
    }
}
