//! The rules of this repository over its schemas.

use std::path::Path;

use hubgen_documents::{rules, schema};

#[test]
fn the_rules_cover_every_family_whose_versions_differ() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/kubernetes");
    let mut api = schema::read_dir(&schemas).unwrap();
    let rules = rules::read_dir(&schemas.join("rules")).unwrap();
    let plan = hubgen_plan::build(&mut api, &rules.rules).unwrap_or_else(|problems| {
        let lines: Vec<String> = rules.diagnostics(problems).iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"))
    });
    assert!(plan.conversions.iter().any(|plan| plan.has_own_hub()));
}
