//! Tables over several maps, whose rows are those of each key.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::Of;
use super::known::{Known, Value, there};
use super::{Failure, PlainType, ValueTable, short};

impl ValueTable {
    /// Converts what several maps have for each key. A list of texts is one of keys.
    pub(super) fn by_key(&self, to_hub: bool, values: &[Value]) -> Result<Vec<Value>, Failure> {
        let sources: Vec<Option<Keyed<'_>>> =
            values.iter().map(|value| value.as_ref().map(Keyed::of).transpose()).collect::<Result<_, _>>()?;
        let keys: BTreeSet<&str> = sources.iter().flatten().flat_map(Keyed::keys).collect();
        let types = if to_hub { &self.hub } else { &self.version };
        // A map without entries is one on the other side as well.
        let begun = |(index, ty): (usize, &PlainType)| match sources.get(index) {
            Some(Some(Keyed::Entries(entries))) if entries.is_empty() => Some(empty(*ty)),
            _ => None,
        };
        let mut out: Vec<Value> = types.iter().enumerate().map(begun).collect();
        for key in keys {
            let values: Vec<Value> =
                sources.iter().map(|source| source.as_ref().and_then(|source| source.get(key))).collect();
            let Some(found) = self.row(to_hub, &values, Of::Key) else {
                // A `null`.
                if values.iter().all(Option::is_none) {
                    continue;
                }
                return Err(Failure::Refused(format!("{key}: {}", self.no_row(&values))));
            };
            for ((value, ty), out) in found.into_iter().zip(&**types).zip(&mut out) {
                let Some(value) = value else { continue };
                match out.get_or_insert_with(|| empty(*ty)) {
                    Known::List(keys) if value == Known::Bool(true) => keys.push(Known::Text(key.into())),
                    Known::Object(entries) => drop(entries.insert(key.to_owned(), value)),
                    _ => {}
                }
            }
        }
        Ok(out)
    }
}

/// A field with values for keys.
enum Keyed<'k> {
    Entries(&'k BTreeMap<String, Known>),
    /// A list of keys. A client may write many, so they are looked up.
    Keys(BTreeSet<&'k str>),
}

impl<'k> Keyed<'k> {
    fn of(known: &'k Known) -> Result<Self, Failure> {
        let keys = |items: &'k [Known]| items.iter().map(Known::as_text).collect::<Option<_>>();
        let found = match known {
            Known::Object(entries) => Some(Self::Entries(entries)),
            Known::List(items) => keys(items).map(Self::Keys),
            _ => None,
        };
        let expected =
            || Failure::Refused(format!("expected a map, or a list of texts, found {}", short(known)));
        found.ok_or_else(expected)
    }

    fn keys(&self) -> Vec<&'k str> {
        match self {
            Self::Entries(entries) => entries.keys().map(String::as_str).collect(),
            Self::Keys(keys) => keys.iter().copied().collect(),
        }
    }

    fn get(&self, key: &str) -> Value {
        match self {
            Self::Entries(entries) => entries.get(key).cloned().and_then(there),
            Self::Keys(keys) => keys.contains(key).then_some(Known::Bool(true)),
        }
    }
}

/// A map, or a list of keys.
fn empty(ty: PlainType) -> Known {
    if is_of_keys(ty) { Known::List(Vec::new()) } else { Known::Object(BTreeMap::new()) }
}

/// Whether a field is a list of keys, beside maps that have them. Entries of maps are never optional.
pub(super) fn is_of_keys(ty: PlainType) -> bool {
    ty == PlainType::Optional(&PlainType::List(&PlainType::Text))
}
