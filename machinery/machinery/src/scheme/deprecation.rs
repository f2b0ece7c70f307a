//! Versions of kinds that clients should not use any more.

use super::{GroupVersionKind, KindEntry};
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
    /// What they are told, if it is not [made](KindEntry::deprecation_warning) of the other facts.
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

impl KindEntry {
    /// What a server of a release tells clients that use the kind at this version, if they should use another one. The
    /// text is that of the reference server.
    ///
    /// ```
    /// use hubgen_machinery::ApiType;
    /// use hubgen_machinery::scheme::{BehaviourRow, DeprecationRow, KindEntry, KindRow};
    ///
    /// #[derive(ApiType)]
    /// #[kind(group = "example.com", version = "v1beta1", kind = "Widget")]
    /// struct Widget {
    ///     size: i32,
    /// }
    ///
    /// static ROW: KindRow = KindRow {
    ///     behaviour: BehaviourRow {
    ///         deprecation: Some(DeprecationRow {
    ///             since: Some((1, 19)),
    ///             unavailable: Some((1, 22)),
    ///             replacement: Some(("example.com", "v1", "Widget")),
    ///             warning: None,
    ///         }),
    ///         ..BehaviourRow::USUAL
    ///     },
    ///     ..KindRow::of::<Widget>()
    /// };
    ///
    /// let entry = KindEntry::from(&ROW);
    /// assert_eq!(entry.deprecation_warning((1, 18)), None);
    /// assert_eq!(
    ///     entry.deprecation_warning((1, 37)).as_deref(),
    ///     Some("example.com/v1beta1 Widget is deprecated in v1.19+, unavailable in v1.22+; use example.com/v1 Widget")
    /// );
    /// ```
    pub fn deprecation_warning(&self, release: (u32, u32)) -> Option<String> {
        let Deprecation { since, unavailable, replacement, warning } = self.behaviour.deprecation.as_ref()?;
        if since.is_some_and(|since| since > release) {
            return None;
        }
        if let Some(warning) = warning {
            return Some(warning.to_string());
        }
        let mut text = format!("{} {} is deprecated", self.api_version(), self.kind);
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
