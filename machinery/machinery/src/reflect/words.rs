//! The words of open enums.

use std::collections::BTreeMap;

use crate::StrMap;

/// An enum of words that accepts other words, too; also in an `Option`, a list or a map.
///
/// `#[derive(ApiType)]` implements it for enums with a variant that is marked `#[field(other)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no words, which `one_of` without a list needs",
    note = "list the words: `#[field(one_of(\"A\", \"B\"))]`",
    note = "or use an enum with one more variant for other words: `#[field(other)] Other(Str)`"
)]
pub trait HasWords {
    /// The words that have a variant, in the order of the variants.
    const WORDS: &'static [&'static str];
}

macro_rules! containers {
    ($([$($generics:ident),*] $rust:ty),* $(,)?) => {$(
        impl<$($generics,)* T: HasWords> HasWords for $rust {
            const WORDS: &'static [&'static str] = T::WORDS;
        }
    )*};
}

containers!([] Option<T>, [] Box<T>, [] Vec<T>, [] StrMap<T>, [K] BTreeMap<K, T>);
