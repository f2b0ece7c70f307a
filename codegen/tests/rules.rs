//! The rules of this repository over its schemas.

use std::path::Path;

use hubgen_codegen::{rules, schema};
use hubgen_model::{family, hub, sharing};

#[test]
fn every_family_is_ruled_shared_or_pending() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/kubernetes");
    let mut api = schema::read_dir(&schemas).unwrap();
    let rules = rules::read_dir(&schemas.join("rules")).unwrap();
    let families = family::families(&api, &rules.declared());
    let sharing = sharing::canonical(&api, &families);
    let plans =
        hub::build(&mut api, &families, &sharing, &rules.rules, &rules.pending).unwrap_or_else(|problems| {
            let lines: Vec<String> = rules.diagnostics(problems).iter().map(ToString::to_string).collect();
            panic!("{}", lines.join("\n"))
        });
    assert!(plans.iter().any(|plan| plan.has_own_hub()));
}
