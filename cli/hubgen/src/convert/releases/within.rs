//! The manifests within a release.

use hubgen_helm::{Carrier, Edit, Manifest as InRelease};
use hubgen_manifest::{Body, Piece, Tree};
use hubgen_migrate::{Choice, Gone, Manifest};
use hubgen_terminal::Source;
use serde_json::Value;

use super::Releases;
use super::done::{Done, Keeping};
use crate::convert::heard::Heard;
use crate::convert::report::Report;
use crate::input::Input;

/// The conversion of one release.
pub struct Within<'a> {
    /// What all releases have in common.
    pub of: &'a Releases<'a>,
    /// The object that carries it.
    pub carrier: &'a Carrier,
    /// What was done so far.
    pub done: &'a mut Done,
    /// Where it is told.
    pub report: &'a mut Report,
}

impl Within<'_> {
    /// What becomes of a manifest; it stays where it has an error.
    pub fn edit(&mut self, manifest: &InRelease<'_>) -> Edit {
        let name = format!("{}: {}: {}", self.of.input.name, self.carrier, manifest.path);
        let source = Source::new(&name, manifest.text());
        let input = Input { source, name, is_json: false };
        let converter = self.of.converter;
        let is_list = |document: &Value| converter.is_list(document);
        let (mut text, mut end) = (String::new(), 0);
        let (mut objects, mut left_out, mut is_same) = (0, 0, true);
        for piece in input.pieces(&is_list) {
            let piece = match piece {
                Ok(piece) => piece,
                Err(mistake) => {
                    let help = "helm cannot read this manifest, either: the release stays as it is";
                    let place = mistake.at..mistake.at + 1;
                    self.report.add(&input.source.error(place, "", mistake.message, help));
                    return Edit::Keep;
                }
            };
            text.push_str(&input.text()[end..piece.bytes.start]);
            end = piece.bytes.end;
            objects += usize::from(!matches!(piece.body, Body::Value(Value::Null)));
            match self.document(&input, &piece) {
                Edit::Keep => text.push_str(&input.text()[piece.bytes]),
                Edit::Text(new) => {
                    text.push_str(&new);
                    is_same = false;
                }
                Edit::Remove => {
                    left_out += 1;
                    is_same = false;
                }
            }
        }
        text.push_str(&input.text()[end..]);
        match is_same {
            true => Edit::Keep,
            false if manifest.is_hook && objects == left_out => Edit::Remove,
            false => Edit::Text(text),
        }
    }

    /// What becomes of a document of a manifest.
    fn document(&mut self, input: &Input, piece: &Piece) -> Edit {
        if let Some((what, gone)) = self.gone(piece) {
            return self.without(input, piece, &what, gone);
        }
        let heard = Heard { input, shows_changes: self.of.shows_changes, report: self.report };
        let mut keeping = Keeping { heard, changes: Vec::new() };
        let manifest = Manifest { text: input.text(), converter: self.of.converter };
        let new = manifest.document(piece, piece.format, &mut keeping);
        self.done.convert(keeping.changes);
        new.map_or(Edit::Keep, |new| Edit::Text(new.parts().collect()))
    }

    /// The version and kind of an object of which no version is served.
    fn gone(&self, piece: &Piece) -> Option<(String, Gone)> {
        let Body::Value(value) = &piece.body else { return None };
        let converter = self.of.converter;
        let entry = converter.known.scheme.named(value["apiVersion"].as_str()?, value["kind"].as_str()?)?;
        match converter.target.choose(converter.known, entry) {
            Choice::Gone(gone) => Some((entry.to_string(), gone)),
            Choice::Stay | Choice::To(_) => None,
        }
    }

    /// Leaves such an object out if that is wanted, and warns of it.
    fn without(&mut self, input: &Input, piece: &Piece, what: &str, gone: Gone) -> Edit {
        let Gone { message, help: instead } = gone;
        let drops = self.of.drops_gone;
        let (message, help) = if drops {
            self.done.leave_out(what);
            (format!("left this object out: no version of {what} is served"), instead)
        } else {
            let more = if instead.is_empty() { String::new() } else { format!("; {instead}") };
            (
                message,
                format!("helm cannot upgrade a release that has it: leave it out with --drop-gone{more}"),
            )
        };
        let tree = Tree::parse(&input.text()[piece.bytes.clone()], piece.format);
        let place = tree.map_or(0..0, |tree| tree.place(""));
        let place = piece.bytes.start + place.start..piece.bytes.start + place.end;
        self.report.add(&input.source.error(place, "", message, help).warning());
        if drops { Edit::Remove } else { Edit::Keep }
    }
}
