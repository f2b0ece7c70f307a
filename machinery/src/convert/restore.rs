//! Restores stashed data, as long as the version then still shows what its client wrote.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::MAX_ANNOTATIONS;
use super::apply::apply;
use super::delta::Delta;
use super::fingerprint;
use crate::json::Lexer;
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
    pub(super) fn write(&self) -> String {
        let mut out = Vec::with_capacity(256);
        out.extend_from_slice(b"{\"seen\":");
        fingerprint::write_hex(&mut out, self.seen);
        out.extend_from_slice(b",\"delta\":");
        self.delta.write(&mut out);
        out.push(b'}');
        String::from_utf8(out).expect("JSON is written from strings only")
    }

    /// Reads the text of the annotation; `None` if it is not what [`write`](Self::write) returns,
    /// or longer than the limit for annotations.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_ANNOTATIONS {
            return None;
        }
        let (mut seen, mut delta) = (None, None);
        let mut lexer = Lexer::over(text);
        let mut more = lexer.enter_object().ok()?;
        while more {
            match &*lexer.key().ok()? {
                "seen" => seen = fingerprint::from_hex(&lexer.string().ok()?),
                "delta" => delta = Some(Delta::read(&mut lexer)?),
                _ => lexer.skip().ok()?,
            }
            more = lexer.next_member().ok()?;
        }
        lexer.finish().ok()?;
        Some(Self { seen: seen?, delta: delta? })
    }
}

/// How a hub converts to the version that is restored.
pub(super) struct Rules<'a> {
    /// Copies a hub.
    pub(super) copy: &'a dyn Fn(&dyn Reflect) -> Box<dyn Reflect>,
    /// Converts a hub to the version by the rules. Annotations are not needed.
    pub(super) show: &'a dyn Fn(Box<dyn Reflect>) -> Box<dyn Reflect>,
}

/// Adds the stashed data to the hub. `written` is what the client wrote, without the stash; `hub`
/// is `written` converted by the rules.
///
/// A stash adds what the version cannot represent and never changes what the version shows. After a
/// part is restored, the version must show, for each field, what the client wrote or what that
/// converts to without the stash. Otherwise the part is left out.
pub(super) fn restore(hub: &mut dyn Reflect, written: &dyn Reflect, kept: &Stash, rules: &Rules<'_>) {
    let unchanged = OnceCell::new();
    if let Some(delta) = accepted(hub, written, kept, &unchanged, rules) {
        // It could be applied to a copy, and needs to know no more than there.
        let _ = apply(hub, &delta, &|| unchanged.get() == Some(&true));
    }
}

/// The parts of the delta that do not change what the version shows. `unchanged` is filled if
/// applying them depends on it.
fn accepted<'a>(
    hub: &dyn Reflect,
    written: &dyn Reflect,
    Stash { seen, delta }: &'a Stash,
    unchanged: &OnceCell<bool>,
    rules: &Rules<'_>,
) -> Option<Cow<'a, Delta>> {
    let unchanged = || *unchanged.get_or_init(|| *seen == fingerprint::of_object(hub, &["metadata"]));
    let mut meant = None;
    let mut fits = |delta: &Delta| {
        let mut restored = (rules.copy)(hub);
        if apply(&mut *restored, delta, &unchanged).is_err() {
            return false;
        }
        let shown = (rules.show)(restored);
        is_same(&*shown, written)
            || is_either(&*shown, written, &**meant.get_or_insert_with(|| (rules.show)((rules.copy)(hub))))
    };
    if fits(delta) {
        return Some(Cow::Borrowed(delta));
    }
    let mut best = None;
    let mut accepted = vec![false; delta.parts()];
    // The halves of what was refused; the first half is on top.
    let mut todo = halves(0, accepted.len());
    for _ in 0..TRIES {
        let Some((start, end)) = todo.pop() else { break };
        accepted[start..end].fill(true);
        let part = delta.only(&accepted);
        if fits(&part) {
            best = Some(Cow::Owned(part));
        } else {
            accepted[start..end].fill(false);
            todo.extend(halves(start, end));
        }
    }
    best
}

fn halves(start: usize, end: usize) -> Vec<(usize, usize)> {
    let middle = start.midpoint(end);
    if middle == start { Vec::new() } else { vec![(middle, end), (start, middle)] }
}

/// What is not compared.
const ANNOTATIONS: &[&str] = &["metadata", "annotations"];

/// Whether two objects are equal but for their annotations.
fn is_same(found: &dyn Reflect, one: &dyn Reflect) -> bool {
    is_same_object(found, one, ANNOTATIONS)
}

/// The field at the path `without` is not compared.
fn is_same_object(found: &dyn Reflect, one: &dyn Reflect, without: &[&str]) -> bool {
    let mut fields = found.fields().iter().zip(one.fields().slots());
    fields.all(|((field, found), one)| match without {
        [name] if field.name == *name => true,
        [name, rest @ ..] if field.name == *name => match (found, one) {
            (Slot::Struct(found), Slot::Struct(one)) => is_same_object(found, one, rest),
            _ => slots_equal(&found, &one),
        },
        _ => slots_equal(&found, &one),
    })
}

/// Whether each field of an object equals that of one or of the other. Annotations are not
/// compared.
pub(super) fn is_either(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect) -> bool {
    is_either_object(found, one, other, ANNOTATIONS)
}

/// The field at the path `without` is not compared.
fn is_either_object(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect, without: &[&str]) -> bool {
    let mut fields = found.fields().iter().zip(one.fields().slots()).zip(other.fields().slots());
    fields.all(|(((field, found), one), other)| match without {
        [name] if field.name == *name => true,
        [name, rest @ ..] if field.name == *name => is_either_slot(&found, &one, &other, rest),
        _ => is_either_slot(&found, &one, &other, &[]),
    })
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
