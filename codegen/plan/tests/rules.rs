//! The rules of this repository, checked against its schemas.

use std::path::Path;

use hubgen_documents::{rules, schema};
use hubgen_model::Api;
use hubgen_plan::{FamilyPlan, Plan};

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
