//! Where a field is at other versions, and which rules take it there.

use hubgen_codegen::Conversions;
use hubgen_model::{Api, Type};

use super::walk::{Range, Walk};
use crate::explain_conversion::path::Path;
use crate::explain_conversion::side::{RuleAt, Side};

/// Where a field is at other versions.
pub struct Elsewhere {
    /// The version that the others convert through.
    pub hub: String,
    /// The fields of the hub that it is; none if the hub has nothing of it.
    pub in_hub: Vec<Path>,
    /// What rules of its own version do with it.
    pub rules: Vec<String>,
    /// The other versions, oldest first.
    pub versions: Vec<AtVersion>,
}

/// A field at another version.
pub struct AtVersion {
    /// The version.
    pub api_version: String,
    /// The fields; none if it has nothing of it, and an annotation keeps it.
    pub fields: Vec<(Path, Range)>,
    /// What rules of this version do with it.
    pub rules: Vec<String>,
}

/// Where a field of a kind is at other versions; `None` if the kind does not convert.
pub fn of(conversions: &Conversions, api: &Api, root: &Type, path: &Path) -> Option<Elsewhere> {
    let own = &root.id.group_version;
    let plan = conversions.plan.conversions.iter().find(|plan| {
        let is_this = |version| {
            plan.members.iter().any(|member| member.group_version == *own && version == &member.root)
        };
        is_this(&root.id)
    })?;
    let here = Side::new(conversions, plan, own)?;
    let crossed = here.to_hub(path);
    let in_hub = crossed.paths;
    let mut versions = Vec::new();
    for member in plan.members.iter().filter(|member| member.group_version != *own) {
        let Some(there) = Side::new(conversions, plan, &member.group_version) else { continue };
        let Some(ty) = api.find(&member.root) else { continue };
        let version = api.versions.get(&ty.id.group_version)?;
        let mut at = AtVersion { api_version: there.version.clone(), fields: Vec::new(), rules: Vec::new() };
        for path in &in_hub {
            let crossed = there.to_version(path);
            at.rules.extend(crossed.rule.map(|(rule, _)| shown(rule)));
            for path in crossed.paths {
                let text = path.to_string();
                if let Ok(walk) = Walk::new(|id| api.find(id), ty, &text)
                    && !at.fields.iter().any(|(known, _)| *known == path)
                {
                    let range = walk.range(version, ty);
                    at.fields.push((path, range));
                }
            }
        }
        at.rules.dedup();
        versions.push(at);
    }
    Some(Elsewhere {
        hub: plan.family.hub.api_version(),
        in_hub,
        rules: crossed.rule.map(|(rule, _)| shown(rule)).into_iter().collect(),
        versions,
    })
}

fn shown(rule: &RuleAt) -> String {
    let texts = |paths: &[Path]| paths.iter().map(Path::to_string).collect::<Vec<_>>().join(", ");
    let [version, hub] = [texts(&rule.version), texts(&rule.hub)];
    let paths = if version == hub || hub.is_empty() { version } else { format!("{version} → {hub}") };
    let detail = rule.detail.as_ref().map_or_else(String::new, |detail| format!(" ({detail})"));
    format!("{} {paths}{detail}", rule.operator)
}
