//! What was kept, put in again as far as the version then still shows what
//! its client wrote.

use super::MAX_ANNOTATIONS;
use super::apply::apply;
use super::delta::Delta;
use super::fingerprint;
use crate::json::Raw;
use crate::reflect::{Reflect, Slot, slots_equal};

/// How often a part of an annotation is tried. One that was written for the
/// object takes one try, and after an edit a few more; the others are forged.
const TRIES: usize = 64;

/// What our annotation holds.
pub(super) struct Stash {
    /// The fingerprint of what the client could see.
    seen: u64,
    /// The way from there to the hub.
    delta: Delta,
}

impl Stash {
    pub(super) fn new(seen: u64, delta: Delta) -> Self {
        Self { seen, delta }
    }

    /// The text of the annotation.
    pub(super) fn write(self) -> Raw {
        let Self { seen, delta } = self;
        Raw::from(serde_json::json!({ "seen": fingerprint::to_hex(seen), "delta": delta.into_json() }))
    }

    /// `None` when the text is not what [`write`](Self::write) gives, or is
    /// longer than any that is written down.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_ANNOTATIONS {
            return None;
        }
        let value = Raw::new(text.as_bytes()).ok()?.to_value();
        let seen = fingerprint::from_hex(value.get("seen")?.as_str()?)?;
        Some(Self { seen, delta: Delta::from_json(value.get("delta")?)? })
    }
}

/// The hub with what was kept. `hub` is what the client wrote, `written`, as
/// the hub has it without the annotation; `show` gives a hub as the version
/// has it.
///
/// An annotation adds what the version cannot say and never changes what it
/// does say. So what is put in is taken out again, part by part, unless the
/// version then shows everywhere what the client wrote, or what that means
/// without the annotation.
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
    // The halves of what was refused, the first one on top.
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

/// Whether an object says everywhere what one or the other says; annotations
/// do not count.
pub(super) fn is_either(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect) -> bool {
    is_either_object(found, one, other, &["metadata", "annotations"])
}

/// What is at the path `without` is not compared.
fn is_either_object(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect, without: &[&str]) -> bool {
    let fields = &found.descriptor().fields;
    let mut holds = true;
    found.read(&mut |found| {
        one.read(&mut |one| {
            other.read(&mut |other| {
                holds = (0..fields.len()).all(|at| {
                    let without = match without {
                        [name, rest @ ..] if fields[at].name == *name => rest,
                        _ => return is_either_slot(&found[at], &one[at], &other[at], &[]),
                    };
                    without.is_empty() || is_either_slot(&found[at], &one[at], &other[at], without)
                });
            });
        });
    });
    holds
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
