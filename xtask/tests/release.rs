//! `cargo xtask release` as people run it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Modules of a release that has one kind, and an archive that ends with the release before.
struct Sources {
    folder: PathBuf,
}

const MODULES: [&str; 4] = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

const TYPES: &str = "package v1

// Zoo is a kind.
type Zoo struct {
	metav1.TypeMeta `json:\",inline\"`
	Spec ZooSpec `json:\"spec,omitempty\" protobuf:\"bytes,2,opt,name=spec\"`
}

// ZooSpec says what a zoo has.
type ZooSpec struct {
	Name string `json:\"name\" protobuf:\"bytes,3,opt,name=name\"`
	Animals []string `json:\"animals,omitempty\" protobuf:\"bytes,1,rep,name=animals\"`
	Guards *int32 `json:\"guards,omitempty\" protobuf:\"varint,2,opt,name=guards\"`
}
";

const PROTO: &str = "syntax = \"proto2\";
package k8s.io.api.zoo.v1;
message Zoo { optional ZooSpec spec = 2; }
message ZooSpec { optional string name = 3; repeated string animals = 1; optional int32 guards = 2; }
";

const OPENAPI: &str = r##"{
  "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "unversioned"}, "paths": {},
  "components": {"schemas": {
    "io.k8s.api.zoo.v1.Zoo": {
      "type": "object", "description": "A zoo.",
      "x-kubernetes-group-version-kind": [{"group": "zoo.k8s.io", "version": "v1", "kind": "Zoo"}],
      "properties": {
        "apiVersion": {"type": "string"}, "kind": {"type": "string"},
        "spec": {"allOf": [{"$ref": "#/components/schemas/io.k8s.api.zoo.v1.ZooSpec"}]}
      }
    },
    "io.k8s.api.zoo.v1.ZooSpec": {
      "type": "object", "required": ["name"],
      "properties": {
        "animals": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
        "guards": {"type": "integer", "format": "int32", "default": 2},
        "name": {"type": "string", "description": "Its name."}
      }
    }
  }}
}"##;

impl Sources {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        let sources = Self { folder };
        for module in MODULES {
            sources.write(&format!("{module}/go.mod"), &format!("module k8s.io/{module}\n\ngo 1.21\n"));
            let types = if module == "api" { TYPES } else { "package v1\n" };
            sources.write(&format!("{module}/zoo/v1/types.go"), types);
        }
        sources.write("api/zoo/v1/generated.proto", PROTO);
        sources.write("openapi/zoo.json", OPENAPI);
        // Another group's document of the same name.
        sources.write("openapi/more/zoo.json", r#"{"openapi": "3.0.0", "components": {"schemas": {}}}"#);
        let record = "releases = [\"1.20\"]\n[applied]\n[siblings]\n[unreached]\n[left-out]\n";
        sources.write("schemas/archive.toml", record);
        sources.write("schemas/history.toml", "");
        sources
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn release(&self, release: &str, from: &[&str], options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(["release", release, "--out"]).arg(self.folder.join("schemas")).args(options);
        command.arg("--from").args(from.iter().map(|path| self.folder.join(path)));
        command.output().unwrap()
    }

    /// All modules, and the OpenAPI documents.
    fn all() -> Vec<&'static str> {
        MODULES.into_iter().chain(["openapi"]).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Field facts are read by a Go program.
fn has_go() -> bool {
    let found = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    if !found {
        // Writes to the terminal directly, since the test harness captures `println!`.
        let _ = writeln!(std::io::stderr(), "left out: `go` is missing");
    }
    found
}

#[test]
fn what_is_missing_or_of_another_release_is_named() {
    let sources = Sources::new("release-missing");
    let failed = |release: &str, from: &[&str], expected: &[&str]| {
        let output = sources.release(release, from, &[]);
        let errors = text(&output.stderr);
        assert!(!output.status.success(), "{}", text(&output.stdout));
        for expected in expected {
            assert!(errors.contains(expected), "{expected:?} in: {errors}");
        }
    };
    failed(
        "1.21",
        &["api", "apimachinery"],
        &[
            "no folder has the module k8s.io/apiextensions-apiserver",
            "no folder has the module k8s.io/kube-aggregator",
            "go mod download -json k8s.io/kube-aggregator@v0.21.0",
            "no folder has OpenAPI documents",
        ],
    );
    failed("1.21", &["nowhere"], &["nowhere", "does not exist"]);
    failed("1.21", &["api", "api"], &["k8s.io/api is in two folders"]);
    sources.write("other/go.mod", "module example.com/other\n");
    failed("1.21", &["other"], &["the module example.com/other has nothing of the API"]);
    sources.write("kept/api@v0.22.1/go.mod", "module k8s.io/api\n");
    failed("1.21", &["kept/api@v0.22.1"], &["is version 0.22.1, and the release is 1.21"]);
    sources.write("empty/README", "");
    failed("1.21", &["empty"], &["has neither a go.mod nor files *.json"]);
    sources.write("schemas/archive.toml", "releases = [\"1\"]");
    failed("1.21", &Sources::all(), &["archive.toml", "missing field `applied`"]);
}

#[test]
fn a_release_is_added_to_the_one_before() {
    if !has_go() {
        return;
    }
    let sources = Sources::new("release-added");
    let schema = sources.folder.join("schemas/zoo.k8s.io/v1.json");
    let dry = sources.release("1.21", &Sources::all(), &["--dry-run"]);
    assert!(dry.status.success(), "{}", text(&dry.stderr));
    assert!(text(&dry.stdout).contains("+ zoo.k8s.io/v1 (2 types)"), "{}", text(&dry.stdout));
    assert!(text(&dry.stdout).contains("needs nothing else"), "{}", text(&dry.stdout));
    assert!(!schema.exists(), "a dry run writes nothing");

    let docs = sources.folder.join("docs.json");
    let kept = sources.folder.join("kept");
    let options = ["--docs", docs.to_str().unwrap(), "--keep", kept.to_str().unwrap()];
    let output = sources.release("1.21.0-beta.1", &Sources::all(), &options);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let written = fs::read_to_string(&schema).unwrap();
    // The order and the pointer are those of Go, the numbers those of protobuf, the rest is in OpenAPI.
    let places = ["\"name\"", "\"animals\"", "\"guards\""].map(|name| written.rfind(name).unwrap());
    assert!(places.is_sorted(), "{written}");
    for expected in [
        r#""guards": {"type": "integer", "format": "int32", "x-presence": "pointer", "x-number": 2, "default": 2}"#,
        r#""x-since": "1.21""#,
        r#""x-kubernetes-list-type": "set""#,
    ] {
        assert!(written.contains(expected), "{expected} in: {written}");
    }
    assert!(!written.contains("A zoo."), "descriptions are not kept: {written}");
    let docs: serde_json::Value = serde_json::from_str(&fs::read_to_string(docs).unwrap()).unwrap();
    assert_eq!(docs["zoo.k8s.io/v1 Zoo"][""], "A zoo.");
    assert_eq!(docs["zoo.k8s.io/v1 ZooSpec"]["name"], "Its name.");
    assert!(kept.join("go-fields/v1.21.json").exists() && kept.join("protobuf/v1.21.binpb").exists());
    assert_eq!(fs::read_to_string(kept.join("openapi/v1.21/zoo.json")).unwrap(), OPENAPI);
    assert!(kept.join("openapi/v1.21/more/zoo.json").exists());

    // The next release no longer has one field.
    sources.write(
        "api/zoo/v1/types.go",
        &TYPES
            .replace("\tAnimals", "\t// Animals left.\n\tX")
            .replace("json:\"animals,omitempty\"", "json:\"-\""),
    );
    sources.write("api/zoo/v1/generated.proto", &PROTO.replace("repeated string animals = 1; ", ""));
    let openapi = OPENAPI.replace(
        "\"animals\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"x-kubernetes-list-type\": \"set\"},",
        "",
    );
    let openapi =
        openapi.replace("\"default\": 2", "\"default\": 3").replace("\"required\": [\"name\"],", "");
    sources.write("openapi/zoo.json", &openapi);
    let again = sources.release("1.21", &Sources::all(), &[]);
    assert!(text(&again.stderr).contains("the archive has 1.21 already"), "{}", text(&again.stderr));
    let later = sources.release("1.23", &Sources::all(), &[]);
    assert!(text(&later.stderr).contains("import 1.22 first"), "{}", text(&later.stderr));
    let next = sources.release("1.22", &Sources::all(), &[]);
    assert!(next.status.success(), "{}", text(&next.stderr));
    let written = fs::read_to_string(&schema).unwrap();
    assert!(written.contains(r#""x-until": "1.21""#), "{written}");
    let printed = text(&next.stdout);
    for expected in [
        "zoo.k8s.io/v1: - ZooSpec.animals (until 1.21)",
        "zoo.k8s.io/v1: ~ ZooSpec.guards: default 3, was 2 (since 1.22)",
        "zoo.k8s.io/v1: ~ ZooSpec.name: required no, was yes (since 1.22)",
    ] {
        assert!(printed.lines().any(|line| line == expected), "{expected} in: {printed}");
    }
    let history = fs::read_to_string(sources.folder.join("schemas/history.toml")).unwrap();
    for expected in [
        "[\"zoo.k8s.io/v1 ZooSpec.guards\"]\ndefault = { \"1.21\" = \"2\" }",
        "[\"zoo.k8s.io/v1 ZooSpec.name\"]\nrequired = { \"1.21\" = true }",
    ] {
        assert!(history.contains(expected), "{expected} in: {history}");
    }
}

#[test]
fn sources_with_errors_are_named() {
    if !has_go() {
        return;
    }
    let sources = Sources::new("release-errors");
    let failed = |expected: &str| {
        let output = sources.release("1.21", &Sources::all(), &[]);
        let errors = text(&output.stderr);
        assert!(!output.status.success() && errors.contains(expected), "{expected:?} in: {errors}");
        assert!(!sources.folder.join("schemas/INDEX.md").exists(), "nothing is half-written");
    };
    sources.write("api/zoo/v1/types.go", "package v1\n\ntype Zoo struct {");
    failed("types.go:3");
    sources.write("api/zoo/v1/types.go", TYPES);
    sources.write("api/zoo/v1/generated.proto", "syntax = \"proto2\";\nmessage {");
    failed("k8s.io/api/zoo/v1/generated.proto");
    sources.write("api/zoo/v1/generated.proto", PROTO);
    sources.write("openapi/zoo.json", &OPENAPI.replace("unversioned", "v1.19.3"));
    failed("is of 1.19, and the release is 1.21");
    sources.write("openapi/zoo.json", "{");
    failed("release-errors/openapi/zoo.json:1:2");
}

/// The tests of the Go program itself.
#[test]
fn field_facts_are_tested() {
    if !has_go() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("field-facts");
    for arguments in [&["vet", "."][..], &["test", "."]] {
        let output = Command::new("go").args(arguments).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    }
}
