//! Builds the plan of every family from the model and the rules.

use std::collections::BTreeSet;

use hubgen_model::rules::{At, Declared, FieldPath, Problem, Rules, Where};
use hubgen_model::{Api, GroupVersion, Presence, Type, TypeExpr, TypeId};

use crate::hubs::by_title;
use crate::program::path::owner;
use crate::program::{Mapper, Op};
use crate::sharing::Sharing;
use crate::{
    Family, FamilyPlan, How, Hubs, Kept, Member, ResolvedPath, Types, Value, fallible, family, is_by, sharing,
};

/// What an API server writes instead of a path, if an error is about no single field.
const NO_FIELD: &str = "<nil>";

/// The plan of an API: everything that follows from its model and its rules.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All families, sorted by home group and kind.
    pub families: Vec<Family>,
    /// The types that several versions of a family share.
    pub sharing: Sharing,
    /// The hubs that are separate types.
    pub hubs: Hubs,
    /// How each family with several versions converts.
    pub conversions: Vec<FamilyPlan>,
}

impl Plan {
    /// All types: those of the API that this plan is for, and those of the hubs.
    pub fn types<'a>(&'a self, api: &'a Api) -> Types<'a> {
        Types { api, hubs: &self.hubs }
    }
}

/// Plans an API by its rules.
///
/// # Errors
/// All problems: fields that no rule covers, rules that have no effect, and families whose versions
/// differ but have no rules.
pub fn build(api: &Api, rules: &[Rules]) -> Result<Plan, Vec<Problem>> {
    let declared: Vec<Declared> = rules.iter().map(Rules::declared).collect();
    let families = family::families(api, &declared);
    let sharing = sharing::canonical(api, &families);
    let (hubs, mut problems) = Hubs::plan(api, rules);
    let conversions = conversions(Types { api, hubs: &hubs }, &families, &sharing, rules);
    match conversions {
        Ok(conversions) if problems.is_empty() => Ok(Plan { families, sharing, hubs, conversions }),
        conversions => {
            problems.extend(conversions.err().unwrap_or_default());
            Err(problems)
        }
    }
}

/// Plans how the families with several versions convert.
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
            // The first problem is enough to show that rules are missing; they would solve the
            // others, too.
            problems.extend(found.into_iter().take(1).map(|first| Problem {
                place: first.place,
                message: format!("the versions differ: at {}, {}", first.path, first.message),
                path: title.clone(),
                help: format!("write rules/{}.{}.toml", family.hub.group_or_core(), family.kind),
            }));
        }
        plans.push(plan);
    }
    let planned: BTreeSet<String> = plans.iter().map(|plan| plan.family.title()).collect();
    for (title, (index, rules)) in by_family.iter().filter(|(title, _)| !planned.contains(*title)) {
        let family = families.iter().find(|family| family.has_versions() && family.title() == *title);
        problems.push(match family {
            Some(family) => unknown_hub(*index, rules, family),
            None => Problem {
                place: Where::Rules(*index, rules.kind.span.clone()),
                path: title.clone(),
                message: "no kind with several versions has this name".to_owned(),
                help: "name the file <group>.<Kind>.toml, with the group of the hub; use `core` for the empty group"
                    .to_owned(),
            },
        });
    }
    if problems.is_empty() { Ok(plans) } else { Err(problems) }
}

/// A hub that is no version of its kind. Its group is right: otherwise the kind would not be found.
fn unknown_hub(index: usize, rules: &Rules, family: &Family) -> Problem {
    let at_home = family.members.iter().filter(|member| member.group == family.home());
    let expected: Vec<String> = at_home.map(GroupVersion::to_string).collect();
    Problem {
        place: Where::Rules(index, rules.hub.span.clone()),
        path: "hub".to_owned(),
        message: format!("{} has no version `{}`", family.title(), rules.hub.value),
        help: format!("expected one of {}", expected.join(", ")),
    }
}

/// Maps every member of a family. Returns the problems.
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
                message: "is not a version of the family".to_owned(),
                help: "name a version of the family, or add this one to `family`".to_owned(),
            });
        }
    }
    for version in plan.family.members.clone() {
        let Some(root) = types.api.root(&version, &plan.family.kind) else {
            if let Some((index, rules)) = ruled {
                let listed = rules.family.iter().find(|listed| listed.value == version);
                problems.push(Problem {
                    place: Where::Rules(
                        index,
                        listed.map_or_else(|| rules.hub.span.clone(), |listed| listed.span.clone()),
                    ),
                    path: version.to_string(),
                    message: format!("has no kind {}", plan.family.kind),
                    help: "list only group versions that contain the kind".to_owned(),
                });
            }
            continue;
        };
        let version_rules = ruled.and_then(|(_, rules)| rules.versions.get(&version));
        let how = match version_rules.and_then(|rules| rules.not_convertible.as_ref()) {
            Some(reason) => How::NotConvertible(reason.value.clone()),
            None => {
                let mut mapper = Mapper::new(types, sharing, ruled, &version);
                let mapping = mapper.map(&root.id, &plan.hub);
                problems.append(&mut mapper.problems);
                plan.reserved.extend(mapping.kept.iter().map(|kept| kept.annotation.key.clone()));
                How::Convert(mapping)
            }
        };
        let accepted = version_rules.map_or(&[][..], |rules| &rules.may_be_invalid);
        if let Some((index, _)) = ruled {
            problems.extend(accepted.iter().filter_map(|path| unknown_path(types, root, path, index)));
        }
        plan.members.push(Member {
            group_version: version,
            root: root.id.clone(),
            how,
            may_be_invalid: accepted.iter().map(|path| path.value.to_string()).collect(),
        });
    }
    problems.extend(without_metadata(types, plan, ruled));
    problems.extend(plan.members.iter().flat_map(|member| refusing_annotations(plan, member, ruled)));
    problems
}

/// Versions of a family that uses annotations, whose metadata cannot carry them from and to the hub.
fn without_metadata(types: Types<'_>, plan: &FamilyPlan, ruled: Option<(usize, &Rules)>) -> Vec<Problem> {
    if !plan.keeps() && plan.reserved.is_empty() {
        return Vec::new();
    }
    let problem = |member: &Member, path: &str, message: String, help: &str| Problem {
        place: metadata_of(member, ruled),
        path: path.to_owned(),
        message,
        help: help.to_owned(),
    };
    let converts = |member: &&Member| matches!(member.how, How::Convert(_));
    let lack =
        plan.members.iter().filter(converts).filter(|member| !has_annotations(types.api, &member.root));
    let lack = lack.map(|member| {
        let message = format!("{} has no annotations to store what it cannot represent", member.root);
        let help = "mark the version `not-convertible` and give the reason";
        problem(member, "metadata.annotations", message, help)
    });
    let differ = plan.members.iter().filter(|member| !copies_metadata(member, &plan.hub)).map(|member| {
        let message = format!("{} and {} do not have the same metadata", member.root, plan.hub);
        let help = "use the same type for `metadata` at all versions, and no rule that names its fields";
        problem(member, "metadata", message, help)
    });
    lack.chain(differ).collect()
}

/// The metadata of a version, in its schema.
fn metadata_of(member: &Member, ruled: Option<(usize, &Rules)>) -> Where {
    Where::Schema {
        ty: member.root.clone(),
        field: Some("metadata".to_owned()),
        table: ruled.map(|(file, rules)| rules.table(file, &member.group_version)),
    }
}

/// Fields that a version keeps in an annotation, in the form of a version whose functions may refuse them: an
/// annotation has no place for what is refused.
fn refusing_annotations(plan: &FamilyPlan, member: &Member, ruled: Option<(usize, &Rules)>) -> Vec<Problem> {
    let How::Convert(mapping) = &member.how else { return Vec::new() };
    let may_fail = |kept: &&Kept| {
        let Some((version, _, value)) = &kept.via else { return false };
        plan.members.iter().any(|other| match &other.how {
            How::Convert(mapping) if other.group_version == *version => is_by(&fallible(mapping), value),
            _ => false,
        })
    };
    let problem = |kept: &Kept| Problem {
        place: ruled.map_or(Where::Nowhere, |(index, rules)| {
            let own = rules.versions.get(&member.group_version);
            Where::Rules(index, own.map_or_else(|| rules.hub.span.clone(), |own| own.span.clone()))
        }),
        path: kept.path.to_string(),
        message: "cannot be kept as a version that converts it with functions of your own code".to_owned(),
        help: "keep it without an annotation, or in the form of another version".to_owned(),
    };
    mapping.kept.iter().filter(may_fail).map(problem).collect()
}

/// The problem of a path at which objects may be invalid, if the version has no such field.
fn unknown_path(types: Types<'_>, root: &Type, path: &At<FieldPath>, rules: usize) -> Option<Problem> {
    let names = &path.value.0;
    let is_known = owner(types, root, names)
        .is_some_and(|owner| names.last().is_some_and(|name| owner.field(name).is_some()));
    // Where a schema refuses an object for no single field, there is no path.
    (!is_known && path.value.to_string() != NO_FIELD).then(|| Problem {
        place: Where::Rules(rules, path.span.clone()),
        path: path.value.to_string(),
        message: format!("{} has no such field", root.id),
        help: format!("name a field of this version, as `hubgen_laws` lists it, or `{NO_FIELD}`"),
    })
}

/// Whether the metadata of the version is that of the hub. Annotations in it store what the version
/// cannot represent, so conversions put it aside unchanged.
fn copies_metadata(member: &Member, hub: &TypeId) -> bool {
    let How::Convert(mapping) = &member.how else { return true };
    let Some(pair) = mapping.pairs.get(&(member.root.clone(), hub.clone())) else { return true };
    let is_metadata = |path: &ResolvedPath| path.names() == ["metadata"];
    [&pair.to_hub, &pair.from_hub].iter().all(|program| {
        program
            .ops
            .iter()
            .filter_map(Op::copy)
            .any(|copy| is_metadata(&copy.from) && is_metadata(&copy.to) && copy.value == Value::Same)
    })
}

fn has_annotations(api: &Api, root: &TypeId) -> bool {
    let metadata = api.find(root).and_then(|ty| ty.field("metadata"));
    let metadata = metadata.filter(|field| field.presence == Presence::Value);
    let ty = metadata.and_then(|field| api.find(field.ty.named()?));
    let annotations = ty.and_then(|ty| ty.field("annotations"));
    annotations.is_some_and(|field| field.ty == TypeExpr::Map(Box::new(TypeExpr::String)))
}
