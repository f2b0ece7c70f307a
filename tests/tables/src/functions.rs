//! Functions that random rules name, as a user's own code would have them.

use hubgen_machinery::Str;
use hubgen_machinery::convert::Functions;

/// All of them, and the Rust types of their parameters and results.
pub(crate) const ALL: &[Signature] = &[
    Signature { module: "hubgen_tables::functions::negative", version: &["i32"], hub: &["i32"] },
    Signature {
        module: "hubgen_tables::functions::optional",
        version: &["Option<i32>"],
        hub: &["Option<i32>"],
    },
    Signature {
        module: "hubgen_tables::functions::pair",
        version: &["Option<Str>"],
        hub: &["Option<Str>", "Option<Str>"],
    },
    Signature {
        module: "hubgen_tables::functions::swap",
        version: &["Option<Str>", "Option<i32>"],
        hub: &["Option<i32>", "Option<Str>"],
    },
];

/// What a function takes and returns.
pub(crate) struct Signature {
    pub module: &'static str,
    pub version: &'static [&'static str],
    pub hub: &'static [&'static str],
}

/// The functions, for the interpreter.
pub fn registered() -> Functions {
    Functions::default()
        .with("hubgen_tables::functions::negative", negative::to_hub, negative::from_hub)
        .with("hubgen_tables::functions::optional", optional::to_hub, optional::from_hub)
        .with("hubgen_tables::functions::pair", pair::to_hub, pair::from_hub)
        .with("hubgen_tables::functions::swap", swap::to_hub, swap::from_hub)
}

/// Another sign.
pub mod negative {
    /// To the hub.
    pub fn to_hub(number: i32) -> i32 {
        number.wrapping_neg()
    }

    /// From the hub.
    pub fn from_hub(number: i32) -> i32 {
        number.wrapping_neg()
    }
}

/// Another sign, if there is a number.
pub mod optional {
    /// To the hub.
    pub fn to_hub(number: Option<i32>) -> Option<i32> {
        number.map(i32::wrapping_neg)
    }

    /// From the hub.
    pub fn from_hub(number: Option<i32>) -> Option<i32> {
        number.map(i32::wrapping_neg)
    }
}

/// The text before and after the first `/`.
pub mod pair {
    use super::Str;

    /// To the hub.
    pub fn to_hub(both: Option<Str>) -> (Option<Str>, Option<Str>) {
        match both.as_deref().and_then(|both| both.split_once('/')) {
            Some((first, second)) => (Some(first.into()), Some(second.into())),
            None => (both, None),
        }
    }

    /// From the hub.
    pub fn from_hub(first: Option<Str>, second: Option<Str>) -> Option<Str> {
        match (first, second) {
            (first, Some(second)) => Some(format!("{}/{second}", first.unwrap_or_default()).into()),
            (first, None) => first,
        }
    }
}

/// The other order.
pub mod swap {
    use super::Str;

    /// To the hub.
    pub fn to_hub(text: Option<Str>, number: Option<i32>) -> (Option<i32>, Option<Str>) {
        (number, text)
    }

    /// From the hub.
    pub fn from_hub(number: Option<i32>, text: Option<Str>) -> (Option<Str>, Option<i32>) {
        (text, number)
    }
}
