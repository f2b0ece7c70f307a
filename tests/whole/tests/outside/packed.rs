//! The packages that a registry would get are whole: a crate outside of this repository builds with them and runs.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;

use hubgen_documents::folder::Folder;

use crate::crates::{Outside, Packed};
use crate::markdown::{self, Block, GUIDE};
use crate::pages;
use crate::process;

static PACKED: LazyLock<Packed> = LazyLock::new(Packed::new);

#[test]
fn a_crate_outside_builds_with_the_packages() {
    let packed = &*PACKED;
    let outside = Outside::new(
        packed,
        "outside",
        "hubgen-apps = { version = \"0.1\", features = [\"v1beta1\"] }\nhubgen-machinery = \"0.1\"\nhubgen-schemas = \"0.1\"\n",
    );
    outside.write("src/main.rs", PROGRAM);
    assert_eq!(outside.cargo(&["run"]), ANSWER);
    let metadata: Value = serde_json::from_str(&outside.cargo(&["metadata", "--format-version=1"])).unwrap();
    let manifests =
        metadata["packages"].as_array().unwrap().iter().map(|package| package["manifest_path"].as_str());
    let ours: Vec<&Path> =
        manifests.flatten().map(Path::new).filter(|path| path.starts_with(pages::root())).collect();
    assert!(ours.len() > 5, "{ours:?}");
    for manifest in ours {
        assert!(packed.folders().any(|(_, folder)| manifest.starts_with(folder)), "{}", manifest.display());
    }
}

/// The way of a user: schemas, generated code, a program, with nothing of this repository but packages.
#[test]
fn generated_code_builds_outside() {
    for (example, dependencies) in [("cert-manager", &["core", "meta"][..]), ("gateway-api", &["meta"])] {
        let groups = dependencies.iter().map(|group| {
            format!(
                "hubgen-{group} = {{ version = \"0.1\", default-features = false, features = [\"v1\"] }}\n"
            )
        });
        let dependencies = groups.collect::<String>() + "hubgen-machinery = \"0.1\"\n";
        let outside = Outside::new(&PACKED, example, &dependencies);
        let schemas = Folder::read(&pages::root().join("examples").join(example).join("schemas")).unwrap();
        for (path, text) in &schemas.files {
            outside.write(&format!("schemas/{}", path.display()), text);
        }
        outside.write("src/main.rs", "#![deny(warnings)]\nmod api;\nfn main() {\n    println!(\"{}\", api::scheme().kinds().count());\n}\n");
        let generated = process::hubgen().arg("generate").current_dir(&outside.folder).output().unwrap();
        assert!(generated.status.success(), "{}", String::from_utf8_lossy(&generated.stderr));
        let kinds: usize = outside.cargo(&["run"]).trim().parse().unwrap();
        assert!(kinds >= 20, "{kinds}");
    }
}

/// What `hubgen init` writes builds and passes its tests, and a field is moved with few lines.
#[test]
fn a_new_crate_builds_outside() {
    let outside = Outside::empty(&PACKED, "demo");
    let hubgen = |arguments: &[&str]| {
        let output = process::hubgen().args(arguments).current_dir(&outside.folder).output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
        assert!(!err.contains("next: "), "{err}");
        out.into_owned()
    };
    let created = hubgen(&["init", ".", "--crates-from", "registry"]);
    assert!(created.starts_with("created demo: Demo of example.com at v1alpha1 and v1\n"), "{created}");
    outside.lock();
    let passed = |printed: &str| {
        for test in ["conversions_lose_nothing", "older_objects_are_read"] {
            assert!(printed.contains(&format!("test {test} ... ok")), "{printed}");
        }
    };
    let test = ["test", "--", "--format=pretty"];
    passed(&outside.cargo(&test));
    assert!(hubgen(&["generate", "--check"]).contains("(0 differ)"));
    assert!(hubgen(&["crds", "--check"]).contains("1 definitions in crds: 0 files differ"));

    // What a person does to move a field.
    let by_people = || {
        let mut folder = Folder::read(&outside.folder).unwrap();
        folder.files.retain(|path, _| !path.starts_with("src/api/generated") && !path.starts_with("crds"));
        folder
    };
    let before = by_people();
    let file = Path::new("src/api/v1.rs");
    let mut text = before.files[file].clone();
    for (old, new) in [
        (
            "#[kind(namespaced, storage, status)]\n",
            "#[kind(namespaced, storage, status)]\n#[from(v1alpha1, moved(\"spec.image\" => \"spec.container.image\"))]\n",
        ),
        (
            "    #[field(required)]\n    pub image: Str,\n",
            "    #[field(required)]\n    pub container: Container,\n",
        ),
        (
            "/// What runs.\n#[derive(ApiType)]",
            "#[derive(ApiType)]\npub struct Container {\n    #[field(required)]\n    pub image: Str,\n}\n\n/// What runs.\n#[derive(ApiType)]",
        ),
    ] {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text = text.replace(old, new);
    }
    outside.write("src/api/v1.rs", &text);
    let after = by_people();
    let changes = before.changes(&after.files);
    let diff = changes.diff();
    let is_line =
        |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let lines = diff.lines().filter(is_line).count();
    assert!((1..=2).contains(&changes.len()) && (5..=10).contains(&lines), "{lines} lines:\n{diff}");

    // Nothing compiles until the code is generated anew.
    let errors = outside.cargo_fails(&["check"]);
    assert!(errors.contains("`Demo` has changed: run `hubgen generate`"), "{errors}");
    hubgen(&["generate"]);
    hubgen(&["crds"]);
    let conversions = pages::read(&outside.folder.join("src/api/generated/CONVERSIONS.md"));
    assert!(conversions.contains("moved: `spec.image` is `spec.container.image`"), "{conversions}");
    passed(&outside.cargo(&test));
}

/// The crate of the guide builds and passes its tests after each step.
#[test]
fn the_guide_builds_outside() {
    let page = pages::read(&pages::root().join(GUIDE));
    let blocks: Vec<Block> = markdown::all().into_iter().filter(|block| block.file == GUIDE).collect();
    let manifests = blocks.iter().filter_map(|block| block.text.strip_prefix("[dependencies]\n"));
    let (checkout, registry): (Vec<&str>, Vec<&str>) = manifests.partition(|text| text.contains("path = "));
    let (&[checkout], &[manifest]) = (&checkout[..], &registry[..]) else {
        panic!("{checkout:?} {registry:?}")
    };
    let names =
        |text: &str| text.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(checkout), names(manifest));
    for folder in checkout.split('"').filter_map(|path| path.strip_prefix("../hubgen/")) {
        assert!(pages::root().join(folder).join("Cargo.toml").exists(), "{folder}");
    }
    let outside = Outside::new(&PACKED, "sites", manifest);
    fs::remove_file(outside.folder.join("src/main.rs")).unwrap();
    let mut files = blocks.iter().filter_map(|block| Some((block.bytes.start, block.crate_file()?, block)));
    let steps: Vec<usize> = page.match_indices("\n## ").map(|(at, _)| at).skip(1).collect();
    let mut versions = 0;
    let mut next = files.next();
    for end in steps {
        // Sections without files follow the last step.
        if next.is_none() {
            break;
        }
        let mut count = 0;
        while let Some((_, name, block)) = next.filter(|(at, ..)| *at < end) {
            outside.write(name, &block.text);
            count += 1;
            next = files.next();
        }
        assert!(count > 2, "a step of {GUIDE} has {count} files");
        versions += 1;
        if outside.folder.join("hubgen.toml").exists() {
            for command in ["generate", "crds"] {
                let output = process::hubgen().arg(command).current_dir(&outside.folder).output().unwrap();
                let printed = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success() && printed.is_empty(), "step {versions}: {printed}");
            }
        }
        let passed = outside.cargo(&["test", "--", "--format=pretty"]);
        assert_eq!(passed.matches("test conversions_lose_nothing ... ok").count(), usize::from(versions > 1));
        assert!(passed.contains("_is_read_"), "{passed}");
    }
    assert!(versions == 3 && next.is_none(), "{versions} steps");
    let definition = pages::read(&outside.folder.join("crds/sites.example.com.yaml"));
    assert_eq!(definition.matches("\n    served: true\n").count(), versions);
}

/// No package lacks a file that it compiles.
#[test]
fn every_package_compiles() {
    let dependencies: String = PACKED.folders().map(|(name, _)| format!("{name} = \"*\"\n")).collect();
    Outside::new(&PACKED, "everything", &dependencies).cargo(&["check"]);
}

/// What people who find a package in a registry need.
#[test]
fn packages_are_complete() {
    let mut names = Vec::new();
    for (name, folder) in PACKED.folders() {
        names.push(name);
        let read = |file: &str| pages::read(&folder.join(file));
        let readme = read("README.md");
        assert!(
            readme.lines().any(|line| line.split(':').next() == Some(&format!("# {name}"))),
            "{name}: {readme}"
        );
        assert_eq!(read("LICENSE"), pages::read(&pages::root().join("LICENSE")), "{name}");
        let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
        for key in ["description", "keywords", "license", "readme", "rust-version"] {
            assert!(manifest["package"].get(key).is_some(), "{name} has no {key}");
        }
        for unneeded in ["tests", "benches", "target"] {
            assert!(!folder.join(unneeded).exists(), "{name} contains {unneeded}/");
        }
    }
    for name in ["hubgen", "hubgen-codegen", "hubgen-kubernetes", "hubgen-machinery", "hubgen-schemas"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for name in ["hubgen-checks", "hubgen-examples", "hubgen-tests", "xtask"] {
        assert!(!names.contains(&name), "{name} is not for users");
    }
}

const PROGRAM: &str = r#"
use hubgen_apps::{v1, v1beta1};
use hubgen_machinery::convert::Convert;
use hubgen_machinery::{ApiType, json, yaml};

#[derive(ApiType)]
#[kind(group = "example.com", version = "v1", kind = "Widget")]
struct Widget {
    #[field(number = 1, required)]
    size: i32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let json = yaml::to_json("metadata: {name: web}\nspec: {replicas: 2, rollbackTo: {revision: 3}}")?;
    let old: v1beta1::Deployment = json::decode(&json)?;
    let new = v1::Deployment::from_hub(old.to_hub())?;
    println!("{} {:?}", new.metadata.name, new.spec.replicas);
    println!("{}", new.metadata.annotations["deprecated.deployment.rollback.to"]);
    println!("{}", String::from_utf8(json::encode(&Widget { size: 4 })?)?);
    println!("{}", hubgen_schemas::kubernetes().iter().any(|(path, _)| *path == "apps/v1.json"));
    Ok(())
}
"#;

const ANSWER: &str = r#"web Some(2)
3
{"kind":"Widget","apiVersion":"example.com/v1","size":4}
true
"#;
