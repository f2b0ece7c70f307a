//! Restores stashed data, as long as the version then still shows what its client wrote.

use super::MAX_ANNOTATIONS;
use super::apply::apply;
use super::delta::Delta;
use super::fingerprint;
use crate::json::Raw;
use crate::reflect::{Reflect, Slot, slots_equal};

/// How many times parts of a stash are tried. A stash written for this object takes one attempt,
/// and a few more after an edit. One that takes more is forged.
const TRIES: usize = 64;

/// The content of the stash annotation.
pub(super) struct Stash {
    /// The fingerprint of what the client could see.
    seen: u64,
    /// The difference between that and the hub.
    delta: Delta,
}

impl Stash {
    pub(super) fn new(seen: u64, delta: Delta) -> Self {
        Self { seen, delta }
    }

    /// Writes the text of the annotation.
    pub(super) fn write(self) -> Raw {
        let Self { seen, delta } = self;
        Raw::from(serde_json::json!({ "seen": fingerprint::to_hex(seen), "delta": delta.into_json() }))
    }

    /// Reads the text of the annotation; `None` if it is not what [`write`](Self::write) returns,
    /// or longer than the limit for annotations.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_ANNOTATIONS {
            return None;
        }
        let value = Raw::new(text.as_bytes()).ok()?.to_value();
        let seen = fingerprint::from_hex(value.get("seen")?.as_str()?)?;
        Some(Self { seen, delta: Delta::from_json(value.get("delta")?)? })
    }
}

/// The hub with the stashed data. `written` is what the client wrote, without the stash; `hub` is
/// `written` converted by the rules; `show` converts a hub to the version.
///
/// A stash adds what the version cannot represent and never changes what the version shows. After a
/// part is restored, the version must show, for each field, what the client wrote or what that
/// converts to without the stash. Otherwise the part is taken out again.
pub(super) fn restored(
    hub: &dyn Reflect,
    written: &dyn Reflect,
    kept: &Stash,
    show: &dyn Fn(&dyn Reflect) -> Box<dyn Reflect>,
) -> Option<Box<dyn Reflect>> {
    let unchanged = kept.seen == fingerprint::of_object(hub, &["metadata"]);
    let mut meant = None;
    let mut attempt = |delta: &Delta| {
        let mut restored = hub.boxed_copy();
        apply(&mut *restored, delta, unchanged).ok()?;
        let shown = show(&*restored);
        let fits = is_either(&*shown, written, written)
            || is_either(&*shown, written, &**meant.get_or_insert_with(|| show(hub)));
        fits.then_some(restored)
    };
    let whole = attempt(&kept.delta);
    if whole.is_some() {
        return whole;
    }
    let mut best = None;
    let mut accepted = vec![false; kept.delta.parts()];
    // The halves of what was refused; the first half is on top.
    let mut todo = halves(0, accepted.len());
    for _ in 0..TRIES {
        let Some((start, end)) = todo.pop() else { break };
        accepted[start..end].fill(true);
        match attempt(&kept.delta.only(&accepted)) {
            Some(found) => best = Some(found),
            None => {
                accepted[start..end].fill(false);
                todo.extend(halves(start, end));
            }
        }
    }
    best
}

fn halves(start: usize, end: usize) -> Vec<(usize, usize)> {
    let middle = start.midpoint(end);
    if middle == start { Vec::new() } else { vec![(middle, end), (start, middle)] }
}

/// Whether each field of an object equals that of one or of the other. Annotations are not
/// compared.
pub(super) fn is_either(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect) -> bool {
    is_either_object(found, one, other, &["metadata", "annotations"])
}

/// The field at the path `without` is not compared.
fn is_either_object(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect, without: &[&str]) -> bool {
    let fields = &found.descriptor().fields;
    let mut matches = true;
    found.read(&mut |found| {
        one.read(&mut |one| {
            other.read(&mut |other| {
                matches = (0..fields.len()).all(|at| {
                    let without = match without {
                        [name, rest @ ..] if fields[at].name == *name => rest,
                        _ => return is_either_slot(&found[at], &one[at], &other[at], &[]),
                    };
                    without.is_empty() || is_either_slot(&found[at], &one[at], &other[at], without)
                });
            });
        });
    });
    matches
}

fn is_either_slot(found: &Slot<'_>, one: &Slot<'_>, other: &Slot<'_>, without: &[&str]) -> bool {
    match (found, one, other) {
        (Slot::Struct(found), Slot::Struct(one), Slot::Struct(other)) => {
            is_either_object(*found, *one, *other, without)
        }
        (Slot::List(found), Slot::List(one), Slot::List(other))
            if found.len() == one.len() && found.len() == other.len() =>
        {
            (0..found.len()).all(|at| is_either_slot(&found.get(at), &one.get(at), &other.get(at), &[]))
        }
        (found, one, other) => slots_equal(found, one) || slots_equal(found, other),
    }
}
