//! Converts what the model says about a kind's objects to what entries of a Scheme say.

use hubgen_machinery::reflect::Text;
use hubgen_machinery::scheme;
use hubgen_model::Release;
use hubgen_model::behaviour::{
    Behaviour, Behaviours, Deprecation, Generation, NameForm, Priority, SelectableField, StoragePlace,
};

use super::named::named;

/// The priorities of groups, for [`Scheme::set_priority`](scheme::Scheme::set_priority).
pub fn priorities(behaviours: &Behaviours) -> impl Iterator<Item = (&str, scheme::GroupPriority)> {
    let version = |(version, number): &(String, u32)| (Text::from(version.clone()), *number);
    behaviours.priorities.iter().map(move |(group, Priority { group: number, versions })| {
        let versions = versions.iter().map(version).collect();
        (group.as_str(), scheme::GroupPriority { group: *number, versions })
    })
}

/// What a server does with the objects of a kind.
pub(super) fn behaviour(behaviour: Behaviour) -> scheme::Behaviour {
    let field = |SelectableField { name, paths }| scheme::SelectableField {
        name: Text::from(name),
        paths: paths.map(|paths| paths.into_iter().collect()),
    };
    scheme::Behaviour {
        names: match behaviour.names {
            NameForm::Subdomain => scheme::NameForm::Subdomain,
            NameForm::Label => scheme::NameForm::Label,
            NameForm::Label1035 => scheme::NameForm::Label1035,
            NameForm::PathSegment => scheme::NameForm::PathSegment,
        },
        generation: match behaviour.generation {
            Generation::OfSpec => scheme::Generation::OfSpec,
            Generation::Counted => scheme::Generation::Counted,
            Generation::Fixed => scheme::Generation::Fixed,
            Generation::None => scheme::Generation::None,
        },
        generation_metadata: behaviour.generation_metadata.into_iter().collect(),
        status_metadata: behaviour.status_metadata.into_iter().collect(),
        keeps_status_on_creation: behaviour.keeps_status_on_creation,
        selectable_fields: behaviour.selectable_fields.map(|fields| fields.into_iter().map(field).collect()),
        time_to_live: behaviour.time_to_live,
        is_never_owner: behaviour.is_never_owner,
        orphans_dependents: behaviour.orphans_dependents,
        storage: match behaviour.storage {
            StoragePlace::Plural => scheme::StoragePlace::Plural,
            StoragePlace::Named(name) => scheme::StoragePlace::Named(Text::from(name)),
            StoragePlace::Separate => scheme::StoragePlace::Separate,
        },
        deprecation: behaviour.deprecation.map(deprecation),
    }
}

fn deprecation(Deprecation { since, unavailable, replacement, warning }: Deprecation) -> scheme::Deprecation {
    let release = |Release { major, minor }: Release| (major.into(), minor.into());
    scheme::Deprecation {
        since: since.map(release),
        unavailable: unavailable.map(release),
        replacement: replacement.as_ref().map(named),
        warning: warning.map(Text::from),
    }
}
