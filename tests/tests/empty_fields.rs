//! What is empty at one version, the schema of another one may refuse: a rule that it is the same as none leaves it out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use hubgen_documents::crd::{self, Options};
use hubgen_documents::{Source, rules, schema};
use hubgen_interpret::runtime::{Model, entries};
use hubgen_machinery::convert::Functions;
use hubgen_machinery::scheme::Scheme;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;

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
    let model = Model {
        api: &api,
        plan: &plan,
        defaults: &defaults,
        canonical: &canonical,
        functions: &functions,
        over_json: true,
    };
    let mut scheme = Scheme::new();
    for family in plan.families.iter().filter(|family| family.kind == "Probe") {
        for entry in entries(model, family).expect("entries") {
            scheme.add(entry).expect("one entry for each version");
        }
    }
    scheme
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
