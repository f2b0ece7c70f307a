//! The definitions of the examples.

use std::path::Path;

use hubgen_machinery::yaml;
use hubgen_validation::Schema;
use serde_json::{Value, json};

/// The definitions of one example.
pub struct Example {
    pub name: String,
    pub definitions: Vec<Value>,
}

/// All examples with definitions.
pub fn examples(folder: &Path) -> Vec<Example> {
    let files = |folder: &Path| {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let read = |path: &Path| -> Value {
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_slice(&yaml::to_json(&text).unwrap()).unwrap()
    };
    let with_definitions = files(folder).into_iter().filter(|path| path.join("crds").is_dir());
    with_definitions
        .map(|path| Example {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            definitions: files(&path.join("crds")).iter().map(|path| read(path)).collect(),
        })
        .collect()
}

/// One version of a definition, as the storage version.
pub struct Definition {
    pub whole: Value,
    pub kind: String,
    pub schema: Schema,
    pub has_status: bool,
    group: String,
    version: String,
    plural: String,
    is_namespaced: bool,
    /// The rules in CEL, with the texts that messages about them contain.
    rules: Vec<(String, String)>,
}

/// Each served version of a definition as the storage version, without conversion.
pub fn versions(whole: &Value) -> Vec<Definition> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let spec = &whole["spec"];
    let served = spec["versions"].as_array().unwrap().iter().filter(|version| version["served"] == true);
    served
        .map(|version| {
            let mut whole = whole.clone();
            whole["spec"]["conversion"] = json!({"strategy": "None"});
            for other in whole["spec"]["versions"].as_array_mut().unwrap() {
                other["storage"] = (other["name"] == version["name"]).into();
            }
            let schema = &version["schema"]["openAPIV3Schema"];
            let mut rules = Vec::new();
            find_rules(schema, &mut rules);
            Definition {
                whole,
                kind: text(&spec["names"]["kind"]),
                schema: Schema::compile(schema).unwrap(),
                has_status: version["subresources"].get("status").is_some(),
                group: text(&spec["group"]),
                version: text(&version["name"]),
                plural: text(&spec["names"]["plural"]),
                is_namespaced: spec["scope"] == "Namespaced",
                rules,
            }
        })
        .collect()
}

/// All rules in a schema.
fn find_rules(schema: &Value, rules: &mut Vec<(String, String)>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                let here = value.as_array().filter(|_| name == "x-kubernetes-validations");
                for rule in here.into_iter().flatten() {
                    let text = rule["rule"].as_str().unwrap();
                    let default = format!("failed rule: {text}");
                    rules.push((text.to_owned(), rule["message"].as_str().map_or(default, str::to_owned)));
                }
                find_rules(value, rules);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find_rules(item, rules)),
        _ => {}
    }
}

impl Definition {
    pub fn name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    /// The path of its objects.
    pub fn path(&self) -> String {
        let namespace = if self.is_namespaced { "namespaces/default/" } else { "" };
        format!("/apis/{}/{}/{namespace}{}", self.group, self.version, self.plural)
    }

    /// The rule that the message of a cause is about.
    pub fn rule(&self, message: &str) -> Option<String> {
        let rule = self.rules.iter().find(|(_, text)| message.ends_with(text.trim()))?;
        Some(rule.0.clone())
    }
}
