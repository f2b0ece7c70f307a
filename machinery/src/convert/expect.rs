//! Fields that have to contain one of some words, since a conversion has no
//! counterpart for any other.

use super::ConvertError;
use crate::reflect::{ApiType, Lent, Reflect, Slot};

/// Refuses an object where a field contains a word that is none of `words`. A
/// field that is absent or empty contains no word. `path` leads through lists
/// and maps without saying so: `spec.keys.algorithm` names a field of every key.
///
/// # Errors
/// The first such word, with the path of its field.
pub fn expect<T: ApiType>(object: &T, path: &str, words: &[&str]) -> Result<(), ConvertError> {
    expect_any(Lent::new(object), path, words)
}

/// As [`expect`], for types that are known at run time only.
///
/// # Errors
/// As [`expect`].
pub fn expect_any(object: &dyn Reflect, path: &str, words: &[&str]) -> Result<(), ConvertError> {
    let names: Vec<&str> = path.split('.').collect();
    check(&Slot::Struct(object), &names, "", words)
}

/// `at` is the path of the slot, `names` lead on from it.
fn check(slot: &Slot<'_>, names: &[&str], at: &str, words: &[&str]) -> Result<(), ConvertError> {
    match (slot, names) {
        (Slot::Struct(object), [name, rest @ ..]) => {
            let at = if at.is_empty() { (*name).to_owned() } else { format!("{at}.{name}") };
            object.field(name).map_or(Ok(()), |slot| check(&slot, rest, &at, words))
        }
        (Slot::List(list), names) => (0..list.len())
            .try_for_each(|index| check(&list.get(index), names, &format!("{at}[{index}]"), words)),
        (Slot::Map(map), names) => {
            let mut result = Ok(());
            map.visit(&mut |key, slot| {
                if result.is_ok() {
                    result = check(&slot, names, &format!("{at}[{key}]"), words);
                }
            });
            result
        }
        (Slot::String(word), []) if !word.is_empty() && !words.contains(word) => {
            Err(ConvertError::UnknownWord {
                path: at.to_owned(),
                word: (*word).to_owned(),
                known: words.iter().map(|word| (*word).to_owned()).collect(),
            })
        }
        _ => Ok(()),
    }
}
