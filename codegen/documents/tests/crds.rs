//! CustomResourceDefinitions that are written: what was read, and nothing else.
//!
//! `HUBGEN_DEFINITIONS` names files and folders with further CustomResourceDefinitions, with `:` between them.
//! Each is imported by itself:
//!
//! ```console
//! $ HUBGEN_DEFINITIONS=crds/ cargo test -p hubgen-documents --release --test crds named -- --nocapture
//! ```

#[path = "support/definitions.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hubgen_documents::generated::Generator;
use hubgen_documents::project::Project;
use hubgen_documents::{Source, crd, crd_files, schema};
use hubgen_model::{Api, Definition, GroupVersion, Resource, Scope};
use hubgen_yaml as yaml;
use serde_json::{Value, json};
use support::{definitions, fixture, kubernetes, sources, upstream};

/// A difference between a definition that was read and the one that was written.
struct Difference<'a> {
    /// Where: names of members, of versions instead of their positions.
    path: Vec<String>,
    read: Option<&'a Value>,
    written: Option<&'a Value>,
}

impl<'a> Difference<'a> {
    fn is_at(&self, path: &[&str]) -> bool {
        self.path.iter().map(String::as_str).eq(path.iter().copied())
    }

    /// All differences of two values.
    fn all(path: &[String], read: Option<&'a Value>, written: Option<&'a Value>, out: &mut Vec<Self>) {
        let mut inner = |name: &str, read, written| {
            Self::all(&[path, &[name.to_owned()]].concat(), read, written, out);
        };
        match (read, written) {
            (Some(Value::Object(read)), Some(Value::Object(written))) => {
                let names: BTreeSet<&String> = read.keys().chain(written.keys()).collect();
                names.into_iter().for_each(|name| inner(name, read.get(name), written.get(name)));
            }
            // The order of versions has no meaning.
            (Some(Value::Array(read)), Some(Value::Array(written))) if path == ["spec", "versions"] => {
                let named = |versions: &'a [Value]| -> BTreeMap<&'a str, &'a Value> {
                    versions.iter().map(|version| (version["name"].as_str().unwrap(), version)).collect()
                };
                let (read, written) = (named(read), named(written));
                let names: BTreeSet<&str> = read.keys().chain(written.keys()).copied().collect();
                for name in names {
                    inner(name, read.get(name).copied(), written.get(name).copied());
                }
            }
            (Some(Value::Array(read)), Some(Value::Array(written)))
                if read.len() == written.len() && path.last().is_none_or(|name| name != "required") =>
            {
                for (at, (read, written)) in read.iter().zip(written).enumerate() {
                    inner(&at.to_string(), Some(read), Some(written));
                }
            }
            (read, written) if read == written => {}
            (read, written) => out.push(Self { path: path.to_owned(), read, written }),
        }
    }
}

fn differences<'a>(read: &'a Value, written: &'a Value) -> Vec<Difference<'a>> {
    let mut out = Vec::new();
    Difference::all(&[], Some(read), Some(written), &mut out);
    out
}

/// A difference that may be: what both sides contain.
struct Exception {
    read: &'static str,
    written: &'static str,
    /// Whether it explains a difference in the definition that was read.
    explains: fn(&Difference<'_>, &Value) -> bool,
    /// The path of an example.
    path: &'static [&'static str],
    /// What both sides of the example contain, and what the written side contains in a change that goes
    /// further.
    example: fn() -> [Option<Value>; 3],
}

const VERSION: &str = "v1";

const EXCEPTIONS: [Exception; 6] = [
    Exception {
        read: "`status`, which the API server writes",
        written: "nothing",
        explains: |difference, _| {
            difference.is_at(&["status"])
                && difference.read.is_some_and(Value::is_object)
                && difference.written.is_none()
        },
        path: &["status"],
        example: || [Some(json!({"conditions": []})), None, Some(json!({}))],
    },
    Exception {
        read: "`creationTimestamp: null`, which Go writes",
        written: "nothing",
        explains: |difference, _| {
            difference.is_at(&["metadata", "creationTimestamp"])
                && difference.read == Some(&Value::Null)
                && difference.written.is_none()
        },
        path: &["metadata", "creationTimestamp"],
        example: || [Some(Value::Null), None, Some(json!("now"))],
    },
    Exception {
        read: "what kubectl remembers about the document",
        written: "nothing",
        explains: |difference, _| {
            difference.is_at(&["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"])
                && difference.read.is_some_and(Value::is_string)
                && difference.written.is_none()
        },
        path: &["metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"],
        example: || [Some(json!("{}")), None, Some(json!(""))],
    },
    Exception {
        read: "`subresources: {}`",
        written: "nothing: no subresources either",
        explains: |difference, _| {
            difference.path.len() == 4
                && difference.path.starts_with(&["spec".to_owned(), "versions".to_owned()])
                && difference.path[3] == "subresources"
                && difference.read == Some(&json!({}))
                && difference.written.is_none()
        },
        path: &["spec", "versions", VERSION, "subresources"],
        example: || [Some(json!({})), None, Some(json!({"status": {}}))],
    },
    Exception {
        read: "no name in the singular, or none for lists",
        written: "the name that the API server adds",
        explains: |difference, definition| {
            let kind = definition["spec"]["names"]["kind"].as_str().unwrap();
            let added = if difference.is_at(&["spec", "names", "singular"]) {
                kind.to_lowercase()
            } else {
                format!("{kind}List")
            };
            (difference.is_at(&["spec", "names", "singular"])
                || difference.is_at(&["spec", "names", "listKind"]))
                && difference.read.is_none()
                && difference.written == Some(&added.into())
        },
        path: &["spec", "names", "singular"],
        example: || [None, Some(json!("widget")), Some(json!("widgets"))],
    },
    Exception {
        read: "names under `required` in any order",
        written: "the same names, sorted",
        explains: |difference, _| {
            let names = |value: Option<&Value>| value.and_then(Value::as_array).cloned();
            let sorted = |value| {
                names(value).map(|mut names| {
                    names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                    names
                })
            };
            difference.path.last().is_some_and(|name| name == "required")
                && difference.read.is_some_and(Value::is_array)
                && names(difference.written) == sorted(difference.read)
        },
        path: &["spec", "versions", VERSION, "schema", "openAPIV3Schema", "required"],
        example: || [Some(json!(["b", "a"])), Some(json!(["a", "b"])), Some(json!(["a", "c"]))],
    },
];

/// The differences that no exception explains.
fn unexplained(read: &Value, written: &Value) -> Vec<String> {
    left(&differences(read, written), read)
}

fn left(differences: &[Difference<'_>], read: &Value) -> Vec<String> {
    let unexplained = differences
        .iter()
        .filter(|difference| !EXCEPTIONS.iter().any(|exception| (exception.explains)(difference, read)));
    unexplained
        .map(|Difference { path, read, written }| {
            format!("{}: read {read:?}, written {written:?}", path.join("."))
        })
        .collect()
}

/// Reads definitions with their descriptions, and returns the model as the distilled schemas contain it.
fn import(sources: &[Source]) -> Api {
    let options = crd::Options { docs: true, ..crd::Options::default() };
    let imported = crd::read(sources, &options, &kubernetes()).unwrap();
    let carried = schema::files(&kubernetes(), None);
    let carried = carried.iter().map(|(path, text)| (path.to_str().unwrap(), text.as_str()));
    schema::Carried::new(carried).read_files(schema::files(&imported.api, None)).unwrap()
}

/// The files that are written.
fn written(api: &Api) -> BTreeMap<PathBuf, String> {
    let generator = Generator { command: "hubgen crds".to_owned(), version: Some("0.0.0".to_owned()) };
    crd_files::files(api, &Project::default_in(Path::new("")), &generator).unwrap()
}

fn parse(text: &str) -> Value {
    serde_json::from_slice(&yaml::to_json(text).unwrap()).unwrap()
}

/// How many definitions came back.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// As they were read.
    equal: usize,
    /// With differences, which exceptions explain.
    explained: usize,
}

/// Checks that what is written is what was read, and that it gives the same when it is read again.
fn comes_back(sources: &[Source]) -> Counts {
    let files = written(&import(sources));
    let mut counts = Counts::default();
    for document in sources.iter().flat_map(|source| yaml::documents(source.text())) {
        let document: Value = serde_json::from_slice(&document.unwrap().json).unwrap();
        for read in definitions(&document) {
            let name = read["metadata"]["name"].as_str().unwrap();
            let text = &files[Path::new(&format!("{name}.yaml"))];
            let written = parse(text);
            let differences = differences(&read, &written);
            assert_eq!(left(&differences, &read), [""; 0], "{name}");
            *(if differences.is_empty() { &mut counts.equal } else { &mut counts.explained }) += 1;
        }
    }
    assert_eq!(files.len(), counts.equal + counts.explained);
    let again: Vec<Source> = files.iter().map(|(file, text)| Source::new(file, text.clone())).collect();
    assert!(written(&import(&again)) == files, "what was written is read as the same");
    counts
}

#[test]
fn every_form_comes_back() {
    let counts = comes_back(&[fixture("widget.yaml"), fixture("published/definition.yaml")]);
    assert_eq!(counts, Counts { equal: 1, explained: 1 });
}

#[test]
fn upstream_definitions_come_back() {
    for sources in upstream() {
        let counts = comes_back(&sources);
        assert_eq!(counts.equal + counts.explained, 6, "{counts:?}");
    }
}

/// Definitions of other projects, as far as somebody names them.
#[test]
fn named_definitions_come_back() {
    let paths = std::env::var("HUBGEN_DEFINITIONS").unwrap_or_default();
    if paths.is_empty() {
        eprintln!("left out: HUBGEN_DEFINITIONS names no further definitions");
    }
    for path in paths.split(':').filter(|path| !path.is_empty()) {
        let Counts { equal, explained } = comes_back(&sources(Path::new(path)));
        eprintln!("{path}: {equal} equal, {explained} explained");
    }
}

/// Each exception explains its example, and nothing that goes further.
#[test]
fn exceptions_are_narrow() {
    for Exception { read: what, written: instead, explains, path, example } in &EXCEPTIONS {
        let what = format!("{what}: {instead}");
        let [read, written, beyond] = example();
        let definition = with(path, read.as_ref());
        assert_eq!(unexplained(&definition, &with(path, written.as_ref())), [""; 0], "{what}");
        assert_ne!(unexplained(&definition, &with(path, beyond.as_ref())), [""; 0], "{what}");
        // At another path.
        let elsewhere = Difference {
            path: vec!["spec".to_owned(), "other".to_owned()],
            read: read.as_ref(),
            written: written.as_ref(),
        };
        assert!(!explains(&elsewhere, &definition), "{what}");
    }
    // Versions in another order are the same; another version is not.
    let [read, written, other] = [["v1", "v2"], ["v2", "v1"], ["v1", "v3"]].map(|names| {
        let versions = names.map(|name| json!({ "name": name }));
        json!({"spec": {"names": {"kind": "Widget"}, "versions": versions}})
    });
    assert_eq!(unexplained(&read, &written), [""; 0]);
    assert_eq!(unexplained(&read, &other).len(), 2);
}

/// A definition with a value at a path.
fn with(path: &[&str], value: Option<&Value>) -> Value {
    let mut definition = json!({
        "metadata": {"annotations": {}},
        "spec": {
            "names": {"kind": "Widget"},
            "versions": [{"name": VERSION, "schema": {"openAPIV3Schema": {}}}],
        },
    });
    let mut at = &mut definition;
    let (last, parents) = path.split_last().unwrap();
    for name in parents {
        at = if *name == VERSION { &mut at[0] } else { &mut at[*name] };
    }
    if let Some(value) = value {
        at[*last] = value.clone();
    }
    definition
}

/// The text of the files, and v1 of what was v1beta1.
#[test]
fn definitions_are_written_for_people() {
    let files = written(&import(&[fixture("published/definition.yaml"), fixture("beta.json")]));
    let text: Vec<String> =
        files.iter().map(|(file, text)| format!("== {}\n{text}", file.display())).collect();
    insta::assert_snapshot!(text.join("\n"));
}

/// Facts that versions do not agree on, and facts that are missing.
#[test]
fn all_errors_in_one_run() {
    let api = import(&[fixture("published/definition.yaml")]);
    let mut all = Vec::new();
    let mut check = |edit: fn(&mut Definition, &mut Resource)| {
        let mut api = api.clone();
        let version = GroupVersion::new("tools.example.com", "v1beta1");
        let kind = api.versions.get_mut(&version).unwrap().types["Gadget"].kind.as_mut().unwrap();
        edit(kind.definition.as_mut().unwrap(), kind.resource.as_mut().unwrap());
        let errors = schema::Sources::new("schemas").locate_all(crd::definitions(&api).unwrap_err());
        all.extend(errors.iter().map(ToString::to_string));
    };
    check(|facts, _| facts.storage = true);
    check(|_, resource| {
        resource.scope = Scope::Cluster;
        resource.singular = "thing".to_owned();
        resource.short_names.clear();
        resource.categories.push("others".to_owned());
    });
    let mut api = import(&[fixture("published/v1.json")]);
    let errors = schema::Sources::new("schemas").locate_all(crd::definitions(&api).unwrap_err());
    all.extend(errors.iter().map(ToString::to_string));
    let version = GroupVersion::new("tools.example.com", "v1");
    let kind = api.versions.get_mut(&version).unwrap().types["Gadget"].kind.as_mut().unwrap();
    kind.definition.as_mut().unwrap().storage = true;
    let errors = schema::Sources::new("schemas").locate_all(crd::definitions(&api).unwrap_err());
    all.extend(errors.iter().map(ToString::to_string));
    insta::assert_snapshot!(all.join("\n"));
}
