//! One of the two halves of a conversion: between a version and the hub.

use std::path::PathBuf;

use hubgen_codegen::Conversions;
use hubgen_model::GroupVersion;
use hubgen_plan::report::{Account, Canonical, Step, account, canonical, steps};
use hubgen_plan::{FamilyPlan, How, Kept};

use super::path::Path;

/// How a version converts to the hub and back.
pub struct Side {
    /// The version: `apps/v1`.
    pub version: String,
    /// Whether its type is the hub.
    pub is_hub: bool,
    /// What each of its rules does.
    pub rules: Vec<RuleAt>,
    /// What becomes of its fields, as lines.
    pub account: Account,
    /// What does not come back as it was, each with its line.
    pub canonical: Vec<(Canonical, String)>,
    /// The fields that Kubernetes keeps in annotations, each with the key.
    pub annotations: Vec<(Path, String)>,
}

/// A rule, and the fields that it is about.
pub struct RuleAt {
    /// Its operator.
    pub operator: &'static str,
    /// What to know of it besides its operator and its paths.
    pub detail: Option<String>,
    /// The file and the line that it is at.
    pub line: Option<(PathBuf, u32)>,
    /// The fields of the version.
    pub version: Vec<Path>,
    /// The fields of the hub.
    pub hub: Vec<Path>,
}

/// Where a field is on the other side of a rule.
pub struct Crossed<'a> {
    /// The fields there. None if the other side has no such field.
    pub paths: Vec<Path>,
    /// The rule, and how many parts of the path it is about; `None` if the field has the same path without one.
    pub rule: Option<(&'a RuleAt, usize)>,
}

impl Side {
    /// The half of a version; `None` if it does not convert.
    pub fn new(conversions: &Conversions, plan: &FamilyPlan, version: &GroupVersion) -> Option<Self> {
        let member = plan.members.iter().find(|member| member.group_version == *version)?;
        let How::Convert(mapping) = &member.how else { return None };
        let (root, hub) = (&member.root, &plan.hub);
        let rule = |Step { operator, detail, place, version, hub }| RuleAt {
            operator,
            detail,
            line: conversions.line(&place),
            version: version.iter().map(|path| Path::of_rule(path)).collect(),
            hub: hub.iter().map(|path| Path::of_rule(path)).collect(),
        };
        let kept = |kept: &Kept| (Path::of_rule(&kept.path.to_string()), kept.annotation.key.clone());
        Some(Self {
            version: version.api_version(),
            is_hub: root == hub,
            rules: steps(mapping, root, hub).into_iter().map(rule).collect(),
            account: account(conversions.plan.types(&conversions.api), mapping, root, hub),
            canonical: canonical(mapping, root, hub),
            annotations: mapping.kept.iter().map(kept).collect(),
        })
    }

    /// Where a field of the hub is at the version.
    pub fn to_version(&self, path: &Path) -> Crossed<'_> {
        self.cross(path, |rule| (&rule.hub, &rule.version))
    }

    /// Where a field of the version is in the hub.
    pub fn to_hub(&self, path: &Path) -> Crossed<'_> {
        self.cross(path, |rule| (&rule.version, &rule.hub))
    }

    fn cross(&self, path: &Path, sides: fn(&RuleAt) -> (&[Path], &[Path])) -> Crossed<'_> {
        let mut best: Option<(usize, bool, &RuleAt, &Path)> = None;
        for rule in &self.rules {
            // These say nothing of where a field is.
            if matches!(rule.operator, "always" | "empty-is-absent") {
                continue;
            }
            let (here, there) = sides(rule);
            for own in here.iter().filter(|own| own.covers(path)) {
                let (parts, has_other) = (own.0.len(), !there.is_empty());
                if best.is_none_or(|(most, other, ..)| (parts, has_other) > (most, other)) {
                    best = Some((parts, has_other, rule, own));
                }
            }
        }
        match best {
            Some((parts, _, rule, own)) => {
                let (_, there) = sides(rule);
                let paths = there.iter().filter_map(|other| own.moves(path, other)).collect();
                Crossed { paths, rule: Some((rule, parts)) }
            }
            None => Crossed { paths: vec![path.clone()], rule: None },
        }
    }
}
