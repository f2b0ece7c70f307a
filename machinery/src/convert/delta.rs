//! The stashed difference: what leads from the value that a version shows to the value in the hub.

use std::collections::HashSet;

use serde_json::{Map as Members, Value, json};

use super::fingerprint::{from_hex, to_hex};

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
    pub(super) fn into_json(self) -> Value {
        match self {
            Self::Value { was, is } => {
                let mut out = Members::new();
                if let Some(was) = was {
                    out.insert("was".to_owned(), to_hex(was).into());
                }
                if let Some(is) = is {
                    out.insert("is".to_owned(), is);
                }
                Value::Object(out)
            }
            Self::Fields(fields) => {
                let fields: Members<_, _> =
                    fields.into_iter().map(|(name, delta)| (name, delta.into_json())).collect();
                json!({ "fields": fields })
            }
            Self::List { shown, items } => {
                let shown: Vec<_> = shown.into_iter().map(Anchor::into_json).collect();
                let items: Vec<_> = items.into_iter().map(Item::into_json).collect();
                json!({ "shown": shown, "items": items })
            }
        }
    }

    /// Reads what [`into_json`](Self::into_json) wrote; `None` for any other JSON.
    pub(super) fn from_json(json: &Value) -> Option<Self> {
        let members = json.as_object()?;
        if let Some(fields) = members.get("fields") {
            let fields = fields.as_object()?.iter();
            let fields = fields.map(|(name, json)| Some((name.clone(), Self::from_json(json)?)));
            return Some(Self::Fields(fields.collect::<Option<_>>()?));
        }
        if let Some(items) = members.get("items") {
            let shown = members.get("shown")?.as_array()?.iter().map(Anchor::from_json);
            let shown: Vec<_> = shown.collect::<Option<_>>()?;
            let items: Vec<_> = items
                .as_array()?
                .iter()
                .map(|json| Item::from_json(json, shown.len()))
                .collect::<Option<_>>()?;
            let mut places: Vec<_> = items.iter().filter_map(Item::index).collect();
            places.sort_unstable();
            return places.windows(2).all(|pair| pair[0] != pair[1]).then_some(Self::List { shown, items });
        }
        let was = match members.get("was") {
            Some(was) => Some(from_hex(was.as_str()?)?),
            None => None,
        };
        Some(Self::Value { was, is: members.get("is").cloned() })
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

    /// Only the accepted parts; `accepted` has one entry for each part.
    pub(super) fn only(&self, accepted: &[bool]) -> Self {
        self.take(&mut accepted.iter().copied()).unwrap_or(Self::Fields(Vec::new()))
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
    fn into_json(self) -> Value {
        let identity = to_hex(self.identity);
        if self.leaves.is_empty() {
            return identity.into();
        }
        std::iter::once(identity).chain(self.leaves.into_iter().map(to_hex)).collect()
    }

    fn from_json(json: &Value) -> Option<Self> {
        let read = |json: &Value| from_hex(json.as_str()?);
        match json {
            Value::Array(all) => {
                let (identity, leaves) = all.split_first()?;
                let leaves = leaves.iter().map(read).collect::<Option<_>>()?;
                Some(Self { identity: read(identity)?, leaves })
            }
            json => Some(Self { identity: read(json)?, leaves: Vec::new() }),
        }
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

    fn into_json(self) -> Value {
        match self {
            Self::Shown(place, None) => place.into(),
            Self::Shown(place, Some(delta)) => json!([place, delta.into_json()]),
            Self::Hidden(value) => json!({ "is": value }),
        }
    }

    fn from_json(json: &Value, shown: usize) -> Option<Self> {
        let place = |json: &Value| {
            json.as_u64().and_then(|place| usize::try_from(place).ok()).filter(|place| *place < shown)
        };
        match json {
            Value::Number(_) => Some(Self::Shown(place(json)?, None)),
            Value::Array(pair) => match &pair[..] {
                [at, delta] => Some(Self::Shown(place(at)?, Some(Delta::from_json(delta)?))),
                _ => None,
            },
            Value::Object(members) => Some(Self::Hidden(members.get("is")?.clone())),
            _ => None,
        }
    }
}
