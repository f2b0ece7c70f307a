//! Tags as a list of texts, and as a map. No attribute can express it, so that the conversions call these functions.

use hubgen_machinery::{Str, StrMap};

/// The list of an older version as a map: `["team=web"]` → `{team: web}`.
///
/// # Errors
/// When a tag is there twice. The map would lose one of the values.
pub fn to_hub(tags: Vec<Str>) -> Result<StrMap<Str>, String> {
    let mut map = StrMap::new();
    for tag in &tags {
        let (name, value) = tag.split_once('=').unwrap_or((tag, ""));
        if map.insert(name, Str::from(value)).is_some() {
            return Err(format!("the tag `{name}` is there twice"));
        }
    }
    Ok(map)
}

/// The map as a list: `{team: web}` → `["team=web"]`.
pub fn from_hub(tags: StrMap<Str>) -> Vec<Str> {
    tags.iter().map(|(name, value)| format!("{name}={value}").into()).collect()
}
