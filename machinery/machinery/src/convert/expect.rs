//! Fields that must contain one of several string values, because a conversion has no counterpart
//! for any other.

use super::ConvertError;
use crate::reflect::{ApiType, Lent, Literal, Reflect, Slot};

/// Refuses an object if the field at `path` contains a value that is not one of `words`. An absent
/// or empty field is accepted. `path` passes through lists and maps implicitly:
/// `spec.keys.algorithm` names a field of every key.
///
/// # Errors
/// The first value without a counterpart, with the path of its field.
pub fn expect<T: ApiType>(object: &T, path: &str, words: &[&str]) -> Result<(), ConvertError> {
    expect_any(Lent::new(object), path, words)
}

/// As [`expect`], for types that are known only at run time.
///
/// # Errors
/// As [`expect`].
pub fn expect_any(object: &dyn Reflect, path: &str, words: &[&str]) -> Result<(), ConvertError> {
    let names: Vec<&str> = path.split('.').collect();
    check(&Slot::Struct(object), &names, "", words)
}

/// `at` is the path of the slot; `names` is the rest of the path below it.
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
        (Slot::String(word), []) => one_of(word.as_str(), at, words),
        // An enum without other words.
        (Slot::Scalar(word), []) => {
            let mut result = Ok(());
            word.show(&mut |literal| {
                if let Literal::Text(word) = literal {
                    result = one_of(word, at, words);
                }
            });
            result
        }
        _ => Ok(()),
    }
}

fn one_of(word: &str, at: &str, words: &[&str]) -> Result<(), ConvertError> {
    if word.is_empty() || words.contains(&word) {
        return Ok(());
    }
    Err(ConvertError::UnknownWord {
        path: at.to_owned(),
        word: word.to_owned(),
        known: words.iter().map(|word| (*word).to_owned()).collect(),
    })
}
