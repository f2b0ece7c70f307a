//! Drafts rules for kinds whose versions differ, and generates with the drafts.

use std::fs;
use std::path::{Path, PathBuf};

use hubgen_codegen::draft::draft;
use hubgen_codegen::{Target, generate};
use hubgen_documents::folder::Folder;
use hubgen_documents::project::Project;
use hubgen_documents::schema::Carried;

/// A folder of schemas with two versions of one kind, whose specs have these properties.
fn schemas(name: &str, old: &str, new: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("draft").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(folder.join("example.com")).unwrap();
    for (version, properties) in [("v1beta1", old), ("v1", new)] {
        let document = format!(
            r##"{{
  "info": {{"title": "example.com", "version": "{version}", "x-group": "example.com"}},
  "components": {{"schemas": {{
    "Cert": {{
      "x-kubernetes-group-version-kind": [{{"group": "example.com", "version": "{version}", "kind": "Cert"}}],
      "properties": {{
        "metadata": {{"$ref": "../meta.k8s.io/v1.json#/components/schemas/ObjectMeta"}},
        "spec": {{"$ref": "#/components/schemas/CertSpec"}}
      }}
    }},
    "CertSpec": {{"properties": {{{properties}}}}},
    "Key": {{"properties": {{"size": {{"type": "integer", "format": "int64"}}}}}}
  }}}}
}}"##
        );
        fs::write(folder.join(format!("example.com/{version}.json")), document).unwrap();
    }
    folder
}

fn carried() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

/// The draft of the one kind, and what is to do. Generates with the draft.
fn drafted(folder: &Path) -> (String, Vec<String>) {
    let target = Target::project(&Project::default_in(Path::new("")));
    assert!(generate(folder, &carried(), &target).is_err(), "it needs no rules");
    let drafts = draft(folder, &carried(), &target, None).unwrap();
    Folder::read(folder).unwrap().additions(&drafts.files).write().unwrap();
    let generated = generate(folder, &carried(), &target).unwrap();
    assert!(generated.files.contains_key(Path::new("example/v1beta1/cert.rs")));
    // There is nothing left to draft.
    assert!(draft(folder, &carried(), &target, None).unwrap().files.is_empty());
    let [text] = &drafts.files.into_values().collect::<Vec<_>>()[..] else { panic!("one file") };
    let (_, rules) = text.split_once("hub = ").unwrap();
    (rules.to_owned(), drafts.open)
}

#[test]
fn fields_of_some_versions_are_added_and_kept() {
    let folder = schemas(
        "added",
        r#""organization": {"type": "string"}, "dnsNames": {"type": "array", "items": {"type": "string"}}"#,
        r##""dnsNames": {"type": "array", "items": {"type": "string"}},
            "key": {"allOf": [{"$ref": "#/components/schemas/Key"}], "x-presence": "pointer"}"##,
    );
    let (rules, open) = drafted(&folder);
    let expected = r#""example.com/v1"
add = [
    { path = "spec.organization", from = "example.com/v1beta1" },
]

["example.com/v1beta1"]
keep = [
    "spec.key",
]

["example.com/v1"]
keep = [
    "spec.organization",
]
"#;
    assert_eq!(rules, expected);
    assert_eq!(open, [""; 0]);
}

/// A list and a map contain objects of one type, of which an older version has a field more.
#[test]
fn fields_of_list_items_and_map_values_are_added_and_kept() {
    let keys = r##""keys": {"type": "array", "items": {"$ref": "#/components/schemas/Key"}},
        "named": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Key"}}"##;
    let folder = schemas("items", keys, keys);
    let path = folder.join("example.com/v1beta1.json");
    let text = fs::read_to_string(&path).unwrap();
    let (size, note) = (r#"{"size": {"#, r#"{"note": {"type": "string"}, "size": {"#);
    assert!(text.contains(size));
    fs::write(&path, text.replace(size, note)).unwrap();
    let (rules, open) = drafted(&folder);
    let expected = r#""example.com/v1"
add = [
    { path = "spec.keys.note", from = "example.com/v1beta1" },
    { path = "spec.named.note", from = "example.com/v1beta1" },
]

["example.com/v1beta1"]

["example.com/v1"]
keep = [
    "spec.named.note",
]
"#;
    assert_eq!(rules, expected);
    assert_eq!(open, [""; 0]);
}

#[test]
fn names_that_differ_in_case_only_are_moved() {
    let folder = schemas(
        "moved",
        r#""uri_sans": {"type": "array", "items": {"type": "string"}}"#,
        r#""uriSANs": {"type": "array", "items": {"type": "string"}}"#,
    );
    let expected = "\"example.com/v1\"\n\n[\"example.com/v1beta1\"]\nmove = [\n    [\"spec.uri_sans\", \"spec.uriSANs\"],\n]\n";
    assert_eq!(drafted(&folder).0, expected);
}

/// A field of the same type with a like name is proposed; only people know whether it is the same.
#[test]
fn fields_that_may_lie_elsewhere_are_proposed() {
    let folder = schemas(
        "likely",
        r#""keySize": {"type": "integer", "format": "int64"}, "size": {"type": "string"}"#,
        r##""privateKey": {"allOf": [{"$ref": "#/components/schemas/Key"}], "x-presence": "pointer"}"##,
    );
    let (rules, _) = drafted(&folder);
    let expected = r#"# Perhaps the same field: move = [["spec.keySize", "spec.privateKey.size"]], without their lines in `add` and `keep`."#;
    let proposed: Vec<&str> = rules.lines().filter(|line| line.starts_with("# Perhaps")).collect();
    // `spec.size` has another type.
    assert_eq!(proposed, [expected], "{rules}");
}

/// A rule cannot move a field into each item of a list.
#[test]
fn fields_in_list_items_are_not_proposed_for_fields_outside() {
    let keys = r##""keys": {"type": "array", "items": {"$ref": "#/components/schemas/Key"}}"##;
    let folder =
        schemas("list", &format!(r#""size": {{"type": "integer", "format": "int64"}}, {keys}"#), keys);
    // Of the version, the items lack the field.
    let file = folder.join("example.com/v1beta1.json");
    let text = fs::read_to_string(&file).unwrap();
    let size = r#""Key": {"properties": {"size": {"type": "integer", "format": "int64"}}}"#;
    assert!(text.contains(size));
    fs::write(&file, text.replace(size, r#""Key": {"properties": {"name": {"type": "string"}}}"#)).unwrap();
    let (rules, _) = drafted(&folder);
    assert!(!rules.contains("Perhaps"), "{rules}");
}

/// The schemas allow other words; only people know whether they mean the same.
#[test]
fn words_that_differ_are_listed() {
    let words = |words: &str| format!(r#""mode": {{"type": "string", "enum": [{words}]}}"#);
    let folder = schemas("words", &words(r#""fast", "auto", "*""#), &words(r#""auto", "Fast", "-""#));
    let target = Target::project(&Project::default_in(Path::new("")));
    let drafts = draft(&folder, &carried(), &target, None).unwrap();
    assert_eq!((drafts.converting, drafts.versions), (1, 1));
    let [rules] = &drafts.files.values().collect::<Vec<_>>()[..] else { panic!("one file") };
    for line in [
        r#"# Perhaps the same words: words = [{ from = "spec.mode", to = "spec.mode", words = { "fast" = "Fast", "auto" = "auto" } }]"#,
        r#"# Only this version allows "*" in `spec.mode`: schemas of other versions refuse such objects."#,
        r#"# Only the hub allows "-" in `spec.mode`: schemas of other versions refuse such objects."#,
    ] {
        assert!(rules.lines().any(|found| found == line), "{line} is missing in {rules}");
    }
    // As the comment says, with a counterpart for what is left.
    let proposed = rules.replace("# Perhaps the same words: ", "");
    let proposed = proposed.replace(r#""auto" = "auto""#, r#""auto" = "auto", "*" = "-""#);
    fs::create_dir_all(folder.join("rules")).unwrap();
    fs::write(folder.join("rules/example.com.Cert.toml"), proposed).unwrap();
    generate(&folder, &carried(), &target).unwrap();
}

/// The version does not convert until somebody has written the rule.
#[test]
fn what_only_people_can_decide_is_listed() {
    let folder = schemas(
        "open",
        r#""size": {"type": "integer", "format": "int64"}, "old": {"type": "boolean"}"#,
        r#""size": {"type": "string"}, "more": {"type": "string"}"#,
    );
    let (rules, open) = drafted(&folder);
    let difference = "`spec.size` is a 64 bit integer in example.com/v1beta1, but a string in the hub";
    assert_eq!(open, [format!("example.com/v1beta1 Cert: {difference}")]);
    let file = fs::read_to_string(folder.join("rules/example.com.Cert.toml")).unwrap();
    let heading = "# A draft by `hubgen draft-rules`. Of 1 versions besides the hub, 0 convert.\n\
         # These do not, until somebody has written rules for what is \"to do\": v1beta1.\n";
    assert!(file.starts_with(heading), "{file}");
    for line in [
        "# At the top: add = [",
        "#     { path = \"spec.old\", from = \"example.com/v1beta1\" },",
        &format!("not-convertible = \"its rules are not written yet: {difference}\""),
        &format!("# To do: {difference}."),
        "#     \"spec.more\",",
        "# In the table of \"example.com/v1\": keep = [",
        "#     \"spec.old\",",
    ] {
        assert!(rules.lines().any(|found| found == line), "{line} is missing in {rules}");
    }
}

#[test]
fn the_hub_can_be_another_version_than_the_newest() {
    let folder = schemas("hub", r#""old": {"type": "string"}"#, r#""new": {"type": "string"}"#);
    let target = Target::project(&Project::default_in(Path::new("")));
    for hub in ["v1beta1", "example.com/v1beta1"] {
        let drafts = draft(&folder, &carried(), &target, Some(hub)).unwrap();
        assert_eq!((drafts.converting, drafts.versions), (1, 1));
        let [text] = &drafts.files.values().collect::<Vec<_>>()[..] else { panic!("one file") };
        let expected = r#"hub = "example.com/v1beta1"
add = [
    { path = "spec.new", from = "example.com/v1" },
]

["example.com/v1beta1"]
keep = [
    "spec.new",
]

["example.com/v1"]
keep = [
    "spec.old",
]
"#;
        assert!(text.ends_with(expected), "{text}");
    }
    let [error] = &draft(&folder, &carried(), &target, Some("v2")).unwrap_err()[..] else {
        panic!("one error")
    };
    let expected = "no kind without rules has the version `v2`\n  \
                    help: choose one of example.com/v1, example.com/v1beta1";
    assert_eq!(error.to_string(), expected);
    // Versions that do not differ need no rules.
    let same = schemas("hub-same", r#""a": {"type": "string"}"#, r#""a": {"type": "string"}"#);
    assert!(draft(&same, &carried(), &target, Some("v1beta1")).unwrap().files.is_empty());
}

/// Both fields have one type at the old version, and would have two in the hub: one with a field more, one without.
#[test]
fn a_type_that_would_be_two_in_the_hub_is_to_do() {
    let key = r##""{}": {"allOf": [{"$ref": "#/components/schemas/Key"}], "x-presence": "pointer"}"##;
    let [step, copy] = ["step", "copy"].map(|name| key.replace("{}", name));
    let folder = schemas("two", &format!("{step}, {copy}"), &step);
    for (version, other) in [("v1beta1", "old"), ("v1", "new")] {
        let path = folder.join(format!("example.com/{version}.json"));
        let text = fs::read_to_string(&path).unwrap();
        let text =
            text.replace(r#"{"size": {"#, &format!(r#"{{"{other}": {{"type": "string"}}, "size": {{"#));
        fs::write(path, text).unwrap();
    }
    let (rules, open) = drafted(&folder);
    let text = "the type `Key` converts to example.com/v1beta1 Key for one field and to example.com/hub Key for another: \
                leave all but one of these fields out of `add`, and `drop` them";
    assert_eq!(open, [format!("example.com/v1beta1 Cert: {text}")]);
    let file = fs::read_to_string(folder.join("rules/example.com.Cert.toml")).unwrap();
    assert!(!file.contains("All versions convert"), "{file}");
    for line in [
        "#     { path = \"spec.copy\", from = \"example.com/v1beta1\" },",
        "# In the table of \"example.com/v1\": keep = [",
    ] {
        assert!(rules.lines().any(|found| found == line), "{line} is missing in {rules}");
    }
    // As the comment says.
    let done = r#"hub = "example.com/v1"
add = [{ path = "spec.step.old", from = "example.com/v1beta1" }]

["example.com/v1beta1"]
keep = ["spec.step.new"]
drop = ["spec.copy"]

["example.com/v1"]
keep = ["spec.step.old"]
"#;
    fs::write(folder.join("rules/example.com.Cert.toml"), done).unwrap();
    let target = Target::project(&Project::default_in(Path::new("")));
    generate(&folder, &carried(), &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
}

#[test]
fn rules_that_exist_are_not_drafted() {
    let folder = schemas("ruled", r#""a": {"type": "string"}"#, r#""b": {"type": "string"}"#);
    fs::create_dir(folder.join("rules")).unwrap();
    let rules = "hub = \"example.com/v1\"\n\n[\"example.com/v1beta1\"]\nkeep = [\"spec.b\"]\n";
    fs::write(folder.join("rules/example.com.Cert.toml"), rules).unwrap();
    let target = Target::project(&Project::default_in(Path::new("")));
    assert!(draft(&folder, &carried(), &target, None).unwrap().files.is_empty());
}

/// Two kinds contain the same object, so the second one finds its hub with the field added.
#[test]
fn kinds_that_share_an_object_add_a_field_to_it_together() {
    let key = r##""key": {"allOf": [{"$ref": "#/components/schemas/Key"}], "x-presence": "pointer"}"##;
    let folder = schemas("together", key, key);
    for version in ["v1beta1", "v1"] {
        let path = folder.join(format!("example.com/{version}.json"));
        let text = fs::read_to_string(&path).unwrap();
        let (head, rest) = text.split_once("\"schemas\": {\n").unwrap();
        let (cert, rest) = rest.split_once("    \"CertSpec\"").unwrap();
        let order = cert.replace("\"Cert\"", "\"Order\"");
        let mut text = format!("{head}\"schemas\": {{\n{cert}{order}    \"CertSpec\"{rest}");
        if version == "v1beta1" {
            text = text.replace("\"size\": {", "\"curve\": {\"type\": \"string\"}, \"size\": {");
        }
        fs::write(path, text).unwrap();
    }
    let target = Target::project(&Project::default_in(Path::new("")));
    let drafts = draft(&folder, &carried(), &target, None).unwrap();
    assert_eq!(drafts.files.len(), 2);
    Folder::read(&folder).unwrap().additions(&drafts.files).write().unwrap();
    let generated = generate(&folder, &carried(), &target).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let hubs: Vec<_> = generated.files.keys().filter(|path| path.starts_with("example/hub")).collect();
    assert_eq!(hubs.len(), 3, "{hubs:?}");
}

#[test]
fn operators_are_proposed_where_names_and_types_suggest_them() {
    let folder = schemas(
        "proposed",
        r##""timeoutSeconds": {"type": "integer", "format": "int32", "x-presence": "pointer"},
            "surgePercent": {"type": "integer", "format": "int32", "x-presence": "pointer"},
            "memoryMi": {"type": "integer", "format": "int64", "x-presence": "pointer"},
            "ttlHours": {"type": "integer", "format": "int64", "x-presence": "pointer"},
            "retries": {"type": "integer", "format": "int32", "x-presence": "pointer"},
            "keys": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Key"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}"##,
        r##""timeout": {"type": "string", "x-presence": "pointer"},
            "surge": {"x-kubernetes-int-or-string": true, "x-presence": "pointer"},
            "memory": {"type": "string", "x-presence": "pointer"},
            "ttl": {"type": "string"},
            "retries": {"type": "string", "x-presence": "pointer"},
            "keys": {"type": "array", "items": {"$ref": "#/components/schemas/Named"}},
            "labels": {"type": "array", "items": {"$ref": "#/components/schemas/Label"}}"##,
    );
    let path = folder.join("example.com/v1.json");
    let text = fs::read_to_string(&path).unwrap();
    let types = r#""Named": {"properties": {"name": {"type": "string"}, "size": {"type": "integer", "format": "int64"}}},
    "Label": {"properties": {"key": {"type": "string"}, "value": {"type": "string"}}},
    "Key": {"#;
    fs::write(&path, text.replace("\"Key\": {", types)).unwrap();
    let (rules, open) = drafted(&folder);
    let proposed: Vec<&str> = rules.lines().filter_map(|line| line.strip_prefix("# Perhaps ")).collect();
    let then = "Remove their lines in `add` and `keep` then.";
    assert_eq!(
        proposed,
        [
            "a number in a text, since its name ends with `Mi`: number = [{ from = \"spec.memoryMi\", to = \
             \"spec.memory\", as = \"quantity\", unit = \"Mi\" }]. "
                .to_owned()
                + then,
            "a number in a text, since its name ends with `Percent`: number = [{ from = \"spec.surgePercent\", to = \
             \"spec.surge\", as = \"percent\" }]. "
                .to_owned()
                + then,
            "a number in a text, since its name ends with `Seconds`: number = [{ from = \"spec.timeoutSeconds\", to = \
             \"spec.timeout\", as = \"duration\", unit = \"s\" }]. "
                .to_owned()
                + then,
            "a number in a text, since one is a number and the other a text: number = [{ from = \"spec.retries\", to = \
             \"spec.retries\", as = \"text\" }]."
                .to_owned(),
            "entries as items, since the items have a `key`: keyed = [{ from = \"spec.labels\", to = \"spec.labels\", \
             key = \"key\", value = \"value\" }]."
                .to_owned(),
            "entries as items, since the items have a `name`: keyed = [{ from = \"spec.keys\", to = \"spec.keys\", \
             key = \"name\" }]."
                .to_owned(),
        ]
    );
    // With the proposals in place of the lines that they mention, the version converts.
    let of = |operator: &str| -> String {
        let all =
            proposed.iter().filter_map(|line| line.split_once(&format!("{operator} = ["))?.1.split_once(']'));
        all.map(|(rule, _)| format!("{rule}, ")).collect()
    };
    let kept = "keep = [\"spec.ttl\"]";
    let rules = format!(
        "hub = \"example.com/v1\"\nadd = [{{ path = \"spec.ttlHours\", from = \"example.com/v1beta1\" }}]\n\n\
         [\"example.com/v1beta1\"]\nnumber = [{}]\nkeyed = [{}]\n{kept}\n\n\
         [\"example.com/v1\"]\nkeep = [\"spec.ttlHours\"]\n",
        of("number"),
        of("keyed"),
    );
    fs::write(folder.join("rules/example.com.Cert.toml"), rules).unwrap();
    let target = Target::project(&Project::default_in(Path::new("")));
    generate(&folder, &carried(), &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
    assert_eq!(open.len(), 3, "{open:?}");
}

/// Tables that names and types suggest. They fit.
#[test]
fn tables_are_proposed_where_names_and_types_suggest_them() {
    let folder = schemas(
        "proposed-tables",
        r##""zone": {"type": "string"},
            "policy": {"type": "string"},
            "ports": {"type": "integer", "format": "int32"},
            "hosts": {"x-kubernetes-preserve-unknown-fields": true, "x-raw": "json", "x-presence": "pointer"},
            "tls": {"x-kubernetes-preserve-unknown-fields": true, "x-raw": "json", "x-presence": "pointer"},
            "strict": {"type": "boolean"},
            "enabled": {"type": "boolean"},
            "other": {"type": "boolean"}"##,
        r##""zones": {"type": "array", "items": {"type": "string"}},
            "policies": {"type": "array", "items": {"type": "string"}},
            "ports": {"type": "array", "items": {"type": "integer", "format": "int32"}},
            "hosts": {"type": "array", "items": {"type": "string"}},
            "tls": {"type": "string"},
            "strict": {"type": "string", "enum": ["Strict", "Loose"]},
            "disabled": {"type": "boolean"},
            "unlike": {"type": "boolean"}"##,
    );
    let (rules, _) = drafted(&folder);
    let proposed: Vec<&str> = rules.lines().filter_map(|line| line.strip_prefix("# Perhaps ")).collect();
    let reasons: Vec<&str> = proposed.iter().filter_map(|line| Some(line.split_once(':')?.0)).collect();
    let one = "a list of one, since the hub has a list of such values";
    assert_eq!(
        reasons,
        [
            one,
            one,
            one,
            "a text or a list of texts, since the version allows any JSON",
            "a truth value for two words, perhaps the other way round",
            "the opposite, since the names say so",
            "the same value, since the version allows any JSON",
        ]
    );
    let tables: Vec<&str> = proposed
        .iter()
        .filter_map(|line| Some(line.split_once("table = [{")?.1.split_once(" }].")?.0))
        .collect();
    let rules = format!(
        "hub = \"example.com/v1\"\nadd = [{{ path = \"spec.other\", from = \"example.com/v1beta1\" }}]\n\n\
         [\"example.com/v1beta1\"]\ntable = [{}]\nkeep = [\"spec.unlike\"]\n\n[\"example.com/v1\"]\nkeep = [\"spec.other\"]\n",
        tables.iter().map(|table| format!("{{{table} }}, ")).collect::<String>()
    );
    fs::write(folder.join("rules/example.com.Cert.toml"), rules).unwrap();
    let target = Target::project(&Project::default_in(Path::new("")));
    generate(&folder, &carried(), &target).unwrap_or_else(|errors| panic!("{}", errors[0]));
}
