//! Reads `boxes.toml`: which types are boxed where they are optional.
//!
//! ```toml
//! [core]
//! boxed = ["Probe"]
//! inline = ["ObjectReference"]
//! ```

use std::io;
use std::path::Path;

use hubgen_model::boxes::{Boxes, Place};
use hubgen_model::rules::At;
use toml::de::DeTable;

use crate::table::Reader;
use crate::{Diagnostic, Source};

/// The name of the file, in the folder of the schemas.
pub const FILE: &str = "boxes.toml";

/// The decisions in a file, with their positions. They are not yet compared with the types.
#[derive(Debug)]
pub struct Document {
    source: Source,
    /// The decisions, sorted by group, in the order of the file.
    pub decisions: Vec<Decision>,
}

/// What a file specifies about one type.
#[derive(Debug)]
pub struct Decision {
    /// The group; `core` for the core group.
    pub group: String,
    /// The name of the type.
    pub name: At<String>,
    /// Where optional objects of the type are.
    pub place: Place,
}

impl Document {
    /// The decisions without their positions.
    pub fn boxes(&self) -> Boxes {
        let mut boxes = Boxes::default();
        for Decision { group, name, place } in &self.decisions {
            boxes.insert(group, &name.value, *place);
        }
        boxes
    }

    /// Reports an error at a decision.
    pub fn error(&self, decision: &Decision, message: String, help: String) -> Diagnostic {
        let path = format!("{}.{}", decision.group, key(decision.place));
        self.source.error(decision.name.span.clone(), path, message, help)
    }
}

/// The key of the array that lists types for a place.
pub fn key(place: Place) -> &'static str {
    match place {
        Place::Boxed => "boxed",
        Place::Inline => "inline",
    }
}

/// Reads the file; `None` if it does not exist.
///
/// # Errors
/// All errors, in the order of lines.
pub fn read(file: &Path) -> Result<Option<Document>, Vec<Diagnostic>> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| {
            vec![Diagnostic::file(file, format!("cannot be read: {error}"), "check its permissions")]
        })?,
    };
    parse(file, text).map(Some)
}

/// Reads the text of the file.
pub(crate) fn parse(file: &Path, text: String) -> Result<Document, Vec<Diagnostic>> {
    let source = Source::new(file, text);
    let mut errors = Vec::new();
    let decisions = decisions(&source, &mut errors);
    errors.sort_by_key(|error| (error.line, error.column));
    if errors.is_empty() { Ok(Document { source, decisions }) } else { Err(errors) }
}

fn decisions(source: &Source, errors: &mut Vec<Diagnostic>) -> Vec<Decision> {
    let mut reader = Reader::new(source, errors);
    let document = match DeTable::parse(source.text()) {
        Ok(document) => document.into_inner(),
        Err(error) => {
            let help = "write valid TOML, with each table and key once";
            reader.error(error.span().unwrap_or(0..0), error.message(), help);
            return Vec::new();
        }
    };
    let mut decisions = Vec::new();
    let mut known = Boxes::default();
    for (group, value) in &document {
        let group = group.get_ref().as_ref();
        reader.below(group, |reader| {
            let Some(table) = reader.table(value) else { return };
            reader.only(table, &[Place::Boxed, Place::Inline].map(key));
            for place in [Place::Boxed, Place::Inline] {
                let Some(value) = table.get(key(place)) else { continue };
                reader.below(key(place), |reader| {
                    let names = reader.array(value).into_iter().flat_map(|array| array.iter());
                    for name in names.filter_map(|value| reader.string(value)).collect::<Vec<_>>() {
                        if let Some(earlier) = known.insert(group, &name.value, place) {
                            let message = format!("`{}` is already in `{}`", name.value, key(earlier));
                            reader.error(name.span.clone(), message, "list each type once");
                        }
                        decisions.push(Decision { group: group.to_owned(), name, place });
                    }
                });
            }
        });
    }
    decisions
}
