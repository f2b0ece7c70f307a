//! Writes the types of imported schemas as Rust source, reads the source again, and compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hubgen_codegen::adopt::{Adopted, adopt};
use hubgen_codegen::naming::field_name;
use hubgen_codegen::{Job, Target, api};
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, crd_files, rules};
use hubgen_model::{Api, Origin, RustName, TypeBody};
use hubgen_plan::Plan;

fn kubernetes() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

fn lines(errors: Vec<Diagnostic>) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// A copy of an example, without its definitions and its code.
fn copy(example: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopt").join(name);
    let mut files = Folder::read(&Path::new("../../examples").join(example)).unwrap().files;
    files.retain(|path, _| path.starts_with("schemas") || path == Path::new("hubgen.toml"));
    Folder::read(&root).unwrap().changes(&files).write().unwrap();
    root
}

fn project(root: &Path) -> Project {
    Project::read(&root.join("hubgen.toml")).map_err(lines).unwrap()
}

fn model(project: &Project) -> Api {
    api(&project.root.join(&project.schemas), &kubernetes(), &Target::project(project))
        .map_err(lines)
        .unwrap()
}

/// The model without where its types are, and with the names that fields have in Rust.
fn comparable(mut api: Api) -> Api {
    for version in api.versions.values_mut() {
        if version.origin == Origin::Written {
            version.origin = Origin::Generated;
        }
        for ty in version.types.values_mut() {
            let TypeBody::Struct(fields) = &mut ty.body;
            fields.iter_mut().for_each(|field| field.rust_name = RustName::Written(field_name(field)));
        }
    }
    api
}

fn plan(project: &Project, api: &Api) -> Plan {
    let folder = project.root.join(&project.schemas).join("rules");
    let documents = rules::documents(&folder).map_err(lines).unwrap();
    let rules = rules::read_documents(&folder, documents).map_err(lines).unwrap();
    hubgen_plan::build(api, &rules.rules).map_err(|problems| format!("{problems:?}")).unwrap()
}

/// The definitions, without their first lines: these name what the definitions are made of.
fn definitions(project: &Project, api: &Api) -> Files {
    let mut files =
        crd_files::files(api, project, &Generator::of_tool("hubgen crds")).map_err(lines).unwrap();
    files.values_mut().for_each(|text| *text = text.split_once('\n').unwrap().1.to_owned());
    files
}

fn adopted_is_the_same(example: &str) {
    let root = copy(example, example);
    let before = project(&root);
    let imported = model(&before);
    let crds = definitions(&before, &imported);
    let adopted: Adopted = adopt(&before, &kubernetes()).map_err(lines).unwrap();
    assert!(adopted.warnings.is_empty(), "{:?}", adopted.warnings);
    adopted.write().unwrap();

    let after = project(&root);
    let left = Folder::read(&root.join("schemas")).unwrap().files;
    assert!(left.keys().all(|path| path.starts_with("rules")), "{left:?}");
    let written = model(&after);
    assert!(written.own_versions().all(|(_, version)| version.origin == Origin::Written));
    // The types of Kubernetes are those to which both refer.
    let own = |api: &Api| -> Vec<_> {
        let api = comparable(api.clone());
        api.own_versions().map(|(name, version)| (name.clone(), version.clone())).collect()
    };
    assert!(own(&imported) == own(&written), "the models differ");
    assert_eq!(definitions(&after, &written), crds);
    assert!(crds.len() >= 6);

    let [one, other] =
        [(&before, imported), (&after, written)].map(|(project, api)| plan(project, &comparable(api)));
    assert!(one.families == other.families && one.hubs == other.hubs, "the hubs differ");
    assert!(one.conversions == other.conversions, "the conversions differ");

    let target = Target::project(&after);
    let (schemas, out) = (root.join(&after.schemas), root.join(&after.out));
    let job = Job { schemas: &schemas, carried: &kubernetes(), target: &target, out: &out };
    let done = job.run(false).map_err(lines).unwrap();
    assert!(done.files > 0 && done.warnings.is_empty());

    compile(&root);

    let again = adopt(&after, &kubernetes()).map(|_| ()).map_err(lines).unwrap_err();
    assert!(again.contains("the types are in Rust already"), "{again}");
}

/// Compiles the source and the generated code, with warnings as errors.
fn compile(root: &Path) {
    let repository = fs::canonicalize("../..").unwrap();
    let path = |folder: &str| repository.join(folder);
    let group = |name: &str| {
        let path = path(&format!("generated/{name}"));
        format!("hubgen-{name} = {{ path = {path:?}, default-features = false, features = [\"v1\"] }}\n")
    };
    let manifest = format!(
        "[package]\nname = \"adopted\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         hubgen-machinery = {{ path = {:?} }}\n{}{}",
        path("machinery/machinery"),
        group("core"),
        group("meta"),
    );
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    // The versions of dependencies in this repository, which are already downloaded.
    fs::copy(path("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    fs::write(root.join("src/lib.rs"), "//! A library.\npub mod api;\n").unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet"])
        .current_dir(root)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("modules/target"))
        .env("RUSTFLAGS", "-Dwarnings")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The source has the decisions, and the file would be about types that no schema has.
#[test]
fn decisions_about_boxes_are_removed() {
    let root = copy("gateway-api", "boxes");
    let file = root.join("schemas/boxes.toml");
    fs::write(&file, "[\"gateway.networking.k8s.io\"]\nboxed = [\"GatewayInfrastructure\"]\n").unwrap();
    let adopted = adopt(&project(&root), &kubernetes()).map_err(lines).unwrap();
    assert!(adopted.removed.contains(&PathBuf::from("schemas/boxes.toml")), "{:?}", adopted.removed);
    adopted.write().unwrap();
    assert!(!file.exists());
    let source = fs::read_to_string(root.join("src/api/gateway/v1.rs")).unwrap();
    assert!(source.contains("Option<Box<GatewayInfrastructure>>"), "the decision is not in the source");
    model(&project(&root));
}

/// Their types in Rust do not tell that the raw JSON is an object.
#[test]
fn lists_and_maps_of_raw_objects_are_the_same() {
    let root = copy("gateway-api", "raw-objects");
    let raw = "{\"x-kubernetes-preserve-unknown-fields\": true, \"x-raw\": \"extension\"}";
    let list = format!("\"anyList\": {{\"type\": \"array\", \"items\": {raw}, \"maxItems\": 3}},");
    let map = format!(
        "\"anyMap\": {{\"type\": \"object\", \"additionalProperties\": {{\"type\": \"array\", \"items\": {raw}}}}},"
    );
    let class = "\"gatewayClassName\": {";
    for version in [VERSION, "schemas/gateway.networking.k8s.io/v1beta1.json"] {
        replace(&root.join(version), class, &format!("{list} {map} {class}"));
    }
    let before = project(&root);
    let crds = definitions(&before, &model(&before));
    adopt(&before, &kubernetes()).map_err(lines).unwrap().write().unwrap();
    let after = project(&root);
    assert_eq!(definitions(&after, &model(&after)), crds);
}

#[test]
fn cert_manager_is_the_same() {
    adopted_is_the_same("cert-manager");
}

#[test]
fn gateway_api_is_the_same() {
    adopted_is_the_same("gateway-api");
}

/// The errors of a copy of an example that was changed, and that nothing of it is written.
fn refused(name: &str, change: impl Fn(&Path)) -> String {
    let root = copy("gateway-api", name);
    change(&root);
    let before = Folder::read(&root).unwrap().files;
    let errors = adopt(&project(&root), &kubernetes()).map(|_| ()).map_err(lines).unwrap_err();
    assert!(Folder::read(&root).unwrap().files == before, "{name} was changed");
    errors
}

fn replace(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

const VERSION: &str = "schemas/gateway.networking.k8s.io/v1.json";

#[test]
fn what_attributes_cannot_specify_is_an_error() {
    let errors = refused("unknown-key-of-a-rule", |root| {
        replace(
            &root.join(VERSION),
            "\"x-kubernetes-validations\": [{",
            "\"x-kubernetes-validations\": [{\"other\": 1, ",
        );
    });
    assert!(errors.contains("`x-kubernetes-validations` cannot be among `keywords`"), "{errors}");
    assert!(errors.contains("src/api/gateway/v1.rs:") && !errors.contains("hubgen-adopt"), "{errors}");
    // The file does not exist.
    assert!(
        errors.contains("help: this is what the file would have, and nothing was written: keep"),
        "{errors}"
    );
}

#[test]
fn files_of_people_are_not_replaced() {
    let errors = refused("own-file", |root| {
        fs::create_dir_all(root.join("src/api")).unwrap();
        fs::write(root.join("src/api/own.rs"), "// Mine.\n").unwrap();
    });
    assert!(errors.contains("src/api/own.rs: this file is among generated files"), "{errors}");
}

#[test]
fn crates_have_no_source() {
    let errors =
        refused("crates", |root| fs::write(root.join("hubgen.toml"), "crates = \"acme\"\n").unwrap());
    assert!(errors.contains("code is generated as crates"), "{errors}");
}

/// Descriptions of `apiVersion` and `kind` have no field. All others are doc comments, with their lines.
#[test]
fn descriptions_are_comments_or_warnings() {
    let root = copy("gateway-api", "descriptions");
    fs::write(root.join("hubgen.toml"), "docs = true\nout = \"src/types\"\n\n[names]\n").unwrap();
    let file = root.join(VERSION);
    let kind = "\"kind\": {\"type\": \"string\"}";
    replace(&file, kind, "\"kind\": {\"type\": \"string\", \"description\": \"The kind.\"}");
    replace(
        &file,
        "\"gatewayClassName\": {",
        "\"gatewayClassName\": {\"description\": \"One.\\n\\n  - Two\\n\\\"Three\\\"\",",
    );
    let before = project(&root);
    let imported = model(&before);
    let adopted = adopt(&before, &kubernetes()).map_err(lines).unwrap();
    let [warning] = &adopted.warnings[..] else { panic!("{:?}", adopted.warnings) };
    assert!(warning.message.contains("`apiVersion` and `kind`"), "{}", warning.message);
    adopted.write().unwrap();
    let config = fs::read_to_string(root.join("hubgen.toml")).unwrap();
    assert_eq!(config, "docs = true\nsource = \"src/types\"\n\n[names]\n");
    let written = model(&project(&root));
    let description = |api: &Api| {
        let ty = api
            .own_types()
            .find(|ty| ty.id.to_string() == "gateway.networking.k8s.io/v1 GatewaySpec")
            .unwrap();
        ty.field("gatewayClassName").unwrap().description.clone()
    };
    assert_eq!(description(&imported).as_deref(), Some("One.\n\n  - Two\n\"Three\""));
    assert_eq!(description(&written), description(&imported));
}
