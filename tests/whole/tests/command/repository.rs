//! `hubgen init`, `hubgen import` and `hubgen generate` in a user's repository.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use crate::process::hubgen;

const WIDGETS: &str = include_str!("repository/widgets.yaml");
const PUBLISHED: &str = include_str!("../../../../codegen/documents/tests/crd/published/v1.json");

/// A repository with a crate and the definitions.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in [
        ("crds/widgets.yaml", WIDGETS),
        (
            "Cargo.toml",
            "[package]\nname = \"user\"\nversion = \"0.1.0\"\n\n[dependencies]\nhubgen-machinery = \"0.1\"\n",
        ),
        ("src/lib.rs", "pub mod api;\n"),
    ] {
        write(folder.path(), path, text);
    }
    folder
}

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    hubgen().args(arguments).current_dir(folder).output().expect("hubgen runs")
}

/// What a successful command prints to standard output.
fn succeeded(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text")
}

/// What a failed command prints to standard error. It must not have changed any file.
fn failed(folder: &Path, arguments: &[&str]) -> String {
    let before = files(folder);
    let output = run(folder, arguments);
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
    assert!(files(folder) == before, "{arguments:?} changed files");
    error
}

fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path)
            } else {
                files.push((path.clone(), fs::read(path).expect("read")))
            }
        }
    }
    files.sort();
    files
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
}

#[test]
fn from_definitions_to_code() {
    let folder = repository();
    let path = folder.path();
    let printed = succeeded(path, &["import", "crds"]);
    let expected = "+ example.com/v1beta1 (5 types)\n+ example.com/v1 (8 types)\n\
                    skipped: ConfigMap (crds/widgets.yaml:68): not a CustomResourceDefinition\n\
                    1 documents: 2 group versions, 2 kinds in 3 versions, 13 types; 2 files changed in schemas\n";
    assert_eq!(printed, expected);
    let output = run(path, &["generate"]);
    assert!(output.status.success());
    let note = String::from_utf8(output.stderr).expect("text");
    contains(
        &note,
        &[
            "next: add these dependencies to Cargo.toml:\n  hubgen-meta = { path = ",
            "generated/meta",
            "\nnext: add these, too, to test the conversions:\n  [dev-dependencies]\n  hubgen-laws = { path = ",
            "--crates-from",
        ],
    );
    assert!(!note.contains("hubgen-machinery") && !note.contains("pub mod"), "{note}");
    let widget = fs::read_to_string(path.join("src/api/example/v1/widget.rs")).expect("generated");
    contains(
        &widget,
        &[
            "use hubgen_meta::v1::{ListMeta, ObjectMeta};",
            "pub selector: Option<WidgetSelector>",
            "pub enum WidgetColour {",
        ],
    );
    // The two versions are equal, so they need no rules and share a type.
    let beta = fs::read_to_string(path.join("src/api/example/v1beta1/mod.rs")).expect("generated");
    contains(&beta, &["pub use crate::api::example::v1::{", "WidgetSpec,"]);

    assert!(succeeded(path, &["generate", "--check"]).contains("(0 differ)"));
    // From below the repository, too.
    assert!(succeeded(path, &["import", "crds"]).ends_with("0 files changed in schemas\n"));
    write(path, "hubgen.toml", "");
    assert!(succeeded(&path.join("src"), &["generate", "--check"]).contains("(0 differ)"));
    // A definition that is not what the schemas give.
    let crds = path.join("src/api/example/crds.rs");
    let text = fs::read_to_string(&crds).expect("generated");
    contains(
        &text,
        &["pub const WIDGETS: Crd = Crd::generated(\"widgets.example.com\", r#\"{\n", "\"minimum\": 1"],
    );
    fs::write(&crds, text.replacen("\"minimum\": 1", "\"minimum\": 2", 1)).expect("written");
    let output = run(path, &["generate", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    contains(&String::from_utf8_lossy(&output.stdout), &["+++ src/api/example/crds.rs", "(1 differ)"]);
    write(path, "hubgen.toml", "enums = false\n");
    succeeded(path, &["generate"]);
    assert_eq!(fs::read_to_string(&crds).expect("generated"), text);
    let widget = fs::read_to_string(path.join("src/api/example/v1/widget.rs")).expect("generated");
    contains(&widget, &["pub const COLOUR_"]);
    assert!(!widget.contains("pub enum"), "{widget}");
}

#[test]
fn from_a_cluster() {
    let folder = repository();
    let mut child = hubgen()
        .args(["import", "-", "--docs", "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("hubgen starts");
    child.stdin.take().expect("a pipe").write_all(WIDGETS.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (&json["ok"], &json["kinds"], &json["types"]),
        (&true.into(), &2.into(), &13.into()),
        "{json}"
    );
    assert_eq!(json["skipped"][0]["kind"], "ConfigMap");
    let schema = fs::read_to_string(folder.path().join("schemas/example.com/v1.json")).expect("written");
    contains(&schema, &["Something that turns."]);
}

/// Versions that a definition no longer has stay; kinds do not go silently.
#[test]
fn what_is_not_imported_again() {
    let folder = repository();
    let path = folder.path();
    succeeded(path, &["import", "crds"]);
    let (_, rest) = WIDGETS.split_once("---\n").expect("two documents");
    let only_v1 = rest.replace("name: v1\n", "name: v2\n");
    write(path, "v2.yaml", &only_v1);
    assert!(succeeded(path, &["import", "v2.yaml"]).starts_with("+ example.com/v2"));
    assert!(path.join("schemas/example.com/v1.json").is_file());

    write(path, "boxes.yaml", rest);
    let error = failed(path, &["import", "boxes.yaml"]);
    contains(
        &error,
        &["Widget of example.com/v1 is in this folder", "schemas/example.com/v1.json", "--prune"],
    );
    succeeded(path, &["import", "boxes.yaml", "--prune"]);
    let schema = fs::read_to_string(path.join("schemas/example.com/v1.json")).expect("written");
    assert!(!schema.contains("Widget"), "{schema}");
}

/// The Widget has two versions, and the Box one.
#[test]
fn definitions_name_the_webhook() {
    let folder = repository();
    let path = folder.path();
    let definitions = "crds = \"definitions\"\n";
    write(path, "hubgen.toml", definitions);
    succeeded(path, &["import", "crds"]);
    let of = |plural: &str| {
        fs::read_to_string(path.join(format!("definitions/{plural}.example.com.yaml"))).expect("written")
    };
    succeeded(path, &["crds", "--webhook", "tools/webhook"]);
    contains(
        &of("widgets"),
        &["strategy: Webhook", "name: webhook", "namespace: tools", "path: /convert", "- v1"],
    );
    assert!(!of("boxes").contains("conversion"));
    // Those of the file.
    assert_eq!(run(path, &["crds", "--check"]).status.code(), Some(1));
    succeeded(path, &["generate"]);
    let webhook = "[webhook]\nurl = \"https://tools.example.com/convert\"\nca-from = \"tools/webhook\"\n";
    write(path, "hubgen.toml", &format!("{definitions}{webhook}"));
    // The code contains the definitions, too.
    for command in ["generate", "crds"] {
        let error = failed(path, &[command, "--check"]);
        contains(
            &error,
            &["file(s) are not what the schemas and hubgen.toml give", &format!("run `hubgen {command}`")],
        );
    }
    succeeded(path, &["crds"]);
    let annotation = "cert-manager.io/inject-ca-from: tools/webhook";
    contains(&of("widgets"), &[annotation, "url: https://tools.example.com/convert"]);
    succeeded(path, &["crds", "--check"]);
    // A version that is served and does not convert.
    let rules =
        "hub = \"example.com/v1\"\n\n[\"example.com/v1beta1\"]\nnot-convertible = \"it is another API\"\n";
    write(path, "schemas/rules/example.com.Widget.toml", rules);
    let named = "  widgets.example.com: served and not converted: v1beta1; so it names no webhook, unless `[webhook]` has \
                 `incomplete = true`\n";
    contains(&succeeded(path, &["crds"]), &[named]);
    assert!(!of("widgets").contains("url: https"), "{}", of("widgets"));
    contains(
        &succeeded(path, &["generate"]),
        &[
            "not convertible          1\n  Widget.example.com: v1beta1\n  CONVERSIONS.md, beside the code, has the reasons\n",
        ],
    );
    write(path, "hubgen.toml", &format!("{definitions}{webhook}incomplete = true\n"));
    contains(
        &succeeded(path, &["crds"]),
        &["served and not converted: v1beta1; the webhook refuses these\n"],
    );
    contains(&of("widgets"), &["url: https://tools.example.com/convert"]);
    write(path, "hubgen.toml", definitions);
    contains(
        &succeeded(path, &["crds"]),
        &["v1beta1; an API server returns objects there as they are stored"],
    );
    let output = run(path, &["crds", "--webhook", "webhook"]);
    assert_eq!(output.status.code(), Some(2));
    contains(
        &String::from_utf8_lossy(&output.stderr),
        &["`webhook` is neither `NAMESPACE/NAME` of a Service nor a URL with https"],
    );
}

/// The diff of `--check` is a result, not a summary.
#[test]
fn quiet_commands_print_no_summary() {
    let folder = repository();
    let path = folder.path();
    write(path, "hubgen.toml", "crds = \"definitions\"\n");
    succeeded(path, &["import", "crds"]);
    for command in ["generate", "crds"] {
        assert_eq!(succeeded(path, &[command, "-q"]), "");
        assert_eq!(succeeded(path, &[command, "-q", "--check"]), "");
    }
    fs::remove_file(path.join("definitions/boxes.example.com.yaml")).expect("removed");
    let output = run(path, &["crds", "-q", "--check"]);
    let diff = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(diff.ends_with("+        type: object\n+    served: true\n+    storage: true\n"), "{diff}");
}

/// The versions of the Widget have the same schema: an API server loses nothing. With a rule, it would.
#[test]
fn definitions_without_a_webhook_lose_what_converts() {
    let folder = repository();
    let path = folder.path();
    let definitions = "crds = \"definitions\"\n";
    write(path, "hubgen.toml", definitions);
    succeeded(path, &["import", "crds"]);
    let help =
        "\n  help: name a webhook, with `[webhook]` in hubgen.toml or `--webhook`; see docs/webhook.md\n";
    let warning = "  widgets.example.com: no webhook converts v1, v1beta1; an API server changes `apiVersion` and nothing \
                   else, and drops the fields that a version does not have, such as moved and renamed ones";
    assert!(!succeeded(path, &["crds"]).contains("webhook"));
    let file = path.join("schemas/example.com/v1beta1.json");
    let schema = fs::read_to_string(&file).expect("imported");
    fs::write(&file, schema.replace("\"colour\"", "\"paint\"")).expect("written");
    let rules =
        "hub = \"example.com/v1\"\n\n[\"example.com/v1beta1\"]\nmove = [[\"spec.paint\", \"spec.colour\"]]\n";
    write(path, "schemas/rules/example.com.Widget.toml", rules);
    let printed = succeeded(path, &["crds"]);
    assert!(printed.ends_with(&format!("{warning}{help}")), "{printed}");
    contains(&succeeded(path, &["crds", "--check"]), &[warning]);
    assert_eq!(succeeded(path, &["crds", "--quiet"]), "");
    let json: serde_json::Value =
        serde_json::from_str(&succeeded(path, &["crds", "--check", "--json"])).expect("JSON");
    assert_eq!(json["no_webhook"], serde_json::json!({"widgets.example.com": ["v1", "v1beta1"]}), "{json}");
    assert!(!succeeded(path, &["crds", "--webhook", "tools/webhook"]).contains("webhook"));
    // A version that no API server serves or stores asks for no conversion.
    fs::write(
        &file,
        schema.replace("\"colour\"", "\"paint\"").replace("\"served\": true", "\"served\": false"),
    )
    .expect("written");
    assert!(!succeeded(path, &["crds"]).contains("webhook"));
}

#[test]
fn crates_instead_of_modules() {
    let folder = repository();
    let path = folder.path();
    write(path, "hubgen.toml", "crates = \"acme\"\n\n[names]\n\"example.com\" = \"tools\"\n");
    succeeded(path, &["import", "crds"]);
    succeeded(path, &["generate"]);
    let manifest = fs::read_to_string(path.join("crates/tools/Cargo.toml")).expect("generated");
    contains(&manifest, &["name = \"acme-tools\"", "hubgen-meta = { version = ", "hubgen-machinery = \""]);
    let face = fs::read_to_string(path.join("crates/acme/src/lib.rs")).expect("generated");
    contains(&face, &["pub use acme_tools as tools;"]);
    assert!(succeeded(path, &["generate", "--check"]).contains("(0 differ)"));
}

#[test]
fn files_of_people_and_of_newer_tools_are_left_alone() {
    let folder = repository();
    let path = folder.path();
    succeeded(path, &["import", "crds"]);
    write(path, "src/api/mod.rs", "//! By hand.\n");
    contains(
        &failed(path, &["generate"]),
        &["src/api/mod.rs", "a generated file would replace this one, which was not generated"],
    );
    fs::remove_file(path.join("src/api/mod.rs")).expect("removed");
    succeeded(path, &["generate"]);

    // Edited by hand.
    let file = path.join("src/api/example/v1/box_.rs");
    let text = fs::read_to_string(&file).expect("generated");
    fs::write(&file, text.replace("i64", "i32")).expect("written");
    let output = run(path, &["generate", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    contains(
        &String::from_utf8_lossy(&output.stdout),
        &["-    pub width: Option<i32>,", "+    pub width: Option<i64>,"],
    );
    contains(&String::from_utf8_lossy(&output.stderr), &["help: run `hubgen generate`"]);

    // Written by a newer tool.
    let newer = text.replacen(&format!("` {} from", env!("CARGO_PKG_VERSION")), "` 99.1.0 from", 1);
    assert_ne!(newer, text);
    fs::write(&file, newer).expect("written");
    for arguments in [&["generate"][..], &["generate", "--check"]] {
        contains(
            &failed(path, arguments),
            &["version 99.1.0 of hubgen generated this file", "install 99.1.0 or a newer"],
        );
    }
}

#[test]
fn schemas_of_newer_tools_are_refused() {
    let folder = repository();
    let path = folder.path();
    succeeded(path, &["import", "crds"]);
    let file = path.join("schemas/example.com/v1.json");
    let text = fs::read_to_string(&file).expect("written");
    let ours = format!("\"x-hubgen\": \"{}\"", env!("CARGO_PKG_VERSION"));
    let newer =
        text.replace(&ours, "\"x-hubgen\": \"99.1.0\"").replace("\"title\"", "\"x-new\": 1, \"title\"");
    assert!(newer.contains("99.1.0"), "{text}");
    fs::write(&file, newer).expect("written");
    for arguments in [&["generate"][..], &["import", "crds"]] {
        let error = failed(path, arguments);
        contains(
            &error,
            &[
                "schemas/example.com/v1.json:",
                "version 99.1.0 of hubgen wrote this file",
                "install 99.1.0 or a newer",
                "1 error; nothing was written",
            ],
        );
    }
}

/// What an API server publishes about definitions, and warnings beside errors.
#[test]
fn documents_of_an_api_server() {
    let folder = repository();
    let path = folder.path();
    write(path, "v1.json", PUBLISHED);
    let output = run(path, &["import", "v1.json"]);
    assert!(output.status.success());
    contains(
        &String::from_utf8_lossy(&output.stdout),
        &["+ tools.example.com/v1", "1 group versions, 1 kinds"],
    );
    contains(
        &String::from_utf8_lossy(&output.stderr),
        &["do not tell which version is stored", "kubectl get crds -o yaml | hubgen import -"],
    );
    succeeded(path, &["generate"]);
    let gadget = fs::read_to_string(path.join("src/api/tools/v1/gadget.rs")).expect("generated");
    contains(&gadget, &["pub spec: GadgetSpec", "pub parts: Option<Vec<GadgetPart>>"]);
    write(path, "apps.json", &PUBLISHED.replace("tools.example.com", "apps"));
    let error = failed(path, &["import", "v1.json", "apps.json"]);
    contains(
        &error,
        &[
            "apps/v1 is a group version of Kubernetes",
            "which version is stored",
            "1 error; nothing was written",
        ],
    );
    // Errors that come after the definitions were read.
    let text = fs::read_to_string(path.join("schemas/tools.example.com/v1.json")).expect("written");
    let other = text.replace("\"GadgetList\": {", "\"Tool\": {\"type\": \"object\", \"x-kubernetes-group-version-kind\": [{\"group\": \"tools.example.com\", \"version\": \"v1\", \"kind\": \"Tool\"}], \"properties\": {}},\n\"GadgetList\": {");
    assert_ne!(text, other);
    write(path, "schemas/tools.example.com/v1.json", &other);
    contains(
        &failed(path, &["import", "v1.json"]),
        &["Tool of tools.example.com/v1", "which version is stored"],
    );
}

/// What was imported is written as definitions again.
#[test]
fn from_schemas_to_definitions() {
    let folder = repository();
    let path = folder.path();
    write(path, "hubgen.toml", "crds = \"deploy/crds\"\n");
    succeeded(path, &["import", "crds"]);
    assert_eq!(
        succeeded(path, &["crds"]),
        "2 definitions in deploy/crds: 2 files changed, 0 of them removed\n"
    );
    let file = path.join("deploy/crds/widgets.example.com.yaml");
    let text = fs::read_to_string(&file).expect("written");
    contains(
        &text,
        &[
            "# Generated by `hubgen crds` ",
            " from schemas/example.com. Do not edit.\napiVersion: apiextensions.k8s.io/v1\n",
            "  name: widgets.example.com\n",
        ],
    );
    // From below the repository, too, and the same.
    let unchanged = "2 definitions in ../deploy/crds: 0 files differ, 0 of them removed\n";
    assert_eq!(succeeded(&path.join("src"), &["crds", "--check"]), unchanged);
    // What people write beside it stays.
    write(path, "deploy/crds/kustomization.yaml", "resources: []\n");

    // Edited by hand, and of a kind that is gone.
    fs::write(&file, text.replace("plural: widgets", "plural: gadgets")).expect("written");
    write(path, "deploy/crds/old.example.com.yaml", &text);
    let output = run(path, &["crds", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    contains(
        &String::from_utf8_lossy(&output.stdout),
        &[
            "+++ deploy/crds/widgets.example.com.yaml",
            "-    plural: gadgets",
            "--- deploy/crds/old.example.com.yaml\n+++ /dev/null",
            "2 definitions in deploy/crds: 2 files differ, 1 of them removed",
        ],
    );
    contains(&String::from_utf8_lossy(&output.stderr), &["2 file(s) are not", "help: run `hubgen crds`"]);
    let output = run(path, &["crds", "--check", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        json,
        serde_json::json!({"ok": false, "definitions": 2, "changed": 2, "removed": 1, "unconverted": {}, "no_webhook": {}, "without_rules": {}})
    );
    assert!(succeeded(path, &["crds"]).ends_with("2 files changed, 1 of them removed\n"));
    assert_eq!(fs::read_to_string(&file).expect("written"), text);
    assert!(!path.join("deploy/crds/old.example.com.yaml").exists());
    assert!(path.join("deploy/crds/kustomization.yaml").exists());
}

#[test]
fn definitions_that_cannot_be_written() {
    let folder = repository();
    let path = folder.path();
    fs::create_dir(path.join("schemas")).expect("made");
    contains(&failed(path, &["crds"]), &["schemas: no kind in this folder", "hubgen import"]);
    // The definitions that were imported are in the folder of those that would be written.
    write(path, "crds/boxes.example.com.yaml", "kind: Box\n");
    write(path, "crds/templates.yaml", "{{ of Helm }}");
    succeeded(path, &["import", "crds/widgets.yaml"]);
    contains(
        &failed(path, &["crds"]),
        &[
            "crds/boxes.example.com.yaml: a generated file would replace this one",
            "crds/widgets.yaml: this file was not generated, and defines widgets.example.com",
            "`crds` in hubgen.toml",
            "2 errors; nothing was written",
        ],
    );
    fs::remove_file(path.join("crds/widgets.yaml")).expect("removed");
    // Written by a newer tool.
    fs::remove_file(path.join("crds/boxes.example.com.yaml")).expect("removed");
    succeeded(path, &["crds"]);
    let file = path.join("crds/boxes.example.com.yaml");
    let text = fs::read_to_string(&file).expect("written");
    let newer = text.replacen(&format!("` {} from", env!("CARGO_PKG_VERSION")), "` 99.1.0 from", 1);
    assert_ne!(newer, text);
    fs::write(&file, newer).expect("written");
    for arguments in [&["crds"][..], &["crds", "--check"]] {
        contains(&failed(path, arguments), &["version 99.1.0 of hubgen generated this file"]);
    }
    fs::write(&file, text).expect("written");
    // Schemas that do not tell which version is stored, and those that do not agree.
    write(path, "v1.json", PUBLISHED);
    succeeded(path, &["import", "v1.json"]);
    let schema = path.join("schemas/example.com/v1beta1.json");
    let text = fs::read_to_string(&schema).expect("written");
    let other = text.replace("\"singular\": \"widget\"", "\"singular\": \"gadget\"");
    assert_ne!(text, other);
    fs::write(&schema, other).expect("written");
    contains(
        &failed(path, &["crds"]),
        &[
            "no version of gadgets.tools.example.com has `storage: true`",
            "schemas/example.com/v1beta1.json:",
            "`singular` is \"gadget\" here, but \"widget\" in v1",
            "2 errors; nothing was written",
        ],
    );
    // Code is generated all the same, without these definitions.
    let output = run(path, &["generate"]);
    assert!(output.status.success());
    contains(
        &String::from_utf8_lossy(&output.stderr),
        &[
            "no version of gadgets.tools.example.com has `storage: true`",
            "which one is stored; the kind gets no function `crd`",
            "`singular` is \"gadget\" here, but \"widget\" in v1; the kind gets no function `crd`",
        ],
    );
    let json: serde_json::Value =
        serde_json::from_str(&succeeded(path, &["generate", "--json"])).expect("JSON");
    assert_eq!(json["diagnostics"].as_array().map(Vec::len), Some(2), "{json}");
    let crds = fs::read_to_string(path.join("src/api/example/crds.rs")).expect("generated");
    assert!(crds.contains("vec![BOXES]") && !crds.contains("WIDGETS"), "{crds}");
    assert!(!path.join("src/api/tools/crds.rs").exists());
    let root = fs::read_to_string(path.join("src/api/mod.rs")).expect("generated");
    contains(&root, &["    [example::crds::all()].concat()"]);
}

/// Types in Rust, with a field that has another name in the older version.
const TYPES: &str = r#"
pub mod v1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    /// A tool.
    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1", kind = "Tool", namespaced, storage, short("tl"))]
    pub struct Tool {
        pub metadata: ObjectMeta,
        pub spec: Option<ToolSpec>,
    }

    #[derive(ApiType)]
    pub struct ToolSpec {
        pub weight: Option<i32>,
    }
}

pub mod v1alpha1 {
    use hubgen_machinery::{ApiType, Str};
    use hubgen_meta::v1::ObjectMeta;

    #[derive(ApiType)]
    #[kind(group = "example.com", version = "v1alpha1", kind = "Tool")]
    pub struct Tool {
        pub metadata: ObjectMeta,
        pub spec: Option<ToolSpec>,
    }

    #[derive(ApiType)]
    pub struct ToolSpec {
        #[field(name = "Weight")]
        pub weight: Option<i32>,
    }
}
"#;

#[test]
fn from_rust_to_definitions() {
    let folder = repository();
    let path = folder.path();
    write(path, "hubgen.toml", "source = \"src/types.rs\"\n");
    write(path, "src/types.rs", TYPES);
    contains(
        &failed(path, &["generate"]),
        &["example.com/v1alpha1 does not have `spec.weight`", "[src/types.rs:16:13]", "renamed(v1alpha1 = "],
    );
    succeeded(path, &["draft-rules"]);
    let rules = fs::read_to_string(path.join("schemas/rules/example.com.Tool.toml")).expect("drafted");
    contains(&rules, &["[\"spec.Weight\", \"spec.weight\"]"]);
    let output = run(path, &["generate"]);
    assert!(output.status.success());
    let note = String::from_utf8(output.stderr).expect("text");
    contains(
        &note,
        &["declare the module in lib.rs or main.rs: `pub mod types;`", "src/types.rs: `pub mod generated;`"],
    );
    let convert = path.join("src/types/generated/example/v1alpha1/convert.rs");
    contains(&fs::read_to_string(convert).expect("generated"), &["weight: spec.weight"]);
    assert!(succeeded(path, &["generate", "--check"]).contains("(0 differ)"));

    succeeded(path, &["crds"]);
    let definition = fs::read_to_string(path.join("crds/tools.example.com.yaml")).expect("written");
    contains(&definition, &["description: A tool.", "- tl", "scope: Namespaced", "name: v1alpha1"]);
    // First lines name the source, and the folder with the rules that were drafted.
    contains(&definition, &[" from src/types.rs. Do not edit.\n"]);
    let first_lines = [
        ("mod.rs", " from src/types.rs and schemas. Do not edit.\n"),
        ("example/crds.rs", " from src/types.rs. Do not edit.\n"),
        ("CONVERSIONS.md", " from src/types.rs and schemas/rules. Do not edit. -->\n"),
    ];
    for (file, origin) in first_lines {
        let text = fs::read_to_string(path.join("src/types/generated").join(file)).expect("generated");
        contains(&text, &[origin]);
    }
    // Another default in Rust is another definition.
    write(path, "src/types.rs", &TYPES.replacen("pub weight", "#[field(default = \"3\")] pub weight", 1));
    let output = run(path, &["crds", "--check"]);
    assert_eq!(output.status.code(), Some(1));
    contains(&String::from_utf8_lossy(&output.stdout), &["+                default: 3"]);
}

#[test]
fn bad_input_is_explained() {
    let folder = repository();
    let path = folder.path();
    write(path, "hubgen.toml", "scemas = \"x\"\n");
    for command in [&["generate"][..], &["import", "crds"]] {
        contains(
            &failed(path, command),
            &["hubgen.toml:1:1", "unknown key `scemas`", "schemas, source, out"],
        );
    }
    fs::remove_file(path.join("hubgen.toml")).expect("removed");
    contains(&failed(path, &["generate"]), &["schemas: cannot be read", "give the folder"]);
    contains(&failed(path, &["generate", "--config", "no.toml"]), &["no.toml: cannot be read"]);
    write(path, "pod.yaml", "apiVersion: v1\nkind: Pod\n");
    contains(&failed(path, &["import", "pod.yaml"]), &["expected CustomResourceDefinitions, found none"]);
    write(path, "broken.yaml", "a: [\n");
    contains(&failed(path, &["import", "broken.yaml"]), &["broken.yaml:"]);
    // The modules of two groups would have the same name.
    let other = WIDGETS.replace("example.com", "example.org");
    write(path, "crds/other.yaml", &other);
    // The import says so already, with a name that would do.
    let output = run(path, &["import", "crds"]);
    let warned = String::from_utf8_lossy(&output.stderr).into_owned();
    let named = "write under [names] in hubgen.toml, for example: \"example.org\" = \"example_org\"";
    contains(&warned, &["like the one of group example.com", named]);
    contains(
        &failed(path, &["generate"]),
        &["the group's module would be named `example`, like the one of group example.com", named],
    );
    // Definitions have no modules.
    write(path, "hubgen.toml", "crds = \"definitions\"\n");
    contains(&succeeded(path, &["crds"]), &["4 definitions in definitions"]);
    write(path, "hubgen.toml", "[names]\n\"example.org\" = \"example_org\"\n");
    succeeded(path, &["generate"]);
}

#[test]
fn rules_of_versions_that_differ_are_drafted() {
    let folder = repository();
    let path = folder.path();
    let (first, rest) = WIDGETS.split_once("  - name: v1\n").expect("two versions");
    let changed = first.replace("schema: &schema", "schema:").replace("colour:", "color:");
    let original = first.split_once("schema: &schema\n").expect("an anchor").1;
    let rest = rest.replace("schema: *schema\n", &format!("schema:\n{original}"));
    write(path, "crds/widgets.yaml", &format!("{changed}  - name: v1\n{rest}"));
    succeeded(path, &["import", "crds"]);
    contains(
        &failed(path, &["generate"]),
        &["the versions differ", "example.com.Widget.toml", "or let `hubgen draft-rules` begin it"],
    );
    assert_eq!(
        succeeded(path, &["draft-rules"]),
        "schemas/rules/example.com.Widget.toml\n1 files written, 0 differences to do\n\
         1 of 1 versions besides the hubs convert\n"
    );
    succeeded(path, &["generate"]);
    assert_eq!(succeeded(path, &["draft-rules"]), "0 files written, 0 differences to do\n");
    let report = fs::read_to_string(path.join("src/api/CONVERSIONS.md")).expect("generated");
    contains(&report, &["kept: `spec.colour`"]);
}

/// Objects that have the shape of a type of Kubernetes become it where the user wants that.
#[test]
fn objects_are_mapped_to_types_of_kubernetes() {
    let folder = repository();
    let path = folder.path();
    let conditions = "width: {type: integer}
              conditions:
                type: array
                items:
                  type: object
                  required: [lastTransitionTime, message, reason, status, type]
                  properties:
                    lastTransitionTime: {type: string, format: date-time}
                    message: {type: string}
                    observedGeneration: {type: integer, format: int64}
                    reason: {type: string}
                    status: {type: string}
                    type: {type: string}";
    write(path, "crds/widgets.yaml", &WIDGETS.replace("width: {type: integer}", conditions));
    let spec = |config: &str| {
        write(path, "hubgen.toml", config);
        succeeded(path, &["import", "crds"]);
        succeeded(path, &["generate"]);
        fs::read_to_string(path.join("src/api/example/v1/box_.rs")).expect("generated")
    };
    contains(&spec(""), &["pub conditions: Option<Vec<BoxCondition>>"]);
    let suggested = "1 fields have objects with the same properties as meta.k8s.io/v1 Condition: `\"*\" = [\"meta.k8s.io/v1 \
                     Condition\"]` under [types] in hubgen.toml";
    contains(&succeeded(path, &["import", "crds"]), &[suggested]);
    let mapped = spec("[types]\n\"*\" = [\"meta.k8s.io/v1 Condition\"]\n");
    contains(&mapped, &["use hubgen_meta::v1::{Condition,", "pub conditions: Option<Vec<Condition>>"]);
    assert!(!succeeded(path, &["import", "crds"]).contains("the same properties"));

    // Types of any version can be named; those that do not exist are refused.
    write(path, "hubgen.toml", "[types]\n\"*\" = [\"autoscaling/v2 MetricTarget\"]\n");
    succeeded(path, &["import", "crds"]);
    write(path, "hubgen.toml", "[types]\n\"*\" = [\"meta.k8s.io/v1 Conditions\"]\n");
    contains(
        &failed(path, &["import", "crds"]),
        &["meta.k8s.io/v1 Conditions, but Kubernetes has no such type"],
    );
    write(path, "hubgen.toml", "[types]\n\"Box.spec.nothing\" = \"core/v1 PodSpec\"\n");
    contains(
        &failed(path, &["import", "crds"]),
        &["`Box.spec.nothing` is mapped to", "no definition has an object there"],
    );
}

/// What `hubgen init` writes is complete; `packed.rs` compiles it.
#[test]
fn a_new_crate_is_generated_with_its_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::create_dir(path.join("there")).expect("made");
    for (arguments, expected) in [
        (
            &["init", "new/my-backup", "--group", "backup.example.com", "--crates-from", "registry"][..],
            "created my-backup: MyBackup of backup.example.com at v1alpha1 and v1\n\
             hubgen's crates are from the registry, version 0.1.0\n\
             next: cd new/my-backup && cargo test\n",
        ),
        (
            &["--quiet", "init", "there", "--kind", "Proxy"],
            "created there: Proxy of example.com at v1alpha1 and v1\n",
        ),
    ] {
        assert_eq!(succeeded(path, arguments), expected);
    }
    let new = path.join("new/my-backup");
    let read = |file: &str| fs::read_to_string(new.join(file)).expect("written");
    contains(&read("tests/laws.rs"), &["use my_backup::api;"]);
    contains(&read("crds/mybackups.backup.example.com.yaml"), &["kind: MyBackup"]);
    contains(
        &read(".github/workflows/ci.yml"),
        &["hubgen generate --check", "hubgen crds --check", "cargo test"],
    );
    assert!(path.join("there/crds/proxies.example.com.yaml").exists());
    for folder in ["new/my-backup", "there"] {
        let output = run(&path.join(folder), &["generate"]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("(0 written)"));
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        for (file, content) in files(&path.join(folder)) {
            assert!(!String::from_utf8_lossy(&content).contains('$'), "{} is not filled", file.display());
        }
    }

    contains(&failed(path, &["init", "there"]), &["there: the folder is not empty", "an empty one"]);
    contains(
        &failed(path, &["init", "there/Cargo.toml/demo"]),
        &["there/Cargo.toml/demo: the crate cannot be written", "choose another folder"],
    );
    contains(
        &failed(path, &["init", "other", "--crates-from", "new"]),
        &[
            "new",
            "this is no checkout of hubgen",
            "the folder of a checkout, the URL of a git repository, or `registry`",
        ],
    );
    let before = files(path);
    let output = run(path, &["init", "other", "--group", "backup.k8s.io"]);
    assert_eq!(output.status.code(), Some(2));
    contains(
        &String::from_utf8_lossy(&output.stderr),
        &["those of the Kubernetes project", "Usage: hubgen init"],
    );
    assert!(files(path) == before && !path.join("other").exists());
}

/// A folder may contain files for other tools. One that somebody names is an error.
#[test]
fn files_of_other_tools_in_a_folder_are_left_out() {
    let folder = repository();
    let path = folder.path();
    write(path, "crds/kustomization.yaml", "resources:\n- widgets.yaml\n");
    let printed = succeeded(path, &["import", "crds"]);
    contains(&printed, &["skipped: crds/kustomization.yaml:1: not an object of Kubernetes\n"]);
    // The Widget has two versions, and the Box one.
    contains(&printed, &["2 kinds in 3 versions"]);
    contains(
        &failed(path, &["import", "crds/kustomization.yaml"]),
        &["this is not an object of Kubernetes: `apiVersion` or `kind` is missing"],
    );
    contains(&succeeded(path, &["generate"]), &["kinds                    2\n"]);
}
