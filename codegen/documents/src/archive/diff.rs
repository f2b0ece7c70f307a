//! Lists what an import changed.

use hubgen_model::{Api, Type};

/// Compares two states of an API. Returns one line for each group version that was added, removed
/// or changed, with the numbers of its types, kinds and fields.
pub fn diff(old: &Api, new: &Api) -> Vec<String> {
    let mut lines = Vec::new();
    for (group_version, version) in &new.versions {
        match old.versions.get(group_version) {
            None => lines.push(format!("+ {group_version} ({} types)", version.types.len())),
            Some(before) if before != version => {
                let count = |types: &mut dyn Iterator<Item = &Type>, kinds: bool| {
                    types.filter(|ty| !kinds || ty.kind.is_some()).count()
                };
                let mut came = version.types.values().filter(|ty| !before.types.contains_key(&ty.id.name));
                let mut went = before.types.values().filter(|ty| !version.types.contains_key(&ty.id.name));
                let mut parts = Vec::new();
                for (sign, list) in [("+", came.by_ref().collect::<Vec<_>>()), ("-", went.by_ref().collect())]
                {
                    if !list.is_empty() {
                        let kinds = count(&mut list.iter().copied(), true);
                        parts.push(format!("{sign}{} types ({kinds} kinds)", list.len()));
                    }
                }
                let (mut types, mut added, mut removed, mut changed) = (0, 0, 0, 0);
                for (ty, old) in
                    version.types.values().filter_map(|ty| Some((ty, before.types.get(&ty.id.name)?)))
                {
                    if ty == old {
                        continue;
                    }
                    types += 1;
                    added += ty.fields().iter().filter(|field| old.field(&field.name).is_none()).count();
                    removed += old.fields().iter().filter(|field| ty.field(&field.name).is_none()).count();
                    let differs = |field: &&hubgen_model::Field| {
                        old.field(&field.name).is_some_and(|old| old != *field)
                    };
                    changed += ty.fields().iter().filter(differs).count();
                }
                if added + removed + changed > 0 {
                    parts.push(format!("{types} types changed (fields: +{added} -{removed} ~{changed})"));
                } else if types > 0 {
                    parts.push(format!("{types} types changed (order of fields, or facts about the kind)"));
                }
                if parts.is_empty() {
                    parts.push("first or last release changed".to_owned());
                }
                lines.push(format!("~ {group_version}: {}", parts.join(", ")));
            }
            Some(_) => {}
        }
    }
    for group_version in old.versions.keys().filter(|known| !new.versions.contains_key(*known)) {
        lines.push(format!("- {group_version}"));
    }
    lines
}
