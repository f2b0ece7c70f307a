//! The objects in texts: manifests, the releases of Helm in them, and what charts render to.

use std::ops::Range;
use std::path::Path;

use hubgen_helm::{Carrier, Mistake};
use hubgen_manifest::{Body, Format, Tree};
use hubgen_migrate::{Seen, What};
use hubgen_terminal::{Diagnostic, Source};
use serde_json::{Value, json};

use super::Report;
use super::finding::Place;
use crate::input::Input;

/// What becomes of a template.
const PASSED: &str =
    "the rest of the file is passed over: it seems to be a template; report on what it renders to";

/// A text, and where it is.
pub struct Text<'a> {
    pub input: &'a Input,
    /// The place of a byte of the text, for an object of a kind.
    pub locate: &'a dyn Fn(usize) -> Place,
    /// Whether its documents are patches.
    pub is_patch: bool,
    /// Whether only a rollback needs its objects.
    pub is_history: bool,
}

/// A value in a text: a document, or an item of a list.
struct Part<'a> {
    text: &'a str,
    format: Format,
    /// The byte of the whole text at which it begins, and how many blanks its text begins with that are not there.
    start: usize,
    padding: usize,
    /// Its path in the document.
    path: String,
}

impl Part<'_> {
    /// The byte of the whole text at a path in the part.
    fn byte(&self, path: &str) -> usize {
        let tree = Tree::parse(self.text, self.format);
        let at: Range<usize> = tree.map_or(0..0, |tree| tree.place(path));
        self.start + at.start.saturating_sub(self.padding)
    }
}

impl Report<'_> {
    /// Reports on a file.
    pub fn file(&mut self, input: &Input, is_patch: bool) {
        let locate = |at| {
            let (line, column) = input.source.position(at);
            Place { file: input.name.clone(), line, column, ..Place::default() }
        };
        self.text(&Text { input, locate: &locate, is_patch, is_history: false });
    }

    /// Reports on the objects in a text.
    pub fn text(&mut self, text: &Text<'_>) {
        let input = text.input;
        let known = self.judge.known;
        let is_list = |document: &Value| known.is_list(document);
        for piece in input.pieces(&is_list) {
            let piece = match piece {
                Ok(piece) => piece,
                Err(mistake) if input.text().contains("{{") => {
                    let passed = Diagnostic { help: PASSED.to_owned(), ..input.mistake(&mistake).warning() };
                    return self.messages.report(&passed);
                }
                Err(mistake) => return self.messages.report(&input.mistake(&mistake)),
            };
            let document = &input.text()[piece.bytes.clone()];
            let (start, format) = (piece.bytes.start, piece.format);
            match &piece.body {
                Body::Value(value) => {
                    let part = Part { text: document, format, start, padding: 0, path: String::new() };
                    self.value(text, value, &part);
                }
                Body::List(list) => {
                    let mut index = 0;
                    list.each(document, &mut |item| {
                        let path = format!("items[{index}]");
                        index += 1;
                        let start = start + item.bytes.start;
                        let part = Part { text: &item.text, format, start, padding: item.padding, path };
                        match item.value(format) {
                            Ok(value) => self.item(text, &list.envelope, value, &part),
                            Err(mistake) => {
                                let at = start + mistake.at.saturating_sub(item.padding);
                                let Part { path, .. } = part;
                                let error =
                                    input.source.error(at..at + 1, path, mistake.message, mistake.help);
                                self.messages.report(&error);
                            }
                        }
                    });
                }
            }
        }
    }

    /// An item of a list, which may leave out its kind if the list tells.
    fn item(&mut self, text: &Text<'_>, list: &Value, mut item: Value, part: &Part<'_>) {
        if item.get("kind").is_none()
            && let Some(kind) = list["kind"].as_str().and_then(|kind| kind.strip_suffix("List"))
            && !kind.is_empty()
            && let Some(members) = item.as_object_mut()
        {
            members.insert("apiVersion".to_owned(), list["apiVersion"].clone());
            members.insert("kind".to_owned(), json!(kind));
        }
        self.value(text, &item, part);
    }

    fn value(&mut self, text: &Text<'_>, value: &Value, part: &Part<'_>) {
        if let Some(carrier) = Carrier::of(value) {
            return self.release(text, &carrier, value, part);
        }
        let place = |path: &str| {
            let place = (text.locate)(part.byte(path));
            let dot = if part.path.is_empty() || path.is_empty() { "" } else { "." };
            Place { path: format!("{}{dot}{path}", part.path), ..place }
        };
        let judge = self.judge;
        let mut found = Vec::new();
        let (mut objects, mut unknown) = (0, 0);
        judge.known.seek(value, &mut |Seen { path, what }| match what {
            What::Object { entry, value } => {
                objects += 1;
                found.extend(judge.object(entry, &value, text.is_patch, place(&path)));
            }
            What::Unknown(value) => {
                unknown += 1;
                found.extend(judge.unknown(value, place(&path)));
            }
            What::Reference(entry) | What::Text(entry) => {
                found.extend(judge.reference(entry, place(&path)));
            }
        });
        found.iter_mut().for_each(|finding| finding.is_history = text.is_history);
        self.findings.extend(found);
        self.objects += objects;
        self.unknown += unknown;
    }

    /// A release of Helm that an object carries.
    fn release(&mut self, text: &Text<'_>, carrier: &Carrier, object: &Value, part: &Part<'_>) {
        let place = (text.locate)(part.byte(""));
        let release = match carrier.open(object) {
            Ok(release) => release,
            Err(Mistake { path, message, help }) => {
                let at = part.byte(&path);
                let message = format!("{carrier}: {message}");
                let error = text.input.source.error(at..at, path, message, help);
                return self.messages.report(&error);
            }
        };
        let json: Value = serde_json::from_str(release.json()).unwrap_or_default();
        // Revisions that others took the place of.
        let is_history = text.is_history || json["info"]["status"] == "superseded";
        for manifest in release.manifests() {
            let name = format!("{}: {carrier}: {}", text.input.name, manifest.path);
            let source = Source::new(Path::new(&name), manifest.text());
            let input = Input { source, name, is_json: false };
            let locate = |at| {
                let (line, _) = input.source.position(at);
                let within = [&*place.within, &format!("{carrier}: {}:{line}", manifest.path)];
                let within =
                    within.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
                Place { within, ..place.clone() }
            };
            self.text(&Text { input: &input, locate: &locate, is_patch: false, is_history });
        }
    }
}
