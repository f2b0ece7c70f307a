//! Restores stashed data, as long as the version then still shows what its client wrote.
//!
//! The object is alive and the stash is old, or forged: whatever it says, it must not win over what the client wrote.
//! No rule tells which of its parts an edit concerns, so this is found out by trying, and what decides is the
//! conversion itself. A delta is applied to a copy of the hub, the copy is converted to the version, and if the version
//! then shows what the client wrote, the delta stays. For an object that nobody has edited the whole delta fits at
//! once, and that is the only attempt. Otherwise it is divided into halves, and what is refused again into halves of
//! its own, from the first part to the last, each tried together with the parts that fit before it. A part that is
//! refused alone is left out: it belongs to what was edited.
//!
//! Without the check after each part, a stash could bring back a removed value; without the parts, one edit would cost
//! all that the version cannot represent.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;

use super::apply::apply;
use super::delta::Delta;
use super::fingerprint;
use super::hub::{Form, Terms};
use super::kept::Stash;
use super::plain::{Malformed, is_unset};
use super::readable::readable;
use super::{ConvertError, MAX_ANNOTATIONS, take_stash, with_annotations};
use crate::Str;
use crate::reflect::{Map, Reflect, Slot, slots_equal};

/// How many times parts of a stash are tried. A stash written for this object takes one attempt,
/// and a few more after an edit. One that takes more is forged.
const TRIES: usize = 64;

/// How a hub converts to the version that is restored.
pub(super) struct Rules<'a> {
    /// Copies a hub.
    pub(super) copy: &'a dyn Fn(&dyn Reflect) -> Box<dyn Reflect>,
    /// Converts a hub to the version by the rules. Annotations are not needed.
    pub(super) show: &'a Show<'a>,
}

pub(super) type Show<'a> = dyn Fn(Box<dyn Reflect>) -> Result<Box<dyn Reflect>, ConvertError> + 'a;

/// Adds the stashed data to the hub. `written` is what the client wrote, without the stash; `hub`
/// is `written` converted by the rules.
///
/// A stash adds what the version cannot represent and never changes a value that the version shows. After a
/// part is restored, the version must show, for each field, what the client wrote or what that
/// converts to without the stash. Otherwise the part is left out.
///
/// `kept` is the text of the stash, and afterwards that of what could not be read: text in another format, and what is
/// in the terms of a version, or about fields, that this program does not have.
///
/// # Errors
/// When nobody can tell what the version shows, because this takes a function that the program does not contain.
pub(super) fn restore(
    mut hub: Box<dyn Reflect>,
    written: &dyn Reflect,
    kept: &mut Option<Str>,
    terms: &Terms<'_>,
    rules: &Rules<'_>,
) -> Result<Box<dyn Reflect>, ConvertError> {
    let (mut left, mut unread) = (Vec::new(), None);
    let mut next = kept.take().map(String::from);
    let mut is_first = true;
    while let Some(text) = next.take() {
        let Some(mut stash) = Stash::read(&text) else {
            // No object with more than that can be stored.
            unread = Some(text).filter(|text| text.len() <= MAX_ANNOTATIONS);
            break;
        };
        next = stash.unread.take();
        let reading = Reading { written, stash: &stash, rules, is_first, missing: OnceCell::new() };
        is_first = false;
        let delta = reading.restore(&mut hub, terms);
        if let Some(error) = reading.missing.into_inner() {
            return Err(error);
        }
        if let Some(delta) = delta {
            left.push(Stash { delta, is_carried: true, ..stash });
        }
    }
    let all = left.into_iter().rev().fold(unread, |unread, stash| Some(Stash { unread, ..stash }.write()));
    *kept = all.map(Str::from);
    Ok(hub)
}

/// Reads one stash.
struct Reading<'a> {
    written: &'a dyn Reflect,
    stash: &'a Stash,
    rules: &'a Rules<'a>,
    /// Whether no other stash was read before: all that the hub has is what the client wrote.
    is_first: bool,
    /// The error of a function that the program does not contain.
    missing: OnceCell<ConvertError>,
}

impl Reading<'_> {
    /// What was converted. A form of the hub that is refused is none; the stash leads to it, and may be forged.
    fn accepted<T>(&self, converted: Result<T, ConvertError>) -> Option<T> {
        if let Err(error @ ConvertError::NoFunction { .. }) = &converted {
            self.missing.get_or_init(|| error.clone());
        }
        converted.ok()
    }

    /// What the version shows of a hub.
    fn show(&self, hub: Box<dyn Reflect>) -> Option<Box<dyn Reflect>> {
        self.accepted((self.rules.show)(hub))
    }

    /// Restores what it can. Returns the parts that no form of the hub can take.
    fn restore(&self, hub: &mut Box<dyn Reflect>, terms: &Terms<'_>) -> Option<Delta> {
        let Stash { hub: named, delta, .. } = self.stash;
        let Some(forms) = terms.forms(named.as_deref()) else { return Some(delta.clone()) };
        let mut left = Cow::Borrowed(delta);
        for (index, form) in forms.iter().enumerate() {
            // A hub that was more than its version had fields of other versions, under the names that they have there.
            let is_named = index == 0;
            left = Cow::Owned(self.restore_in(form, hub, &left, is_named)?);
        }
        Some(left.into_owned())
    }

    /// Restores what one form of the hub can take. Returns the other parts.
    fn restore_in(
        &self,
        form: &Form<'_>,
        hub: &mut Box<dyn Reflect>,
        delta: &Delta,
        is_named: bool,
    ) -> Option<Delta> {
        let opened =
            Opened { form, hub: &**hub, reading: self, unchanged: OnceCell::new(), meant: OnceCell::new() };
        let (fitting, left) = match opened.fits(delta) {
            Ok(true) if is_named => (Some(Cow::Borrowed(delta)), None),
            Ok(false) if is_named => (opened.accepted_parts(delta).map(Cow::Owned), None),
            _ => {
                let Some(shown) = opened.shown() else { return Some(delta.clone()) };
                let readable = readable(&*shown, delta, !is_named);
                let unreadable: Vec<bool> = readable.iter().map(|is_readable| !is_readable).collect();
                let Some(fitting) = delta.pick(&readable) else { return Some(delta.clone()) };
                let accepted = match opened.fits(&fitting) {
                    Ok(true) => Some(fitting),
                    _ => opened.accepted_parts(&fitting),
                };
                (accepted.map(Cow::Owned), delta.pick(&unreadable))
            }
        };
        let unchanged = opened.unchanged.get().copied();
        match (fitting, form) {
            (None, _) => {}
            (Some(fitting), Form::Hub) => {
                // It could be applied to a copy, and needs to know no more than there.
                let _ = apply(&mut **hub, &fitting, &|| unchanged == Some(true));
            }
            (Some(fitting), Form::Version(..)) => {
                if let Ok(Some(restored)) = opened.fitting(&fitting) {
                    *hub = restored;
                }
            }
        }
        left
    }
}

/// A hub in one of its forms.
struct Opened<'a> {
    form: &'a Form<'a>,
    hub: &'a dyn Reflect,
    reading: &'a Reading<'a>,
    /// Whether the client changed nothing that it could see; filled if that is needed.
    unchanged: OnceCell<bool>,
    /// What the version shows without the stash, if it shows anything; filled if that is needed.
    meant: OnceCell<Option<Box<dyn Reflect>>>,
}

impl Opened<'_> {
    fn copy(&self) -> Box<dyn Reflect> {
        (self.reading.rules.copy)(self.hub)
    }

    /// The hub in its form; `None` if it has none there.
    fn shown(&self) -> Option<Box<dyn Reflect>> {
        match self.form {
            Form::Hub => Some(self.copy()),
            Form::Version(_, version) => self.reading.accepted(version.from_hub(self.copy())),
        }
    }

    fn is_unchanged(&self) -> bool {
        *self.unchanged.get_or_init(|| {
            let fingerprint = |object: &dyn Reflect| fingerprint::of_object(object, &["metadata"]);
            let shown = match self.form {
                Form::Hub => Some(fingerprint(self.hub)),
                Form::Version(..) => self.shown().map(|shown| fingerprint(&*shown)),
            };
            shown == Some(self.reading.stash.seen)
        })
    }

    /// The hub with the delta. `alone` leaves out what the version of the form cannot represent.
    fn applied(&self, delta: &Delta, alone: bool) -> Result<Box<dyn Reflect>, Malformed> {
        let mut object = self.shown().ok_or(Malformed)?;
        if alone {
            with_annotations(&mut *object, &mut |annotations| drop(take_stash(annotations)));
        }
        apply(&mut *object, delta, &|| self.is_unchanged())?;
        match self.form {
            Form::Hub => Ok(object),
            Form::Version(_, version) => self.reading.accepted(version.to_hub(object)).ok_or(Malformed),
        }
    }

    /// The hub with a delta in the terms of another version, if that does not change what the version shows.
    ///
    /// It may only fit without what that other version cannot represent: a text that is two fields in today's hub was
    /// one in the hub of that time. Nothing is lost as long as the hub only has what the version shows.
    fn fitting(&self, delta: &Delta) -> Result<Option<Box<dyn Reflect>>, Malformed> {
        let ways: &[bool] = if self.reading.is_first { &[false, true] } else { &[false] };
        for alone in ways.iter().copied() {
            let hub = self.applied(delta, alone)?;
            if self.shows_the_same((self.reading.rules.copy)(&*hub)) {
                return Ok(Some(hub));
            }
        }
        Ok(None)
    }

    /// Whether the delta does not change what the version shows.
    fn fits(&self, delta: &Delta) -> Result<bool, Malformed> {
        match self.form {
            Form::Hub => Ok(self.shows_the_same(self.applied(delta, false)?)),
            Form::Version(..) => Ok(self.fitting(delta)?.is_some()),
        }
    }

    fn shows_the_same(&self, hub: Box<dyn Reflect>) -> bool {
        let written = self.reading.written;
        let Some(shown) = self.reading.show(hub) else { return false };
        let meant =
            || self.meant.get_or_init(|| self.reading.show(self.copy())).as_deref().unwrap_or(written);
        let is_either = |may_fill| is_either(&*shown, written, meant(), may_fill);
        is_same(&*shown, written) || is_either(false) || (self.may_fill() && is_either(true))
    }

    /// Whether fields may get a value where the client wrote none: if the stash is of a program that did not know such
    /// a field of the version, or is from another version.
    fn may_fill(&self) -> bool {
        matches!(self.form, Form::Version(..)) || self.reading.stash.is_carried
    }

    /// The parts of a refused delta that do not change what the version shows.
    fn accepted_parts(&self, delta: &Delta) -> Option<Delta> {
        let mut best = None;
        let mut accepted = vec![false; delta.parts()];
        let starts = delta.groups().into_iter().scan(0, |next, parts| {
            let start = *next;
            *next += parts;
            Some(start)
        });
        let starts: Vec<usize> = starts.collect();
        // The halves of what was refused; the first half is on top. A group is divided when all others were tried: one
        // long list that was edited must not use up the tries.
        let mut todo = halves(&starts, 0, accepted.len());
        let mut groups = VecDeque::new();
        // Parts that may fit together with one that was tried later.
        let mut alone: Vec<(usize, usize)> = Vec::new();
        let mut is_more = false;
        for _ in 0..TRIES {
            if todo.is_empty() && std::mem::take(&mut is_more) {
                todo.extend(alone.drain(..).rev());
            }
            if todo.is_empty() {
                todo.extend(
                    groups.pop_front().into_iter().flat_map(|(start, end)| halves(&starts, start, end)),
                );
            }
            let Some((start, end)) = todo.pop() else { break };
            accepted[start..end].fill(true);
            let part = delta.only(&accepted);
            if self.fits(&part).unwrap_or(false) {
                best = Some(part);
                is_more = true;
                continue;
            }
            accepted[start..end].fill(false);
            if end - start == 1 {
                alone.push((start, end));
            } else if is_group(&starts, accepted.len(), start, end) {
                groups.push_back((start, end));
            } else {
                todo.extend(halves(&starts, start, end));
            }
        }
        best
    }
}

/// The halves of a range of parts. Groups, which begin at `starts`, stay whole until there is only one.
fn halves(starts: &[usize], start: usize, end: usize) -> Vec<(usize, usize)> {
    let inside: Vec<usize> = starts.iter().copied().filter(|at| start < *at && *at < end).collect();
    let middle = inside.get(inside.len() / 2).copied().unwrap_or_else(|| start.midpoint(end));
    if middle == start { Vec::new() } else { vec![(middle, end), (start, middle)] }
}

/// Whether a range of all `parts` is one whole group.
fn is_group(starts: &[usize], parts: usize, start: usize, end: usize) -> bool {
    let next = |index: usize| starts.get(index + 1).copied().unwrap_or(parts);
    starts.iter().position(|at| *at == start).is_some_and(|index| next(index) == end)
}

/// What is not compared.
const ANNOTATIONS: &[&str] = &["metadata", "annotations"];

/// Whether two objects are equal but for their annotations.
pub(crate) fn is_same(found: &dyn Reflect, one: &dyn Reflect) -> bool {
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
/// compared. With `may_fill`, a field that has no value in `one` may have any.
pub fn is_either(found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect, may_fill: bool) -> bool {
    Either { may_fill }.object(found, one, other, ANNOTATIONS)
}

struct Either {
    may_fill: bool,
}

impl Either {
    /// The field at the path `without` is not compared.
    fn object(&self, found: &dyn Reflect, one: &dyn Reflect, other: &dyn Reflect, without: &[&str]) -> bool {
        let mut fields = found.fields().iter().zip(one.fields().slots()).zip(other.fields().slots());
        fields.all(|(((field, found), one), other)| match without {
            [name] if field.name == *name => true,
            [name, rest @ ..] if field.name == *name => self.slot(&found, &one, &other, rest),
            _ => (self.may_fill && is_unset(field.optional, &one)) || self.slot(&found, &one, &other, &[]),
        })
    }

    fn slot(&self, found: &Slot<'_>, one: &Slot<'_>, other: &Slot<'_>, without: &[&str]) -> bool {
        match (found, one, other) {
            (Slot::Struct(found), Slot::Struct(one), Slot::Struct(other)) => {
                self.object(*found, *one, *other, without)
            }
            (Slot::List(found), Slot::List(one), Slot::List(other))
                if found.len() == one.len() && found.len() == other.len() =>
            {
                (0..found.len()).all(|at| self.slot(&found.get(at), &one.get(at), &other.get(at), &[]))
            }
            (Slot::Map(found), Slot::Map(one), Slot::Map(other))
                if found.len() == one.len() && found.len() == other.len() =>
            {
                self.entries(*found, *one, *other)
            }
            (found, one, other) => slots_equal(found, one) || slots_equal(found, other),
        }
    }

    /// The same for the entries of maps with equally many.
    fn entries(&self, found: &dyn Map, one: &dyn Map, other: &dyn Map) -> bool {
        let mut is_either = true;
        found.visit(&mut |key, found| {
            is_either &= match (one.get(key), other.get(key)) {
                (Some(one), Some(other)) => self.slot(&found, &one, &other, &[]),
                (Some(one), None) => slots_equal(&found, &one),
                (None, Some(other)) => slots_equal(&found, &other),
                (None, None) => false,
            };
        });
        is_either
    }
}
