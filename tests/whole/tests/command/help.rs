//! What `hubgen --help` shows: every command has examples that work, and pages and completions of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::process::hubgen;

/// The commands of hubgen, without `help`.
fn subcommands() -> Vec<clap::Command> {
    let command = hubgen::command();
    command.get_subcommands().filter(|command| command.get_name() != "help").cloned().collect()
}

/// The help of a command, as wide as in a file.
fn help(command: &clap::Command) -> String {
    command.clone().term_width(100).render_long_help().to_string()
}

/// The commands in the examples of a command.
fn examples(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    lines.filter_map(|line| line.strip_prefix("    ")).map(str::to_owned).collect()
}

#[test]
fn the_help_is_as_it_was_reviewed() {
    insta::assert_snapshot!("hubgen", help(&hubgen::command()));
    for command in subcommands() {
        insta::assert_snapshot!(command.get_name(), help(&command));
    }
}

#[test]
fn every_command_documents_its_exit_codes_and_its_json() {
    for command in subcommands() {
        let help = help(&command);
        for code in ["  0  ", "  1  ", "  2  "] {
            let codes = help.split_once("\nExit codes:\n").map(|(_, codes)| codes).unwrap_or_default();
            assert!(codes.contains(code), "{code:?} is missing in {help}");
        }
        let has_json = command.get_arguments().any(|argument| argument.get_long() == Some("json"));
        assert_eq!(has_json, help.contains("\nJSON (--json), "), "{help}");
        assert!(command.get_about().is_some(), "{help}");
    }
}

const OLD: &str = "\
apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web}]}
";

/// A backup of Velero without objects.
fn backup() -> Vec<u8> {
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let version = b"1.1.0\n";
    let mut header = tar::Header::new_ustar();
    header.set_size(version.len() as u64);
    tar.append_data(&mut header, "metadata/version", &version[..]).expect("appended");
    tar.into_inner().expect("a tar file").finish().expect("gzip")
}

/// A folder with the files that examples name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::create_dir(path.join("manifests")).expect("made");
    for file in ["deployment.yaml", "manifests.yaml", "manifests/web.yaml"] {
        fs::write(path.join(file), OLD).expect("written");
    }
    let encoded =
        hubgen().args(["encode", "deployment.yaml"]).current_dir(path).output().expect("hubgen runs");
    fs::write(path.join("deployment.pb"), encoded.stdout).expect("written");
    let snapshot = include_bytes!("../../../../cli/stored/tests/snapshots/etcd-3.4.db");
    fs::write(path.join("snapshot.db"), snapshot).expect("written");
    fs::write(path.join("backup.tar.gz"), backup()).expect("written");
    fs::create_dir(path.join("definitions")).expect("made");
    fs::write(path.join("definitions/widgets.yaml"), include_str!("repository/widgets.yaml"))
        .expect("written");
    let widget = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {size: 1}}";
    fs::write(path.join("widget.yaml"), widget).expect("written");
    for arguments in [&["import", "definitions"][..], &["generate"], &["crds"]] {
        assert!(hubgen().args(arguments).current_dir(path).output().expect("hubgen runs").status.success());
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hubgen-under-test"), path.join("hubgen")).expect("linked");
    for shell in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(path.join(shell)).expect("made");
    }
    folder
}

/// Runs an example in a folder, with `hubgen` in the path.
fn run(example: &str, folder: &Path) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("bash")
        .args(["-c", example])
        .current_dir(folder)
        .env("HOME", folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .stdin(Stdio::null())
        .output()
        .expect("bash runs")
}

/// These need a cluster, helm, a module in Go, or a program that shows manual pages.
const NEED_OTHERS: [&str; 6] = ["etcdctl ", "kubectl ", "--cluster", " charts/", "go test ", "| man -l -"];

#[test]
fn every_example_works() {
    let mut commands = subcommands();
    commands.push(hubgen::command());
    let mut ran = 0;
    for command in &commands {
        let examples = examples(command);
        assert!(!examples.is_empty(), "{} has no examples", command.get_name());
        for example in
            examples.iter().filter(|example| !NEED_OTHERS.iter().any(|other| example.contains(other)))
        {
            // A folder of its own: some examples change files.
            let folder = folder();
            if example.contains("generate --rules") {
                // It is about types in Rust.
                fs::write(folder.path().join("hubgen.toml"), "source = \"src/types.rs\"\n").expect("written");
                fs::write(folder.path().join("src/types.rs"), "//! No versions yet.\n").expect("written");
            }
            if example.contains("--config hubgen.toml") {
                fs::write(folder.path().join("hubgen.toml"), "").expect("written");
            }
            if example.contains("--token-auth-file tokens.csv") {
                fs::write(folder.path().join("tokens.csv"), "secret,ada,1\n").expect("written");
            }
            if example.contains("--api-docs docs.json") {
                fs::write(folder.path().join("docs.json"), "{}").expect("written");
            }
            if example.starts_with("hubgen serve ") {
                serves(example, folder.path());
            } else {
                let output = run(example, folder.path());
                // The manifests are old; the generated code is not.
                let finds = ["--check", "--pre-commit"].iter().any(|option| example.contains(option));
                let finds = example.contains("report") || example.contains("convert") && finds;
                let expected = i32::from(finds);
                let error = String::from_utf8_lossy(&output.stderr);
                assert_eq!(output.status.code(), Some(expected), "{example}: {error}");
                assert!(!error.contains("error: "), "{example}: {error}");
            }
            ran += 1;
        }
    }
    assert!(ran >= 15, "{ran} examples");
}

/// Starts a server as an example does, on a free port, until it has printed its address.
fn serves(example: &str, folder: &Path) {
    let arguments: Vec<&str> = example.split_whitespace().skip(1).collect();
    let port: &[&str] = if example.contains("--port") { &[] } else { &["--port", "0"] };
    let mut child = hubgen()
        .args(arguments)
        .args(port)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .expect("hubgen starts");
    let mut line = String::new();
    let read = BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let url = if example.contains("--bind") { "https://0.0.0.0:" } else { "http://127.0.0.1:" };
    assert!(read.is_ok() && line.starts_with(&format!("serving on {url}")), "{example}: {line}");
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man1");
    let output = hubgen().args(["man", "--out"]).arg(&pages).output().expect("hubgen runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut expected = vec!["hubgen.1".to_owned()];
    for command in subcommands() {
        let page = format!("hubgen-{}", command.get_name());
        let below = command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help");
        expected.extend(below.map(|name| format!("{page}-{name}.1")));
        expected.push(page + ".1");
    }
    expected.sort();
    let entries = fs::read_dir(&pages).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("read").file_name().into_string().expect("text")).collect();
    names.sort();
    assert_eq!(names, expected);
    for name in names {
        let page = fs::read_to_string(pages.join(&name)).expect("a page");
        assert!(page.contains(".TH hubgen") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
        assert!(page.contains("Examples:"), "{name} has no examples: {page}");
    }
    let output = hubgen().arg("man").output().expect("hubgen runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains(".TH hubgen"));

    let nowhere = folder.path().join("file");
    fs::write(&nowhere, "").expect("written");
    let output = hubgen().args(["man", "--out"]).arg(&nowhere).output().expect("hubgen runs");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("help: choose another folder with --out"), "{error}");
}

#[test]
fn every_shell_completes_every_command_and_its_options() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = hubgen().args(["completions", shell]).output().expect("hubgen runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let script = String::from_utf8(output.stdout).expect("text");
        for command in subcommands() {
            assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            for option in command.get_arguments().filter_map(clap::Arg::get_long) {
                assert!(script.contains(option), "{shell}: {} --{option}", command.get_name());
            }
        }
    }
    assert_eq!(hubgen().args(["completions", "tcsh"]).output().expect("hubgen runs").status.code(), Some(2));
}

#[test]
fn colours_follow_the_option_and_the_environment() {
    let colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = hubgen()
            .args(arguments)
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .envs(variables.iter().copied())
            .output()
            .expect("hubgen runs");
        assert_ne!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stderr).contains('\u{1b}')
    };
    let missing = ["convert", "--newest", "no-such-file.yaml"];
    let wrong = ["convert", "--no-such-option"];
    for arguments in [&missing[..], &wrong] {
        let with = |when| [&["--color", when], arguments].concat();
        // Nobody's terminal.
        assert!(!colored(arguments, &[]), "{arguments:?}");
        assert!(colored(arguments, &[("CLICOLOR_FORCE", "1")]), "{arguments:?}");
        assert!(colored(&with("always"), &[("NO_COLOR", "1")]), "{arguments:?}");
        assert!(!colored(&with("never"), &[("CLICOLOR_FORCE", "1")]), "{arguments:?}");
    }
}
