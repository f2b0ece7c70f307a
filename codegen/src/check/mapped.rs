//! Checks that defaults can be converted: a default of a field with a value map must be one of the mapped values.

use hubgen_model::defaults::{DefaultStep, Defaults};
use hubgen_model::rules::{Problem, Rules, Where};
use hubgen_model::{Api, TypeId};
use hubgen_plan::{Expected, FamilyPlan, How};
use serde_json::Value;

/// All defaults that a conversion would refuse. An object with such a default could be stored, but not be read at
/// another version.
pub fn defaults(api: &Api, rules: &[Rules], plans: &[FamilyPlan], defaults: &Defaults) -> Vec<Problem> {
    let check = Check { api, defaults };
    plans.iter().flat_map(|plan| check.family(rules, plan)).collect()
}

struct Check<'a> {
    api: &'a Api,
    defaults: &'a Defaults,
}

impl Check<'_> {
    fn family(&self, rules: &[Rules], plan: &FamilyPlan) -> Vec<Problem> {
        let hub = plan.members.iter().find(|member| member.group_version == plan.hub.group_version);
        let Some(hub) = hub.map(|hub| &hub.root) else { return Vec::new() };
        let file = rules
            .iter()
            .enumerate()
            .find(|(_, rules)| (&rules.hub.value, &rules.kind.value) == (&hub.group_version, &hub.name));
        let place = file.map_or(Where::Nowhere, |(at, rules)| Where::Rules(at, rules.hub.span.clone()));
        let mut problems = Vec::new();
        for member in &plan.members {
            let How::Convert(mapping) = &member.how else { continue };
            let to_hub = mapping.expected_to_hub.iter().map(|expected| (&member.root, hub, expected));
            let from_hub = mapping.expected_from_hub.iter().map(|expected| (hub, &member.root, expected));
            for (from, to, expected) in to_hub.chain(from_hub) {
                for default in self.refused(from, expected) {
                    problems.push(Problem {
                        place: place.clone(),
                        path: format!("{}.{}", from.group_version, expected.path),
                        message: format!("the default `{default}` has no counterpart in {}", to.group_version),
                        help: format!(
                            "add `{default}` to the `words` of the rule, or set another default; the words are {}",
                            expected.words.join(", ")
                        ),
                    });
                }
            }
        }
        problems
    }

    /// The defaults of a field, wherever on its path they are set, that are not among the expected values.
    fn refused(&self, root: &TypeId, expected: &Expected) -> Vec<String> {
        let mut names: Vec<&str> = expected.path.split('.').collect();
        let mut ty = self.api.find(root);
        let mut found = Vec::new();
        while let (Some(current), false) = (ty, names.is_empty()) {
            for step in self.defaults.steps(current) {
                if let DefaultStep::Set { path, value: Value::String(value), .. } = &*step
                    && path.iter().eq(&names)
                    && !value.is_empty()
                    && !expected.words.contains(value)
                {
                    found.push(value.clone());
                }
            }
            let name = names.remove(0);
            let field = current.fields().iter().find(|field| field.name == name);
            ty = field.and_then(|field| field.ty.named()).and_then(|id| self.api.find(id));
        }
        found
    }
}
