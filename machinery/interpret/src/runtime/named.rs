//! Names of kinds.

use hubgen_machinery::reflect::Text;
use hubgen_machinery::scheme;
use hubgen_model::{GroupVersion, GroupVersionKind};

/// The name of a kind, as a Scheme has it.
pub(super) fn named(name: &GroupVersionKind) -> scheme::GroupVersionKind {
    let GroupVersion { group, version } = &name.group_version;
    scheme::GroupVersionKind {
        group: Text::from(group.clone()),
        version: Text::from(version.clone()),
        kind: Text::from(name.kind.clone()),
    }
}
