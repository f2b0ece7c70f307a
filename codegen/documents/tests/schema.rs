//! The distilled format: all errors are reported, each with its position and a help text.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hubgen_documents::schema;

fn errors(files: &[(&str, &str)]) -> String {
    let files: BTreeMap<PathBuf, String> =
        files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned())).collect();
    let errors = schema::read_files(files).unwrap_err();
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn all_errors_in_one_run() {
    let broken = "{\n  \"openapi\": \"3.0.0\",\n}\n";
    let wrong = r##"{
  "openapi": "3.0.0",
  "info": {"title": "zoo", "version": "v1", "x-group": "zoo", "x-since": "long ago"},
  "paths": {},
  "components": {
    "schemas": {
      "Cage": {
        "type": "object",
        "x-kubernetes-group-version-kind": [{"group": "zoo", "version": "v1"}],
        "x-resource": {"plural": "cages", "singular": "cage", "scope": "Global", "verbs": ["get", "see"]},
        "required": ["bars"],
        "properties": {
          "gone": {"$ref": "#/components/schemas/Gone"},
          "far": {"type": "array", "items": {"$ref": "../zoo/v2.json#/components/schemas/Far"}},
          "nowhere": {"$ref": "Cage"},
          "time": {"type": "string", "format": "datetime"},
          "size": {"type": "integer"},
          "inner": {"type": "object", "properties": {}},
          "typo": {"type": "string", "x-presense": "pointer"},
          "number": {"type": "string", "x-number": "one"},
          "keys": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "map"},
          "either": {"oneOf": [{"type": "string"}, {"type": "integer", "format": "int32"}]}
        }
      },
      "Hut": {"type": "object"}
    }
  }
}"##;
    insta::assert_snapshot!(errors(&[("zoo/v1.json", wrong), ("zoo/v0.json", broken)]));
}

#[test]
fn a_document_must_be_in_the_file_of_its_version() {
    let text = r#"{"info": {"version": "v1", "x-group": "zoo"}, "components": {"schemas": {}}}"#;
    assert!(errors(&[("zoo/v2.json", text)]).contains("to zoo/v1.json"));
    assert!(errors(&[("zoo/v1.json", "{}")]).contains("info: missing"));
}

/// An error has the lines around it, for commands to show.
#[test]
fn diagnostics_show_the_text() {
    let text = "{\n  \"info\": 3,\n  \"components\": ]\n}";
    let files = BTreeMap::from([(PathBuf::from("zoo/v1.json"), text.to_owned())]);
    let error = schema::read_files(files).unwrap_err().remove(0);
    assert!(error.to_string().starts_with("zoo/v1.json:3:17: "), "{error}");
    let excerpt = error.excerpt.expect("an excerpt");
    assert_eq!((excerpt.text.as_str(), excerpt.first_line), ("  \"info\": 3,\n  \"components\": ]\n}", 2));
}
