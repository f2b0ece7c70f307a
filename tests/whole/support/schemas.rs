//! Reads the distilled schemas, and derives plan, defaults, canonical forms and behaviour.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::path::Path;

use hubgen_documents::{behaviour, columns, defaults, rules, schema};
use hubgen_model::Api;
use hubgen_model::behaviour::Behaviours;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_plan::Plan;

/// The content of the schemas.
pub struct Schemas {
    pub api: Api,
    pub plan: Plan,
    pub defaults: Defaults,
    pub canonical: CanonicalForms,
    pub behaviours: Behaviours,
}

impl Schemas {
    /// Reads the schemas from which code is generated.
    pub fn read() -> Self {
        Self::read_from(Path::new("../../schemas/kubernetes"))
    }

    /// Reads the schemas of a folder.
    pub fn read_from(folder: &Path) -> Self {
        let api = schema::read_dir(folder).unwrap();
        let rules = rules::read_dir(&folder.join("rules")).unwrap();
        let plan = hubgen_plan::build(&api, &rules.rules).unwrap();
        let defaults = defaults::read_dir(&folder.join("defaults")).unwrap().resolve(&api).unwrap();
        let canonical = rules.canonical(&api).unwrap();
        let behaviours = behaviour::read_dir(&folder.join(behaviour::FOLDER)).unwrap();
        let mut behaviours = behaviours.resolve(&api, &rules.declared()).unwrap();
        let columns = columns::read_dir(&folder.join(columns::FOLDER)).unwrap();
        columns.resolve(&api, &rules.declared(), &mut behaviours).unwrap();
        Self { api, plan, defaults, canonical, behaviours }
    }
}
