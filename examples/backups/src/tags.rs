//! Tags as a list of texts, and as a map. No attribute can express it, so that the conversions call these functions.

use hubgen_machinery::{Str, StrMap};

/// The list of an older version as a map: `["team=web"]` → `{team: web}`.
pub fn to_hub(tags: Vec<Str>) -> StrMap<Str> {
    let pair = |tag: &Str| {
        let (name, value) = tag.split_once('=').unwrap_or((tag, ""));
        (Str::from(name), Str::from(value))
    };
    tags.iter().map(pair).collect()
}

/// The map as a list: `{team: web}` → `["team=web"]`.
pub fn from_hub(tags: StrMap<Str>) -> Vec<Str> {
    tags.iter().map(|(name, value)| format!("{name}={value}").into()).collect()
}
