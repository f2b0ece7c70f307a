//! What kubectl asks the server about its kinds: each release of kubectl on this machine, before it writes an object and
//! to explain one.
#![cfg(unix)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use serde_json::json;

use crate::process::Process;

/// The programs: `kubectl`, and those that are installed beside it for other releases, as `kubectl.1.30`.
fn programs() -> Vec<PathBuf> {
    let paths = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&paths).map(|folder| folder.join("kubectl")).find(|path| path.is_file());
    let Some(found) = found else {
        // The test harness captures `println!`, but not this.
        let _ = writeln!(std::io::stderr(), "left out: kubectl is not installed");
        return Vec::new();
    };
    let beside = found.canonicalize().ok().and_then(|path| Some(path.parent()?.to_owned()));
    let beside = beside.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let others = beside.filter_map(|entry| Some(entry.ok()?.path()));
    let is_other = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("kubectl.1."))
    };
    let mut all = vec![found];
    all.extend(others.filter(is_other));
    all.sort();
    if all.len() == 1 {
        let _ = writeln!(std::io::stderr(), "left out: kubectl of other releases is not installed");
    }
    all
}

fn run(program: &Path, server: &Process, home: &Path, args: &[&str]) -> Output {
    let address = format!("--server=http://{}", server.client.0);
    // Programs of different releases do not read what others have kept.
    let cache = home.join("cache").join(program.file_name().unwrap_or_default());
    let cache = format!("--cache-dir={}", cache.display());
    let mut command = Command::new(program);
    command.env("HOME", home).env_remove("KUBECONFIG").args([&*address, &*cache]).args(args);
    command.output().expect("kubectl runs")
}

#[track_caller]
fn answer(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// Writes a manifest, and returns its path.
fn manifest(home: &Path, image: &str) -> String {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", image: "i"}]}}},
    });
    let path = home.join(format!("{image}.json"));
    fs::write(&path, deployment.to_string()).expect("written");
    path.to_str().expect("text").to_owned()
}

#[test]
fn objects_are_validated_by_the_server_as_they_are_written() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    let server = Process::start(home, "");
    let (right, wrong) = (manifest(home, "image"), manifest(home, "imaeg"));
    for program in programs() {
        let kubectl = |args: &[&str]| run(&program, &server, home, args);
        let shown = program.display();
        assert_eq!(answer(&kubectl(&["create", "-f", &right])), "deployment.apps/d created\n", "{shown}");
        assert_eq!(answer(&kubectl(&["apply", "-f", &right])), "deployment.apps/d configured\n", "{shown}");
        assert_eq!(answer(&kubectl(&["replace", "-f", &right])), "deployment.apps/d replaced\n", "{shown}");
        answer(&kubectl(&["delete", "-f", &right, "--wait=false"]));
        let refused = kubectl(&["create", "-f", &wrong]);
        let errors = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success(), "{shown}");
        let message = "strict decoding error: unknown field \"spec.template.spec.containers[0].imaeg\"";
        assert!(errors.contains(message), "{shown}: {errors}");
    }
}

#[test]
fn types_and_fields_are_explained() {
    let home = tempfile::tempdir().expect("a folder");
    let home = home.path();
    let docs = home.join("docs.json");
    let text = r#"{"core/v1 Pod": {"": "Some containers.", "spec": "What it runs."}}"#;
    fs::write(&docs, text).expect("written");
    let server = Process::start_with(
        home,
        &["--api-docs", docs.to_str().expect("text"), "--runtime-config", "extensions/v1beta1"],
    );
    for program in programs() {
        let shown = program.display();
        let explained = |args: &[&str]| {
            let args: Vec<&str> = ["explain"].iter().chain(args).copied().collect();
            answer(&run(&program, &server, home, &args))
        };
        let pods = explained(&["pods"]);
        for part in ["Some containers.", "What it runs.", "metadata", "<ObjectMeta>", "<PodSpec>"] {
            assert!(pods.contains(part), "{shown}: {part}: {pods}");
        }
        let old = explained(&["deployments", "--api-version=extensions/v1beta1", "--recursive"]);
        for part in ["rollbackTo", "<[]Container>", "ephemeralContainers", "maxSurge"] {
            assert!(old.contains(part), "{shown}: {part}: {old}");
        }
        let port = explained(&["services.spec.ports.targetPort"]);
        assert!(port.contains("IntOrString"), "{shown}: {port}");
    }
}

#[test]
fn a_file_without_descriptions_is_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let docs = home.path().join("docs.json");
    fs::write(&docs, "[]").expect("written");
    let output = crate::process::hubgen()
        .args(["serve", "--in-memory", "--port=0", "--api-docs"])
        .arg(&docs)
        .output()
        .expect("hubgen starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("no descriptions as `cargo xtask release --docs` writes them"), "{errors}");
}
