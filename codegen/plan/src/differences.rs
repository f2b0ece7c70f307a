//! What the versions of a family do not have in common, as far as no rule covers it.

use hubgen_model::Api;
use hubgen_model::rules::{Declared, Rules};

use crate::difference::Difference;
use crate::hubs::by_title;
use crate::program::Mapper;
use crate::{Family, Hubs, Types, family, sharing};

/// The differences of each family with several versions that no rule covers. Families without such
/// differences are left out.
pub fn differences(api: &Api, rules: &[Rules]) -> Vec<(Family, Vec<Difference>)> {
    let declared: Vec<Declared> = rules.iter().map(Rules::declared).collect();
    let families = family::families(api, &declared);
    let sharing = sharing::canonical(api, &families);
    let (hubs, _) = Hubs::plan(api, rules);
    let types = Types { api, hubs: &hubs };
    let by_family = by_title(rules);
    let mut out = Vec::new();
    for family in families.into_iter().filter(Family::has_versions) {
        let ruled = by_family.get(&family.title()).copied();
        let Some(root) = api.root(&family.hub, &family.kind) else { continue };
        let hub = hubs.root(&family).unwrap_or(&root.id).clone();
        let mut found = Vec::new();
        for version in &family.members {
            let is_refused = ruled.is_some_and(|(_, rules)| {
                rules.versions.get(version).is_some_and(|rules| rules.not_convertible.is_some())
            });
            if let Some(root) = api.root(version, &family.kind).filter(|_| !is_refused) {
                let mut mapper = Mapper::new(types, &sharing, ruled, version);
                mapper.map(&root.id, &hub);
                found.append(&mut mapper.differences);
            }
        }
        if !found.is_empty() {
            out.push((family, found));
        }
    }
    out
}
