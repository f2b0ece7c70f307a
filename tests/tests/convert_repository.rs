//! `hubgen convert` and `hubgen decode` know the kinds of a repository, too: with `--config`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const DEMO: &str = "../examples/demo/hubgen.toml";

/// Runs a command with standard input. Returns its exit code, its standard output and its standard error.
fn hubgen(command: &str, config: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hubgen-under-test"))
        .args([command, "--config"])
        .arg(config)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("hubgen runs");
    // It may end without reading.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("hubgen ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

/// Converts without a message.
fn converted(config: &str, args: &[&str], input: &str) -> String {
    let (code, out, err) = hubgen("convert", Path::new(config), args, input);
    assert_eq!((code, &*err), (0, ""), "{out}");
    out
}

/// A copy of the example, with its files changed.
fn changed(change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("src/api")).expect("made");
    for file in ["hubgen.toml", "src/api/mod.rs", "src/api/v1.rs", "src/api/v1alpha1.rs"] {
        let text = fs::read_to_string(Path::new("../examples/demo").join(file)).expect("read");
        fs::write(folder.path().join(file), change(&text)).expect("written");
    }
    folder
}

const OLD: &str = "\
# Who wrote this, and why.
apiVersion: example.com/v1alpha1
kind: Demo
metadata: {name: web} # the name
spec:
  image: \"\"   # none yet
  size: 2
";

const NEW: &str = "\
# Who wrote this, and why.
apiVersion: example.com/v1
kind: Demo
metadata: {name: web} # the name
spec:
  image: \"\"   # none yet
  replicas: 2
";

/// An empty string that somebody wrote stays, and nothing appears that nobody wrote.
#[test]
fn only_what_the_conversion_changes_is_changed() {
    assert_eq!(converted(DEMO, &["--newest"], OLD), NEW);
    assert_eq!(converted(DEMO, &["--storage"], OLD), NEW);
    assert_eq!(converted(DEMO, &["--to", "example.com/v1alpha1"], NEW), OLD);
}

/// The file is optional, so its name means the folder that it would be in; any other name means a file.
#[test]
fn a_configuration_that_is_left_out_means_the_defaults() {
    let folder = tempfile::tempdir().expect("a folder");
    let schema = folder.path().join("schemas/example.com");
    fs::create_dir_all(&schema).expect("made");
    let config = folder.path().join("hubgen.toml");
    let (code, out, err) = hubgen("convert", &config, &["--newest"], "");
    assert_eq!((code, &*out, &*err), (0, "", ""));
    let (code, _, err) = hubgen("convert", &folder.path().join("other.toml"), &["--newest"], "");
    assert!(code == 1 && err.contains("other.toml: cannot be read"), "{err}");
}

/// An object that the conversion empties is on the line of its name.
#[test]
fn emptied_objects_are_written_as_people_do() {
    let certificate = |version: &str, key: &str| {
        format!(
            "apiVersion: cert-manager.io/{version}\nkind: Certificate\nmetadata: {{name: a}}\nspec:\n{key}"
        )
    };
    let [new, old] = [
        certificate("v1", "  privateKey:\n    # Large.\n    size: 4096\n  secretName: a\n"),
        certificate("v1alpha2", "  privateKey: {}\n  secretName: a\n  # Large.\n  keySize: 4096\n"),
    ];
    let config = Path::new("../examples/cert-manager/hubgen.toml");
    let (code, out, err) = hubgen("convert", config, &["--to", "cert-manager.io/v1alpha2"], &new);
    assert_eq!((code, out, &*err), (0, old, ""));
}

#[test]
fn what_a_version_cannot_represent_comes_back() {
    let paused = format!("{}  paused: true\n", NEW.replace(" # the name", ""));
    let old = converted(DEMO, &["--to", "example.com/v1alpha1"], &paused);
    assert!(old.contains("conversion.hubgen.dev/kept") && !old.contains("paused: true"), "{old}");
    assert_eq!(converted(DEMO, &["--newest"], &old), paused);
}

/// Kubernetes' own kinds convert beside them.
#[test]
fn lists_contain_kinds_of_both() {
    let list = |demo: &str, deployment: &str| {
        format!(
            "apiVersion: v1\nkind: List\nitems:\n\
             - {{apiVersion: example.com/{demo}, kind: Demo, metadata: {{name: a}}, spec: {{image: a}}}}\n\
             - {{apiVersion: apps/{deployment}, kind: StatefulSet, metadata: {{name: a}}}}\n"
        )
    };
    assert_eq!(converted(DEMO, &["--newest"], &list("v1alpha1", "v1beta2")), list("v1", "v1"));
    let typed = |version: &str| {
        format!(
            "apiVersion: example.com/{version}\nkind: DemoList\nitems:\n- metadata: {{name: a}}\n  spec: {{image: a}}\n"
        )
    };
    assert_eq!(converted(DEMO, &["--newest"], &typed("v1alpha1")), typed("v1"));
}

#[test]
fn the_newest_version_is_one_that_is_served() {
    let folder = changed(|text| text.replace("storage, status)", "storage, status, served = false)"));
    let config = folder.path().join("hubgen.toml");
    let (code, out, err) = hubgen("convert", &config, &["--newest"], OLD);
    assert_eq!((code, &*out, &*err), (0, OLD, ""));
    let (_, out, _) = hubgen("convert", &config, &["--storage"], OLD);
    assert_eq!(out, NEW);
}

/// Where the versions have different defaults, the object means the same afterwards.
#[test]
fn defaults_of_the_old_version_become_explicit() {
    let folder = changed(|text| match text.contains("pub size") {
        true => text.replace("default = \"1\"", "default = \"5\""),
        false => text.to_owned(),
    });
    let old = OLD.replace("  size: 2\n", "");
    let (code, out, err) = hubgen("convert", &folder.path().join("hubgen.toml"), &["--newest"], &old);
    assert_eq!((code, &*err), (0, ""));
    assert_eq!(out, NEW.replace("replicas: 2", "replicas: 5"));
}

#[test]
fn errors_are_those_of_the_object() {
    let (code, out, err) =
        hubgen("convert", Path::new(DEMO), &["--newest"], &OLD.replace("size: 2", "sise: 2"));
    assert_eq!((code, &*out), (1, ""));
    assert!(
        err.contains("example.com/v1alpha1 Demo has no such field") && err.contains("spec.sise"),
        "{err}"
    );
    let (code, out, err) =
        hubgen("convert", Path::new(DEMO), &["--newest"], &OLD.replace("size: 2", "size: many"));
    assert_eq!((code, &*out), (1, ""));
    assert!(err.contains("expected a 32-bit integer, found a string"), "{err}");
    let (code, _, err) = hubgen("convert", Path::new(DEMO), &["--to", "example.com/v2"], OLD);
    assert_eq!(code, 2);
    assert!(err.contains("expected one of example.com/v1, example.com/v1alpha1"), "{err}");
}

/// The program does not contain the code of a repository.
#[test]
fn kinds_with_functions_of_their_own_are_read_and_do_not_convert() {
    let backup = "apiVersion: backup.example.com/v1alpha1\nkind: Backup\nmetadata: {name: a}\n";
    let config = Path::new("../examples/backups/hubgen.toml");
    let (code, out, err) = hubgen("convert", config, &["--newest"], backup);
    assert_eq!((code, &*out), (1, ""));
    let expected = "backup.example.com/v1alpha1 Backup cannot be converted to backup.example.com/v1 Backup: its rules name \
                    functions of the repository's own code";
    assert!(err.contains(expected), "{err}");
    let (code, out, err) = hubgen("convert", config, &["--to", "backup.example.com/v1alpha1"], backup);
    assert_eq!((code, &*out, &*err), (0, backup, ""));
}

#[test]
fn errors_of_the_repository_are_reported_and_nothing_is_written() {
    let (code, out, err) = hubgen("convert", Path::new("no/hubgen.toml"), &["--newest"], OLD);
    assert_eq!((code, &*out), (1, ""));
    assert!(
        err.contains("no/hubgen.toml: cannot be read") && err.contains("give the path of a hubgen.toml"),
        "{err}"
    );

    let folder = changed(|text| text.replace("renamed(v1alpha1", "renamed(v1alpha2"));
    let (code, out, err) = hubgen("convert", &folder.path().join("hubgen.toml"), &["--newest"], OLD);
    assert_eq!((code, &*out), (1, ""));
    assert!(err.contains("`v1alpha2` is not another version of the group"), "{err}");

    let folder = tempfile::tempdir().expect("a folder");
    let write = |file: &str, text: &str| fs::write(folder.path().join(file), text).expect("written");
    fs::create_dir_all(folder.path().join("src/api")).expect("made");
    write("hubgen.toml", "source = \"src/api\"\n");
    write("src/api/mod.rs", "pub mod v1;\n");
    let kind = "#[kind(group = \"apps\", version = \"v1\", kind = \"Deployment\", storage)]";
    let fields = "pub metadata: hubgen_meta::v1::ObjectMeta";
    write(
        "src/api/v1.rs",
        &format!("#[derive(hubgen_machinery::ApiType)]\n{kind}\npub struct Deployment {{ {fields} }}\n"),
    );
    let (code, out, err) = hubgen("convert", &folder.path().join("hubgen.toml"), &["--newest"], OLD);
    assert_eq!((code, &*out), (1, ""));
    assert!(err.contains("is registered twice") && err.contains("give the kind another group"), "{err}");
}

#[test]
fn objects_of_storage_are_read() {
    let stored = r#"{"apiVersion":"example.com/v1alpha1","kind":"Demo","metadata":{"name":"a"},"spec":{"image":"a","size":3}}"#;
    let (code, out, err) = hubgen("decode", Path::new(DEMO), &["--to", "newest", "-o", "json"], stored);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.contains(r#""replicas": 3"#) && out.contains(r#""apiVersion": "example.com/v1""#), "{out}");
}
