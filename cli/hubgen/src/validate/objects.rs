//! The objects in inputs, with their places.

use std::ops::Range;

use hubgen_kubernetes::machinery::scheme::Scheme;
use hubgen_manifest::{Body, Format, Tree};
use hubgen_terminal::Diagnostic;
use serde_json::{Value, json};

use crate::input::{Input, Origin};

/// A document of an input.
pub struct Document {
    /// Which of the inputs.
    input: usize,
    bytes: Range<usize>,
    format: Format,
    value: Value,
}

/// An object in a document.
pub struct Object<'a> {
    document: &'a Document,
    /// Its path in the document: empty, or `items[0]`.
    path: String,
    /// The object, with the kind that it has from its list.
    pub json: Value,
}

impl Object<'_> {
    /// The bytes of the object.
    pub fn bytes(&self) -> Vec<u8> {
        self.json.to_string().into_bytes()
    }

    fn text(&self, pointer: &str) -> &str {
        self.json.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether this is a CustomResourceDefinition.
    pub fn is_definition(&self) -> bool {
        self.text("/kind") == "CustomResourceDefinition" && self.group() == "apiextensions.k8s.io"
    }

    fn group(&self) -> &str {
        self.text("/apiVersion").split_once('/').map_or("", |(group, _)| group)
    }

    /// `metadata.name`.
    pub fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    /// What tells two objects apart, at whatever versions they are. Manifests often leave out the namespace, and clusters
    /// have set it.
    pub fn identity(&self) -> [&str; 4] {
        let namespace = match self.text("/metadata/namespace") {
            "" => "default",
            namespace => namespace,
        };
        [self.group(), self.text("/kind"), namespace, self.name()]
    }
}

/// All documents of some inputs.
#[derive(Default)]
pub struct Documents {
    inputs: Vec<Input>,
    documents: Vec<Document>,
}

impl Documents {
    /// How many inputs were read.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Reads an input. What cannot be read is reported.
    pub fn read(&mut self, origin: &Origin, report: &mut dyn FnMut(&Diagnostic)) {
        let input = match Input::read(origin) {
            Ok(input) => input,
            Err(error) => return report(&error),
        };
        for piece in input.pieces(&|_| false) {
            match piece {
                Ok(piece) => {
                    let Body::Value(value) = piece.body else { unreachable!("lists are read as a whole") };
                    let (bytes, format, input) = (piece.bytes, piece.format, self.inputs.len());
                    self.documents.push(Document { input, bytes, format, value });
                }
                Err(mistake) => {
                    report(&input.mistake(&mistake));
                    break;
                }
            }
        }
        self.inputs.push(input);
    }

    /// All objects, in their order. Lists of kinds that a Scheme knows give their kind to their items.
    pub fn objects<'a>(&'a self, scheme: &Scheme) -> Vec<Object<'a>> {
        let mut out = Vec::new();
        for document in self.documents.iter().filter(|document| !document.value.is_null()) {
            add(document, &document.value, String::new(), scheme, &mut out);
        }
        out
    }

    /// Where the fields of an object are. It is computed only for those with findings.
    pub fn places<'a>(&'a self, object: &'a Object<'_>) -> Places<'a> {
        let Document { input, bytes, format, .. } = object.document;
        let input = &self.inputs[*input];
        let tree = Tree::parse(&input.text()[bytes.clone()], *format);
        Places { input, start: bytes.start, path: &object.path, tree }
    }
}

/// Adds an object, or those in a list.
fn add<'a>(document: &'a Document, value: &Value, path: String, scheme: &Scheme, out: &mut Vec<Object<'a>>) {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (version, kind) = (text("apiVersion"), text("kind"));
    let of = kind.strip_suffix("List").filter(|of| !of.is_empty());
    let inherited = match of.and_then(|of| scheme.named(version, of)) {
        _ if (version, kind) == ("v1", "List") => Some(None),
        Some(entry) => Some(Some(json!({"apiVersion": version, "kind": &*entry.kind}))),
        None => None,
    };
    let Some((inherited, items)) = inherited.zip(value.get("items").and_then(Value::as_array)) else {
        return out.push(Object { document, path, json: value.clone() });
    };
    for (index, item) in items.iter().enumerate() {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}items[{index}]");
        match (&inherited, item) {
            (Some(Value::Object(inherited)), Value::Object(members)) => {
                let mut members = members.clone();
                for (name, value) in inherited {
                    members.entry(name).or_insert_with(|| value.clone());
                }
                out.push(Object { document, path, json: members.into() });
            }
            _ => add(document, item, path, scheme, out),
        }
    }
}

/// Where the fields of one object are.
pub struct Places<'a> {
    input: &'a Input,
    /// Where its document begins.
    start: usize,
    /// The path of the object in its document.
    path: &'a str,
    tree: Option<Tree>,
}

impl Places<'_> {
    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.input.name
    }

    /// An error at a field.
    pub fn error(&self, field: &str, message: &str, help: &str) -> Diagnostic {
        // The API server names no field where an error is about no single one.
        let field = if field == "<nil>" { "" } else { field };
        let path = match (self.path, field) {
            ("", field) => field.to_owned(),
            (path, "") => path.to_owned(),
            (path, field) => format!("{path}.{field}"),
        };
        let bytes = self.tree.as_ref().map_or(0..0, |tree| tree.place(&path));
        self.input.source.error(self.start + bytes.start..self.start + bytes.end, path, message, help)
    }

    /// The paths of fields that the object has more than once, in the object.
    pub fn duplicates(&self) -> Vec<String> {
        let all = self.tree.iter().flat_map(Tree::duplicates);
        match self.path {
            "" => all.collect(),
            path => {
                let below = format!("{path}.");
                all.filter_map(|found| found.strip_prefix(&below).map(str::to_owned)).collect()
            }
        }
    }
}
