//! What is empty at one version, the schema of another one may refuse: a rule that it is the same as none leaves it out.
//! Generated code and the interpreter agree on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hubgen_codegen::{Target, kinds};
use hubgen_documents::crd::{self, Options};
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_documents::{Source, rules, schema};
use hubgen_interpret::runtime::{Model, entries};
use hubgen_laws::objects::bytes;
use hubgen_laws::versions::{Convertible, Version};
use hubgen_laws::{objects, versions};
use hubgen_machinery::convert::{Canonical, Functions};
use hubgen_machinery::json;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{Conversion, Scheme};
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;

/// What the generator writes for the operator.
#[rustfmt::skip]
#[path = "../../../codegen/codegen/tests/modules/empty/expected/mod.rs"]
mod api;

const DEFINITION: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: probes.example.com}
spec:
  group: example.com
  names: {kind: Probe, plural: probes, singular: probe, listKind: ProbeList}
  scope: Namespaced
  versions:
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              endpoint: {type: object, properties: {host: {type: string}, port: {type: integer, minimum: 0}}}
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              endpoint:
                type: object
                minProperties: 1
                properties: {host: {type: string, minLength: 1}, port: {type: integer, minimum: 1}}
"#;

/// The kind, whose older version has these rules.
fn scheme(rules: &str) -> Scheme {
    let files = hubgen_schemas::kubernetes().iter().filter(|(path, _)| *path == "meta.k8s.io/v1.json");
    let files: BTreeMap<PathBuf, String> =
        files.map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    let kubernetes = schema::read_files(files).expect("schemas");
    let source = Source::new("probes.yaml", DEFINITION);
    let mut api = crd::read(&[source], &Options::default(), &kubernetes).expect("a definition").api;
    api.versions.extend(kubernetes.versions);
    let text = format!("hub = \"example.com/v1\"\n[\"example.com/v1alpha1\"]\n{rules}");
    let source = Source::new("rules/example.com.Probe.toml", text);
    let rules = rules::read_documents("rules".as_ref(), vec![source]).expect("rules");
    let plan = hubgen_plan::build(&api, &rules.rules).expect("rules that fit");
    let (defaults, canonical, functions) =
        (Defaults::default(), CanonicalForms::default(), Functions::default());
    let behaviours = Default::default();
    interpreted(Model {
        api: &api,
        plan: &plan,
        defaults: &defaults,
        canonical: &canonical,
        behaviours: &behaviours,
        functions: &functions,
        over_json: true,
    })
}

/// The kind of a model, interpreted.
fn interpreted(model: Model<'_>) -> Scheme {
    let mut scheme = Scheme::new();
    for family in model.plan.families.iter().filter(|family| family.kind == "Probe") {
        for entry in entries(model, family).expect("entries") {
            scheme.add(entry).expect("one entry for each version");
        }
    }
    scheme
}

/// The version of the kind in the schemas of the expected code.
fn version(scheme: &Scheme, version: &str) -> Version {
    let entry = scheme.kind("probes.example.com", version, "Probe").expect("the kind");
    let Conversion::Hub(conversion) = &entry.conversion else { panic!("{entry} converts") };
    Version { new: entry.new.clone(), conversion: conversion.clone() }
}

#[test]
fn generated_code_and_the_interpreter_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen/codegen/tests/modules/empty");
    let project = Project::read(&root.join("hubgen.toml")).expect("hubgen.toml");
    let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let kinds = kinds(&root.join(&project.schemas), &carried, &Target::project(&project)).expect("kinds");
    let functions = Functions::default();
    let interpreted = interpreted(Model {
        api: &kinds.api,
        plan: &kinds.plan,
        defaults: &kinds.defaults,
        canonical: &kinds.canonical,
        behaviours: &kinds.behaviours,
        functions: &functions,
        over_json: true,
    });
    let compiled = api::scheme();
    let names = ["v1alpha1", "v1"];
    let [compiled, interpreted] =
        [&compiled, &interpreted].map(|scheme| names.map(|name| version(scheme, name)));
    let words = [("mood", "calm"), ("pace", "Slow")];
    for versions in [&compiled, &interpreted] {
        let all: Vec<&dyn Convertible> = versions.iter().map(|version| version as &dyn Convertible).collect();
        assert_eq!(versions::check_all(&all, &words, 300), Ok(true));
        assert!(all[0].canonical().contains(&Canonical::empty("spec.endpoint.host")));
    }
    assert_eq!(compiled[0].canonical().len(), interpreted[0].canonical().len());
    let json = |object: &dyn Reflect| json::encode(object).expect("JSON");
    let mut count = 0;
    for seed in 0..500 {
        let bytes = bytes(seed);
        for (from, to) in [(0, 1), (1, 0)] {
            let object = compiled[from].generate_json(&mut objects::Source::new(&bytes, &words));
            let converted = [&compiled, &interpreted].map(|versions| {
                let mut typed = versions[from].empty();
                json::decode_into(object.to_string().as_bytes(), &mut *typed).expect("an object");
                let hub = versions[from].try_to_hub(&*typed).ok()?;
                Some((json(&*hub), versions[to].try_from_hub(&*hub).ok().map(|object| json(&*object))))
            });
            assert_eq!(converted[0], converted[1], "{object}");
            count += u64::from(converted[0].is_some());
        }
    }
    assert!(count > 300, "{count} of 1000 objects convert");
}

#[test]
fn what_the_hub_refuses_is_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("probes.yaml"), DEFINITION).expect("written");
    let refused = |rules: &str| -> BTreeSet<String> {
        let found = hubgen_laws::refused(&scheme(rules), folder.path(), 500).expect("definitions");
        found.into_iter().map(|refused| format!("{} {}", refused.version, refused.path)).collect()
    };
    let v1 = "example.com/v1 Probe spec.endpoint";
    let all = [v1.to_owned(), format!("{v1}.host"), format!("{v1}.port")];
    assert_eq!(refused(""), all.into());
    let rule = "empty-is-absent = [\"spec.endpoint.host\", \"spec.endpoint.port\", \"spec.endpoint\"]";
    assert_eq!(refused(rule), BTreeSet::new());
    let checked = hubgen_laws::check(&scheme(rule), folder.path(), 500).expect("all laws hold");
    assert_eq!(checked.versions, 2);
}
