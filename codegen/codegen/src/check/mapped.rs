//! Checks that defaults can be converted: a default of a field with a value map must be one of the mapped values.

use hubgen_model::defaults::{DefaultStep, Defaults};
use hubgen_model::rules::{By, Problem, Rule, Rules, Where};
use hubgen_model::{Api, GroupVersion, TypeId};
use hubgen_plan::{Direction, Expected, FamilyPlan, How};
use serde_json::Value;

/// All defaults that a conversion would refuse. An object with such a default could be stored, but not be read at
/// another version.
pub fn defaults(api: &Api, rules: &[Rules], plans: &[FamilyPlan], defaults: &Defaults) -> Vec<Problem> {
    let check = Check { api, defaults };
    plans.iter().flat_map(|plan| check.family(rules, plan)).collect()
}

/// The rule by which a field converts; the line of the hub if another version has the rule.
fn place(
    (file, rules): (usize, &Rules),
    version: &GroupVersion,
    direction: Direction,
    expected: &Expected,
) -> Where {
    let own = rules.versions.get(version);
    let of_types = own.into_iter().flat_map(|own| own.types.values().flat_map(|(_, rules)| rules));
    let mut all = own.into_iter().flat_map(|own| &own.rules).chain(of_types);
    let rule = all.find(|rule| match &rule.value {
        Rule::Move { from, to, by: By::Words(_) } => {
            let path = match direction {
                Direction::ToHub => from,
                Direction::FromHub => to,
            };
            // Paths in the table of a type begin at the type.
            let above = expected.path.strip_suffix(&path.to_string());
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        }
        _ => false,
    });
    rule.map_or_else(|| rules.hub.place(file), |rule| rule.place(file))
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
        let mut problems = Vec::new();
        for member in &plan.members {
            let How::Convert(mapping) = &member.how else { continue };
            let all = [Direction::ToHub, Direction::FromHub].into_iter().flat_map(|direction| {
                mapping.expected(direction).iter().map(move |found| (direction, found))
            });
            for (direction, expected) in all {
                let (from, to) = match direction {
                    Direction::ToHub => (&member.root, hub),
                    Direction::FromHub => (hub, &member.root),
                };
                for default in self.refused(from, expected) {
                    let rule = |file| place(file, &member.group_version, direction, expected);
                    problems.push(Problem {
                        place: file.map_or(Where::Nowhere, rule),
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
