//! The rules of this repository, checked against its schemas.

use std::path::Path;

use hubgen_documents::{rules, schema};
use hubgen_model::Api;
use hubgen_model::rules::Where;
use hubgen_plan::report::steps;
use hubgen_plan::{FamilyPlan, How, Plan};

fn planned() -> (Api, Plan) {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/kubernetes");
    let api = schema::read_dir(&schemas).unwrap();
    let rules = rules::read_dir(&schemas.join("rules")).unwrap();
    let plan = hubgen_plan::build(&api, &rules.rules).unwrap_or_else(|problems| {
        let lines: Vec<String> = rules.diagnostics(problems).iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"))
    });
    (api, plan)
}

#[test]
fn the_rules_cover_every_family_whose_versions_differ() {
    let (_, plan) = planned();
    assert!(plan.conversions.iter().any(|plan| plan.has_own_hub()));
}

/// Whoever explains a conversion finds every rule that the programs carry out, and knows where it is.
#[test]
fn every_rule_has_a_step_with_its_place() {
    let (_, plan) = planned();
    let mut count = 0;
    for FamilyPlan { family, hub, members, .. } in &plan.conversions {
        for member in members {
            let How::Convert(mapping) = &member.how else { continue };
            let steps = steps(mapping, &member.root, hub);
            for rule in mapping.rules.values().flatten() {
                let step = steps.iter().find(|step| step.place == rule.place);
                let title = format!("{} {}: {rule:?}", family.title(), member.group_version);
                assert_eq!(step.expect(&title).operator, rule.operator);
                assert!(matches!(rule.place, Where::Rules(..)), "{title}");
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count} rules");
}

#[test]
fn only_the_plan_contains_types_of_hubs() {
    let (api, plan) = planned();
    let types = plan.types(&api);
    for FamilyPlan { family, hub, .. } in plan.conversions.iter().filter(|plan| plan.has_own_hub()) {
        let root = types.find(hub).unwrap_or_else(|| panic!("{hub} is missing"));
        assert_eq!((&root.id, &hub.group_version), (hub, &family.hub));
        assert_eq!(api.find(hub), None, "{hub} belongs to a version");
        let extended = api.root(&family.hub, &family.kind).unwrap();
        assert_eq!(types.find(&extended.id), Some(extended));
        assert!(extended.id != *hub && extended.fields() != root.fields(), "{hub} adds nothing");
    }
}
