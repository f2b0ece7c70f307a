//! The Certificate of cert-manager, written in Rust, is the one that is imported from its definition.

// Compiled here, and read by the generator. `hubgen generate` in the folder writes `generated`.
#[path = "code_first/src/api/mod.rs"]
#[allow(missing_docs, unreachable_pub, dead_code)]
#[rustfmt::skip]
mod api;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hubgen_codegen::naming::field_name;
use hubgen_codegen::{Job, Target, rust};
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, Source, crd_files, rules};
use hubgen_example_cert_manager::api as imported;
use hubgen_machinery::scheme::Scheme;
use hubgen_model::rules::Rules;
use hubgen_model::{Api, Origin, RustName, Type, TypeBody, TypeId};
use hubgen_plan::FamilyPlan;
use hubgen_validation::Schema;
use serde_json::Value;

const WRITTEN: &str = "tests/code_first/hubgen.toml";
const IMPORTED: &str = "../../examples/cert-manager/hubgen.toml";
const FILE: &str = "certificates.cert-manager.io.yaml";

fn kubernetes() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

fn lines(errors: Vec<Diagnostic>) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

fn project(file: &str) -> Project {
    Project::read(Path::new(file)).map_err(lines).unwrap()
}

fn model(project: &Project) -> Api {
    let schemas = project.root.join(&project.schemas);
    hubgen_codegen::api(&schemas, &kubernetes(), &Target::project(project)).map_err(lines).unwrap()
}

/// The rules of Certificate: in a file, or of attributes.
fn read_rules(project: &Project) -> Vec<Rules> {
    let folder = project.root.join(&project.schemas).join("rules");
    let documents = match Target::project(project).source {
        Some(root) => {
            let written = rust::read(&root, kubernetes().group_versions()).map_err(lines).unwrap();
            written
                .rules
                .iter()
                .map(|rules| Source::new(folder.join(&rules.file), rules.text.clone()))
                .collect()
        }
        None => rules::documents(&folder).map_err(lines).unwrap(),
    };
    let mut set = rules::read_documents(&folder, documents).map_err(lines).unwrap();
    set.rules.retain(|rules| rules.declared().kind == "Certificate");
    assert_eq!(set.rules.len(), 1);
    set.rules
}

/// The kind Certificate, its list, and the types in it. Where they are defined in Rust, and under which names, is left out.
fn certificate(mut api: Api) -> Api {
    let mut todo: Vec<TypeId> = api
        .own_types()
        .filter(|ty| ["Certificate", "CertificateList"].contains(&ty.id.name.as_str()))
        .map(|ty| ty.id.clone())
        .collect();
    let mut known = BTreeSet::new();
    while let Some(id) = todo.pop() {
        if known.insert(id.clone()) {
            let fields = api.find(&id).map(Type::fields).unwrap_or_default();
            todo.extend(fields.iter().filter_map(|field| field.ty.named().cloned()));
        }
    }
    api.versions.retain(|_, version| version.origin != Origin::Foreign);
    for version in api.versions.values_mut() {
        version.origin = Origin::Generated;
        version.types.retain(|_, ty| known.contains(&ty.id));
        for ty in version.types.values_mut() {
            let TypeBody::Struct(fields) = &mut ty.body;
            fields.iter_mut().for_each(|field| field.rust_name = RustName::Written(field_name(field)));
        }
    }
    api.versions.retain(|_, version| !version.types.is_empty());
    api
}

/// How Certificate converts, if its types were imported.
fn plan(api: &Api, rules: &[Rules]) -> FamilyPlan {
    let plan = hubgen_plan::build(api, rules).map_err(|problems| format!("{problems:?}")).unwrap();
    let [plan] = <[FamilyPlan; 1]>::try_from(plan.conversions).unwrap();
    plan
}

#[test]
fn model_plan_and_definition_are_the_same() {
    let [written, imported] = [WRITTEN, IMPORTED].map(project);
    let [of_source, of_schemas] = [&written, &imported].map(model);
    let definition = |project: &Project, api: &Api| -> String {
        let generator = Generator::of_tool("hubgen crds");
        crd_files::files(api, project, &generator).map_err(lines).unwrap().remove(Path::new(FILE)).unwrap()
    };
    // The first line names the source.
    let body = |text: String| text.split_once('\n').unwrap().1.to_owned();
    let crd = body(definition(&written, &of_source));
    assert_eq!(crd, body(definition(&imported, &of_schemas)));
    assert_eq!(
        crd,
        body(fs::read_to_string(Path::new("../../examples/cert-manager/crds").join(FILE)).unwrap())
    );

    let [a, b] = [of_source, of_schemas].map(certificate);
    let count = |api: &Api| api.own_types().count();
    assert_eq!((a.versions.len(), count(&a)), (4, count(&b)));
    for (one, other) in a.own_types().zip(b.own_types()) {
        assert_eq!(one, other);
    }
    assert!(a == b);
    let [one, other] = [plan(&a, &read_rules(&written)), plan(&b, &read_rules(&imported))];
    assert!(one == other, "the plans differ");
    assert_eq!(one.members.len(), 4);
}

/// The code beside the source is what `hubgen generate` writes.
#[test]
fn generated_code_is_fresh() {
    let project = project(WRITTEN);
    let job = Job {
        schemas: &project.root.join(&project.schemas),
        carried: &kubernetes(),
        target: &Target::project(&project),
        out: &project.root.join(&project.out),
    };
    let update = std::env::var_os("UPDATE").is_some_and(|value| value == "1");
    let done = job.run(!update).map_err(lines).unwrap();
    assert!(update || done.changed == 0, "{}\nUPDATE=1 replaces the files", done.diff);
}

/// What an object becomes at all versions: the bytes, or why not.
fn converted(scheme: &Scheme, json: &[u8]) -> BTreeMap<String, Result<String, String>> {
    let kinds = scheme.kinds().filter(|kind| &*kind.kind == "Certificate");
    let convert = |kind| {
        let (object, decoded) = scheme.decode(json).unwrap();
        assert!(decoded.unknown.is_empty(), "{:?}", decoded.unknown);
        let converted = scheme.convert(object, kind).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(converted.encode().map_err(|error| error.to_string())?).unwrap())
    };
    kinds.map(|kind| (kind.api_version(), convert(kind))).collect()
}

/// Bytes that look random: those of SplitMix64.
fn bytes(seed: u64) -> Vec<u8> {
    let word = |at: u64| {
        let mut z = (seed << 16).wrapping_add(at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    };
    (1..=64).flat_map(word).collect()
}

/// 1,000 objects of each version, which the definition allows, become the same bytes at all versions.
#[test]
fn objects_convert_alike() {
    let (written, imported) = (api::generated::scheme(), imported::scheme());
    let crd = imported::crds().into_iter().find(|crd| crd.name().starts_with("certificates.")).unwrap();
    let kinds = Schema::compile_crd(&crd.value()).unwrap();
    assert_eq!(kinds.len(), 4);
    let (mut seen, mut converted_to) = (BTreeSet::new(), 0);
    for kind in kinds {
        for seed in 0..1000 {
            let mut object = kind.schema.generate(&bytes(seed), &[]).expect("the schema allows objects");
            object["apiVersion"] = format!("{}/{}", kind.group, kind.version).into();
            object["kind"] = Value::from(&*kind.kind);
            object["metadata"] = serde_json::json!({"name": "a"});
            let json = object.to_string();
            let [one, other] = [&written, &imported].map(|scheme| converted(scheme, json.as_bytes()));
            assert_eq!(one, other, "{json}");
            assert_eq!(one.len(), 4);
            seen.insert(json.clone());
            converted_to += one.values().filter(|converted| converted.is_ok()).count();
        }
    }
    // Most differ, and all convert to all versions.
    assert!(seen.len() > 3_000, "{}", seen.len());
    assert_eq!(converted_to, 16_000);
}
