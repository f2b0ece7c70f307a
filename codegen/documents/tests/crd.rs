//! CustomResourceDefinitions: from documents to distilled schemas and back.

#[path = "support/definitions.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_documents::{Source, crd, schema};
use hubgen_model::{Api, Facts, Type, TypeBody, TypeId};
use hubgen_yaml as yaml;
use serde_json::{Value, json};
use support::{definitions, fixture, kubernetes, upstream};

/// Reads distilled schemas beside those of Kubernetes.
fn read_back(files: &BTreeMap<PathBuf, String>) -> Api {
    let own: Vec<PathBuf> = files.keys().cloned().collect();
    let mut all = schema::files(&kubernetes(), None);
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

/// The names of a definition's versions, and their schemas.
fn versions(spec: &Value) -> Vec<(&str, &Value)> {
    let of_all = &spec["validation"]["openAPIV3Schema"];
    if let Some(version) = spec["version"].as_str() {
        return vec![(version, of_all)];
    }
    let mut out = Vec::new();
    for version in spec["versions"].as_array().unwrap() {
        let schema =
            if version.get("schema").is_some() { &version["schema"]["openAPIV3Schema"] } else { of_all };
        out.push((version["name"].as_str().unwrap(), schema));
    }
    out
}

/// Checks that the schemas of definitions can be made again from the distilled schemas, and that nothing
/// is lost. Returns what was read.
fn nothing_is_lost(sources: &[Source]) -> crd::Imported {
    let kubernetes = kubernetes();
    let options = crd::Options { docs: true, ..crd::Options::default() };
    let imported = crd::read(sources, &options, &kubernetes).unwrap();
    let api = read_back(&schema::files(&imported.api, None));
    assert_eq!(api, imported.api, "the distilled schemas are the same model");
    let mut compared = 0;
    for document in sources.iter().flat_map(|source| yaml::documents(source.text())) {
        let document: Value = serde_json::from_slice(&document.unwrap().json).unwrap();
        for definition in definitions(&document) {
            let spec = &definition["spec"];
            for (version, schema) in versions(spec) {
                let kind = spec["names"]["kind"].as_str().unwrap();
                let id = TypeId::new(spec["group"].as_str().unwrap(), version, kind);
                let rebuilt = crd::openapi_schema(&api, &kubernetes, api.find(&id).unwrap());
                assert_eq!(rebuilt, sorted(schema.clone()), "{id}");
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
    imported
}

#[test]
fn every_form_of_schema_is_rebuilt() {
    let imported = nothing_is_lost(&[fixture("widget.yaml"), fixture("beta.json")]);
    assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    let skipped = imported.skipped.iter().map(|skipped| {
        format!(
            "{}:{}: skipped {}",
            skipped.file.display(),
            skipped.line,
            skipped.kind.as_deref().unwrap_or("no object")
        )
    });
    let untyped = imported.untyped.iter().map(|untyped| {
        format!("{}:{}: {}: {}", untyped.file.display(), untyped.line, untyped.path, untyped.reason)
    });
    insta::assert_snapshot!("left_out", skipped.chain(untyped).collect::<Vec<_>>().join("\n"));
}

#[test]
fn definitions_become_distilled_schemas() {
    let sources = [fixture("widget.yaml"), fixture("beta.json")];
    let imported = crd::read(&sources, &crd::Options::default(), &kubernetes()).unwrap();
    for (file, text) in schema::files(&imported.api, None) {
        assert!(!text.contains("How large") && !text.contains("How to solve"), "{text}");
        insta::assert_snapshot!(file.to_str().unwrap().replace('/', "_"), text);
    }
}

/// A definition names the kind of its lists as it likes.
#[test]
fn lists_are_known_whatever_their_names() {
    let imported = crd::read(&[fixture("beta.json")], &crd::Options::default(), &kubernetes()).unwrap();
    let kinds = imported.api.types().filter(|ty| ty.kind.is_some());
    let (lists, others): (Vec<_>, Vec<_>) = kinds.partition(|ty| ty.is_list());
    let names = |types: Vec<&Type>| types.iter().map(|ty| ty.id.name.clone()).collect::<BTreeSet<_>>();
    assert_eq!(names(lists), ["BagList", "GearList", "Wheels"].map(str::to_owned).into());
    assert_eq!(names(others), ["Bag", "Gear", "Wheel"].map(str::to_owned).into());
}

/// Neither the order of documents nor that of files has an influence.
#[test]
fn the_order_of_documents_has_no_influence() {
    let read = |sources: &[Source]| {
        let imported = crd::read(sources, &crd::Options::default(), &kubernetes()).unwrap();
        schema::files(&imported.api, None)
    };
    let both = [fixture("widget.yaml"), fixture("beta.json")];
    let [first, second] = both.clone();
    assert_eq!(read(&both), read(&[second, first.clone(), first]), "a definition may occur twice");
}

/// A definition that is imported again keeps the names of its types, though it has new objects.
#[test]
fn names_are_kept() {
    let read = |text: String, known: Api| {
        let options = crd::Options { known, ..crd::Options::default() };
        crd::read(&[Source::new("widget.yaml", text)], &options, &kubernetes()).unwrap().api
    };
    let names = |api: &Api| -> BTreeSet<String> { api.types().map(|ty| ty.id.to_string()).collect() };
    let text = fixture("widget.yaml").text().to_owned();
    let new = "status:\n              type: object\n              properties:\n                nothing: {type: object, properties: {a: {type: string}}}";
    let grown = text.replace("status:\n              type: object\n              properties:", new);
    assert_ne!(text, grown);
    let before = read(text, Api::default());
    let after = read(grown.clone(), before.clone());
    let lost = |api: &Api| -> Vec<String> { names(&before).difference(&names(api)).cloned().collect() };
    assert!(lost(&after).is_empty());
    assert_eq!(lost(&read(grown, Api::default())), ["example.com/v1 WidgetNothing"]);
}

fn errors(sources: &[Source], options: &crd::Options) -> String {
    let errors = crd::read(sources, options, &kubernetes()).unwrap_err();
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_errors_in_one_run() {
    let broken = Source::new("broken.yaml", "kind: List\nitems:\n- a: 1\n  a: 2\n b: 3\n");
    let other = fixture("widget.yaml").text().replace("maximum: 10", "maximum: 11");
    let sources = [fixture("bad.yaml"), broken, fixture("widget.yaml"), Source::new("other.yaml", other)];
    insta::assert_snapshot!(errors(&sources, &crd::Options::default()));
}

/// Two resources of one kind, a mapping that matches nothing, and two that do not fit.
#[test]
fn types_have_errors_of_their_own() {
    let twin = fixture("widget.yaml").text().replace("widgets", "gadgets");
    let twins = [fixture("widget.yaml"), Source::new("twin.yaml", twin)];
    insta::assert_snapshot!("twins", errors(&twins, &crd::Options::default()));
    let at = |path: &str, name: &str| crd::Mapped {
        what: crd::Objects::At(path.to_owned()),
        ty: TypeId::new("", "v1", name),
    };
    let mapped = vec![
        at("Widget.spec.nowhere", "Pod"),
        at("Widget.spec.reference", "Toleration"),
        at("Widget.spec.selector", "Nothing"),
    ];
    let options = crd::Options { mapped, ..crd::Options::default() };
    insta::assert_snapshot!("mappings", errors(&[fixture("widget.yaml")], &options));
}

/// The API server ignores keys that it does not know, so they are no errors.
#[test]
fn unknown_keywords_are_listed() {
    let text = fixture("widget.yaml").text().replace("maxLength: 63}", "maxLenght: 63}");
    let text = text.replace("scope: Namespaced", "scope: Namespaced\n    version: v1");
    let text = text.replace("host: {type: string,", "host: {type: string, x-help.example.com: a,");
    let text = text.replace("selector: {type: string}", "selector: {type: string, items: {type: string}}");
    let imported =
        crd::read(&[Source::new("widget.yaml", text)], &crd::Options::default(), &kubernetes()).unwrap();
    let warnings: Vec<String> = imported.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(warnings.join("\n"));
}

/// Import accepts what the API server accepts, unless types cannot represent it.
#[test]
fn only_what_types_cannot_represent_is_refused_besides() {
    let read = |field: &str| {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: widgets.example.com}}\n\
             spec:\n  group: example.com\n  scope: Cluster\n  names: {{kind: Widget, plural: widgets}}\n  versions:\n  \
             - {{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object, properties: {{a: \
             {field}}}}}}}}}\n"
        );
        crd::read(&[Source::new("widget.yaml", text)], &crd::Options::default(), &kubernetes())
    };
    for accepted in [
        "{type: object, properties: {x: {type: string}}, anyOf: [{properties: {y: {minLength: 1}}}]}",
        "{type: string, maxLength: null, default: null, description: null}",
        "{type: string, minLength: -1}",
        "{type: string, readOnly: true}",
        "{type: string, x-kubernetes-validations: [{rule: self != '', when: never}]}",
    ] {
        let api = read(accepted).unwrap_or_else(|errors| panic!("{accepted}: {errors:?}")).api;
        assert_eq!(read_back(&schema::files(&api, None)), api, "{accepted}");
    }
    for (refused, message) in [
        (
            "{type: integer, format: int32, default: 3000000000}",
            "Invalid value: \"\": Checked value must be of type integer with format int32",
        ),
        (
            "{type: object, additionalProperties: {type: string, default: 1}}",
            "the default 1 does not match the schema",
        ),
        ("{type: object, additionalProperties: false}", "`false` is not allowed"),
    ] {
        let errors = read(refused).unwrap_err();
        assert_eq!(errors.iter().map(|error| &*error.message).collect::<Vec<_>>(), [message]);
        assert_eq!(errors[0].line, 9);
    }
}

/// What an API server publishes gives the same model as the definition, except what it does not tell.
#[test]
fn published_documents_give_the_same_model() {
    let read = |names: &[&str]| {
        let sources: Vec<Source> = names.iter().map(|name| fixture(&format!("published/{name}"))).collect();
        crd::read(&sources, &crd::Options::default(), &kubernetes()).unwrap()
    };
    let mut expected = read(&["definition.yaml"]).api;
    expected.versions.retain(|name, _| name.version != "v1alpha1");
    for ty in expected.versions.values_mut().flat_map(|version| version.types.values_mut()) {
        let TypeBody::Struct(fields) = &mut ty.body;
        let Some(kind) = &mut ty.kind else { continue };
        let (Some(facts), Some(resource)) = (&mut kind.definition, &mut kind.resource) else { continue };
        assert!(facts.served);
        assert_eq!(facts.scale.take().is_some(), resource.subresources.contains_key("scale"));
        (facts.storage, facts.shared) = (false, None);
        facts.columns.clear();
        (resource.short_names, resource.categories) = Default::default();
        fields[0].facts = Facts::imported(json!({"type": "object"})).boxed();
    }
    let published = read(&["v1.json", "v1beta1.json"]);
    assert_eq!(published.api, expected);
    assert_eq!(read(&["v1beta1.json", "v1.json", "v1.json"]).api, expected, "in any order, and twice");
    assert_eq!(published.skipped, []);
    let warnings: Vec<String> = published.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!("published_warnings", warnings.join("\n"));
}

#[test]
fn published_documents_that_cannot_be_imported() {
    let with = |name: &str, from: &str, to: &str| {
        let text = fixture("published/v1.json").text().replace(from, to);
        assert!(text != fixture("published/v1.json").text(), "{from}");
        Source::new(name, text)
    };
    let sources = [
        Source::new("v2.json", "{\"swagger\": \"2.0\"}"),
        Source::new(
            "list.json",
            "{\"paths\": {\"api/v1\": {\"serverRelativeURL\": \"/openapi/v3/api/v1\"}}}",
        ),
        with("apps.json", "tools.example.com", "apps"),
        with("no-paths.json", "/{name}", "/{other}"),
        with(
            "aggregated.json",
            "\"size\": {\"type\": \"integer\", \"format\": \"int32\"}",
            "\"size\": {\"$ref\": \"#/x\"}",
        ),
        fixture("published/v1.json"),
        with("other.json", "\"minimum\": 0", "\"minimum\": 1"),
    ];
    insta::assert_snapshot!("published_errors", errors(&sources, &crd::Options::default()));
    let both = [fixture("published/definition.yaml"), fixture("published/v1.json")];
    insta::assert_snapshot!("published_and_defined", errors(&both, &crd::Options::default()));
    let no_kinds = Source::new("version.json", "{\"openapi\": \"3.0.0\", \"paths\": {\"/version/\": {}}}");
    let imported = crd::read(&[no_kinds], &crd::Options::default(), &kubernetes()).unwrap();
    assert_eq!(imported.skipped[0].kind.as_deref(), Some("OpenAPI document without kinds"));
}

/// A user can map objects to types of Kubernetes that write other JSON, or declare that the difference does not matter.
#[test]
fn objects_become_types_of_kubernetes_where_the_user_wants() {
    let reference = TypeId::new("", "v1", "ObjectReference");
    let field = |options: crd::Options, name: &str| {
        let imported = crd::read(&[fixture("widget.yaml")], &options, &kubernetes()).unwrap();
        let spec = imported.api.find(&TypeId::new("example.com", "v1", "WidgetSpec")).unwrap();
        spec.field(name).unwrap().ty.named().unwrap().clone()
    };
    let own = |name: &str| TypeId::new("example.com", "v1", name);
    assert_eq!(field(crd::Options::default(), "reference"), own("WidgetReference"));
    for what in [crd::Objects::At("Widget.spec.reference".to_owned()), crd::Objects::OfSameShape] {
        let mapped = vec![crd::Mapped { what, ty: reference.clone() }];
        assert_eq!(field(crd::Options { mapped, ..crd::Options::default() }, "reference"), reference);
    }
    // Kubernetes' type does not distinguish empty lists and maps from absent ones.
    assert_eq!(field(crd::Options::default(), "selector"), own("WidgetSelector"));
    let presences = crd::Presences { all: crd::Absent::Empty, ..crd::Presences::default() };
    let selector = TypeId::new("meta.k8s.io", "v1", "LabelSelector");
    assert_eq!(field(crd::Options { presences, ..crd::Options::default() }, "selector"), selector);
}

const PRESENCE: &str = r#"
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: holders.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: holders, kind: Holder}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [required, requiredNullable, requiredDefault]
            properties:
              required: {type: array, items: {type: string}}
              requiredNullable: {type: array, nullable: true, items: {type: string}}
              requiredDefault: {type: string, default: a}
              list: {type: array, items: {type: string}}
              map: {type: object, additionalProperties: {type: string}}
              text: {type: string}
              number: {type: integer}
              nullable: {type: string, nullable: true}
              textDefault: {type: string, default: a}
              word: {type: string, enum: [a]}
          status:
            type: object
            properties:
              list: {type: array, items: {type: string}}
"#;

#[test]
fn users_declare_what_is_the_same_as_absent() {
    use hubgen_model::{Omit, Presence};
    let read = |presences: crd::Presences| {
        let options = crd::Options { presences, ..crd::Options::default() };
        crd::read(&[Source::new("holder.yaml", PRESENCE)], &options, &kubernetes())
    };
    let fields = |presences, ty: &str| -> BTreeMap<String, (Presence, Omit)> {
        let api = read(presences).unwrap().api;
        let ty = api.find(&TypeId::new("example.com", "v1", ty)).unwrap();
        ty.fields().iter().map(|field| (field.name.clone(), (field.presence, field.omit))).collect()
    };
    let with = |all| crd::Presences { all, ..crd::Presences::default() };
    let exact = fields(with(crd::Absent::Alone), "HolderSpec");
    let optional = (Presence::Pointer, Omit::Empty);
    let expected = [
        ("required", (Presence::Value, Omit::Exact)),
        ("requiredNullable", (Presence::Pointer, Omit::Exact)),
        ("requiredDefault", optional),
        ("list", optional),
        ("map", optional),
        ("text", optional),
        ("number", optional),
        ("nullable", (Presence::Nullable, Omit::Empty)),
        ("textDefault", optional),
        ("word", optional),
    ];
    let mut expected: BTreeMap<String, _> =
        expected.into_iter().map(|(name, presence)| (name.to_owned(), presence)).collect();
    assert_eq!(exact, expected);
    expected.insert("nullable".to_owned(), optional);
    assert_eq!(fields(with(crd::Absent::Null), "HolderSpec"), expected);
    for name in ["list", "map", "text", "nullable"] {
        expected.insert(name.to_owned(), (Presence::Value, Omit::Empty));
    }
    assert_eq!(fields(with(crd::Absent::Empty), "HolderSpec"), expected);

    let of_spec = || crd::Presences {
        types: [("HolderSpec".to_owned(), crd::Absent::Empty)].into(),
        ..crd::Presences::default()
    };
    assert_eq!(fields(of_spec(), "HolderSpec"), expected);
    assert_eq!(fields(of_spec(), "HolderStatus")["list"], optional);
    let unknown = crd::Presences { types: [("Spec".to_owned(), crd::Absent::Empty)].into(), ..of_spec() };
    let errors: Vec<String> = read(unknown).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "`Spec` has a `presence`, but no definition has a type of this name\n  help: write the name of a type in the \
             generated code, such as `CertificateSpec`"
        ]
    );
}

#[test]
fn upstream_definitions_are_rebuilt() {
    for sources in upstream() {
        let imported = nothing_is_lost(&sources);
        let reasons: BTreeSet<&str> = imported.untyped.iter().map(|untyped| untyped.reason).collect();
        assert!(reasons.into_iter().all(|reason| reason == "the schema allows any JSON value"));
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    }
}
