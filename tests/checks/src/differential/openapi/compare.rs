//! The differences between two values, each with both sides; and what our server serves, which explains some.

use std::collections::BTreeSet;

use hubgen_kubernetes::machinery::scheme::Scheme;
use serde_json::Value;

/// A place where two values differ.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// The names of members, from the outermost inwards: `properties`, `spec`, `default`.
    pub at: Vec<String>,
    pub theirs: Option<Value>,
    pub ours: Option<Value>,
}

/// All differences, the innermost of each.
pub fn differences(theirs: Option<&Value>, ours: Option<&Value>) -> Vec<Difference> {
    let mut found = Vec::new();
    collect(&mut Vec::new(), theirs, ours, &mut found);
    found
}

fn collect(at: &mut Vec<String>, theirs: Option<&Value>, ours: Option<&Value>, found: &mut Vec<Difference>) {
    if theirs == ours {
        return;
    }
    let (Some(Value::Object(one)), Some(Value::Object(other))) = (theirs, ours) else {
        found.push(Difference { at: at.clone(), theirs: theirs.cloned(), ours: ours.cloned() });
        return;
    };
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for name in names {
        at.push(name.clone());
        collect(at, one.get(name), other.get(name), found);
        at.pop();
    }
}

/// What explains that something is published on one side only.
pub struct Context<'a> {
    pub served: &'a Served,
    /// The schemas of their document that an operation needs which our server has, too, as facts name them.
    pub needed: BTreeSet<String>,
    /// The schemas of our document that an operation needs which is in theirs, too.
    pub known: BTreeSet<String>,
    /// Whether the document is about all group versions.
    pub is_about_all: bool,
    /// The groups and group versions of the paths of their document: `apis/apps/v1`.
    theirs: BTreeSet<String>,
}

impl<'a> Context<'a> {
    /// The context of one of their documents and ours.
    pub fn of(theirs: &Value, ours: &Value, served: &'a Served, is_about_all: bool) -> Self {
        let has = |path: &str| theirs["paths"].get(path).is_some();
        let (needed, known) = (needed(theirs, |path| served.has_path(path)), needed(ours, has));
        let paths = theirs["paths"].as_object().into_iter().flatten();
        let theirs = paths.map(|(path, _)| split(path).0).collect();
        Self { served, needed, known, is_about_all, theirs }
    }

    /// Whether a path is of a group version that the other server does not have, in a document about all.
    pub fn is_elsewhere(&self, path: &str) -> bool {
        self.is_about_all && !self.theirs.contains(&split(path).0)
    }
}

/// The schemas that some paths of a document need, as facts name them.
fn needed(document: &Value, is_meant: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let schemas = document.pointer("/components/schemas").or_else(|| document.get("definitions"));
    let paths = document["paths"].as_object().into_iter().flatten();
    let mut open: Vec<&Value> = paths.filter(|(path, _)| is_meant(path)).map(|(_, item)| item).collect();
    let mut found = BTreeSet::new();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                open.extend(members.values());
                let reference = members.get("$ref").and_then(Value::as_str);
                let name = reference.and_then(|reference| reference.rsplit('/').next());
                if let Some(name) = name
                    && found.insert(format!("schema {name}"))
                {
                    open.extend(schemas.and_then(|schemas| schemas.get(name)));
                }
            }
            _ => {}
        }
    }
    found
}

/// What our server serves.
pub struct Served {
    scheme: Scheme,
    /// The paths of its list of documents.
    documents: BTreeSet<String>,
    /// `apis/apps/v1/deployments/scale`.
    resources: BTreeSet<String>,
}

impl Served {
    /// Reads our server's discovery.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(get: &mut dyn FnMut(&str) -> Result<Value, String>) -> Result<Self, String> {
        let list = get("/openapi/v3")?;
        let documents: BTreeSet<String> =
            list["paths"].as_object().into_iter().flatten().map(|(path, _)| path.clone()).collect();
        let mut resources = BTreeSet::new();
        for path in &documents {
            for resource in get(&format!("/{path}"))?["resources"].as_array().into_iter().flatten() {
                resources.insert(format!("{path}/{}", resource["name"].as_str().unwrap_or_default()));
            }
        }
        Ok(Self { scheme: hubgen_kubernetes::scheme(), documents, resources })
    }

    /// Whether there is a document, or should be: that of OpenAPI v2 is not in the list.
    pub fn has(&self, document: &str) -> bool {
        self.documents.contains(document) || document == super::theirs::SWAGGER
    }

    /// Whether what a path is about is of older releases only: a kind that ended, or a subresource that did.
    pub fn is_older(&self, path: &str) -> bool {
        let (of, _) = split(path);
        let (group, version) = match of.split('/').collect::<Vec<_>>().as_slice() {
            ["api", version] => ("", (*version).to_owned()),
            ["apis", group, version] => (*group, (*version).to_owned()),
            _ => return false,
        };
        let Some(name) = resource(path) else { return false };
        let plural = name.split('/').next().unwrap_or_default();
        let entry = self.scheme.resource(group, &version, plural);
        entry.is_some_and(|entry| entry.until.is_some()) || ENDED.contains(&&*format!("{of}/{name}"))
    }

    /// Whether what a path of an operation is about is in discovery: a resource, a subresource, or discovery itself.
    pub fn has_path(&self, path: &str) -> bool {
        let (of, rest) = split(path);
        if rest.is_empty() {
            return self.documents.contains(&of);
        }
        resource(path).is_some_and(|name| self.resources.contains(&format!("{of}/{name}")))
    }
}

/// Subresources that ended before their kinds.
const ENDED: [&str; 1] = ["apis/networking.k8s.io/v1/networkpolicies/status"];

/// The resource or subresource of a path: `deployments`, `deployments/scale`.
fn resource(path: &str) -> Option<String> {
    let (_, mut rest) = split(path);
    if rest.first() == Some(&"watch") {
        rest.remove(0);
    }
    if rest.len() > 2 && rest.starts_with(&["namespaces", "{namespace}"]) {
        rest.drain(..2);
    }
    match rest.as_slice() {
        [resource] | [resource, "{name}"] => Some((*resource).to_owned()),
        [resource, "{name}", sub, ..] => Some(format!("{resource}/{sub}")),
        _ => None,
    }
}

/// The document of a path (`apis/apps/v1`), and what follows.
fn split(path: &str) -> (String, Vec<&str>) {
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let base = match parts.first() {
        Some(&"api") => 2,
        Some(&"apis") => 3,
        _ => parts.len(),
    };
    let rest = parts.split_off(base.min(parts.len()));
    (parts.join("/"), rest)
}
