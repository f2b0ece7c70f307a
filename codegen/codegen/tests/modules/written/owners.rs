//! Owners as a list of texts, and as a map.

use hubgen_machinery::{Str, StrMap};

/// `["team=web"]` → `{team: web}`.
#[expect(clippy::needless_pass_by_value, reason = "generated code passes all parameters by value")]
pub(crate) fn to_hub(owners: Vec<Str>, _name: Str) -> StrMap<Str> {
    let pair = |owner: &Str| {
        let (name, value) = owner.split_once('=').unwrap_or((owner, ""));
        (Str::from(name), Str::from(value))
    };
    owners.iter().map(pair).collect()
}

/// `{team: web}` → `["team=web"]`.
#[expect(clippy::needless_pass_by_value, reason = "generated code passes all parameters by value")]
pub(crate) fn from_hub(owners: StrMap<Str>, _name: Str) -> Vec<Str> {
    owners.iter().map(|(name, value)| format!("{name}={value}").into()).collect()
}
