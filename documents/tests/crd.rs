//! CustomResourceDefinitions: from documents to distilled schemas and back.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_documents::{Source, crd, schema};
use hubgen_machinery::yaml;
use hubgen_model::{Api, Type};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn kubernetes() -> Api {
    schema::read_dir(&root().join("schemas/kubernetes")).unwrap()
}

/// The files below a folder.
fn sources(folder: &Path) -> Vec<Source> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| Source::new(&file, std::fs::read_to_string(&file).unwrap())).collect()
}

/// Reads distilled schemas beside those of Kubernetes.
fn read_back(files: &BTreeMap<PathBuf, String>) -> Api {
    let own: Vec<PathBuf> = files.keys().cloned().collect();
    let mut all = schema::files(&kubernetes());
    all.extend(files.clone());
    let mut api = schema::read_files(all).unwrap();
    api.versions.retain(|group_version, _| {
        own.contains(&Path::new(&group_version.group).join(format!("{}.json", group_version.version)))
    });
    api
}

/// Sorts the names under `required`, whose order has no meaning.
fn sorted(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(members) => {
            for (key, member) in members {
                if let ("required", Value::Array(names)) = (key.as_str(), &mut *member) {
                    names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                }
                *member = sorted(member.take());
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| *element = sorted(element.take())),
        _ => {}
    }
    schema
}

/// Checks that the schemas of definitions can be made again from the distilled schemas, and that nothing
/// is lost. Returns what was read.
fn nothing_is_lost(sources: &[Source]) -> crd::Imported {
    let kubernetes = kubernetes();
    let options = crd::Options { docs: true, ..crd::Options::default() };
    let imported = crd::read(sources, &options, &kubernetes).unwrap();
    let files = schema::files(&imported.api);
    let api = read_back(&files);
    assert_eq!(api, imported.api, "the distilled schemas are the same model");
    let mut compared = 0;
    for document in sources.iter().flat_map(|source| yaml::documents(source.text())) {
        let document: Value = serde_json::from_slice(&document.unwrap().json).unwrap();
        if document["kind"] != "CustomResourceDefinition" {
            continue;
        }
        let spec = &document["spec"];
        for version in spec["versions"].as_array().unwrap() {
            let (group, version_name) = (spec["group"].as_str().unwrap(), version["name"].as_str().unwrap());
            let kind = spec["names"]["kind"].as_str().unwrap();
            let id = hubgen_model::TypeId::new(group, version_name, kind);
            let ty: &Type = api.find(&id).unwrap();
            let rebuilt = crd::openapi_schema(&api, &kubernetes, ty);
            assert_eq!(rebuilt, sorted(version["schema"]["openAPIV3Schema"].clone()), "{id}");
            compared += 1;
        }
    }
    assert!(compared > 0);
    imported
}

#[test]
fn upstream_definitions_are_rebuilt() {
    let folder = root().parent().unwrap().join("shared/upstream/crds");
    if !folder.exists() {
        writeln!(std::io::stderr(), "skipped: {} is missing", folder.display()).unwrap();
        return;
    }
    let dump = std::env::var_os("CRD_OUT").map(PathBuf::from);
    for name in ["cert-manager-v1.5", "gateway-api-v1.0"] {
        let imported = nothing_is_lost(&sources(&folder.join(name)));
        for untyped in &imported.untyped {
            println!("{untyped:?}");
        }
        for warning in &imported.warnings {
            println!("{warning}");
        }
        if let Some(out) = &dump {
            let plain =
                crd::read(&sources(&folder.join(name)), &crd::Options::default(), &kubernetes()).unwrap();
            for (file, text) in schema::files(&plain.api) {
                let path = out.join(name).join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
        }
    }
}
