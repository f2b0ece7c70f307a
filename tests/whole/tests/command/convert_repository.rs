//! `hubgen convert` and `hubgen decode` know the kinds of a repository, too: with `--config`.

use std::fs;
use std::path::Path;

use crate::{input, process};

const DEMO: &str = "../../examples/demo/hubgen.toml";

/// Runs a command with standard input. Returns its exit code, its standard output and its standard error.
fn hubgen(command: &str, config: &Path, args: &[&str], input: &str) -> (i32, String, String) {
    input::run(process::hubgen().args([command, "--config"]).arg(config).args(args), input)
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
        let text = fs::read_to_string(Path::new("../../examples/demo").join(file)).expect("read");
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
        certificate(
            "v1",
            "  privateKey:\n    # Large.\n    size: 4096\n  secretName: a\n  issuerRef: {name: a}\n",
        ),
        certificate(
            "v1alpha2",
            "  privateKey: {}\n  secretName: a\n  issuerRef: {name: a}\n  # Large.\n  keySize: 4096\n",
        ),
    ];
    let config = Path::new("../../examples/cert-manager/hubgen.toml");
    let (code, out, err) = hubgen("convert", config, &["--to", "cert-manager.io/v1alpha2"], &new);
    assert_eq!((code, out, &*err), (0, old, ""));
}

/// A repository with the kind Thing, whose specs have these schemas in YAML, and these rules for v1; v2 is the hub.
fn thing(v1: &str, v2: &str, rules: &str) -> tempfile::TempDir {
    let version = |name: &str, spec: &str| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object, properties: \
             {{spec: {spec}}}}}}}\n",
            name == "v2"
        )
    };
    let definition = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: things.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Thing, plural: things, singular: thing, listKind: ThingList}}\n\
         \x20 scope: Namespaced\n  versions:\n{}{}",
        version("v1", v1),
        version("v2", v2)
    );
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("hubgen.toml"), "").expect("written");
    let (code, _, err) = hubgen("import", &folder.path().join("hubgen.toml"), &["-"], &definition);
    assert_eq!(code, 0, "{err}");
    let rules = format!("hub = \"example.com/v2\"\n[\"example.com/v1\"]\n{rules}");
    fs::create_dir_all(folder.path().join("schemas/rules")).expect("made");
    fs::write(folder.path().join("schemas/rules/example.com.Thing.toml"), rules).expect("written");
    folder
}

/// Converts a spec from v2 to v1, and back.
fn round_trip(folder: &tempfile::TempDir, spec: &str) -> [String; 2] {
    let config = folder.path().join("hubgen.toml");
    let config = config.to_str().expect("text");
    let written = format!("apiVersion: example.com/v2\nkind: Thing\nmetadata: {{name: a}}\nspec: {spec}\n");
    let there = converted(config, &["--to", "example.com/v1"], &written);
    let back = converted(config, &["--to", "example.com/v2"], &there);
    let spec = |text: String| text.split_once("spec: ").expect("a spec").1.trim_end().to_owned();
    [spec(there), spec(back)]
}

/// An object that only v1 requires: none appears at v2 on the way back.
#[test]
fn what_one_version_requires_stays_absent_at_the_other() {
    let object = "{type: object, required: [a], properties: {a: {type: string}}}";
    let folder = thing(
        &format!("{{type: object, required: [one], properties: {{one: {object}, b: {{type: string}}}}}}"),
        &format!("{{type: object, properties: {{two: {object}, b: {{type: string}}}}}}"),
        "move = [[\"spec.one\", \"spec.two\"]]\n",
    );
    assert_eq!(round_trip(&folder, "{b: x}"), ["{b: x}", "{b: x}"]);
}

/// A default in the element of a list, of which v1 cannot represent another field: it is no edit of that element.
#[test]
fn a_default_does_not_lose_what_is_kept() {
    let versions = |more: &str| {
        let item = format!("{{type: object, properties: {{name: {{type: string, default: main}}{more}}}}}");
        format!(
            "{{type: object, properties: {{items: {{type: array, items: {item}, x-kubernetes-list-type: map, \
             x-kubernetes-list-map-keys: [name]}}, mode: {{type: string, default: old}}}}}}"
        )
    };
    let old =
        versions("").replace("mode: {type: string, default: old}", "mode: {type: string, default: new}");
    let folder = thing(&old, &versions(", size: {type: integer}"), "keep = [\"spec.items.size\"]\n");
    let new = "{items: [{size: 3}], mode: old}";
    let [there, back] = round_trip(&folder, new);
    assert_eq!((&*there, &*back), ("{items: [{}], mode: old}", new));
    // The default of v2 is written out at v1, and what is kept comes back beside it.
    let [there, back] = round_trip(&folder, "{items: [{size: 3}]}");
    assert_eq!((&*there, &*back), ("{items: [{}], mode: old}", new));
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

const BACKUPS: &str = "../../examples/backups/hubgen.toml";

/// The program does not contain the code of a repository, and needs it only for objects that have what a function reads.
#[test]
fn objects_that_need_no_function_convert() {
    let old = "apiVersion: backup.example.com/v1alpha1\nkind: Backup\nmetadata: {name: a}\nspec:\n  \
               schedule: \"0 3 * * *\" # at night\n  copies: 3\n";
    let new = old.replace("v1alpha1", "v1").replace("copies: 3", "keep: 3");
    assert_eq!(converted(BACKUPS, &["--newest"], old), new);
    assert_eq!(converted(BACKUPS, &["--to", "backup.example.com/v1alpha1"], &new), old);
    assert_eq!(
        converted(BACKUPS, &["--to", "backup.example.com/v1beta1"], old),
        new.replace("/v1\n", "/v1beta1\n")
    );
    // What the version cannot represent is stashed, and comes back.
    let region = new.replace("  keep: 3\n", "  target: {region: north}\n");
    let shown = converted(BACKUPS, &["--to", "backup.example.com/v1alpha1"], &region);
    assert!(shown.contains("conversion.hubgen.dev/kept") && !shown.contains("target:"), "{shown}");
    assert_eq!(
        converted(BACKUPS, &["--newest"], &shown)
            .replace("target:\n    region: north", "target: {region: north}"),
        region
    );
}

#[test]
fn an_object_that_needs_a_function_is_refused_and_the_others_convert() {
    let backup = |version: &str, name: &str, tags: &str| {
        format!(
            "apiVersion: backup.example.com/{version}\nkind: Backup\nmetadata: {{name: {name}, namespace: b}}\n\
             spec: {{schedule: daily{tags}}}\n"
        )
    };
    let config = Path::new(BACKUPS);
    let input =
        [backup("v1alpha1", "a", ""), backup("v1alpha1", "tagged", ", tags: [team=web]")].join("---\n");
    let (code, out, err) = hubgen("convert", config, &["--newest"], &input);
    assert_eq!((code, out), (1, backup("v1", "a", "")));
    for part in [
        "<stdin>:9:25",
        "spec.tags",
        "backup.example.com/v1alpha1 Backup b/tagged needs the function `crate::tags`",
        "this command does not contain the code of the repository",
    ] {
        assert!(err.contains(part), "{part} is not in {err}");
    }
    // In every direction, and however empty the value is.
    for (version, tags, to) in [
        ("v1", ", tags: {team: web}", "v1alpha1"),
        ("v1alpha1", ", tags: [a]", "v1beta1"),
        ("v1alpha1", ", tags: []", "v1"),
        ("v1beta1", ", tags: []", "v1"),
    ] {
        let to = format!("backup.example.com/{to}");
        let (code, out, err) = hubgen("convert", config, &["--to", &to], &backup(version, "a", tags));
        assert_eq!((code, &*out), (1, ""));
        assert!(err.contains("b/a needs the function `crate::tags` for spec.tags"), "{err}");
    }
    // An object that already has the version needs nothing.
    let tagged = backup("v1alpha1", "a", ", tags: [team=web]");
    assert_eq!(converted(BACKUPS, &["--to", "backup.example.com/v1alpha1"], &tagged), tagged);
}

/// Whether a stash fits its object, only the function can tell.
#[test]
fn a_stash_that_needs_a_function_is_refused() {
    let stash = r#"{"hub":"backup.example.com/v1","seen":"cf8afda9a6fe8782","delta":{"fields":{"spec":{"fields":{"tags":{"is":{"a":"b"}}}}}}}"#;
    let object = format!(
        "apiVersion: backup.example.com/v1alpha1\nkind: Backup\nmetadata:\n  name: a\n  annotations:\n    \
         conversion.hubgen.dev/kept: '{stash}'\nspec: {{schedule: daily}}\n"
    );
    let (code, out, err) = hubgen("convert", Path::new(BACKUPS), &["--newest"], &object);
    assert_eq!((code, &*out), (1, ""));
    assert!(err.contains("needs the function `crate::tags` for metadata.annotations"), "{err}");
}

#[test]
fn a_stored_object_that_needs_a_function_is_shown_at_its_own_version_only() {
    let stored = |tags: &str| {
        format!(
            r#"{{"apiVersion":"backup.example.com/v1alpha1","kind":"Backup","metadata":{{"name":"a"}},"spec":{{"schedule":"daily"{tags}}}}}"#
        )
    };
    let decoded =
        |tags: &str| hubgen("decode", Path::new(BACKUPS), &["--to", "newest", "-o", "json"], &stored(tags));
    let (code, out, err) = decoded("");
    assert_eq!((code, &*err), (0, ""));
    assert!(out.contains(r#""apiVersion": "backup.example.com/v1""#), "{out}");
    for tags in [r#","tags":["a"]"#, r#","tags":[]"#] {
        let (code, _, err) = decoded(tags);
        assert_eq!(code, 1);
        assert!(err.contains("spec.tags: needs the function `crate::tags`"), "{err}");
    }
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
