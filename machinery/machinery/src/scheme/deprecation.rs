//! Versions of kinds that clients should not use any more.

use super::name::GroupVersionKind;
use crate::reflect::Text;

/// That clients should use another version of a kind, or another kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The release since which they should; `None` if they always should.
    pub since: Option<(u32, u32)>,
    /// The first release that does not serve this one any more, if that is decided.
    pub unavailable: Option<(u32, u32)>,
    /// What they should use, if there is something.
    pub replacement: Option<GroupVersionKind>,
    /// What they are told, if it is not made of the other facts.
    pub warning: Option<Text>,
}

/// A [`Deprecation`], for static tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeprecationRow {
    /// See [`Deprecation::since`].
    pub since: Option<(u32, u32)>,
    /// See [`Deprecation::unavailable`].
    pub unavailable: Option<(u32, u32)>,
    /// Group, version and kind. See [`Deprecation::replacement`].
    pub replacement: Option<(&'static str, &'static str, &'static str)>,
    /// See [`Deprecation::warning`].
    pub warning: Option<&'static str>,
}

impl From<&DeprecationRow> for Deprecation {
    fn from(row: &DeprecationRow) -> Self {
        Self {
            since: row.since,
            unavailable: row.unavailable,
            replacement: row.replacement.map(GroupVersionKind::from),
            warning: row.warning.map(Text::Static),
        }
    }
}

impl Deprecation {
    /// What a server of a release tells clients that use a kind, if they should not.
    pub(super) fn text(&self, kind: &str, release: (u32, u32)) -> Option<String> {
        let Self { since, unavailable, replacement, warning } = self;
        if since.is_some_and(|since| since > release) {
            return None;
        }
        if let Some(warning) = warning {
            return Some(warning.to_string());
        }
        let mut text = format!("{kind} is deprecated");
        if let Some((major, minor)) = since {
            text.push_str(&format!(" in v{major}.{minor}+"));
        }
        if let Some((major, minor)) = unavailable {
            text.push_str(&format!(", unavailable in v{major}.{minor}+"));
        }
        if let Some(GroupVersionKind { group, version, kind }) = replacement {
            let slash = if group.is_empty() { "" } else { "/" };
            text.push_str(&format!("; use {group}{slash}{version} {kind}"));
        }
        Some(text)
    }
}
