//! Imports definitions, drafts rules, and adopts the types: what `hubgen generate` accepts, `hubgen adopt` accepts, too,
//! and the definitions stay the same.

use std::fs;
use std::path::{Path, PathBuf};

use hubgen_codegen::adopt::adopt;
use hubgen_codegen::draft::draft;
use hubgen_codegen::{Target, api, generate};
use hubgen_documents::crd::{self, Options};
use hubgen_documents::folder::{Files, Folder};
use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, Source, import};
use hubgen_model::Api;

fn kubernetes() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

fn lines(errors: Vec<Diagnostic>) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// A definition of the kind Run with these versions, the newest last: name, and schema.
fn definition(versions: &[(&str, &str)]) -> String {
    let mut text = "apiVersion: apiextensions.k8s.io/v1\n\
                    kind: CustomResourceDefinition\n\
                    metadata: {name: runs.example.com}\n\
                    spec:\n\
                    \x20 group: example.com\n\
                    \x20 names: {kind: Run, plural: runs}\n\
                    \x20 scope: Namespaced\n\
                    \x20 versions:\n"
        .to_owned();
    for (index, (name, schema)) in versions.iter().enumerate() {
        let storage = index + 1 == versions.len();
        text += &format!("  - name: {name}\n    served: true\n    storage: {storage}\n");
        text += &format!("    schema: {{openAPIV3Schema: {schema}}}\n");
    }
    text
}

/// The schema of a kind whose spec has these properties.
fn with_spec(properties: &str) -> String {
    let meta = "apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}";
    format!("{{type: object, properties: {{{meta}, spec: {{type: object, properties: {{{properties}}}}}}}}}")
}

/// A repository with the schemas of a definition, and drafts of rules.
fn repository(name: &str, versions: &[(&str, &str)]) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("adopt-definitions").join(name);
    if root.exists() {
        fs::remove_dir_all(&root).unwrap();
    }
    let schemas = root.join("schemas");
    fs::create_dir_all(&schemas).unwrap();
    let sources = [Source::new("crd.yaml", definition(versions))];
    let options = Options { docs: true, ..Options::default() };
    let imported = crd::read(&sources, &options, &Api::default()).map_err(lines).unwrap();
    let write = |files: &Files| Folder::read(&schemas).unwrap().additions(files).write().unwrap();
    write(&import::files(&schemas, &imported.api, &kubernetes(), None).map_err(lines).unwrap());
    let target = Target::project(&project(&root));
    write(&draft(&schemas, &kubernetes(), &target, None).map_err(lines).unwrap().files);
    generate(&schemas, &kubernetes(), &target).map_err(lines).unwrap();
    root
}

fn project(root: &Path) -> Project {
    let file = root.join("hubgen.toml");
    if file.exists() { Project::read(&file).map_err(lines).unwrap() } else { Project::default_in(root) }
}

fn definitions(root: &Path) -> Files {
    let project = project(root);
    let schemas = project.root.join(&project.schemas);
    let api = api(&schemas, &kubernetes(), &Target::project(&project)).map_err(lines).unwrap();
    let mut files = hubgen_documents::crd_files::files(&api, &project, &Generator::of_tool("hubgen crds"))
        .map_err(lines)
        .unwrap();
    // The first line names the source, which adopting changes.
    files.values_mut().for_each(|text| *text = text.split_once('\n').unwrap().1.to_owned());
    files
}

/// Adopts the types of a definition, and generates for them. Returns the source of the newest version.
fn adopted(name: &str, versions: &[(&str, &str)]) -> String {
    let root = repository(name, versions);
    let before = definitions(&root);
    adopt(&project(&root), &kubernetes()).map_err(lines).unwrap().write().unwrap();
    assert_eq!(definitions(&root), before);
    let after = project(&root);
    generate(&root.join(&after.schemas), &kubernetes(), &Target::project(&after)).map_err(lines).unwrap();
    let [.., (version, _)] = versions else { panic!("no version") };
    fs::read_to_string(root.join(format!("src/api/example/{version}.rs"))).unwrap()
}

/// An object with a path and these fields.
fn both(fields: &str) -> String {
    format!("{{type: object, properties: {{path: {{type: string}}{fields}}}}}")
}

/// A list of objects with a name and these fields.
fn steps(fields: &str) -> String {
    format!("{{type: array, items: {{type: object, properties: {{name: {{type: string}}{fields}}}}}}}")
}

/// The hub has a field of older versions, of a type that other fields have at all versions.
#[test]
fn an_added_field_has_a_type_that_is_used_elsewhere() {
    let both = both("");
    let old = with_spec(&format!("steps: {}, both: {both}", steps(&format!(", old: {both}"))));
    let new = with_spec(&format!("steps: {}, both: {both}", steps("")));
    adopted("two-versions", &[("v1beta1", &old), ("v1", &new)]);
    adopted("three-versions", &[("v1alpha1", &old), ("v1beta1", &old), ("v1", &new)]);
}

/// Likewise, and at the newest version the type has fewer fields.
#[test]
fn an_added_field_has_a_type_that_differs_elsewhere() {
    let (older, newer) = (both(", extra: {type: string}"), both(""));
    let old = with_spec(&format!("steps: {}, both: {older}", steps(&format!(", old: {older}"))));
    let new = with_spec(&format!("steps: {}, both: {newer}", steps("")));
    adopted("types-differ", &[("v1beta1", &old), ("v1", &new)]);
}

/// The schema of an object whose fields nobody knows, with other keywords.
fn raw(keywords: &str) -> String {
    format!("{{type: object, x-kubernetes-preserve-unknown-fields: true{keywords}}}")
}

#[test]
fn raw_objects_have_other_keywords() {
    let embedded = raw(", x-kubernetes-embedded-resource: true");
    let nullable = raw(", nullable: true");
    let checked = raw(", minProperties: 1, x-kubernetes-validations: [{rule: 'has(self.a)'}]");
    let described = raw(", description: A flag");
    let properties = format!(
        "embedded: {embedded}, nullable: {nullable}, checked: {checked}, described: {described}, \
         list: {{type: array, items: {described}}}, map: {{type: object, additionalProperties: {checked}}}, \
         lists: {{type: array, items: {{type: array, items: {embedded}}}}}, \
         default: {}",
        raw(", default: {}")
    );
    let source = adopted("raw-objects", &[("v1", &with_spec(&properties))]);
    assert!(source.contains("\"x-kubernetes-embedded-resource\":true"), "{source}");
    assert!(source.contains("\"description\":\"A flag\""), "{source}");
}

/// The warnings, and the definition of the kind with this schema, after its types are adopted.
fn with_warnings(name: &str, schema: &str) -> (String, String) {
    let root = repository(name, &[("v1", schema)]);
    let adopted = adopt(&project(&root), &kubernetes()).map_err(lines).unwrap();
    let warnings = lines(adopted.warnings.clone());
    adopted.write().unwrap();
    let files = definitions(&root);
    let [text] = &files.into_values().collect::<Vec<_>>()[..] else { panic!("one definition") };
    (warnings, text.clone())
}

#[test]
fn a_root_has_what_every_object_has() {
    let rules = "x-kubernetes-validations: [{rule: 'true'}]";
    let spec = "spec: {type: object, properties: {size: {type: integer, format: int32}}}";
    let all = "apiVersion: {type: string}, kind: {type: string}, metadata: {type: object}";
    let root = |properties: &str| {
        format!("{{type: object, required: [metadata, spec], {rules}, properties: {{{properties}}}}}")
    };
    let (warnings, complete) = with_warnings("complete", &root(&format!("{all}, {spec}")));
    assert_eq!(warnings, "");
    let only_spec = root(spec);
    let (warnings, text) = with_warnings("only-spec", &only_spec);
    let expected =
        "the definition of example.com/v1 Run gets `apiVersion`, `kind`, `metadata`, which it does not list";
    assert!(warnings.contains(expected), "{warnings}");
    assert_eq!(text, complete);
    let (warnings, text) = with_warnings("no-type", &root(&format!("metadata: {{type: object}}, {spec}")));
    assert!(warnings.contains("gets `apiVersion`, `kind`, which"), "{warnings}");
    assert_eq!(text, complete);
    let (warnings, text) = with_warnings(
        "no-metadata",
        &root(&format!("apiVersion: {{type: string}}, kind: {{type: string}}, {spec}")),
    );
    assert!(warnings.contains("gets `metadata`, which"), "{warnings}");
    assert_eq!(text, complete);
}

#[test]
fn what_every_object_has_can_have_no_keywords() {
    let schema = "{type: object, properties: {apiVersion: {type: string, minLength: 1}, kind: {type: string}, \
                  metadata: {type: object}}}";
    let root = repository("keywords-of-types", &[("v1", schema)]);
    let errors = adopt(&project(&root), &kubernetes()).map(|_| ()).map_err(lines).unwrap_err();
    let expected = "cannot specify `apiVersion` and `kind` of example.com/v1 Run, which are `type: string` without other \
                    keywords, as the schema does";
    assert!(errors.contains(expected) && !errors.contains("report"), "{errors}");
}
