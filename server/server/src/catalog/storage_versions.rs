//! The version that each kind is stored at.

use std::sync::Arc;

use hubgen_machinery::scheme::{Conversion, KindEntry, Scheme};

/// A choice of storage versions that cannot be parsed: the item, what is wrong with it, and what is valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidStorageVersions(String);

/// The storage version of each family for which an operator chose one.
///
/// Each stored object contains its version, so a later change of this choice leaves existing
/// objects readable.
#[derive(Clone, Debug, Default)]
pub struct StorageVersions {
    /// At most one entry per family.
    chosen: Vec<Arc<KindEntry>>,
}

impl StorageVersions {
    /// Parses the operator's choice in the format of upstream's `--storage-versions`.
    ///
    /// Items are separated by commas. The item `group/version` (`version` for the core group)
    /// stores every kind that has this version at it. The item `from=group/version`, which is for
    /// kinds that moved, does so only for those kinds that were ever in group `from`, as in
    /// `extensions=apps/v1`. If two items match one kind, the one for the group where the kind is
    /// stored wins, else the later one.
    ///
    /// # Errors
    /// If an item is malformed, names an unknown group or version, or matches no kind.
    pub fn parse(text: &str, scheme: &Scheme) -> Result<Self, InvalidStorageVersions> {
        let mut out = Self::default();
        // Items for the storage group of a kind are applied last, so that they win.
        let mut home = Vec::new();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (from, group_version) = match item.split_once('=') {
                Some((from, group_version)) => (Some(from), group_version),
                None => (None, item),
            };
            let (group, version) = split(group_version).ok_or_else(|| {
                InvalidStorageVersions(format!(
                    "{item}: expected `group/version` or `group=othergroup/version`, found `{group_version}`"
                ))
            })?;
            check_version(item, group, version, scheme)?;
            let from = from.unwrap_or(group);
            check_group(item, from, scheme)?;
            let mut found = false;
            for entry in scheme.kinds().filter(|entry| entry.group == group && entry.version == version) {
                let mut members = entry.family.iter().flat_map(|family| &family.members);
                let was_there = group == from || members.any(|member| member.group == from);
                let fits = was_there
                    && entry.resource.is_some()
                    && !matches!(entry.conversion, Conversion::NotConvertible(_));
                if !fits {
                    continue;
                }
                found = true;
                if entry.storage().0 == from {
                    home.push(entry);
                } else {
                    out.choose(entry);
                }
            }
            if !found {
                return Err(InvalidStorageVersions(format!(
                    "{item}: no kind of group `{from}` can be stored at {group_version}: no kind has \
                     this version, or the kinds that have it do not convert to their other versions"
                )));
            }
        }
        home.into_iter().for_each(|entry| out.choose(entry));
        Ok(out)
    }

    fn choose(&mut self, entry: &Arc<KindEntry>) {
        self.chosen.retain(|other| other.storage() != entry.storage());
        self.chosen.push(Arc::clone(entry));
    }

    /// The version at which an object of this kind is stored: the operator's choice, else the
    /// default of the family. If the kind does not convert to that version, it is stored at the
    /// version of the request.
    pub fn for_kind<'a>(&'a self, entry: &'a Arc<KindEntry>, scheme: &'a Scheme) -> &'a Arc<KindEntry> {
        let storage = entry.storage();
        let chosen = self.chosen.iter().find(|chosen| chosen.storage() == storage);
        match chosen.or_else(|| scheme.kind(storage.0, storage.1, storage.2)) {
            Some(wanted) if converts(entry) && converts(wanted) => wanted,
            _ => entry,
        }
    }
}

fn converts(entry: &KindEntry) -> bool {
    entry.untyped.is_some() || matches!(entry.conversion, Conversion::Hub(_))
}

/// Splits `apps/v1` or `v1` into group and version.
fn split(text: &str) -> Option<(&str, &str)> {
    let (group, version) = text.split_once('/').unwrap_or(("", text));
    (!version.is_empty() && !version.contains('/')).then_some((group, version))
}

fn check_group(item: &str, group: &str, scheme: &Scheme) -> Result<(), InvalidStorageVersions> {
    let mut groups: Vec<&str> = scheme.kinds().filter(|e| e.resource.is_some()).map(|e| &*e.group).collect();
    groups.dedup();
    if groups.contains(&group) {
        return Ok(());
    }
    groups.retain(|group| !group.is_empty());
    let known = groups.join(", ");
    Err(InvalidStorageVersions(format!("{item}: unknown group `{group}`; known groups are {known}")))
}

fn check_version(
    item: &str,
    group: &str,
    version: &str,
    scheme: &Scheme,
) -> Result<(), InvalidStorageVersions> {
    check_group(item, group, scheme)?;
    let mut versions: Vec<&str> =
        scheme.kinds().filter(|e| e.group == group && e.resource.is_some()).map(|e| &*e.version).collect();
    versions.dedup();
    if versions.contains(&version) {
        return Ok(());
    }
    let name = if group.is_empty() { "the core group".to_owned() } else { format!("group `{group}`") };
    let known = versions.join(", ");
    let message = format!("{item}: unknown version `{version}` of {name}; known versions are {known}");
    Err(InvalidStorageVersions(message))
}
