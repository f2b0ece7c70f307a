//! Reads the distilled schemas, and derives plan, defaults and canonical forms.

use std::path::Path;

use hubgen_documents::{defaults, rules, schema};
use hubgen_model::Api;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_plan::Plan;

/// The content of the schemas.
pub struct Schemas {
    pub api: Api,
    pub plan: Plan,
    pub defaults: Defaults,
    pub canonical: CanonicalForms,
}

impl Schemas {
    /// Reads the schemas from which code is generated.
    pub fn read() -> Self {
        let folder = Path::new("../../schemas/kubernetes");
        let api = schema::read_dir(folder).unwrap();
        let rules = rules::read_dir(&folder.join("rules")).unwrap();
        let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
        let defaults = defaults::read_dir(&folder.join("defaults")).unwrap().resolve(&api).unwrap();
        let canonical = rules.canonical(&api).unwrap();
        Self { api, plan, defaults, canonical }
    }
}
