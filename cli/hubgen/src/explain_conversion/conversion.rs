//! What a conversion does, whatever the object.

use std::path::Path as File;
use std::sync::Arc;

use hubgen_codegen::{Conversions, Target};
use hubgen_documents::project::Project;
use hubgen_kubernetes::machinery::scheme::KindEntry;
use hubgen_migrate::is_of_repository;
use hubgen_model::GroupVersion;
use hubgen_terminal::Diagnostic;

use super::path::Path;
use super::side::{RuleAt, Side};
use super::versions::Both;
use crate::generate::kubernetes;

/// A conversion from one version to another.
pub struct Explained {
    /// The kind.
    pub kind: String,
    /// The version that the others convert through.
    pub hub: String,
    /// Whether the hub has fields that this version does not have.
    pub has_own_hub: bool,
    /// The way to the hub.
    pub from: Side,
    /// The way from the hub.
    pub to: Side,
}

/// A rule, with its fields at both versions and in the hub.
pub struct Row<'a> {
    /// The rule.
    pub rule: &'a RuleAt,
    /// The fields at the version that is converted.
    pub from: Vec<Path>,
    /// The fields at the version that comes out.
    pub to: Vec<Path>,
}

impl Explained {
    /// The conversion of a kind between two versions. `config` describes the repository, if the kind is in one.
    ///
    /// # Errors
    /// All errors in the repository.
    pub fn new(both: Both<'_>, config: Option<&File>) -> Result<Self, Vec<Diagnostic>> {
        let [from, to] = both;
        let conversions = match config.filter(|_| is_of_repository(from)) {
            Some(config) => {
                let project = Project::named(config)?;
                let schemas = project.root.join(&project.schemas);
                Conversions::of_repository(&schemas, &kubernetes(), &Target::project(&project))?
            }
            None => Conversions::of_files(File::new("schemas/kubernetes"), hubgen_schemas::kubernetes())?,
        };
        let [first, second] = [from, to].map(group_version);
        let has = |version: &GroupVersion, members: &[GroupVersion]| members.contains(version);
        let plan = conversions.plan.conversions.iter().find(|plan| {
            let members = &plan.family.members;
            *plan.family.kind == *from.kind && has(&first, members) && has(&second, members)
        });
        let explained = plan.and_then(|plan| {
            Some(Self {
                kind: from.kind.to_string(),
                hub: plan.family.hub.api_version(),
                has_own_hub: plan.has_own_hub(),
                from: Side::new(&conversions, plan, &first)?,
                to: Side::new(&conversions, plan, &second)?,
            })
        });
        explained.ok_or_else(|| {
            let message = format!("no rules say how {from} converts to {}", to.api_version());
            vec![Diagnostic::message(message, "this is a bug in hubgen, not in the command")]
        })
    }

    /// The rules on the way to the hub.
    pub fn rules_to_hub(&self) -> Vec<Row<'_>> {
        let row = |rule| Row { rule, from: rule.version.clone(), to: at(&self.to, &rule.hub) };
        self.from.rules.iter().map(row).collect()
    }

    /// The rules on the way from the hub.
    pub fn rules_from_hub(&self) -> Vec<Row<'_>> {
        let row = |rule| Row { rule, from: at(&self.from, &rule.hub), to: rule.version.clone() };
        self.to.rules.iter().map(row).collect()
    }

    /// What a client at the new version does not see, and annotations keep. What the old version cannot represent
    /// either is not in its objects.
    pub fn hidden(&self) -> Vec<&str> {
        let kept = self.to.account.kept.iter().filter(|line| !self.from.account.kept.contains(line));
        kept.map(String::as_str).collect()
    }
}

/// The fields of a version that fields of the hub are.
fn at(side: &Side, hub: &[Path]) -> Vec<Path> {
    hub.iter().flat_map(|path| side.to_version(path).paths).collect()
}

fn group_version(entry: &Arc<KindEntry>) -> GroupVersion {
    GroupVersion::new(entry.group.to_string(), entry.version.to_string())
}
