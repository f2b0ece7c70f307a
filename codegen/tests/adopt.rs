//! Writes the types of imported schemas as Rust source, reads the source again, and compares.

use std::path::{Path, PathBuf};

use hubgen_codegen::adopt::{Adopted, adopt};
use hubgen_codegen::emit::field_name;
use hubgen_codegen::{Job, Target, api};
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, crd, rules};
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
    let mut files = Folder::read(&Path::new("../examples").join(example)).unwrap().files;
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

fn definitions(project: &Project, api: &Api) -> Files {
    crd::files(api, project, &Generator::of_tool("hubgen crds")).map_err(lines).unwrap()
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

    let again = adopt(&after, &kubernetes()).map(|_| ()).map_err(lines).unwrap_err();
    assert!(again.contains("the types are in Rust already"), "{again}");
}

#[test]
fn cert_manager_is_the_same() {
    adopted_is_the_same("cert-manager");
}

#[test]
fn gateway_api_is_the_same() {
    adopted_is_the_same("gateway-api");
}
