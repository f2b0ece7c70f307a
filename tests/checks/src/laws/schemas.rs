//! Reads rules, and makes families that convert by interpreting them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::Carried;
use hubgen_interpret::{FunctionError, NewObject, Version};
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry};
use hubgen_kubernetes_functions::conversions;
use hubgen_laws::versions::AnyObject;
use hubgen_model::rules::{Problem, Rules};
use hubgen_model::{Api, TypeId};
use hubgen_plan::sharing::{self, Sharing};
use hubgen_plan::{Family as Kinds, family};
use hubgen_plan::{FamilyPlan, Hubs, Plan, Types};

use crate::family::{Family, Member, SCHEME, is_exact};

/// A folder of schemas with its rules.
pub struct Schemas {
    /// The types of all versions.
    pub api: Api,
    /// Every family.
    pub families: Vec<Kinds>,
    /// Which types of different versions are emitted as one.
    pub sharing: Sharing,
    /// The hubs that are types of their own.
    pub hubs: Hubs,
    /// The rules.
    pub rules: RuleSet,
    /// How every family with several versions converts.
    pub plans: Vec<Arc<FamilyPlan>>,
}

impl Schemas {
    /// Reads a folder.
    ///
    /// # Errors
    /// All errors in it, one per line.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let told = |errors: Vec<hubgen_documents::Diagnostic>| {
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let carried = Carried::new(hubgen_schemas::kubernetes().iter().copied());
        let api = carried.read_dir(folder).map_err(told)?;
        let rules = rules::read_dir(&folder.join("rules")).map_err(told)?;
        let plan =
            hubgen_plan::build(&api, &rules.rules).map_err(|problems| told(rules.diagnostics(problems)))?;
        let Plan { families, sharing, hubs, conversions: plans } = plan;
        if plans.is_empty() {
            return Err("no kind there has several versions".to_owned());
        }
        let plans = plans.into_iter().map(Arc::new).collect();
        Ok(Self { api, families, sharing, hubs, rules, plans })
    }

    /// Plans the conversions of a family with other rules than those of the folder. Also returns
    /// the hubs.
    ///
    /// # Errors
    /// The same as those of the generator.
    pub fn plan(&self, rules: &Rules) -> Result<(FamilyPlan, Hubs), Vec<Problem>> {
        let api = &self.api;
        let declared = rules.declared();
        let mut all = self.rules.declared();
        let own = all.iter_mut().find(|other| other.kind == declared.kind && other.hub == declared.hub);
        let is_known = own.is_some_and(|own| {
            let known = own.members == declared.members;
            *own = declared.clone();
            known
        });
        let (families, sharing);
        let (families, sharing) = if is_known {
            (&self.families, &self.sharing)
        } else {
            families = family::families(api, &all);
            sharing = sharing::canonical(api, &families);
            (&families, &sharing)
        };
        let is_own = |family: &&Kinds| family.kind == declared.kind && family.hub == declared.hub;
        let family: Vec<Kinds> = families.iter().filter(is_own).cloned().collect();
        // Another kind may add fields to types that are part of this hub, too.
        let is_same = |other: &Rules| other.kind == rules.kind && other.hub == rules.hub;
        let all = self.rules.rules.iter().map(|other| if is_same(other) { rules } else { other });
        let (hubs, problems) = Hubs::plan(api, all);
        if !problems.is_empty() {
            return Err(problems);
        }
        let types = Types { api, hubs: &hubs };
        let mut plans = hubgen_plan::conversions(types, &family, sharing, std::slice::from_ref(rules))?;
        Ok((plans.pop().expect("without a plan there is a problem"), hubs))
    }
}

/// Creates objects of a family.
pub struct Objects(BTreeMap<TypeId, Box<dyn Fn() -> AnyObject + Send + Sync>>);

impl Objects {
    /// For every compiled version, and the hub.
    pub fn of(plan: &FamilyPlan) -> Self {
        let mut out: BTreeMap<TypeId, Box<dyn Fn() -> AnyObject + Send + Sync>> = BTreeMap::new();
        for member in &plan.members {
            let Some(entry) = entry(plan, member) else { continue };
            out.insert(member.root.clone(), Box::new(|| entry.object()));
            if let Conversion::Hub(conversion) = &entry.conversion {
                out.entry(plan.hub.clone()).or_insert_with(|| {
                    Box::new(|| conversion.to_hub(entry.object()).expect("an empty object converts"))
                });
            }
        }
        Self(out)
    }

    /// Whether it can create objects of a type.
    pub fn has(&self, id: &TypeId) -> bool {
        self.0.contains_key(id)
    }

    /// Creates an empty object.
    pub fn make(&self, id: &TypeId) -> AnyObject {
        (self.0.get(id).unwrap_or_else(|| panic!("{id} is not compiled")))()
    }
}

/// The compiled kind of a member.
pub fn entry(plan: &FamilyPlan, member: &hubgen_plan::Member) -> Option<&'static Arc<KindEntry>> {
    SCHEME.kind(&member.group_version.group, &member.group_version.version, &plan.family.kind)
}

/// A family as `--kind` names it: `apps/Deployment`.
pub fn title(plan: &FamilyPlan) -> String {
    format!("{}/{}", plan.family.hub.group_or_core(), plan.family.kind)
}

/// The family, converting as its plan specifies.
///
/// # Errors
/// If a rule names a function of a user's own code, since none is known here.
pub fn interpreted(plan: &Arc<FamilyPlan>, objects: Objects) -> Result<Family<'_>, FunctionError> {
    let new: Arc<NewObject> = Arc::new(move |id: &TypeId| objects.make(id));
    let mut versions = Vec::new();
    for (at, member) in plan.members.iter().enumerate() {
        let version = Version::new(plan, at, &new, &Functions::default())?;
        if let (Some(version), Some(entry)) = (version, entry(plan, member)) {
            versions.push(Member { entry, version: Box::new(version) });
        }
    }
    Ok(Family {
        title: title(plan),
        is_exact: versions.iter().all(|member| is_exact(member.entry)),
        versions,
        written: Vec::new(),
        words: plan.words().into_iter().chain(conversions::WORDS.iter().copied()).collect(),
    })
}
