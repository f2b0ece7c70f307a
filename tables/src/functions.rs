//! Functions that random rules name, as a user's own code would have them.

use hubgen_machinery::Str;
use hubgen_machinery::convert::Functions;

/// All of them, and the Rust types of their parameters and results.
pub const ALL: &[Signature] = &[
    Signature { module: "own::negative", version: &["i32"], hub: &["i32"] },
    Signature { module: "own::optional", version: &["Option<i32>"], hub: &["Option<i32>"] },
    Signature { module: "own::pair", version: &["Option<Str>"], hub: &["Option<Str>", "Option<Str>"] },
    Signature {
        module: "own::swap",
        version: &["Option<Str>", "Option<i32>"],
        hub: &["Option<i32>", "Option<Str>"],
    },
];

/// What a function takes and returns.
pub struct Signature {
    pub module: &'static str,
    pub version: &'static [&'static str],
    pub hub: &'static [&'static str],
}

/// The functions, for the interpreter.
pub fn registered() -> Functions {
    Functions::default()
        .with("own::negative", negative::to_hub, negative::from_hub)
        .with("own::optional", optional::to_hub, optional::from_hub)
        .with("own::pair", pair::to_hub, pair::from_hub)
        .with("own::swap", swap::to_hub, swap::from_hub)
}

mod negative {
    pub fn to_hub(number: i32) -> i32 {
        number.wrapping_neg()
    }

    pub fn from_hub(number: i32) -> i32 {
        number.wrapping_neg()
    }
}

mod optional {
    pub fn to_hub(number: Option<i32>) -> Option<i32> {
        number.map(i32::wrapping_neg)
    }

    pub fn from_hub(number: Option<i32>) -> Option<i32> {
        number.map(i32::wrapping_neg)
    }
}

/// The text before and after the first `/`.
mod pair {
    use super::Str;

    pub fn to_hub(both: Option<Str>) -> (Option<Str>, Option<Str>) {
        match both.as_deref().and_then(|both| both.split_once('/')) {
            Some((first, second)) => (Some(first.into()), Some(second.into())),
            None => (both, None),
        }
    }

    pub fn from_hub(first: Option<Str>, second: Option<Str>) -> Option<Str> {
        match (first, second) {
            (first, Some(second)) => Some(format!("{}/{second}", first.unwrap_or_default()).into()),
            (first, None) => first,
        }
    }
}

mod swap {
    use super::Str;

    pub fn to_hub(text: Option<Str>, number: Option<i32>) -> (Option<i32>, Option<Str>) {
        (number, text)
    }

    pub fn from_hub(number: Option<i32>, text: Option<Str>) -> (Option<Str>, Option<i32>) {
        (text, number)
    }
}
