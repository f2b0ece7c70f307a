//! Finds definitions in documents, and in the lists in them.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// An object in a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<'a> {
    /// Its path in the document: empty, or `items[0]` in a list.
    pub path: String,
    /// The object, with the `apiVersion` and `kind` that it has from the type of its list.
    pub json: Cow<'a, Value>,
}

impl Object<'_> {
    /// The `apiVersion` and the kind; `None` if this is no object of Kubernetes.
    pub fn kind(&self) -> Option<(&str, &str)> {
        kind(&self.json)
    }

    /// Whether this is a CustomResourceDefinition, of whatever version.
    pub fn is_definition(&self) -> bool {
        self.kind().is_some_and(|(api_version, kind)| is_of_definitions(api_version) && kind == DEFINITION)
    }
}

const DEFINITION: &str = "CustomResourceDefinition";
const LIST: &str = "CustomResourceDefinitionList";

fn kind(json: &Value) -> Option<(&str, &str)> {
    json.get("apiVersion").and_then(Value::as_str).zip(json.get("kind").and_then(Value::as_str))
}

fn is_of_definitions(api_version: &str) -> bool {
    api_version.split_once('/').is_some_and(|(group, _)| group == "apiextensions.k8s.io")
}

/// The objects in a document, in their order: those in lists, or else the document itself.
///
/// ```
/// use hubgen_validation::definition::objects;
/// use serde_json::json;
///
/// let list = json!({"apiVersion": "v1", "kind": "List", "items": [
///     {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"},
///     {"apiVersion": "v1", "kind": "ConfigMap"}
/// ]});
/// let found: Vec<(String, bool)> =
///     objects(&list).into_iter().map(|object| (object.path.clone(), object.is_definition())).collect();
/// assert_eq!(found, [("items[0]".to_owned(), true), ("items[1]".to_owned(), false)]);
/// ```
pub fn objects(document: &Value) -> Vec<Object<'_>> {
    let mut out = Vec::new();
    add(Cow::Borrowed(document), String::new(), &mut out);
    out
}

fn add<'a>(json: Cow<'a, Value>, path: String, out: &mut Vec<Object<'a>>) {
    // The items of a typed list lack kind and apiVersion.
    let inherited = match kind(&json) {
        Some(("v1", "List")) => None,
        Some((api_version, LIST)) if is_of_definitions(api_version) => Some(api_version.to_owned()),
        _ => return out.push(Object { path, json }),
    };
    let items: Vec<Cow<'a, Value>> = match json {
        Cow::Borrowed(list) => list["items"].as_array().into_iter().flatten().map(Cow::Borrowed).collect(),
        Cow::Owned(list) => list["items"].as_array().into_iter().flatten().cloned().map(Cow::Owned).collect(),
    };
    for (at, item) in items.into_iter().enumerate() {
        let dot = if path.is_empty() { "" } else { "." };
        let item = match &inherited {
            Some(api_version) => complete(item, api_version),
            None => item,
        };
        add(item, format!("{path}{dot}items[{at}]"), out);
    }
}

/// A definition with the members that it lacks.
fn complete<'a>(item: Cow<'a, Value>, api_version: &str) -> Cow<'a, Value> {
    let inherited = [("apiVersion", api_version), ("kind", DEFINITION)];
    let lacks = |members: &Map<String, Value>| inherited.iter().any(|(key, _)| !members.contains_key(*key));
    if !item.as_object().is_some_and(lacks) {
        return item;
    }
    let mut item = item.into_owned();
    for (key, value) in inherited {
        if item.get(key).is_none() {
            item[key] = value.into();
        }
    }
    Cow::Owned(item)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::definition::V1BETA1;

    #[test]
    fn items_have_the_kind_of_their_list() {
        let typed = json!({"apiVersion": V1BETA1, "kind": LIST, "items": [{"metadata": {"name": "a"}}, 1]});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": [typed, {"kind": "A"}]});
        let found = objects(&list);
        let paths: Vec<&str> = found.iter().map(|object| &*object.path).collect();
        assert_eq!(paths, ["items[0].items[0]", "items[0].items[1]", "items[1]"]);
        assert_eq!(found[0].kind(), Some((V1BETA1, DEFINITION)));
        assert_eq!(found[0].json["metadata"]["name"], "a");
        assert!(found[0].is_definition());
        assert_eq!(found.iter().map(Object::kind).collect::<Vec<_>>()[1..], [None, None]);
    }
}
