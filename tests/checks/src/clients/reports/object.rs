//! Objects as reports name them, and those that a manifest contains.

use serde_json::Value;

/// An object as all reports name it. Not all of them tell its namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Object {
    pub api_version: String,
    pub kind: String,
    /// Empty if it has none.
    pub name: String,
}

impl Object {
    /// The object that a value represents; `None` if it has no version or no kind.
    pub fn of(value: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let name = text(&value["metadata"]["name"]).unwrap_or_default();
        Some(Self { api_version: text(&value["apiVersion"])?, kind: text(&value["kind"])?, name })
    }
}

impl std::fmt::Display for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { api_version, kind, name } = self;
        write!(f, "{api_version} {kind}{}{name}", if name.is_empty() { "" } else { " " })
    }
}

/// The objects of a manifest, those inside of lists too.
pub fn objects(text: &str) -> Vec<Object> {
    let mut objects = Vec::new();
    for document in hubgen_yaml::documents(text) {
        let value = document.ok().and_then(|document| serde_json::from_slice::<Value>(&document.json).ok());
        match value {
            Some(value) => add(&value, &mut objects),
            // Other readers may accept it.
            None => return lines(text),
        }
    }
    objects
}

/// The objects of a manifest that hubgen cannot read, by the lines that name them.
fn lines(text: &str) -> Vec<Object> {
    let object = |document: &str| {
        let value = |key: &str| {
            let line = document.lines().find_map(|line| line.strip_prefix(key));
            line.map(|line| {
                line.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
            })
        };
        let name = value("  name: ").unwrap_or_default();
        Some(Object { api_version: value("apiVersion: ")?, kind: value("kind: ")?, name })
    };
    text.split("\n---").filter_map(object).collect()
}

fn add(value: &Value, objects: &mut Vec<Object>) {
    let items = value["items"].as_array().filter(|items| !items.is_empty());
    match (Object::of(value), items) {
        (Some(list), Some(items)) if list.kind.ends_with("List") => {
            items.iter().for_each(|item| add(item, objects));
        }
        (object, _) => objects.extend(object),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_those_of_all_documents_and_lists() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n# nothing\n---\nvalues: 1\n---\n\
                    apiVersion: v1\nkind: List\nitems: [{apiVersion: batch/v1, kind: Job, metadata: {generateName: b-}}]\n\
                    ---\napiVersion: v1\nkind: PodList\n";
        let found: Vec<String> = objects(text).iter().map(Object::to_string).collect();
        assert_eq!(found, ["v1 Pod a", "batch/v1 Job", "v1 PodList"]);
    }

    #[test]
    fn objects_of_refused_documents_are_known_by_their_lines() {
        let text = "# First\n---\napiVersion: v1 # newest\nkind: Pod\nmetadata:\n  labels: [\n  name: \"a\"\n\
                    ---\nkind: Job\n";
        assert!(hubgen_yaml::documents(text).any(|document| document.is_err()));
        let found: Vec<String> = objects(text).iter().map(Object::to_string).collect();
        assert_eq!(found, ["v1 Pod a"]);
    }
}
