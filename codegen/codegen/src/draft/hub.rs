//! The version that people choose as the hub.

use std::collections::BTreeSet;

use hubgen_documents::Diagnostic;
use hubgen_model::GroupVersion;
use hubgen_plan::family::Family;

/// The families that have a version, which becomes their hub. The version is given with or without its group.
///
/// # Errors
/// If no family has it.
pub(super) fn with_hub(hub: &str, families: Vec<Family>) -> Result<Vec<Family>, Diagnostic> {
    let is_it = |member: &GroupVersion| member.version.as_str() == hub || member.to_string() == hub;
    let known: BTreeSet<String> =
        families.iter().flat_map(|family| &family.members).map(ToString::to_string).collect();
    let found: Vec<Family> = families
        .into_iter()
        .filter_map(|family| {
            let hub = family.members.iter().find(|member| is_it(member))?.clone();
            Some(Family { hub, ..family })
        })
        .collect();
    if found.is_empty() {
        let help = match known.is_empty() {
            true => "only kinds with several versions need a hub".to_owned(),
            false => format!("choose one of {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        };
        return Err(Diagnostic::message(format!("no kind without rules has the version `{hub}`"), help));
    }
    Ok(found)
}
