//! The main job: reads a folder of schemas and returns the files of all crates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use hubgen_documents::crd::Unconverted;
use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::{Carried, Fault, Sources};
use hubgen_documents::{Diagnostic, Source, behaviour, boxes, columns, crd, defaults};
use hubgen_model::behaviour::Behaviours;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_model::rules::{Problem, Rules};
use hubgen_model::{Api, Field, GroupVersion, Origin, Type, TypeBody, Version};
use hubgen_plan::{Family, FamilyPlan, How, Plan};

use crate::boxed::{self, Boxed};
use crate::check::{self, Texts};
use crate::emit::{self, Conversion, Crds, Emitted, Homes, Input};
use crate::enums::Enums;
use crate::places::Places;
use crate::rust::{self, Written};
use crate::target::{Form, Target};

/// The result of generating.
pub struct Generated {
    /// Paths below the folder of generated code, and the content of each file.
    pub files: BTreeMap<PathBuf, String>,
    /// The crates that the code needs besides the machinery, each with its features.
    pub crates: BTreeMap<String, BTreeSet<String>>,
    /// Why definitions of kinds are incomplete, and not in the code.
    pub warnings: Vec<Diagnostic>,
    /// Counts and durations.
    pub summary: Summary,
}

/// Counts, and how long each stage took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// API groups.
    pub groups: usize,
    /// Versions of all groups.
    pub group_versions: usize,
    /// Kinds, counted once for each version.
    pub kinds: usize,
    /// Types, counted once for each version.
    pub types: usize,
    /// How many of these are emitted as a type of another version.
    pub types_shared: usize,
    /// Hubs that are the type of a version.
    pub hubs_shared: usize,
    /// Hubs with a type of their own.
    pub hubs_own: usize,
    /// Conversions, counted once for each version and direction.
    pub conversions: usize,
    /// Versions with fields that are neither mapped nor kept. Always 0, since generating fails
    /// otherwise.
    pub lossy: usize,
    /// Versions that are another API with the same name, each with the reason.
    pub not_convertible: Vec<(String, String)>,
    /// How long each stage took, in order.
    pub stages: Vec<(&'static str, Duration)>,
}

/// Reads the schemas, plans the conversions and emits the code for a target.
///
/// Types that the schemas refer to and do not define are looked up in `carried`.
///
/// # Errors
/// All errors in the schemas and rules.
pub fn generate(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
) -> Result<Generated, Vec<Diagnostic>> {
    let mut clock = Clock::start();
    let inputs = read(schemas, carried, target)?;
    let boxes = boxes::read(&schemas.join(boxes::FILE))?;
    let front_page = front_page(&schemas.join("crate.md"))?;
    clock.stage("read");
    let plan = plan(schemas, target, &inputs)?;
    let Inputs { api, defaults, canonical, behaviours, written, .. } = inputs;
    let types = plan.types(&api);
    let Plan { families, sharing, conversions: plans, .. } = &plan;
    let mut decisions = carried.boxes()?;
    decisions.extend(boxes.as_ref().map(boxes::Document::boxes).unwrap_or_default());
    let boxed = Boxed::find(types, sharing, &decisions, &written);
    let places = Places::new(schemas, &written);
    if let Some(document) = &boxes {
        let (mut wrong, undecided) = boxed::check(types, &boxed, document);
        wrong.extend(places.locate(undecided));
        if !wrong.is_empty() {
            return Err(wrong);
        }
    }
    let lossy = hubgen_plan::report::lossy(types, plans);
    if lossy > 0 {
        let message = format!("{lossy} version(s) lose fields in conversions");
        return Err(vec![Diagnostic::file(schemas, message, "map or keep each of these fields with a rule")]);
    }
    let conversions = conversions(plans);
    let enums = match target.form {
        Form::Kubernetes => Enums::default(),
        _ if target.enums => Enums::find(types, sharing, plans, &written),
        _ => Enums::constants_only(sharing, &written),
    };
    let mut refused = check::words(types, sharing, plans, &enums, &written);
    refused.extend(check::one_of(types, plans, &written));
    let texts = Texts::find(types, plans, &written).unwrap_or_else(|wrong| {
        refused.extend(wrong);
        Texts::default()
    });
    if !refused.is_empty() {
        return Err(places.locate(refused));
    }
    let homes = Homes::new(target, &api);
    let (crds, incomplete) = crds(&api, target);
    // Definitions are made of schemas, also where types are in Rust.
    let warnings = Sources::new(schemas).locate_all(incomplete);
    let warnings = warnings.into_iter().map(Diagnostic::warning).collect();
    clock.stage("model");
    let functions = emit::convert::emit(&homes, plans, types, sharing, &boxed, &enums, &written);
    let input = Input {
        homes: &homes,
        types,
        families,
        defaults: &defaults,
        canonical: &canonical,
        behaviours: &behaviours,
        sharing,
        boxed: &boxed,
        enums: &enums,
        texts: &texts,
        crds: &crds,
        plans,
        conversions: &conversions,
        functions: &functions,
        written: &written,
        front_page: front_page.as_deref(),
    };
    let Emitted { files, crates } = emit::emit(&input).map_err(|error| {
        vec![Diagnostic::file(schemas, error.to_string(), "this is a bug in the emitter, not in the schemas")]
    })?;
    clock.stage("emit");
    Ok(Generated { files, crates, warnings, summary: summarise(&input, lossy, clock.stages) })
}

/// What is read before anything is planned.
pub(crate) struct Inputs {
    pub api: Api,
    pub rules: RuleSet,
    pub defaults: Defaults,
    pub canonical: CanonicalForms,
    /// What a server does with objects, beyond storing them.
    pub behaviours: Behaviours,
    /// Which types are in users' source.
    pub written: Written,
}

/// Reads schemas and users' Rust, rules, defaults, canonical forms and behaviour. Reports the errors in all of them.
pub(crate) fn read(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
) -> Result<Inputs, Vec<Diagnostic>> {
    let (api, written) = match model(schemas, carried, target, check::check) {
        Ok((api, written)) => (Ok(api), written),
        Err(errors) => (Err(errors), Written::default()),
    };
    let defaults = defaults::read_dir(&schemas.join("defaults")).and_then(|documents| match &api {
        Ok(api) => documents.resolve(api),
        // They cannot be checked against types that have errors.
        Err(_) => Ok(Defaults::default()),
    });
    let rules = read_rules(schemas, &written);
    let rules = rules.and_then(|rules| match &api {
        Ok(api) => rules.canonical(api).map(|canonical| (rules, canonical)),
        Err(_) => Ok((rules, CanonicalForms::default())),
    });
    let behaviours = behaviour::read_dir(&schemas.join(behaviour::FOLDER));
    let behaviours = behaviours.and_then(|documents| match (&api, &rules) {
        (Ok(api), Ok((rules, _))) => documents.resolve(api, &rules.declared()),
        _ => Ok(Behaviours::default()),
    });
    let columns = columns::read_dir(&schemas.join(columns::FOLDER));
    let behaviours = behaviours.and_then(|mut behaviours| {
        let documents = columns?;
        if let (Ok(api), Ok((rules, _))) = (&api, &rules) {
            documents.resolve(api, &rules.declared(), &mut behaviours)?;
        }
        Ok(behaviours)
    });
    match (api, rules, defaults, behaviours) {
        (Ok(api), Ok((rules, canonical)), Ok(defaults), Ok(behaviours)) => {
            Ok(Inputs { api, rules, defaults, canonical, behaviours, written })
        }
        (api, rules, defaults, behaviours) => {
            let errors = [api.err(), rules.err(), defaults.err(), behaviours.err()];
            Err(errors.into_iter().flatten().flatten().collect())
        }
    }
}

/// Reads the files of rules, and the rules that attributes specify.
fn read_rules(schemas: &Path, written: &Written) -> Result<RuleSet, Vec<Diagnostic>> {
    let folder = schemas.join("rules");
    let mut documents = rules::documents(&folder)?;
    for lowered in &written.rules {
        let file = schemas.join(&lowered.file);
        if documents.iter().any(|document| document.file() == file) {
            let message = "the kind has rules in this file, and attributes in Rust that specify rules";
            let help = "move all rules to the file, or to attributes; `hubgen generate --rules` prints those of attributes";
            return Err(vec![Diagnostic::file(file, message, help)]);
        }
        documents.push(Source::new(file, lowered.text.clone()));
    }
    let set = rules::read_documents(&folder, documents);
    set.map_err(|errors| Places::new(schemas, written).of_rules(errors))
}

/// Finds the errors in the schemas that concern what is made of them.
type Check = fn(&Api, &Target, bool) -> Vec<Fault>;

/// Reads the model: schemas, and users' Rust.
fn model(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
    check: Check,
) -> Result<(Api, Written), Vec<Diagnostic>> {
    let written = match &target.source {
        Some(source) => rust::read(source, carried.group_versions())?,
        None => Written::default(),
    };
    let parts = match &target.source {
        Some(_) => carried.read_with(schemas, &written.api),
        None => carried.read_parts(schemas),
    };
    let (mut api, mut errors) = parts?;
    for (name, source) in &written.api.versions {
        if let Some(version) = api.versions.get_mut(name) {
            version.origin = Origin::Written;
            name_fields(version, source);
        }
    }
    if let Some(webhook) = &target.webhook {
        let unconverted = unconverted(&api, schemas, &written);
        webhook.set(&mut api, &unconverted);
    }
    let places = Places::new(schemas, &written);
    let found = check(&api, target, errors.is_empty());
    errors = places.in_rust(errors);
    errors.extend(places.locate(found));
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    if errors.is_empty() { Ok((api, written)) } else { Err(errors) }
}

/// The versions that are served and do not convert, as their rules say. Errors in rules are reported where the rules
/// are read for their own sake.
fn unconverted(api: &Api, schemas: &Path, written: &Written) -> Unconverted {
    let rules = read_rules(schemas, written).unwrap_or_default().rules;
    crd::served(api, |ty| {
        let name = &ty.id.group_version;
        rules
            .iter()
            .filter(|rules| rules.kind.value == ty.id.name)
            .any(|rules| rules.versions.get(name).is_some_and(|version| version.not_convertible.is_some()))
    })
}

/// Names fields as users' source does, where a schema has no name for them: those of unknown fields, and those of
/// flattened objects.
fn name_fields(version: &mut Version, source: &Version) {
    for (name, ty) in &source.types {
        let Some(TypeBody::Struct(fields)) = version.types.get_mut(name).map(|ty| &mut ty.body) else {
            continue;
        };
        let is_named_there = |field: &&Field| field.is_rest() || !field.rust_name.around().is_empty();
        for written in ty.fields().iter().filter(is_named_there) {
            if let Some(field) = fields.iter_mut().find(|field| field.name == written.name) {
                field.rust_name = written.rust_name.clone();
            }
        }
    }
}

/// The API of a repository: that of its schemas, and of its source. Types that they refer to are
/// looked up in `carried`.
///
/// # Errors
/// All errors in the schemas and the source.
pub fn api(schemas: &Path, carried: &Carried<'_>, target: &Target) -> Result<Api, Vec<Diagnostic>> {
    Ok(model(schemas, carried, target, check::check)?.0)
}

/// What definitions are made of, and what their rules tell about conversions in an API server.
pub struct Definitions {
    /// The API, as [`api`] reads it.
    pub api: Api,
    /// The versions that are served and do not convert.
    pub unconverted: Unconverted,
    /// The versions between which objects convert, although no webhook does it. Definitions in `unconverted` are not
    /// here: these have no webhook for that reason.
    pub without_webhook: Unconverted,
}

/// What the definitions of a repository are made of. Names that are not valid in Rust are no errors.
///
/// # Errors
/// All errors in the schemas, the source and the rules.
pub fn definitions(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
) -> Result<Definitions, Vec<Diagnostic>> {
    let (api, written) = model(schemas, carried, target, check::definitions)?;
    let rules = read_rules(schemas, &written)?.rules;
    let unconverted = unconverted(&api, schemas, &written);
    let mut without_webhook = crd::without_webhook(&api, |ty| rules.iter().any(|rules| converts(rules, ty)));
    without_webhook.retain(|resource, _| !unconverted.contains_key(resource));
    Ok(Definitions { api, unconverted, without_webhook })
}

/// Whether something of a kind's version differs from the hub by these rules.
fn converts(rules: &Rules, ty: &Type) -> bool {
    let version = &ty.id.group_version;
    if rules.kind.value != ty.id.name {
        return false;
    }
    let of_version = rules.versions.get(version);
    (rules.hub.value == *version && !rules.add.is_empty())
        || of_version.is_some_and(|of| of.like.is_some() || !of.rules.is_empty() || !of.types.is_empty())
}

/// Plans the conversions.
pub(crate) fn plan(schemas: &Path, target: &Target, inputs: &Inputs) -> Result<Plan, Vec<Diagnostic>> {
    let Inputs { api, rules, defaults, written, .. } = inputs;
    let places = Places::new(schemas, written);
    let mut wrong = check::families(api, &rules.rules, target);
    wrong.extend(check::callees(&rules.rules, target));
    let plan = match hubgen_plan::build(api, &rules.rules) {
        Ok(plan) if wrong.is_empty() => plan,
        plan => {
            let mut problems: Vec<Problem> =
                wrong.into_iter().chain(plan.err().unwrap_or_default()).collect();
            let differences = written.differences(api, &rules.rules, &mut problems);
            if target.form != Form::Kubernetes {
                let missing = problems.iter_mut().filter(|problem| !problem.place.has_rules());
                missing.for_each(|problem| problem.help.push_str(", or let `hubgen draft-rules` begin it"));
            }
            let mut errors = places.of_rules(rules.diagnostics(problems));
            errors.extend(differences);
            return Err(errors);
        }
    };
    let refused = check::defaults(api, &rules.rules, &plan.conversions, defaults);
    if !refused.is_empty() {
        return Err(places.of_rules(rules.diagnostics(refused)));
    }
    Ok(plan)
}

/// The kinds of a repository, for those who build them at run time.
pub struct Kinds {
    /// Their types.
    pub api: Api,
    /// How they convert.
    pub plan: Plan,
    /// Their defaults.
    pub defaults: Defaults,
    /// Their canonical forms.
    pub canonical: CanonicalForms,
    /// What a server does with their objects, beyond storing them.
    pub behaviours: Behaviours,
    /// Their rules.
    pub rules: RuleSet,
    schemas: PathBuf,
    written: Written,
}

impl Kinds {
    /// Problems with rules, where people wrote these: in files, or in attributes in Rust.
    pub fn diagnostics(&self, problems: Vec<Problem>) -> Vec<Diagnostic> {
        Places::new(&self.schemas, &self.written).of_rules(self.rules.diagnostics(problems))
    }
}

/// The kinds of a repository: those of its schemas, and of its source. Types that they refer to are looked up in
/// `carried`.
///
/// # Errors
/// All errors in the schemas, the source and the rules.
pub fn kinds(schemas: &Path, carried: &Carried<'_>, target: &Target) -> Result<Kinds, Vec<Diagnostic>> {
    let inputs = read(schemas, carried, target)?;
    let plan = plan(schemas, target, &inputs)?;
    let Inputs { api, rules, defaults, canonical, behaviours, written } = inputs;
    let schemas = schemas.to_path_buf();
    Ok(Kinds { api, plan, defaults, canonical, behaviours, rules, schemas, written })
}

/// The front page of the crate that gathers all groups; `None` where there is no such file.
fn front_page(path: &Path) -> Result<Option<String>, Vec<Diagnostic>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(vec![Diagnostic::file(path, format!("cannot read it: {error}"), "expected Markdown")])
        }
    }
}

/// The CustomResourceDefinitions of a user's kinds, and what is incomplete in others: those kinds get no definition.
fn crds(api: &Api, target: &Target) -> (Crds, Vec<Fault>) {
    let (mut whole, mut incomplete) = (Crds::new(), Vec::new());
    if target.form == Form::Kubernetes {
        return (whole, incomplete);
    }
    for (name, made) in crd::each_definition(api) {
        match made {
            Ok(definition) => drop(whole.insert(name, definition)),
            Err(faults) => incomplete.extend(faults.into_iter().map(|mut fault| {
                fault.message.push_str("; the kind gets no function `crd`");
                fault
            })),
        }
    }
    (whole, incomplete)
}

/// How each version of each family converts, for the Scheme.
fn conversions(plans: &[FamilyPlan]) -> BTreeMap<(String, GroupVersion), Conversion> {
    let mut out = BTreeMap::new();
    for plan in plans {
        for member in &plan.members {
            let how = match &member.how {
                How::Convert(_) => Conversion::Generated,
                How::NotConvertible(reason) => Conversion::NotConvertible(reason.clone()),
            };
            out.insert((plan.family.title(), member.group_version.clone()), how);
        }
    }
    out
}

fn summarise(input: &Input<'_>, lossy: usize, stages: Vec<(&'static str, Duration)>) -> Summary {
    let api = input.types.api;
    let groups: BTreeSet<_> = api.own_versions().map(|(name, _)| &name.group).collect();
    let converting: Vec<&Family> = input.families.iter().filter(|family| family.has_versions()).collect();
    let how = |family: &Family| {
        let of = |member: &GroupVersion| input.conversions.get(&(family.title(), member.clone()));
        family.members.iter().filter_map(of).collect::<Vec<_>>()
    };
    let hubs_own = input.plans.iter().filter(|plan| plan.has_own_hub()).count();
    let refuses = |how: &&Conversion| matches!(how, Conversion::NotConvertible(_));
    let with_refusals = converting.iter().filter(|family| how(family).iter().any(refuses)).count();
    let members = input.plans.iter().flat_map(|plan| plan.members.iter().map(move |member| (plan, member)));
    let not_convertible = members.filter_map(|(plan, member)| match &member.how {
        How::NotConvertible(reason) => {
            Some((format!("{} {}", member.group_version, plan.family.kind), reason.clone()))
        }
        _ => None,
    });
    let generated = input.conversions.values().filter(|how| **how == Conversion::Generated).count();
    Summary {
        groups: groups.len(),
        group_versions: api.own_versions().count(),
        kinds: api
            .own_types()
            .filter(|ty| ty.kind.is_some() && !ty.is_list())
            .map(|ty| (&ty.id.group_version.group, &ty.id.name))
            .collect::<BTreeSet<_>>()
            .len(),
        types: api.own_types().count(),
        types_shared: api.own_types().filter(|ty| input.sharing.is_shared(&ty.id)).count(),
        hubs_shared: converting.len() - hubs_own - with_refusals,
        hubs_own,
        conversions: generated * 2,
        lossy,
        not_convertible: not_convertible.collect(),
        stages,
    }
}

struct Clock {
    last: Instant,
    stages: Vec<(&'static str, Duration)>,
}

impl Clock {
    fn start() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    fn stage(&mut self, name: &'static str) {
        self.stages.push((name, self.last.elapsed()));
        self.last = Instant::now();
    }
}
