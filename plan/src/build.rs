//! From families and rules to the plan of every family.

use std::collections::BTreeSet;

use hubgen_model::rules::{Declared, Problem, Rules, Where};
use hubgen_model::{Api, GroupVersion, Presence, TypeExpr, TypeId};

use crate::hubs::by_title;
use crate::program::Mapper;
use crate::sharing::Sharing;
use crate::{Family, FamilyPlan, How, Hubs, Member, Types, family, sharing};

/// Everything that follows from an API and its rules.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Every family, ordered by home group and kind.
    pub families: Vec<Family>,
    /// Which types of a family's versions are one type.
    pub sharing: Sharing,
    /// The hubs that are types of their own.
    pub hubs: Hubs,
    /// How each family with several versions converts.
    pub conversions: Vec<FamilyPlan>,
}

impl Plan {
    /// All types: those of the API that this is the plan of, and the hubs'.
    pub fn types<'a>(&'a self, api: &'a Api) -> Types<'a> {
        Types { api, hubs: &self.hubs }
    }
}

/// Plans an API by its rules.
///
/// # Errors
/// Everything that is wrong: fields that no rule covers, rules that fit
/// nothing, families whose versions differ and have no rules.
pub fn build(api: &Api, rules: &[Rules]) -> Result<Plan, Vec<Problem>> {
    let declared: Vec<Declared> = rules.iter().map(Rules::declared).collect();
    let families = family::families(api, &declared);
    let sharing = sharing::canonical(api, &families);
    let (hubs, mut problems) = Hubs::of(api, rules);
    let conversions = conversions(Types { api, hubs: &hubs }, &families, &sharing, rules);
    match conversions {
        Ok(conversions) if problems.is_empty() => Ok(Plan { families, sharing, hubs, conversions }),
        conversions => {
            problems.extend(conversions.err().unwrap_or_default());
            Err(problems)
        }
    }
}

/// How those of the families that have several versions convert.
///
/// # Errors
/// As [`build`].
pub fn conversions(
    types: Types<'_>,
    families: &[Family],
    sharing: &Sharing,
    rules: &[Rules],
) -> Result<Vec<FamilyPlan>, Vec<Problem>> {
    let mut problems = Vec::new();
    let by_family = by_title(rules);
    let mut plans = Vec::new();
    for family in families.iter().filter(|family| family.has_versions()) {
        let title = family.title();
        let ruled = by_family.get(&title).copied();
        let Some(root) = types.api.root(&family.hub, &family.kind) else { continue };
        let hub = types.hubs.root(family).unwrap_or(&root.id).clone();
        let mut plan =
            FamilyPlan { family: family.clone(), hub, members: Vec::new(), reserved: BTreeSet::new() };
        let found = members(types, sharing, &mut plan, ruled);
        if ruled.is_some() {
            problems.extend(found);
        } else {
            // The first one tells that rules are missing; they would mend the others, too.
            problems.extend(found.into_iter().take(1).map(|first| Problem {
                place: Where::Nowhere,
                message: format!("the versions differ: at {}, {}", first.path, first.message),
                path: title.clone(),
                help: format!("write rules/{}.{}.toml", family.hub.group_or_core(), family.kind),
            }));
        }
        plans.push(plan);
    }
    let known: BTreeSet<String> = plans.iter().map(|plan| plan.family.title()).collect();
    for (title, (index, rules)) in by_family.iter().filter(|(title, _)| !known.contains(*title)) {
        problems.push(Problem {
            place: Where::Rules(*index, rules.kind.span.clone()),
            path: title.clone(),
            message: "no such kind has several versions".to_owned(),
            help: "the file is named <group>.<Kind>.toml, by the group of the hub; `core` is the empty group"
                .to_owned(),
        });
    }
    if problems.is_empty() { Ok(plans) } else { Err(problems) }
}

/// Maps every member of a family; gives what is wrong.
fn members(
    types: Types<'_>,
    sharing: &Sharing,
    plan: &mut FamilyPlan,
    ruled: Option<(usize, &Rules)>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some((index, rules)) = ruled {
        let unknown = |version: &&GroupVersion| !plan.family.members.contains(version);
        for version in rules.versions.keys().filter(unknown) {
            problems.push(Problem {
                place: Where::Rules(index, rules.versions[version].span.clone()),
                path: version.to_string(),
                message: "is no version of the family".to_owned(),
                help: "name one of the family's, or add it to `family`".to_owned(),
            });
        }
    }
    for version in plan.family.members.clone() {
        let Some(root) = types.api.root(&version, &plan.family.kind) else {
            if let Some((index, rules)) = ruled {
                let said = rules.family.iter().find(|said| said.value == version);
                problems.push(Problem {
                    place: Where::Rules(
                        index,
                        said.map_or_else(|| rules.hub.span.clone(), |said| said.span.clone()),
                    ),
                    path: version.to_string(),
                    message: format!("has no kind {}", plan.family.kind),
                    help: "name group versions that have it".to_owned(),
                });
            }
            continue;
        };
        let said = ruled.and_then(|(_, rules)| rules.versions.get(&version));
        let how = match said.and_then(|said| said.not_convertible.as_ref()) {
            Some(reason) => How::NotConvertible(reason.value.clone()),
            None => {
                let mut mapper = Mapper::new(types, sharing, ruled, &version);
                let mapping = mapper.map(&root.id, &plan.hub);
                problems.append(&mut mapper.problems);
                plan.reserved.extend(mapping.kept.iter().map(|kept| kept.annotation.key.clone()));
                How::Convert(mapping)
            }
        };
        plan.members.push(Member { group_version: version, root: root.id.clone(), how });
    }
    if plan.keeps() || !plan.reserved.is_empty() {
        let converts = |member: &&Member| matches!(member.how, How::Convert(_));
        for member in
            plan.members.iter().filter(converts).filter(|member| !has_annotations(types.api, &member.root))
        {
            problems.push(Problem {
                place: ruled
                    .map_or(Where::Nowhere, |(index, rules)| Where::Rules(index, rules.hub.span.clone())),
                path: "metadata.annotations".to_owned(),
                message: format!("{} has no annotations to keep in what it cannot say", member.root),
                help: "say with `not-convertible` why the versions do not convert".to_owned(),
            });
        }
    }
    problems
}

fn has_annotations(api: &Api, root: &TypeId) -> bool {
    let metadata = api.find(root).and_then(|ty| ty.field("metadata"));
    let metadata = metadata.filter(|field| field.presence == Presence::Value);
    let ty = metadata.and_then(|field| api.find(field.ty.named()?));
    let annotations = ty.and_then(|ty| ty.field("annotations"));
    annotations.is_some_and(|field| field.ty == TypeExpr::Map(Box::new(TypeExpr::String)))
}
