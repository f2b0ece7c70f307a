//! When objects are present that rules take apart: typed objects and JSON agree, and nothing appears or vanishes.

#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_documents::crd::{self, Options};
use hubgen_documents::{Source, rules, schema};
use hubgen_interpret::runtime::{Model, entries};
use hubgen_laws::versions::{self, Convertible, Version};
use hubgen_machinery::Str;
use hubgen_machinery::convert::Functions;
use hubgen_machinery::json;
use hubgen_machinery::scheme::{Conversion, Scheme};
use hubgen_model::Api;
use hubgen_model::defaults::Defaults;
use hubgen_model::rules::Rules;
use serde_json::{Value, json};

/// The kind Alpha of example.com at v1, v2 and maybe v3, whose specs have these properties in YAML, and these rules for
/// v1, which those for v3 may follow; v2 is the hub.
struct Alpha {
    scheme: Scheme,
    versions: Vec<Version>,
}

const VERSIONS: [&str; 3] = ["v1", "v2", "v3"];

/// The schemas and rules.
fn read(specs: &[&str], rules: &str) -> (Api, Vec<Rules>) {
    let version = |(name, spec): (&str, &&str)| {
        format!(
            "  - name: {name}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object, properties: \
             {{apiVersion: {{type: string}}, kind: {{type: string}}, metadata: {{type: object}}, spec: {{type: object, \
             properties: {spec}}}}}}}}}\n",
            name == "v2"
        )
    };
    let versions: String = VERSIONS.into_iter().zip(specs).map(version).collect();
    let text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: alphas.example.com}}\n\
         spec:\n  group: example.com\n  names: {{kind: Alpha, plural: alphas, singular: alpha, listKind: AlphaList}}\n\
         \x20 scope: Namespaced\n  versions:\n{versions}"
    );
    let files = hubgen_schemas::kubernetes().iter().filter(|(path, _)| *path == "meta.k8s.io/v1.json");
    let files: BTreeMap<PathBuf, String> =
        files.map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    let kubernetes = schema::read_files(files).unwrap();
    let source = Source::new("definition.yaml", text);
    let mut api = crd::read(&[source], &Options::default(), &kubernetes).unwrap().api;
    api.versions.extend(kubernetes.versions);
    let rules = format!("hub = \"example.com/v2\"\n[\"example.com/v1\"]\n{rules}");
    let rules = Source::new("rules/example.com.Alpha.toml", rules);
    let rules = rules::read_documents("rules".as_ref(), vec![rules]).unwrap();
    (api, rules.rules)
}

/// How the generator refuses rules.
fn refused(v1: &str, v2: &str, rules: &str) -> String {
    let (api, rules) = read(&[v1, v2], rules);
    let problems = hubgen_plan::build(&api, &rules).unwrap_err();
    problems.iter().map(|problem| format!("{}: {}\n", problem.path, problem.message)).collect()
}

impl Alpha {
    fn new(v1: &str, v2: &str, rules: &str) -> Self {
        Self::of(&[v1, v2], rules)
    }

    fn of(specs: &[&str], rules: &str) -> Self {
        Self::with(specs, rules, &Functions::default())
    }

    /// The same, with functions that the rules name.
    fn with(specs: &[&str], rules: &str, functions: &Functions) -> Self {
        let (api, rules) = read(specs, rules);
        let plan = hubgen_plan::build(&api, &rules).unwrap();
        let (defaults, canonical, behaviours) = (Defaults::default(), Default::default(), Default::default());
        let model = Model {
            api: &api,
            plan: &plan,
            defaults: &defaults,
            canonical: &canonical,
            behaviours: &behaviours,
            functions,
            over_json: true,
        };
        let family = plan.families.iter().find(|family| family.kind == "Alpha").unwrap();
        let mut scheme = Scheme::new();
        for entry in entries(model, family).unwrap() {
            scheme.add(entry).unwrap();
        }
        let versions = VERSIONS[..specs.len()].iter().map(|version| {
            let entry = scheme.kind("example.com", version, "Alpha").unwrap();
            let Conversion::Hub(conversion) = &entry.conversion else { panic!("{version} converts") };
            Version { new: entry.new.clone(), conversion: conversion.clone() }
        });
        let versions = versions.collect();
        Self { scheme, versions }
    }

    /// All laws hold for so many objects.
    fn keeps_the_laws(&self, objects: u64) {
        let versions: Vec<&dyn Convertible> =
            self.versions.iter().map(|version| version as &dyn Convertible).collect();
        versions::check(&versions, &[], objects).unwrap();
        versions::check_json(&versions, &[], objects).unwrap();
        assert!(versions::check_undecoded(&versions, &[], objects).unwrap());
    }

    /// What a spec becomes: typed, and as JSON that is not decoded.
    fn converted(&self, from: &str, spec: &Value, to: &str) -> Value {
        let at = |version: &str| &self.versions[VERSIONS.iter().position(|name| *name == version).unwrap()];
        let written = json!({"apiVersion": format!("example.com/{from}"), "kind": "Alpha", "spec": spec});
        let mut object = at(from).empty();
        json::decode_into(written.to_string().as_bytes(), &mut *object).unwrap();
        let hub = at(from).try_to_hub(&*object).unwrap();
        let typed = json::encode(&*at(to).try_from_hub(&*hub).unwrap()).unwrap();
        let target = self.scheme.kind("example.com", to, "Alpha").unwrap();
        let undecoded = self.scheme.convert_json(written.to_string().as_bytes(), target).unwrap();
        let [typed, undecoded]: [Value; 2] =
            [typed, undecoded].map(|json| serde_json::from_slice(&json).unwrap());
        assert_eq!(typed["spec"], undecoded["spec"], "typed, and undecoded");
        typed["spec"].clone()
    }

    /// What JSON that is not decoded becomes at the other version, and back.
    fn there_and_here(&self, from: &str, spec: &Value) -> [Value; 2] {
        self.through(from, if from == "v1" { "v2" } else { "v1" }, spec)
    }

    /// What the hub's JSON becomes after a client at v1 made an edit.
    fn after(&self, spec: &Value, edit: impl FnOnce(&mut Value)) -> Value {
        let version = |name: &str| self.scheme.kind("example.com", name, "Alpha").unwrap();
        let written = json!({"apiVersion": "example.com/v2", "kind": "Alpha", "spec": spec});
        let shown = self.scheme.convert_json(written.to_string().as_bytes(), version("v1")).unwrap();
        let mut shown = serde_json::from_slice::<Value>(&shown).unwrap();
        edit(&mut shown["spec"]);
        let back = self.scheme.convert_json(shown.to_string().as_bytes(), version("v2")).unwrap();
        serde_json::from_slice::<Value>(&back).unwrap()["spec"].clone()
    }

    /// What JSON that is not decoded becomes at another version, and back.
    fn through(&self, from: &str, other: &str, spec: &Value) -> [Value; 2] {
        let version = |name: &str| self.scheme.kind("example.com", name, "Alpha").unwrap();
        let written = json!({"apiVersion": format!("example.com/{from}"), "kind": "Alpha", "spec": spec});
        let shown = self.scheme.convert_json(written.to_string().as_bytes(), version(other)).unwrap();
        let back = self.scheme.convert_json(&shown, version(from)).unwrap();
        [shown, back].map(|json| serde_json::from_slice::<Value>(&json).unwrap()["spec"].clone())
    }
}

const TEXT: &str = "{type: string}";

const NUMBER: &str = "{type: integer, format: int32}";

/// What is empty at the one version, the schema of the other one may refuse: rules declare that it is the same as absent.
#[test]
fn what_is_empty_is_absent_where_a_rule_says_so() {
    let endpoint = format!(
        "{{endpoint: {{type: object, properties: {{host: {TEXT}, port: {{type: integer}}, tls: {{type: boolean}}, \
         paths: {{type: array, items: {TEXT}}}}}}}, b: {TEXT}}}"
    );
    let alpha = Alpha::new(
        &endpoint,
        &endpoint,
        "empty-is-absent = [\"spec.endpoint.host\", \"spec.endpoint.port\", \"spec.endpoint.paths\", \"spec.endpoint\"]\n",
    );
    for (old, new) in [
        (json!({"endpoint": {"host": "", "port": 0}}), json!({})),
        (json!({"endpoint": {"host": "", "port": 0, "paths": []}, "b": ""}), json!({"b": ""})),
        (json!({"endpoint": {}}), json!({})),
        (json!({"endpoint": {"host": "a", "port": 0}}), json!({"endpoint": {"host": "a"}})),
        (json!({"endpoint": {"host": "", "tls": false}}), json!({"endpoint": {"tls": false}})),
        (json!({"endpoint": {"paths": [""]}}), json!({"endpoint": {"paths": [""]}})),
        (json!({"b": "x"}), json!({"b": "x"})),
    ] {
        assert_eq!(alpha.converted("v1", &old, "v2"), new, "{old}");
        // The hub tells them apart, and the version shows what it cannot as absent.
        assert_eq!(alpha.converted("v2", &old, "v1"), new, "{old}");
    }
    alpha.keeps_the_laws(300);
}

/// The fields of the object are elsewhere in the hub, or the object is.
#[test]
fn what_is_empty_is_absent_where_it_moves() {
    let required = format!("required: [host], properties: {{host: {TEXT}, port: {{type: integer}}}}");
    let (old, new) = (
        format!("{{endpoint: {{type: object, properties: {{host: {TEXT}, port: {{type: integer}}}}}}}}"),
        format!("{{to: {{type: object, {required}}}, host: {TEXT}}}"),
    );
    let whole = Alpha::new(
        &old.replace("properties: {host", "required: [host], properties: {host"),
        &new,
        "move = [[\"spec.endpoint\", \"spec.to\"]]\nkeep = [\"spec.host\"]\nempty-is-absent = [\"spec.endpoint\"]\n",
    );
    for (old, new) in [
        (json!({"endpoint": {"host": ""}}), json!({})),
        (json!({"endpoint": {"host": "a"}}), json!({"to": {"host": "a"}})),
        (json!({"endpoint": {"host": "", "port": 0}}), json!({"to": {"host": "", "port": 0}})),
    ] {
        assert_eq!(whole.converted("v1", &old, "v2"), new, "{old}");
    }
    whole.keeps_the_laws(300);
    let apart = Alpha::new(
        &old,
        &format!("{{endpoint: {{type: object, properties: {{port: {{type: integer}}}}}}, host: {TEXT}}}"),
        "move = [[\"spec.endpoint.host\", \"spec.host\"]]\n\
         empty-is-absent = [\"spec.endpoint.host\", \"spec.endpoint.port\", \"spec.endpoint\"]\n",
    );
    for (old, new) in [
        (json!({"endpoint": {"host": "", "port": 0}}), json!({})),
        (json!({"endpoint": {}}), json!({})),
        (json!({"endpoint": {"host": "a", "port": 0}}), json!({"host": "a"})),
        (json!({"endpoint": {"host": "", "port": 1}}), json!({"endpoint": {"port": 1}})),
    ] {
        assert_eq!(apart.converted("v1", &old, "v2"), new, "{old}");
    }
    apart.keeps_the_laws(300);
}

/// In items of lists, values of maps, words, and fields that may be `null`.
#[test]
fn what_is_empty_is_absent_in_lists_and_beside_null() {
    let item = format!("{{type: object, properties: {{name: {TEXT}, word: {TEXT}}}}}");
    let spec = |first: &str| {
        format!(
            "{{items: {{type: array, items: {item}}}, keyed: {{type: object, additionalProperties: {item}}}, \
             maybe: {{type: string, nullable: true}}, labels: {{type: object, nullable: true, additionalProperties: {TEXT}}}, \
             {first}: {TEXT}}}"
        )
    };
    let alpha = Alpha::new(
        &spec("mood"),
        &spec("pace"),
        "words = [{ from = \"spec.mood\", to = \"spec.pace\", words = { calm = \"Slow\" } }]\n\
         empty-is-absent = [\"spec.items.name\", \"spec.mood\", \"spec.maybe\", \"spec.labels\", \"spec.items\"]\n",
    );
    for (old, new) in [
        (json!({"items": [{"name": ""}, {"name": "", "word": ""}]}), json!({"items": [{}, {"word": ""}]})),
        (json!({"keyed": {"a": {"name": ""}}}), json!({"keyed": {"a": {}}})),
        (json!({"items": [], "mood": "", "maybe": null, "labels": {}}), json!({})),
        (json!({"maybe": "", "labels": null}), json!({})),
        (json!({"mood": "calm", "labels": {"a": ""}}), json!({"pace": "Slow", "labels": {"a": ""}})),
    ] {
        assert_eq!(alpha.converted("v1", &old, "v2"), new, "{old}");
    }
    assert_eq!(alpha.converted("v2", &json!({"pace": "", "maybe": null}), "v1"), json!({}));
    alpha.keeps_the_laws(300);
}

#[test]
fn a_constant_does_not_create_the_object_around_it() {
    let alpha = Alpha::new(
        &format!(
            "{{old: {{type: object, properties: {{a: {TEXT}, ref: {{type: object, properties: {{name: {TEXT}, word: {TEXT}}}}}}}}}}}"
        ),
        &format!(
            "{{new: {{type: object, properties: {{a: {TEXT}, ref: {{type: object, properties: {{name: {TEXT}}}}}}}}}}}"
        ),
        "move = [[\"spec.old.a\", \"spec.new.a\"], [\"spec.old.ref.name\", \"spec.new.ref.name\"]]\n\
         constant = { \"spec.old.ref.word\" = \"w\" }\n",
    );
    let cases = [
        (json!({}), json!({})),
        (json!({"new": {}}), json!({"old": {}})),
        (json!({"new": {"a": "x"}}), json!({"old": {"a": "x"}})),
        (json!({"new": {"ref": {}}}), json!({"old": {"ref": {"word": "w"}}})),
        (json!({"new": {"ref": {"name": "x"}}}), json!({"old": {"ref": {"name": "x", "word": "w"}}})),
    ];
    for (new, old) in cases {
        assert_eq!(alpha.converted("v2", &new, "v1"), old, "{new}");
        assert_eq!(alpha.converted("v1", &old, "v2"), new, "{old}");
    }
    alpha.keeps_the_laws(300);
}

/// The fields of the object are required in the hub, and one of the version's is a constant.
#[test]
fn an_object_in_a_list_with_only_a_constant_stays() {
    let reference = |required: &str, more: &str| {
        format!(
            "{{type: object, {required} properties: {{apiVersion: {TEXT}, kind: {TEXT}, name: {TEXT}{more}}}}}"
        )
    };
    let items = |name: &str, reference: &str| {
        format!(
            "{{items: {{type: array, items: {{type: object, properties: {{{name}: {{type: object, properties: {{ref: {reference}}}}}, \
             name: {TEXT}}}}}}}, other: {TEXT}}}"
        )
    };
    let alpha = Alpha::new(
        &items("mhc", &reference("", &format!(", namespace: {TEXT}"))),
        &items("hc", &reference("required: [apiVersion, kind, name],", "")),
        "move = [[\"spec.items.mhc.ref.apiVersion\", \"spec.items.hc.ref.apiVersion\"], \
         [\"spec.items.mhc.ref.kind\", \"spec.items.hc.ref.kind\"], \
         [\"spec.items.mhc.ref.name\", \"spec.items.hc.ref.name\"]]\n\
         constant = { \"spec.items.mhc.ref.namespace\" = \"\" }\n",
    );
    let there = json!({"items": [{}, {"mhc": {"ref": {"namespace": ""}}}, {"mhc": {}}]});
    assert_eq!(alpha.converted("v1", &there, "v1"), there);
    assert_eq!(alpha.converted("v2", &json!({"items": [{}]}), "v1"), json!({"items": [{}]}));
    alpha.keeps_the_laws(300);
}

/// A field is required in the object of one side, and optional in that of the other.
#[test]
fn a_required_field_does_not_make_up_the_object_around_it() {
    let number = "{x-kubernetes-int-or-string: true}";
    let object = |name: &str, required: &str, ty: &str| {
        format!("{{{name}: {{type: object, {required} properties: {{a: {ty}}}}}, b: {TEXT}}}")
    };
    for ty in [TEXT, number] {
        for [v1, v2] in [["", "required: [a],"], ["required: [a],", ""]] {
            let rules = "move = [[\"spec.m.a\", \"spec.o.a\"]]\n";
            let alpha = Alpha::new(&object("m", v1, ty), &object("o", v2, ty), rules);
            for [from, to] in [["v1", "v2"], ["v2", "v1"]] {
                let absent = json!({"b": "x"});
                assert_eq!(alpha.converted(from, &absent, to), absent, "{ty}, {v1:?}, {v2:?}, from {from}");
            }
            alpha.keeps_the_laws(40);
        }
    }
}

/// An object of both sides, one of whose fields the other side has elsewhere.
#[test]
fn an_object_stays_when_its_only_field_moves() {
    let alpha = Alpha::new(
        &format!("{{o: {{type: object, properties: {{a: {TEXT}, z: {TEXT}}}}}}}"),
        &format!("{{o: {{type: object, properties: {{a: {TEXT}}}}}, b: {TEXT}}}"),
        "move = [[\"spec.o.z\", \"spec.b\"]]\n",
    );
    let (old, new) = (json!({"o": {"z": "x"}}), json!({"b": "x", "o": {}}));
    assert_eq!(alpha.converted("v1", &old, "v2"), new);
    assert_eq!(alpha.converted("v2", &new, "v1"), old);
    assert_eq!(alpha.converted("v2", &json!({"b": "x"}), "v1"), old);
    assert_eq!(alpha.converted("v1", &json!({"o": {}}), "v2"), json!({"o": {}}));
}

/// A required object, all fields of which are elsewhere on the other side.
#[test]
fn a_required_object_stays_when_its_fields_move() {
    let alpha = Alpha::new(
        &format!("{{near: {{type: object, properties: {{a: {TEXT}}}}}, b: {TEXT}}}"),
        &format!("{{a: {TEXT}, b: {TEXT}}}"),
        "move = [[\"spec.near.a\", \"spec.a\"]]\n",
    );
    assert_eq!(alpha.converted("v1", &json!({"near": {"a": "x"}}), "v2"), json!({"a": "x"}));
    let required = Alpha::new(
        &format!("{{near: {{type: object, properties: {{a: {TEXT}}}}}, b: {TEXT}}}, required: [near]"),
        &format!("{{a: {TEXT}, b: {TEXT}}}"),
        "move = [[\"spec.near.a\", \"spec.a\"]]\n",
    );
    for (old, new) in [
        (json!({"near": {}}), json!({})),
        (json!({"near": {}, "b": "x"}), json!({"b": "x"})),
        (json!({"near": {"a": "x"}}), json!({"a": "x"})),
    ] {
        assert_eq!(required.converted("v1", &old, "v2"), new);
        assert_eq!(required.converted("v2", &new, "v1"), old);
    }
    required.keeps_the_laws(100);
}

/// No field of the object with a constant is on both sides.
#[test]
fn an_object_with_a_constant_stays_where_another_field_moves_into_it() {
    let alpha = Alpha::new(
        &format!("{{o: {{type: object, properties: {{word: {TEXT}}}}}, z: {TEXT}}}"),
        &format!("{{o: {{type: object, properties: {{a: {TEXT}}}}}}}"),
        "move = [[\"spec.z\", \"spec.o.a\"]]\nconstant = { \"spec.o.word\" = \"w\" }\n",
    );
    for (old, new) in [
        (json!({"o": {"word": "w"}}), json!({"o": {}})),
        (json!({"o": {"word": "w"}, "z": "x"}), json!({"o": {"a": "x"}})),
        (json!({}), json!({})),
    ] {
        assert_eq!(alpha.converted("v1", &old, "v2"), new);
        assert_eq!(alpha.converted("v2", &new, "v1"), old);
    }
    alpha.keeps_the_laws(100);
}

/// What typed objects do not tell apart is in the stash of JSON all the same. Random tables found each of these.
#[test]
fn json_comes_back_where_typed_objects_tell_less() {
    for (v1, v2, rules, hubs) in [
        // A zero makes the object around it, which the hub has for other fields.
        (
            format!("{{o: {{type: object, required: [size], properties: {{a: {TEXT}, size: {NUMBER}}}}}}}"),
            format!("{{b: {NUMBER}, o: {{type: object, properties: {{a: {TEXT}}}}}}}"),
            "move = [[\"spec.o.size\", \"spec.b\"]]\n",
            vec![json!({"b": 0}), json!({"b": 0, "o": {}}), json!({"b": 3})],
        ),
        // Without the word that the way back writes.
        (
            format!("{{a: {TEXT}}}"),
            format!("{{a: {TEXT}, kind: {TEXT}}}"),
            "tag = [{ path = \"spec.kind\", set = [[\"spec.a\", \"A\"]], otherwise = \"B\" }]\n",
            vec![json!({}), json!({"a": ""}), json!({"kind": "A"}), json!({"a": "x", "kind": "B"})],
        ),
        // An empty object around a field that the version lacks.
        (
            format!("{{o: {{type: object, properties: {{old: {TEXT}}}}}}}"),
            format!("{{a: {TEXT}, o: {{type: object, properties: {{b: {TEXT}}}}}}}"),
            "move = [[\"spec.o.old\", \"spec.a\"]]\nkeep = [\"spec.o.b\"]\n",
            vec![json!({"a": "", "o": {}}), json!({"a": ""}), json!({"o": {"b": ""}}), json!({"o": {}})],
        ),
        // An object that the version always has.
        (
            format!("{{o: {{type: object, properties: {{b: {TEXT}}}}}, old: {TEXT}}}"),
            format!("{{o: {{type: object, properties: {{a: {TEXT}, b: {TEXT}}}}}}}"),
            "move = [[\"spec.old\", \"spec.o.a\"]]\nalways = [\"spec.o\"]\n",
            vec![json!({}), json!({"o": {}}), json!({"o": {"b": ""}})],
        ),
    ] {
        let alpha = Alpha::new(&v1, &v2, rules);
        for hub in hubs {
            let [shown, back] = alpha.there_and_here("v2", &hub);
            assert_eq!(back, hub, "{rules} shows {shown}");
        }
        alpha.keeps_the_laws(100);
    }
}

/// The list is not there before.
#[test]
fn an_element_makes_the_list_around_it() {
    let alpha = Alpha::new(
        &format!("{{e: {TEXT}}}"),
        &format!("{{l: {{type: array, items: {{type: object, properties: {{k: {TEXT}, v: {TEXT}}}}}}}}}"),
        "element = [{ field = \"spec.e\", list = \"spec.l\", where = { k = \"K\" }, value = \"v\" }]\n",
    );
    assert_eq!(alpha.converted("v1", &json!({"e": ""}), "v2"), json!({"l": [{"k": "K", "v": ""}]}));
    assert_eq!(alpha.converted("v1", &json!({}), "v2"), json!({}));
    alpha.keeps_the_laws(100);
}

/// Undecoded JSON does not tell maps from objects, but for the edits.
#[test]
fn words_in_maps_are_refused() {
    let spec =
        format!("{{m: {{type: object, additionalProperties: {{type: object, properties: {{a: {TEXT}}}}}}}}}");
    let rules = "words = [{ from = \"spec.m.a\", to = \"spec.m.a\", words = { x = \"X\" } }]\n";
    let alpha = Alpha::new(&spec, &spec, rules);
    let target = alpha.scheme.kind("example.com", "v2", "Alpha").unwrap();
    let convert = |word: &str| {
        let object =
            json!({"apiVersion": "example.com/v1", "kind": "Alpha", "spec": {"m": {"k": {"a": word}}}});
        alpha.scheme.convert_json(object.to_string().as_bytes(), target).map_err(|error| error.to_string())
    };
    assert!(convert("x").is_ok());
    let error = convert("y").unwrap_err();
    assert!(error.contains("spec.m[k].a") && error.contains("`y`"), "{error}");
    alpha.keeps_the_laws(100);
}

/// The object is in what `empty-is-absent` names, and has nothing but a field of the elements of an empty list.
#[test]
fn a_hoisted_field_goes_with_the_object_around_it() {
    let list = format!("l: {{type: array, items: {{type: object, properties: {{v: {TEXT}}}}}}}");
    let object = |more: &str| {
        format!("{{o: {{type: object, required: [l], properties: {{a: {TEXT}, {list}{more}}}}}}}")
    };
    let rules = "empty-is-absent = [\"spec.o\"]\nhoist = [{ field = \"spec.o.h\", list = \"spec.o.l\", element = \"v\" }]\n";
    let alpha = Alpha::new(&object(&format!(", h: {TEXT}")), &object(""), rules);
    assert_eq!(alpha.there_and_here("v1", &json!({"o": {"h": "x"}})), [json!({}), json!({})]);
    let [shown, back] = alpha.there_and_here("v1", &json!({"o": {"h": "x", "l": [{}]}}));
    assert_eq!(shown, json!({"o": {"l": [{"v": "x"}]}}));
    assert_eq!(back, json!({"o": {"h": "x", "l": [{}]}}));
    alpha.keeps_the_laws(60);
}

/// The hub requires the object, so typed conversion makes it, and the tag in it always has a word.
#[test]
fn a_word_is_in_a_required_object_that_the_source_lacks() {
    let inner = format!("p: {{type: object, properties: {{a: {TEXT}}}}}");
    let with_tag = format!("p: {{type: object, properties: {{a: {TEXT}, kind: {TEXT}}}}}");
    let rules = "tag = [{ path = \"spec.o.p.kind\", set = [[\"spec.o.p.a\", \"A\"]], otherwise = \"B\" }]\n";
    for null in ["", "nullable: true,"] {
        let alpha = Alpha::new(
            &format!("{{b: {TEXT}, o: {{type: object, {null} properties: {{{inner}}}}}}}"),
            &format!(
                "{{b: {TEXT}, o: {{type: object, required: [p], properties: {{{with_tag}}}}}}}, required: [o]"
            ),
            rules,
        );
        let absent = json!({"b": "x"});
        let made = json!({"b": "x", "o": {"p": {"kind": "B"}}});
        assert_eq!(alpha.converted("v1", &absent, "v2"), made);
        assert_eq!(alpha.converted("v1", &json!({"o": {}}), "v2"), json!({"o": {"p": {"kind": "B"}}}));
        if !null.is_empty() {
            assert_eq!(alpha.converted("v1", &json!({"b": "x", "o": null}), "v2"), made);
        }
        // A hub without it, as JSON may be, is not one with the word.
        let [_, back] = alpha.there_and_here("v2", &absent);
        assert!(back["o"]["p"]["kind"].is_null(), "{back}");
        alpha.keeps_the_laws(100);
    }
}

/// A constant in a required object would make up the optional object around it, from which a field moves.
#[test]
fn a_constant_in_a_required_object_does_not_make_up_the_object_around_it() {
    let object = |more: &str, word: &str| {
        format!(
            "{{b: {TEXT}, o: {{type: object, required: [p], properties: {{z: {TEXT}, {more} p: {{type: object, \
             properties: {{a: {TEXT}{word}}}}}}}}}}}"
        )
    };
    let constant = "constant = { \"spec.o.p.word\" = \"w\" }\n";
    let word = format!(", word: {TEXT}");
    let leaves = Alpha::new(
        &object("", &word).replacen('{', &format!("{{m: {TEXT}, "), 1),
        &object(&format!("m: {TEXT},"), ""),
        &format!("move = [[\"spec.m\", \"spec.o.m\"]]\n{constant}"),
    );
    for (old, new) in [
        (json!({"b": "x"}), json!({"b": "x"})),
        (json!({"o": {"p": {"word": "w"}}}), json!({"o": {"p": {}}})),
        (json!({"o": {"p": {"word": "w"}}, "m": "x"}), json!({"o": {"p": {}, "m": "x"}})),
    ] {
        assert_eq!(leaves.converted("v1", &old, "v2"), new);
        assert_eq!(leaves.converted("v2", &new, "v1"), old);
    }
    leaves.keeps_the_laws(100);
}

/// Another field enters it, so its other fields do not tell whether it is there.
#[test]
fn a_constant_where_another_field_enters_is_refused() {
    let error = refused(
        &format!(
            "{{o: {{type: object, required: [p], properties: {{m: {TEXT}, p: {{type: object, properties: {{a: {TEXT}, word: \
             {TEXT}}}}}}}}}}}"
        ),
        &format!(
            "{{m: {TEXT}, o: {{type: object, required: [p], properties: {{p: {{type: object, properties: {{a: {TEXT}}}}}}}}}}}"
        ),
        "move = [[\"spec.o.m\", \"spec.m\"]]\nconstant = { \"spec.o.p.word\" = \"w\" }\n",
    );
    assert!(error.contains("rules always write `o.p.word`"), "{error}");
}

/// The stash is about two fields, and the client edits one of them. Elements that are equal at the version are not those
/// that are alike at the hub, so that no part of the list fits without the others.
#[test]
fn a_list_comes_back_when_another_field_is_edited() {
    let list = |items: &str| format!("i: {{type: array, items: {{type: object, {items}}}}}");
    let inner = format!(
        "l: {{type: array, items: {{type: object, required: [k, v], properties: {{k: {TEXT}, v: {NUMBER}}}}}}}"
    );
    let alpha = Alpha::new(
        &format!(
            "{{p: {{x-kubernetes-int-or-string: true}}, {}}}",
            list(&format!("properties: {{e: {NUMBER}}}"))
        ),
        &format!(
            "{{num: {NUMBER}, name: {TEXT}, {}}}",
            list(&format!("required: [v], properties: {{v: {NUMBER}, {inner}}}"))
        ),
        "keep = [\"spec.i.v\"]\nsplit = [{ field = \"spec.p\", number = \"spec.num\", name = \"spec.name\" }]\n\
         element = [{ field = \"spec.i.e\", list = \"spec.i.l\", where = { k = \"K\" }, value = \"v\", last = true }]\n",
    );
    let items = json!([
        {"v": -9, "l": [{"k": "K", "v": 146}]},
        {"v": 2_147_483},
        {"v": 227, "l": [{"k": "x", "v": 1}, {"k": "K", "v": 50}, {"k": "K", "v": 2_147_483}, {"k": "", "v": 0}]},
        {"v": 0},
    ]);
    let hub = json!({"apiVersion": "example.com/v2", "kind": "Alpha", "spec": {"num": 148, "name": "n", "i": items}});
    let version = |name: &str| alpha.scheme.kind("example.com", name, "Alpha").unwrap();
    let shown = alpha.scheme.convert_json(hub.to_string().as_bytes(), version("v1")).unwrap();
    let mut edited: Value = serde_json::from_slice(&shown).unwrap();
    edited["spec"].as_object_mut().unwrap().remove("p").unwrap();
    let back = alpha.scheme.convert_json(edited.to_string().as_bytes(), version("v2")).unwrap();
    let mut back: Value = serde_json::from_slice(&back).unwrap();
    // A stash does not tell a required zero from no value.
    back["spec"]["i"][3].as_object_mut().unwrap().entry("v").or_insert(json!(0));
    assert_eq!(back["spec"]["i"], items, "{edited}");
}

/// A typed object does not tell zero from none, and writes it. JSON that is not decoded has it again.
#[test]
fn a_required_zero_that_only_the_hub_has_comes_back() {
    let item = |properties: &str, required: &str| {
        format!("{{type: object, required: [{required}], properties: {{a: {TEXT}{properties}}}}}")
    };
    let spec =
        |item: &str, beside: &str| format!("{{items: {{type: array, items: {item}}}, one: {item}{beside}}}");
    let more = format!(", count: {NUMBER}, name: {TEXT}, hot: {{type: boolean}}");
    let alpha = Alpha::new(
        &spec(&item("", "a"), ""),
        &spec(&item(&more, "a, count, name, hot"), &format!(", count: {NUMBER}")),
        "keep = [\"spec.items.count\", \"spec.items.name\", \"spec.items.hot\", \"spec.one.count\", \"spec.one.name\", \
         \"spec.one.hot\", \"spec.count\"]\n",
    );
    let empty = json!({"a": "x", "count": 0, "name": "", "hot": false});
    let some = json!({"a": "x", "count": 0, "name": "n", "hot": false});
    for (new, old) in [
        (json!({"items": [empty]}), json!({"items": [{"a": "x"}]})),
        (json!({"items": [empty, some]}), json!({"items": [{"a": "x"}, {"a": "x"}]})),
        (json!({"one": empty}), json!({"one": {"a": "x"}})),
        (json!({"one": some}), json!({"one": {"a": "x"}})),
        (json!({"one": some, "count": 0}), json!({"one": {"a": "x"}})),
    ] {
        let [shown, back] = alpha.there_and_here("v2", &new);
        assert_eq!([shown, back], [old, new]);
    }
    alpha.keeps_the_laws(100);
}

/// A moved object, a field that the version lacks, and a list that the hub requires.
#[test]
fn a_required_null_of_the_hub_comes_back() {
    let members = format!("type: object, properties: {{a: {TEXT}, b: {TEXT}}}");
    let moved = "move = [[\"spec.one.a\", \"spec.two.a\"], [\"spec.one.b\", \"spec.two.b\"]]\n";
    let alpha = Alpha::new(
        &format!("{{one: {{{members}}}}}"),
        &format!("{{two: {{nullable: true, {members}}}}}, required: [two]"),
        moved,
    );
    let there_and_here = |alpha: &Alpha, new: Value, old: Value| {
        let [shown, back] = alpha.there_and_here("v2", &new);
        assert_eq!([shown, back], [old, new]);
    };
    there_and_here(&alpha, json!({"two": null}), json!({}));
    there_and_here(&alpha, json!({"two": {"a": "x"}}), json!({"one": {"a": "x"}}));
    alpha.keeps_the_laws(100);
    let list = format!("type: array, items: {TEXT}");
    let alpha = Alpha::new(
        &format!("{{one: {{{members}}}, list: {{nullable: true, {list}}}}}"),
        &format!(
            "{{two: {{nullable: true, {members}}}, list: {{{list}}}, \
             count: {{type: integer, format: int32, nullable: true}}}}, required: [two, list, count]"
        ),
        &format!("{moved}keep = [\"spec.count\"]\n"),
    );
    there_and_here(&alpha, json!({"two": null, "list": [], "count": null}), json!({"list": []}));
    there_and_here(&alpha, json!({"two": {}, "list": ["a"], "count": 0}), json!({"one": {}, "list": ["a"]}));
    alpha.keeps_the_laws(100);
}

/// A field of the version leaves it, and the hub has another one in it.
#[test]
fn a_required_object_stays_when_its_field_leaves() {
    let alpha = Alpha::new(
        &format!("{{one: {{type: object, properties: {{a: {TEXT}}}}}}}, required: [one]"),
        &format!("{{one: {{type: object, properties: {{b: {TEXT}}}}}, a: {TEXT}}}, required: [one]"),
        "move = [[\"spec.one.a\", \"spec.a\"]]\nkeep = [\"spec.one.b\"]\n",
    );
    for (new, old) in [
        (json!({"one": {}, "a": "x"}), json!({"one": {"a": "x"}})),
        (json!({"one": {}}), json!({"one": {}})),
        (json!({"one": {"b": "y"}, "a": "x"}), json!({"one": {"a": "x"}})),
    ] {
        assert_eq!(alpha.there_and_here("v2", &new), [old, new]);
    }
    alpha.keeps_the_laws(100);
}

/// What is left of the object is empty, and the field that left brings it back.
#[test]
fn a_required_null_comes_back_in_an_object_that_a_field_leaves() {
    let members = "a: {type: string, nullable: true}";
    let alpha = Alpha::new(
        &format!("{{one: {{type: object, properties: {{{members}, b: {TEXT}}}, required: [a, b]}}}}"),
        &format!("{{one: {{type: object, properties: {{{members}}}, required: [a]}}, b: {TEXT}}}"),
        "move = [[\"spec.one.b\", \"spec.b\"]]\nempty-is-absent = [\"spec.one\"]\n",
    );
    let old = json!({"one": {"a": null, "b": "x"}});
    assert_eq!(alpha.there_and_here("v1", &old)[1], old);
    alpha.keeps_the_laws(100);
}

/// The hub keeps unknown fields, and the version has none.
#[test]
fn unknown_fields_that_only_the_hub_keeps_come_back() {
    let alpha = Alpha::new(
        &format!("{{b: {TEXT}}}"),
        &format!("{{b: {TEXT}}}, x-kubernetes-preserve-unknown-fields: true"),
        "keep = [\"spec.*\"]\n",
    );
    let new = json!({"b": "x", "other": {"c": 1}});
    assert_eq!(alpha.there_and_here("v2", &new), [json!({"b": "x"}), new]);
    let versions: Vec<&dyn Convertible> =
        alpha.versions.iter().map(|version| version as &dyn Convertible).collect();
    versions::check(&versions, &[], 100).unwrap();
    versions::check_json(&versions, &[], 100).unwrap();
}

/// A table reads an empty text as no value, and a required one is written all the same.
#[test]
fn a_required_text_of_a_table_stays_where_it_is_empty() {
    let spec = format!("{{prefix: {TEXT}, host: {TEXT}}}, required: [prefix]");
    let alpha = Alpha::new(
        &spec,
        &spec,
        "table = [{ version = [\"spec.prefix\", \"spec.host\"], hub = [\"spec.prefix\", \"spec.host\"], \
         rows = [[[\"{prefix}\", \"{host}\"], [\"{prefix}\", \"{host}\"]]] }]\n",
    );
    let empty = json!({"prefix": ""});
    assert_eq!(alpha.there_and_here("v1", &empty), [empty.clone(), empty]);
    alpha.keeps_the_laws(100);
}

/// Another field enters the object, so an empty one at the version has no other place.
#[test]
fn a_split_in_an_object_that_another_field_enters_declares_its_empty_form() {
    let alpha = Alpha::new(
        "{o: {type: object, properties: {p: {x-kubernetes-int-or-string: true}}}, q: {type: string}}",
        &format!("{{o: {{type: object, properties: {{q: {TEXT}, m: {NUMBER}, t: {TEXT}}}}}}}"),
        "move = [[\"spec.q\", \"spec.o.q\"]]\nsplit = [{ field = \"spec.o.p\", number = \"spec.o.m\", name = \"spec.o.t\" }]\n",
    );
    alpha.keeps_the_laws(300);
}

/// The number of an absent object is zero, which is a text that is not empty.
#[test]
fn a_number_that_is_always_a_text_where_another_field_enters_is_refused() {
    let error = refused(
        &format!("{{o: {{type: object, required: [m], properties: {{m: {NUMBER}}}}}, q: {TEXT}}}"),
        &format!("{{o: {{type: object, required: [m], properties: {{m: {TEXT}, q: {TEXT}}}}}}}"),
        "move = [[\"spec.q\", \"spec.o.q\"]]\nnumber = [{ from = \"spec.o.m\", to = \"spec.o.m\", as = \"duration\", unit = \"s\" }]\n",
    );
    assert!(error.contains("rules always write `o.m`"), "{error}");
}

/// What a typed object does not tell from nothing makes no object, so no word is written around it.
#[test]
fn a_word_is_not_written_around_a_null_or_a_zero_that_moves() {
    let object = "{type: object, properties: {x: {type: string}}}";
    let null = "{type: string, nullable: true}";
    for (ty, nothing) in [
        (null, json!(null)),
        (NUMBER, json!(0)),
        (TEXT, json!("")),
        (object, json!({})),
        ("{type: object, properties: {x: {type: string}}, nullable: true}", json!(null)),
    ] {
        let alpha = Alpha::new(
            &format!("{{m: {ty}, o: {{type: object, properties: {{a: {TEXT}}}}}}}, required: [m]"),
            &format!(
                "{{o: {{type: object, required: [m], properties: {{a: {TEXT}, m: {ty}, kind: {TEXT}}}}}}}"
            ),
            "move = [[\"spec.m\", \"spec.o.m\"]]\n\
             tag = [{ path = \"spec.o.kind\", set = [[\"spec.o.a\", \"A\"]], otherwise = \"B\" }]\n",
        );
        let old = json!({"m": nothing});
        assert_eq!(alpha.there_and_here("v1", &old), [json!({"o": {"m": nothing}}), old]);
        let there = json!({"m": nothing, "o": {}});
        let new = json!({"o": {"m": nothing, "kind": "B"}});
        assert_eq!(alpha.there_and_here("v1", &there), [new, there]);
        alpha.keeps_the_laws(100);
    }
}

/// A third version has what is in the object, and without the object the stash would not fit: somebody removed it.
#[test]
fn an_object_around_what_only_another_version_has_is_shown() {
    let object = |more: &str| format!("o: {{type: object, properties: {{a: {TEXT}{more}}}}}");
    let v1 = format!("{{{}}}", object(""));
    let hub = format!("{{{}}}", object(&format!(", kind: {TEXT}")));
    let v3 = format!("{{b: {TEXT}, {}}}", object(""));
    for lacks in [
        "tag = [{ path = \"spec.o.kind\", set = [[\"spec.o.a\", \"A\"]], otherwise = \"B\" }]",
        "keep = [\"spec.o.kind\"]",
    ] {
        let rules = format!("{lacks}\n[\"example.com/v3\"]\nmove = [[\"spec.b\", \"spec.o.kind\"]]\n");
        let alpha = Alpha::of(&[&v1, &hub, &v3], &rules);
        let old = json!({"b": "x"});
        assert_eq!(alpha.converted("v3", &old, "v1"), json!({"o": {}}));
        assert_eq!(alpha.through("v3", "v1", &old), [json!({"o": {}}), old]);
        alpha.keeps_the_laws(100);
    }
}

/// Another version has no such object, so it is not in the JSON of the hub, and comes back with its word.
#[test]
fn a_required_object_with_a_tag_that_the_hub_lacks_comes_back_without_it() {
    let object = |more: &str| format!("o: {{type: object, properties: {{a: {TEXT}{more}}}}}");
    let alpha = Alpha::of(
        &[
            &format!("{{b: {TEXT}}}"),
            &format!("{{b: {TEXT}, {}}}, required: [o]", object(&format!(", kind: {TEXT}"))),
            &format!("{{{}}}, required: [o]", object(&format!(", b: {TEXT}"))),
        ],
        "keep = [\"spec.o\"]\n[\"example.com/v3\"]\nmove = [[\"spec.o.b\", \"spec.b\"]]\n\
         tag = [{ path = \"spec.o.kind\", set = [[\"spec.o.a\", \"A\"]], otherwise = \"B\" }]\n",
    );
    let back = &alpha.through("v2", "v3", &json!({"b": "x"}))[1];
    assert!(back["o"]["kind"].is_null(), "{back}");
    alpha.keeps_the_laws(100);
}

/// The first version requires the field, which the hub cannot say.
#[test]
fn a_null_that_the_hub_does_not_tell_from_none_makes_no_object() {
    let object = |more: &str| format!("o: {{type: object, properties: {{a: {TEXT}{more}}}}}");
    let alpha = Alpha::of(
        &[
            &format!("{{m: {{type: string, nullable: true}}, {}}}, required: [m]", object("")),
            &format!("{{b: {TEXT}, {}}}", object("")),
            &format!("{{{}}}", object(&format!(", b: {TEXT}"))),
        ],
        "move = [[\"spec.m\", \"spec.b\"]]\n[\"example.com/v3\"]\nmove = [[\"spec.o.b\", \"spec.b\"]]\n",
    );
    let null = json!({"m": null});
    assert_eq!(alpha.through("v1", "v2", &null), [json!({"b": null}), null.clone()]);
    assert_eq!(alpha.through("v1", "v3", &null)[0], json!({}));
    assert_eq!(alpha.through("v1", "v3", &json!({"m": null, "o": {}}))[0], json!({"o": {"b": null}}));
    alpha.keeps_the_laws(100);
}

/// A version that allows `null` gives it to a field that the hub requires.
#[test]
fn a_null_in_a_field_that_the_hub_requires_makes_an_object() {
    let alpha = Alpha::of(
        &[
            "{m: {type: string, nullable: true}}",
            &format!("{{a: {TEXT}}}, required: [a]"),
            &format!("{{o: {{type: object, required: [a], properties: {{a: {TEXT}}}}}}}"),
        ],
        "move = [[\"spec.m\", \"spec.a\"]]\n[\"example.com/v3\"]\nmove = [[\"spec.o.a\", \"spec.a\"]]\n",
    );
    assert_eq!(alpha.through("v1", "v3", &json!({"m": null}))[0], json!({"o": {"a": null}}));
    alpha.keeps_the_laws(100);
}

/// The object is there for the zero alone, and would get the tag at the hub.
#[test]
fn a_zero_of_the_hub_does_not_make_an_object_with_a_tag() {
    let object = |more: &str| format!("o: {{type: object, {more} {TEXT}}}}}");
    for (ty, nothing) in [(NUMBER, json!(0)), ("{type: string, nullable: true}", json!(null))] {
        let alpha = Alpha::new(
            &format!("{{{}}}", object(&format!("required: [m], properties: {{m: {ty}, a:"))),
            &format!("{{m: {ty}, {}}}, required: [m]", object(&format!("properties: {{kind: {TEXT}, a:"))),
            "move = [[\"spec.o.m\", \"spec.m\"]]\n\
             tag = [{ path = \"spec.o.kind\", set = [[\"spec.o.a\", \"A\"]], otherwise = \"B\" }]\n",
        );
        let hub = json!({"m": nothing});
        assert_eq!(alpha.there_and_here("v2", &hub), [json!({}), hub]);
        let old = json!({"o": {"m": nothing}});
        let new = json!({"m": nothing, "o": {"kind": "B"}});
        assert_eq!(alpha.there_and_here("v1", &old), [new, old]);
        alpha.keeps_the_laws(100);
    }
}

/// The field of the elements of an empty list is lost, and another field enters the object, so it converts in parts.
#[test]
fn an_object_stays_where_only_a_hoisted_field_was_in_it() {
    let list = format!("l: {{type: array, items: {{type: object, properties: {{v: {TEXT}}}}}}}");
    let alpha = Alpha::new(
        &format!("{{b: {TEXT}, o: {{type: object, required: [l], properties: {{{list}, h: {TEXT}}}}}}}"),
        &format!("{{o: {{type: object, required: [l], properties: {{{list}, a: {TEXT}}}}}}}"),
        "move = [[\"spec.b\", \"spec.o.a\"]]\n\
         hoist = [{ field = \"spec.o.h\", list = \"spec.o.l\", element = \"v\" }]\n",
    );
    let empty = json!({"o": {}});
    assert_eq!(alpha.there_and_here("v1", &json!({"o": {"h": "x"}})), [empty.clone(), empty]);
    alpha.keeps_the_laws(100);
}

/// A row for no values on either side: what the hub has of it is nothing at the version, and the object stays.
#[test]
fn a_table_writes_into_an_object_that_is_empty() {
    let spec =
        |fields: &str| format!("{{a: {TEXT}, o: {{type: object, properties: {{{fields}}}}}}}, required: [o]");
    let alpha = Alpha::new(
        &spec(&format!("r: {TEXT}, m: {NUMBER}")),
        &spec(&format!("s: {TEXT}")),
        "table = [{ version = [\"spec.o.r\", \"spec.o.m\"], hub = [\"spec.o.s\"], rows = [\
            [[\"\", \"\"], [\"X\"]], [[\"x\", 1], [\"\"]], [[\"{a}\", 0], [\"{a}\"]]] }]",
    );
    for (old, new) in [
        (json!({"o": {}}), json!({"o": {"s": "X"}})),
        (json!({"o": {"r": "x", "m": 1}}), json!({"o": {}})),
        (json!({"o": {"r": "y"}}), json!({"o": {"s": "y"}})),
        (json!({"a": "b"}), json!({"a": "b", "o": {"s": "X"}})),
    ] {
        assert_eq!(alpha.converted("v1", &old, "v2"), new, "{old}");
    }
    assert_eq!(alpha.converted("v2", &json!({"o": {"s": "X"}}), "v1"), json!({"o": {}}));
    assert_eq!(alpha.converted("v2", &json!({"a": "b"}), "v1"), json!({"a": "b", "o": {"r": "x", "m": 1}}));
    alpha.keeps_the_laws(300);
}

/// Of several results, an empty one is no value, unless the target requires it.
#[test]
fn what_a_function_returns_for_a_required_text_may_be_empty() {
    let spec = format!("{{a: {TEXT}, t: {TEXT}}}, required: [t]");
    let copied = |a: Option<Str>, t: Str| (a, t);
    let alpha = Alpha::with(
        &[&spec, &spec],
        "function = [{ module = \"crate::t\", version = [\"spec.a: Option<Str>\", \"spec.t: Str\"], \
         hub = [\"spec.a: Option<Str>\", \"spec.t: Str\"] }]",
        &Functions::default().with("crate::t", copied, copied),
    );
    assert_eq!(alpha.converted("v1", &json!({"t": ""}), "v2"), json!({"t": ""}));
    alpha.keeps_the_laws(300);
}

/// The hub requires the object with the list, and the element is there even if its field is empty.
#[test]
fn an_element_in_a_required_object_does_not_make_up_the_object_around_it() {
    let inner = |fields: &str| format!("m: {{type: object, {fields}}}");
    let list = format!("{{type: array, items: {{type: object, properties: {{k: {TEXT}, v: {TEXT}}}}}}}");
    let element = "element = [{ field = \"spec.o.m.e\", list = \"spec.o.m.l\", where = { k = \"K\" }, value = \"v\" }]\n";
    let [old, new] = [
        inner(&format!("required: [e], properties: {{b: {TEXT}, e: {TEXT}}}")),
        inner(&format!("properties: {{b: {TEXT}, l: {list}}}")),
    ];
    // A field that leaves the object opens it.
    let alpha = Alpha::new(
        &format!("{{a: {TEXT}, o: {{type: object, required: [m], properties: {{w: {TEXT}, {old}}}}}}}"),
        &format!("{{a: {TEXT}, z: {TEXT}, o: {{type: object, required: [m], properties: {{{new}}}}}}}"),
        &format!("move = [[\"spec.o.w\", \"spec.z\"]]\n{element}"),
    );
    assert_eq!(alpha.converted("v1", &json!({"a": "b"}), "v2"), json!({"a": "b"}));
    alpha.keeps_the_laws(300);
    // The version may lack the required object, and so its field.
    let alpha = Alpha::new(
        &format!("{{a: {TEXT}, o: {{type: object, properties: {{{old}}}}}}}"),
        &format!("{{a: {TEXT}, o: {{type: object, required: [m], properties: {{{new}}}}}}}"),
        element,
    );
    let made = json!({"o": {"m": {"l": [{"k": "K", "v": ""}]}}});
    assert_eq!(alpha.converted("v1", &json!({"o": {}}), "v2"), made);
    alpha.keeps_the_laws(300);
}

/// The object that `empty-is-absent` names is left out, and so is the object around it.
#[test]
fn a_null_makes_no_object_around_one_that_is_left_out() {
    const NULL: &str = "{type: string, nullable: true}";
    let spec = |more: &str| {
        format!("o: {{type: object, properties: {{a: {TEXT}, m: {{type: object, {more} c: {TEXT}}}}}}}}}")
    };
    let alpha = Alpha::new(
        &format!("{{w: {NULL}, {}}}, required: [w]", spec("properties: {")),
        &format!("{{{}}}", spec(&format!("required: [b], properties: {{b: {NULL},"))),
        "empty-is-absent = [\"spec.o.m\"]\nmove = [[\"spec.w\", \"spec.o.m.b\"]]\n",
    );
    assert_eq!(alpha.there_and_here("v1", &json!({"w": null}))[0], json!({}));
    let filled = json!({"w": null, "o": {"m": {"c": "x"}}});
    assert_eq!(alpha.there_and_here("v1", &filled)[0], json!({"o": {"m": {"b": null, "c": "x"}}}));
    alpha.keeps_the_laws(300);
}

/// Of the version, the object is there without the members that the hub requires, and one of them may be `null`.
#[test]
fn an_object_that_another_version_leaves_out_comes_back() {
    const FLAG: &str = "{type: boolean}";
    const NULL: &str = "{type: string, nullable: true}";
    let object = |fields: &str| format!("{{b: {TEXT}, o: {{type: object, {fields}}}}}");
    let alpha = Alpha::of(
        &[
            &object(&format!(
                "required: [a], properties: {{a: {FLAG}, i: {{type: object, required: [m], properties: {{m: {NULL}}}}}}}"
            )),
            &object(&format!("required: [a, m], properties: {{a: {FLAG}, m: {NULL}}}")),
            &object(&format!(
                "properties: {{i: {{type: object, required: [a, m], properties: {{a: {FLAG}, m: {NULL}}}}}}}"
            )),
        ],
        "empty-is-absent = [\"spec.o\"]\nmove = [[\"spec.o.i.m\", \"spec.o.m\"]]\n[\"example.com/v3\"]\n\
         move = [[\"spec.o.i.a\", \"spec.o.a\"], [\"spec.o.i.m\", \"spec.o.m\"]]\n",
    );
    alpha.keeps_the_laws(300);
}

/// Nothing is kept of one field, and the object around it may be left out: it is declared that it does not come back.
#[test]
fn an_object_with_nothing_but_what_a_table_does_not_keep_is_left_out() {
    let object =
        |fields: &str| format!("{{b: {TEXT}, o: {{type: object, properties: {{c: {TEXT}, {fields}}}}}}}");
    let alpha = Alpha::new(
        &object(&format!("r: {TEXT}, s: {TEXT}")),
        &object(&format!("t: {TEXT}")),
        "empty-is-absent = [\"spec.o\"]\ntable = [{ version = [\"spec.o.r\", \"spec.o.s\"], hub = [\"spec.o.t\"], \
         rows = [[[\"{}\", \"{a}\"], [\"{a}\"]]] }]",
    );
    assert_eq!(alpha.converted("v1", &json!({"o": {"r": "x"}}), "v2"), json!({}));
    alpha.keeps_the_laws(300);
}

/// The version may lack the object that the hub requires, and the text of zero is not empty.
#[test]
fn a_number_in_a_required_object_that_the_version_lacks_is_the_text_of_zero() {
    let object = |ty: &str| format!("o: {{type: object, required: [m], properties: {{a: {TEXT}, m: {ty}}}}}");
    for (form, text) in [("\"duration\", unit = \"s\"", "0s"), ("\"percent\"", "0%"), ("\"text\"", "0")] {
        let alpha = Alpha::new(
            &format!("{{b: {TEXT}, {}}}", object(NUMBER)),
            &format!("{{b: {TEXT}, {}}}, required: [o]", object(TEXT)),
            &format!("number = [{{ from = \"spec.o.m\", to = \"spec.o.m\", as = {form} }}]"),
        );
        assert_eq!(alpha.converted("v1", &json!({"b": "x"}), "v2"), json!({"b": "x", "o": {"m": text}}));
        alpha.keeps_the_laws(200);
    }
}

/// The same, where an empty list of the hub makes another object.
#[test]
fn an_object_with_nothing_but_an_empty_list_that_moves_comes_back() {
    const LIST: &str = "{type: array, items: {type: string}}";
    let object =
        |fields: &str| format!("{{b: {TEXT}, o: {{type: object, properties: {{c: {TEXT}, {fields}}}}}}}");
    let required = |name: &str| format!("required: [{name}], properties: {{{name}: {LIST}}}");
    let alpha = Alpha::of(
        &[
            &object(&format!("i: {{type: object, {}}}", required("a"))),
            &format!(
                "{{b: {TEXT}, o: {{type: object, required: [a], properties: {{c: {TEXT}, a: {LIST}}}}}}}"
            ),
            &object(&format!("a: {LIST}")),
        ],
        "empty-is-absent = [\"spec.o\"]\nmove = [[\"spec.o.i.a\", \"spec.o.a\"]]\n",
    );
    alpha.keeps_the_laws(300);
}

/// The word is in an object in the one that is left out where it is empty.
#[test]
fn an_object_with_nothing_but_a_constant_below_it_is_left_out() {
    let inner = |fields: &str| format!("m: {{type: object, properties: {{c: {TEXT}{fields}}}}}");
    let outer =
        |inner: &str| format!("{{b: {TEXT}, o: {{type: object, required: [m], properties: {{{inner}}}}}}}");
    let alpha = Alpha::new(
        &outer(&inner(&format!(", kind: {TEXT}"))),
        &outer(&inner("")),
        "empty-is-absent = [\"spec.o\"]\nconstant = { \"spec.o.m.kind\" = \"K\" }\n",
    );
    alpha.keeps_the_laws(300);
}

/// The hub requires a list that may be `null`, and the version shows of the object only what moves out of it.
#[test]
fn an_object_with_nothing_but_a_required_null_besides_what_moves_is_left_out() {
    let list = format!(
        "{{type: array, nullable: true, items: {{type: object, properties: {{k: {TEXT}, v: {TEXT}}}}}}}"
    );
    let alpha = Alpha::new(
        &format!("{{b: {TEXT}, w: {TEXT}, o: {{type: object, properties: {{a: {TEXT}, e: {TEXT}}}}}}}"),
        &format!(
            "{{b: {TEXT}, o: {{type: object, required: [l], properties: {{a: {TEXT}, l: {list}, \
             m: {{type: object, properties: {{c: {TEXT}}}}}}}}}}}"
        ),
        "element = [{ field = \"spec.o.e\", list = \"spec.o.l\", where = { k = \"K\" }, value = \"v\" }]\n\
         move = [[\"spec.w\", \"spec.o.m.c\"]]\n",
    );
    let hub = json!({"o": {"l": null, "m": {"c": "x"}}});
    assert_eq!(alpha.there_and_here("v1", &json!({"w": "x"})), [hub, json!({"w": "x"})]);
    alpha.keeps_the_laws(300);
}

/// The hub requires a field that may be `null`, and that of the version tells `null` from none.
#[test]
fn a_null_that_nobody_wrote_does_not_hide_an_object_of_the_stash() {
    const NULL: &str = "{type: string, nullable: true}";
    let item = |fields: &str| {
        format!(
            "{{b: {TEXT}, l: {{type: array, items: {{type: object, properties: {{c: {TEXT}, o: {{type: object, {fields}}}}}}}}}}}"
        )
    };
    let alpha = Alpha::new(
        &item(&format!("properties: {{a: {TEXT}, m: {NULL}}}")),
        &item(&format!("required: [q], properties: {{a: {TEXT}, q: {NULL}, kind: {TEXT}}}")),
        "empty-is-absent = [\"spec.l.o\"]\nmove = [[\"spec.l.o.m\", \"spec.l.o.q\"]]\n\
         tag = [{ path = \"spec.l.o.kind\", set = [[\"spec.l.o.a\", \"A\"]], otherwise = \"B\" }]\n",
    );
    alpha.keeps_the_laws(300);
}

/// The hub requires the field, and the version may lack it: a stash restores the object with a `null` in it.
#[test]
fn an_object_with_nothing_but_a_null_of_the_hub_is_left_out() {
    const NULL: &str = "{type: string, nullable: true}";
    let object = |fields: &str| format!("{{b: {TEXT}, o: {{type: object, {fields}}}}}");
    let alpha = Alpha::new(
        &object(&format!("properties: {{c: {TEXT}, d: {TEXT}}}")),
        &object(&format!("required: [c], properties: {{c: {NULL}, d: {TEXT}}}")),
        "empty-is-absent = [\"spec.o\"]\n",
    );
    assert_eq!(alpha.there_and_here("v2", &json!({"o": {"c": null}}))[0], json!({}));
    alpha.keeps_the_laws(300);
}

/// The hub has `null` where the version has nothing, and the version's own field may be `null`, too.
#[test]
fn an_object_with_nothing_but_a_null_of_the_hub_that_is_wrapped_is_left_out() {
    let object = |fields: &str| format!("{{b: {TEXT}, o: {{type: object, {fields}}}}}");
    let wrapped = format!("w: {{type: object, nullable: true, required: [v], properties: {{v: {TEXT}}}}}");
    let alpha = Alpha::new(
        &object(&format!("properties: {{c: {TEXT}, w: {{type: string, nullable: true}}}}")),
        &object(&format!("required: [w], properties: {{c: {TEXT}, {wrapped}}}")),
        "empty-is-absent = [\"spec.o\"]\nwrap = [{ from = \"spec.o.w\", to = \"spec.o.w\", field = \"v\" }]\n",
    );
    assert_eq!(alpha.there_and_here("v2", &json!({"o": {"w": null}}))[0], json!({}));
    alpha.keeps_the_laws(300);
}

/// The version shows the one entry as it was written, and in the other what a table writes without values.
#[test]
fn what_an_entry_has_only_in_the_hub_stays_when_a_client_adds_an_entry() {
    let entries = |fields: &str| {
        format!("m: {{type: object, additionalProperties: {{type: object, properties: {{{fields}}}}}}}")
    };
    let alpha = Alpha::new(
        &format!("{{{}}}", entries(&format!("r: {TEXT}, t: {{type: boolean}}"))),
        &format!("{{{}}}", entries(&format!("s: {TEXT}, k: {NUMBER}, u: {{type: boolean}}"))),
        "table = [{ version = [\"spec.m.r\"], hub = [\"spec.m.s\", \"spec.m.k\"], \
         rows = [[[\"{a}:{b}\"], [\"{a}\", \"{b}\"]], [[\"{a}\"], [\"{a}\", 0]]] }, \
         { version = [\"spec.m.t\"], hub = [\"spec.m.u\"], rows = [[[true], [\"\"]], [[\"{a}\"], [\"{a}\"]]] }]\n",
    );
    let back = alpha.after(&json!({"m": {"a": {"s": "x"}}}), |spec| {
        assert_eq!(spec["m"]["a"], json!({"r": "x", "t": true}));
        spec["m"]["b"] = json!({});
    });
    assert_eq!(back, json!({"m": {"a": {"s": "x"}, "b": {}}}));
    alpha.keeps_the_laws(300);
}
