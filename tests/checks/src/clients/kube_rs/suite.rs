//! The tests of one crate.

use std::path::Path;
use std::process::Command;

use crate::clients::judge::Spec;

/// Builds the tests of a crate, and runs those that its authors keep for a cluster, which is that of a kubeconfig.
///
/// # Errors
/// If they cannot be built, or none runs.
pub fn run(workspace: &Path, package: &str, kubeconfig: &Path) -> Result<Vec<Spec>, String> {
    let output = Command::new("cargo")
        .current_dir(workspace)
        // Our own choice is not for those crates.
        .env_remove("K8S_OPENAPI_ENABLED_VERSION")
        .args(["test", "--quiet", "--lib", "--all-features", "--package", package])
        .args(["--", "--ignored", "--format", "pretty"])
        .env("KUBECONFIG", kubeconfig)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    let found = specs(&String::from_utf8_lossy(&output.stdout));
    if found.is_empty() {
        return Err(format!("{package}: no test ran\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(found)
}

/// The tests in what they print.
fn specs(out: &str) -> Vec<Spec> {
    let mut found = Vec::new();
    for line in out.lines() {
        let Some((name, outcome)) = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        let name = name.split(" - ").next().unwrap_or(name).to_owned();
        let failure = (outcome != "ok").then(|| told(out, &name).unwrap_or_else(|| outcome.to_owned()));
        found.push(Spec { name, failure });
    }
    found
}

/// What a test that failed has printed.
fn told(out: &str, name: &str) -> Option<String> {
    let (_, rest) = out.split_once(&format!("---- {name} stdout ----\n"))?;
    Some(rest.split("\n\n").next().unwrap_or(rest).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_test_has_what_it_printed() {
        let out = "
running 2 tests
test api::lists - should panic ... ok
test api::execs ... FAILED

failures:

---- api::execs stdout ----
Error: no kubelet
at line 3

failures:
    api::execs

test result: FAILED. 1 passed; 1 failed
";
        let told = |spec: &Spec| (spec.name.clone(), spec.failure.clone());
        let found: Vec<_> = specs(out).iter().map(told).collect();
        let failure = Some("Error: no kubelet\nat line 3".to_owned());
        assert_eq!(found, [("api::lists".to_owned(), None), ("api::execs".to_owned(), failure)]);
    }
}
