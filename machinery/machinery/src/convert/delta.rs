//! The stashed difference: what leads from the value that a version shows to the value in the hub.
//!
//! It contains no copy of the hub. Whatever the version can represent is taken from the live object, so that an edit is
//! never overwritten, and a stash stays small. Each difference names what the version showed by a fingerprint: where
//! the live value has another one, its client has edited it, and that difference is dropped. Elements of lists are
//! found by their keys, or by what they contain, never by their place: a client may have moved them.

use std::collections::HashSet;

use hubgen_json::read_value;
use serde_json::Value;

use super::fingerprint::{from_hex, write_hex};
use crate::json::lexer::Kind;
use crate::json::{Lexer, writer};

/// The difference between a value as a version shows it and the value in the hub.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Delta {
    /// The values differ.
    Value {
        /// The fingerprint of what the version shows; `None` when it shows nothing.
        was: Option<u64>,
        /// The hub's value; `None` when it is absent.
        is: Option<Value>,
    },
    /// Some fields of an object or some entries of a map differ.
    Fields(Vec<(String, Delta)>),
    /// The lists differ in order, length or content.
    List {
        /// The elements that the version shows.
        shown: Vec<Anchor>,
        /// The elements of the hub's list.
        items: Vec<Item>,
    },
}

/// What identifies an element of a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Anchor {
    /// The fingerprint of its keys, or of its content when the list has no keys.
    pub(super) identity: u64,
    /// The fingerprints of its leaves, which identify it after the client has edited it. Filled
    /// only when hub data depends on the element and the list has no keys.
    pub(super) leaves: Vec<u64>,
}

/// An element of the hub's list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// The version shows it at this index; with the difference, if there is one.
    Shown(usize, Option<Delta>),
    /// The version does not show it.
    Hidden(Value),
}

impl Delta {
    /// Appends the delta as JSON.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Value { was, is } => {
                out.push(b'{');
                if let Some(was) = was {
                    out.extend_from_slice(b"\"was\":");
                    write_hex(out, *was);
                }
                if let Some(is) = is {
                    let separator: &[u8] = if was.is_some() { b"," } else { b"" };
                    out.extend_from_slice(separator);
                    out.extend_from_slice(b"\"is\":");
                    writer::value(out, is);
                }
                out.push(b'}');
            }
            Self::Fields(fields) => {
                out.extend_from_slice(b"{\"fields\":{");
                write_separated(out, fields, |out, (name, delta)| {
                    writer::string(out, name);
                    out.push(b':');
                    delta.write(out);
                });
                out.extend_from_slice(b"}}");
            }
            Self::List { shown, items } => {
                out.extend_from_slice(b"{\"shown\":[");
                write_separated(out, shown, |out, anchor| anchor.write(out));
                out.extend_from_slice(b"],\"items\":[");
                write_separated(out, items, |out, item| item.write(out));
                out.extend_from_slice(b"]}");
            }
        }
    }

    /// Reads what [`write`](Self::write) wrote; `None` for any other JSON.
    pub(super) fn read(lexer: &mut Lexer<'_>) -> Option<Self> {
        let (mut fields, mut shown, mut items, mut was, mut is) = (None, None, None, None, None);
        let mut more = lexer.enter_object().ok()?;
        while more {
            match &*lexer.key().ok()? {
                "fields" => fields = Some(read_fields(lexer)?),
                "shown" => shown = Some(read_list(lexer, Anchor::read)?),
                "items" => items = Some(read_list(lexer, Item::read)?),
                "was" => was = Some(read_hex(lexer)?),
                "is" => is = Some(read_value(lexer).ok()?),
                _ => lexer.skip().ok()?,
            }
            more = lexer.next_member().ok()?;
        }
        Some(match (fields, items) {
            (Some(fields), _) => Self::Fields(fields),
            (None, Some(items)) => {
                let shown = shown?;
                let mut places: Vec<usize> = items.iter().filter_map(Item::index).collect();
                places.sort_unstable();
                let are_valid = places.last().is_none_or(|last| *last < shown.len())
                    && places.windows(2).all(|pair| pair[0] != pair[1]);
                are_valid.then_some(Self::List { shown, items })?
            }
            (None, None) => Self::Value { was, is },
        })
    }
}

fn read_fields(lexer: &mut Lexer<'_>) -> Option<Vec<(String, Delta)>> {
    let mut fields = Vec::new();
    let mut more = lexer.enter_object().ok()?;
    while more {
        let name = lexer.key().ok()?.into_owned();
        fields.push((name, Delta::read(lexer)?));
        more = lexer.next_member().ok()?;
    }
    Some(fields)
}

fn read_list<T>(lexer: &mut Lexer<'_>, read: fn(&mut Lexer<'_>) -> Option<T>) -> Option<Vec<T>> {
    let mut list = Vec::new();
    let mut more = lexer.enter_array().ok()?;
    while more {
        list.push(read(lexer)?);
        more = lexer.next_element().ok()?;
    }
    Some(list)
}

fn read_hex(lexer: &mut Lexer<'_>) -> Option<u64> {
    from_hex(&lexer.string().ok()?)
}

/// Appends items with commas between them.
fn write_separated<T>(out: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(out, item);
    }
}

impl Delta {
    /// The number of parts that can be accepted or rejected separately: values, elements that the
    /// version does not show, and the order of each list.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Value { .. } => 1,
            Self::Fields(fields) => fields.iter().map(|(_, delta)| delta.parts()).sum(),
            Self::List { items, .. } => 1 + items.iter().map(Item::parts).sum::<usize>(),
        }
    }

    /// The number of parts in each value and in each whole list, in order. The elements of a list are often only right
    /// together.
    pub(super) fn groups(&self) -> Vec<usize> {
        match self {
            Self::Fields(fields) => fields.iter().flat_map(|(_, delta)| delta.groups()).collect(),
            Self::Value { .. } | Self::List { .. } => vec![self.parts()],
        }
    }

    /// Only the accepted parts; `accepted` has one entry for each part.
    pub(super) fn only(&self, accepted: &[bool]) -> Self {
        self.take(&mut accepted.iter().copied()).unwrap_or(Self::Fields(Vec::new()))
    }

    /// The picked parts, and nothing of the others; `picked` has one entry for each part, and the parts of a list have
    /// equal ones. `None` if nothing is picked.
    pub(super) fn pick(&self, picked: &[bool]) -> Option<Self> {
        self.pick_next(&mut picked.iter().copied())
    }

    fn pick_next(&self, picked: &mut dyn Iterator<Item = bool>) -> Option<Self> {
        if let Self::Fields(fields) = self {
            let picked = |(name, delta): &(String, Self)| Some((name.clone(), delta.pick_next(picked)?));
            let fields: Vec<_> = fields.iter().filter_map(picked).collect();
            return (!fields.is_empty()).then_some(Self::Fields(fields));
        }
        let own: Vec<bool> = picked.take(self.parts()).collect();
        own.iter().all(|picked| *picked).then(|| self.clone())
    }

    fn take(&self, accepted: &mut dyn Iterator<Item = bool>) -> Option<Self> {
        match self {
            Self::Value { .. } => (accepted.next() == Some(true)).then(|| self.clone()),
            Self::Fields(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .filter_map(|(name, delta)| Some((name.clone(), delta.take(accepted)?)))
                    .collect();
                (!fields.is_empty()).then_some(Self::Fields(fields))
            }
            Self::List { shown, items } => {
                let is_arranged = accepted.next() == Some(true);
                let mut items: Vec<Item> = items.iter().filter_map(|item| item.take(accepted)).collect();
                if !is_arranged {
                    // Use the order that the version shows.
                    let listed: HashSet<usize> = items.iter().filter_map(Item::index).collect();
                    items.retain(|item| item.index().is_some());
                    let missing = (0..shown.len()).filter(|place| !listed.contains(place));
                    items.extend(missing.map(|place| Item::Shown(place, None)));
                    items.sort_by_key(Item::index);
                }
                Some(Self::List { shown: shown.clone(), items })
            }
        }
    }
}

impl Anchor {
    fn write(&self, out: &mut Vec<u8>) {
        if self.leaves.is_empty() {
            return write_hex(out, self.identity);
        }
        out.push(b'[');
        write_hex(out, self.identity);
        for leaf in &self.leaves {
            out.push(b',');
            write_hex(out, *leaf);
        }
        out.push(b']');
    }

    fn read(lexer: &mut Lexer<'_>) -> Option<Self> {
        if lexer.peek().ok()? == Kind::Array {
            let mut all = read_list(lexer, read_hex)?;
            let identity = *all.first()?;
            all.remove(0);
            return Some(Self { identity, leaves: all });
        }
        Some(Self { identity: read_hex(lexer)?, leaves: Vec::new() })
    }
}

impl Item {
    fn parts(&self) -> usize {
        match self {
            Self::Shown(_, None) => 0,
            Self::Shown(_, Some(delta)) => delta.parts(),
            Self::Hidden(_) => 1,
        }
    }

    fn take(&self, accepted: &mut dyn Iterator<Item = bool>) -> Option<Self> {
        match self {
            Self::Shown(place, delta) => {
                Some(Self::Shown(*place, delta.as_ref().and_then(|delta| delta.take(accepted))))
            }
            Self::Hidden(_) => (accepted.next() == Some(true)).then(|| self.clone()),
        }
    }

    /// The element's index in the list that the version shows.
    pub(super) fn index(&self) -> Option<usize> {
        match self {
            Self::Shown(place, _) => Some(*place),
            Self::Hidden(_) => None,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Shown(place, delta) => {
                // An index fits into 64 bits.
                let place = |out: &mut Vec<u8>| writer::integer(out, *place as i64);
                match delta {
                    None => place(out),
                    Some(delta) => {
                        out.push(b'[');
                        place(out);
                        out.push(b',');
                        delta.write(out);
                        out.push(b']');
                    }
                }
            }
            Self::Hidden(value) => {
                out.extend_from_slice(b"{\"is\":");
                writer::value(out, value);
                out.push(b'}');
            }
        }
    }

    fn read(lexer: &mut Lexer<'_>) -> Option<Self> {
        let place = |lexer: &mut Lexer<'_>| lexer.number().ok()?.parse::<usize>().ok();
        match lexer.peek().ok()? {
            Kind::Number => Some(Self::Shown(place(lexer)?, None)),
            Kind::Array => {
                lexer.enter_array().ok()?.then_some(())?;
                let place = place(lexer)?;
                lexer.next_element().ok()?.then_some(())?;
                let delta = Delta::read(lexer)?;
                (!lexer.next_element().ok()?).then_some(Self::Shown(place, Some(delta)))
            }
            _ => {
                let mut is = None;
                let mut more = lexer.enter_object().ok()?;
                while more {
                    match &*lexer.key().ok()? {
                        "is" => is = Some(read_value(lexer).ok()?),
                        _ => lexer.skip().ok()?,
                    }
                    more = lexer.next_member().ok()?;
                }
                is.map(Self::Hidden)
            }
        }
    }
}
