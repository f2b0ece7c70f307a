//! What an archive keeps beside its schemas, so that a release can be added to it later: the releases that it covers,
//! and the decisions that [`Report`] has.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_model::Release;
use serde::{Deserialize, Serialize};

use super::corrections::type_named;
use super::report::{LeftOut, Report};
use super::rules::rules;

/// The name of the file in the folder of the schemas.
pub const FILE: &str = "archive.toml";

const HEAD: &str = "# What the archive was made of. Written by `cargo xtask import` and `cargo xtask release`; never edited.\n\n";

/// The content of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Record {
    /// The releases whose documents were read.
    releases: Vec<String>,
    /// Named rules that applied, and where.
    applied: BTreeMap<String, BTreeSet<String>>,
    /// The preferred version of each group, since when. Of releases before the first one, no document has it.
    #[serde(default)]
    preferred: BTreeMap<String, BTreeMap<String, String>>,
    /// Kinds with the resource of a sibling.
    siblings: BTreeMap<String, String>,
    /// Types that no kind refers to, with their first release.
    unreached: BTreeMap<String, String>,
    /// What documents contain but the schemas do not.
    left_out: BTreeMap<String, String>,
}

impl Report {
    /// The text of [`FILE`].
    pub fn record(&self) -> String {
        let unreached = self.unreached.iter().map(|(id, since)| {
            let since = since.map_or_else(String::new, |since| since.to_string());
            (id.to_string(), since)
        });
        let record = Record {
            releases: self.releases.iter().map(ToString::to_string).collect(),
            applied: self.applied.iter().map(|(name, at)| ((*name).to_owned(), at.clone())).collect(),
            preferred: self
                .preferred
                .iter()
                .map(|(group, known)| {
                    let known = known.iter().map(|(since, version)| (since.to_string(), version.clone()));
                    (group.clone(), known.collect())
                })
                .collect(),
            siblings: self.siblings.clone(),
            unreached: unreached.collect(),
            left_out: self.left_out.iter().map(|left| (left.what.clone(), left.reason.clone())).collect(),
        };
        format!("{HEAD}{}", toml::to_string_pretty(&record).expect("texts and lists of texts are TOML"))
    }

    /// Reads the text of [`FILE`].
    ///
    /// # Errors
    /// What is wrong with it, with the line if it is no TOML.
    pub fn of_record(text: &str) -> Result<Self, String> {
        let record: Record = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut report = Self { siblings: record.siblings, ..Self::default() };
        for release in &record.releases {
            report.releases.insert(release.parse().map_err(|error| format!("releases: {error}"))?);
        }
        for (group, known) in record.preferred {
            for (since, version) in known {
                let since = since.parse().map_err(|error| format!("preferred.{group:?}: {error}"))?;
                report.preferred.entry(group.clone()).or_default().insert(since, version);
            }
        }
        for (name, at) in record.applied {
            let Some(rule) = rules().find(|rule| rule.name == name) else {
                return Err(format!(
                    "applied.{name}: no rule has this name: give it back its old name in \
                     codegen/documents/src/archive/rules.rs, or import all releases again"
                ));
            };
            report.applied.insert(rule.name, at);
        }
        for (name, since) in record.unreached {
            let Some(id) = type_named(&name) else {
                return Err(format!("unreached.{name:?}: expected a type such as \"core/v1 Handler\""));
            };
            let since: Option<Release> = match &*since {
                "" => None,
                since => Some(since.parse().map_err(|error| format!("unreached.{name:?}: {error}"))?),
            };
            report.unreached.insert(id, since);
        }
        report.left_out =
            record.left_out.into_iter().map(|(what, reason)| LeftOut { what, reason }).collect();
        Ok(report)
    }
}
