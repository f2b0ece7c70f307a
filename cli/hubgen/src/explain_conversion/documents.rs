//! The objects of a file that are of one kind and version.

use std::ops::Range;
use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_manifest::{Body, Tree};
use hubgen_migrate::Note;
use hubgen_terminal::Diagnostic;
use serde_json::Value;

use super::path::Path;
use crate::input::Input;

/// An object in a file.
pub struct Document<'a> {
    /// The file.
    pub input: &'a Input,
    /// The object.
    pub object: Value,
    /// Where it is in its document: nothing, or `items[0]`.
    path: Path,
    /// The places of the document, and the byte at which they begin.
    tree: Arc<Option<Tree>>,
    start: usize,
}

impl Document<'_> {
    /// The file and the line at which the object begins.
    pub fn start(&self) -> String {
        format!("{}:{}", self.input.name, self.line(&Path(Vec::new())))
    }

    /// Its name, with its namespace if it has one.
    pub fn name(&self) -> String {
        let text = |name| self.object.pointer(name).and_then(Value::as_str);
        let name = text("/metadata/name").unwrap_or("without a name");
        text("/metadata/namespace").map_or_else(|| name.to_owned(), |namespace| format!("{namespace}/{name}"))
    }

    /// The line of a field; that of what is around it, if the file does not have it.
    pub fn line(&self, path: &Path) -> u32 {
        self.input.source.position(self.place(path).start).0
    }

    /// A finding about it, at its place in the file.
    pub fn diagnostic(&self, note: &Note) -> Diagnostic {
        let place = self.place(&Path::of_rule(&note.path));
        let error = self.input.source.error(place, &note.path, &note.message, &note.help);
        Diagnostic { severity: note.severity, ..error }
    }

    /// The bytes of a field.
    pub fn place(&self, path: &Path) -> Range<usize> {
        let whole = Path([&*self.path.0, &*path.0].concat());
        let place = self.tree.as_ref().as_ref().map_or(0..0, |tree| tree.place(&whole.to_string()));
        self.start + place.start..self.start + place.end
    }
}

/// The objects of that kind in a file. What else is in it becomes a warning.
///
/// # Errors
/// If the file cannot be read as YAML or JSON.
pub fn documents<'a>(
    input: &'a Input,
    entry: &KindEntry,
    warn: &mut dyn FnMut(Diagnostic),
) -> Result<Vec<Document<'a>>, Diagnostic> {
    let mut found = Vec::new();
    for piece in input.pieces(&|_| false) {
        let piece = piece.map_err(|mistake| input.mistake(&mistake))?;
        // No list is read item by item.
        let Body::Value(value) = piece.body else { continue };
        if value.is_null() {
            continue;
        }
        let tree = Arc::new(Tree::parse(&input.text()[piece.bytes.clone()], piece.format));
        for (path, object) in objects(value) {
            let (tree, start) = (Arc::clone(&tree), piece.bytes.start);
            let document = Document { input, object, path, tree, start };
            match other_kind(&document.object, entry) {
                None => found.push(document),
                Some(other) => {
                    let place = document.place(&Path(Vec::new()));
                    let message = format!("skipped: this is {other}, not {entry}");
                    warn(input.source.error(place, "", message, "").warning());
                }
            }
        }
    }
    Ok(found)
}

/// The objects of a document: itself, or the items of a list. Items of a list of one kind may leave out what they are.
fn objects(value: Value) -> Vec<(Path, Value)> {
    let text = |name| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let Some(Value::Array(items)) = value.get("items").filter(|_| kind.ends_with("List")) else {
        return vec![(Path(Vec::new()), value)];
    };
    let of = kind.strip_suffix("List").filter(|kind| !kind.is_empty());
    let item = |(index, item): (usize, &Value)| {
        let mut item = item.clone();
        if let (Some(kind), Value::Object(members)) = (of, &mut item) {
            members.entry("apiVersion").or_insert_with(|| api_version.into());
            members.entry("kind").or_insert_with(|| kind.into());
        }
        (Path(vec!["items".to_owned(), format!("[{index}]")]), item)
    };
    items.iter().enumerate().map(item).collect()
}

/// What an object is, if it is not of this kind and version.
fn other_kind(object: &Value, entry: &KindEntry) -> Option<String> {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    match (text("apiVersion"), text("kind")) {
        ("", _) | (_, "") => Some("no object with `apiVersion` and `kind`".to_owned()),
        (api_version, kind) if api_version == entry.api_version() && *kind == *entry.kind => None,
        (api_version, kind) => Some(format!("{api_version} {kind}")),
    }
}
