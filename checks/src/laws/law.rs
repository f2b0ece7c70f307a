//! The laws, each for one version of a family and bytes to draw from.

use hubgen_kubernetes::machinery::convert::laws::{self, Convertible};

use super::family::Family;
use crate::caught;

/// A law; its errors tell the objects. It holds for the version at an index.
pub struct Law {
    pub name: &'static str,
    holds: fn(&Family<'_>, usize, &[u8]) -> Result<(), String>,
}

pub const LAWS: &[Law] = &[
    Law { name: "hub → version → hub", holds: hub_survives },
    Law { name: "hub → A → B → hub", holds: hub_survives_two },
    Law { name: "version → hub → version", holds: normalises_once },
    Law { name: "an edit at the version wins", holds: an_edit_wins },
    Law { name: "bad annotations change nothing", holds: bad_annotations },
];

/// Holds where the rules are at hand.
pub const AS_WRITTEN: Law = Law { name: "compiled as the rules are written", holds: as_written };

impl Law {
    /// Whether it holds; a law that panics is a law that fails.
    pub fn holds(&self, family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
        caught(|| self.judge(family, index, bytes)).and_then(|found| found)
    }

    /// Whether it holds; panics where a conversion does.
    pub fn judge(&self, family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
        (self.holds)(family, index, bytes)
    }
}

fn version<'a>(family: &'a Family<'_>, index: usize) -> &'a dyn Convertible {
    &*family.versions[index].version
}

fn hub_survives(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = version(family, index);
    laws::hub_survives(&[version], &*version.draw_hub(&mut family.source(bytes)))
}

fn hub_survives_two(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let (choice, rest) = bytes.split_at(bytes.len().min(1));
    let other = choice.first().map_or(0, |choice| usize::from(*choice) % family.versions.len());
    let versions = [version(family, index), version(family, other)];
    laws::hub_survives(&versions, &*versions[0].draw_hub(&mut family.source(rest)))
}

fn normalises_once(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = version(family, index);
    laws::normalises_once(version, &*version.draw(&mut family.source(bytes))).map(drop)
}

fn an_edit_wins(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = version(family, index);
    // The edit is drawn first, so that a small object still has one.
    let (choices, rest) = bytes.split_at(bytes.len().min(16));
    let hub = version.draw_hub(&mut family.source(rest));
    laws::an_edit_wins(version, &*hub, &mut family.source(choices))
}

fn bad_annotations(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let version = version(family, index);
    let (one, other) = bytes.split_at(bytes.len() / 2);
    let object = version.draw(&mut family.source(one));
    let annotation = laws::forged(version, &*object, &mut family.source(other))?;
    laws::a_bad_annotation_changes_nothing(version, &*object, &annotation)
}

fn as_written(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let member = &family.versions[index];
    let written = family.written.iter().find(|written| written.entry == member.entry);
    let (compiled, written) = (&*member.version, &*written.ok_or("there are no rules")?.version);
    let (choices, rest) = bytes.split_at(bytes.len().min(16));
    let object = compiled.draw(&mut family.source(rest));
    laws::same(&*written.lift(&*object), &*compiled.lift(&*object))?;
    let hub = compiled.draw_hub(&mut family.source(rest));
    let mut shown = compiled.show(&*hub)?;
    laws::same(&*written.show(&*hub)?, &*shown)?;
    laws::edit(&mut *shown, &mut family.source(choices));
    laws::same(&*written.lift(&*shown), &*compiled.lift(&*shown))
}
