//! The kinds of a repository as definitions that bring their rules, and what converts them.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_codegen::{Kinds, Target};
use hubgen_diagnostic::Diagnostic;
use hubgen_documents::crd::definitions;
use hubgen_documents::project::Project;
use hubgen_documents::schema::{Carried, Sources};
use hubgen_interpret::runtime::Model;
use hubgen_kubernetes::machinery::convert::Functions;
use hubgen_model::Api;
use hubgen_rules::{DefinitionRules, RULES};
use serde_json::Value;

/// The schemas of Kubernetes' own types.
fn kubernetes() -> Carried<'static> {
    Carried::new(hubgen_schemas::kubernetes().iter().copied())
}

/// The kinds of a repository, to serve them. By default there are none.
#[derive(Default)]
pub struct Repository {
    /// Their definitions, which bring their rules where they can.
    pub definitions: Vec<Value>,
    /// What converts their objects.
    pub rules: DefinitionRules,
}

impl Repository {
    /// Reads the kinds of a repository.
    ///
    /// # Errors
    /// All errors in the schemas, the source and the rules, and rules that name functions of the repository's own code.
    pub fn read(project: &Project) -> Result<Self, Vec<Diagnostic>> {
        let schemas = project.root.join(&project.schemas);
        let target = Target::project(project);
        let mut api = hubgen_codegen::definitions(&schemas, &kubernetes(), &target)?.api;
        let kinds = hubgen_codegen::kinds(&schemas, &kubernetes(), &target)?;
        let rules = kinds.rules.rules.iter().enumerate();
        let functions: Vec<_> =
            rules.flat_map(|(index, rules)| hubgen_rules::own_functions(rules, index)).collect();
        if !functions.is_empty() {
            return Err(kinds.diagnostics(functions));
        }
        // Definitions whose rules cannot come with them are converted by those that are known here.
        bring_rules(&mut api, &kinds, project)?;
        let made = written(&api, project)?;
        if made.is_empty() {
            let message = "no kind in this folder comes from a CustomResourceDefinition";
            let help = "import definitions with `hubgen import`, or name types in Rust: `source = \"src/api\"` in hubgen.toml";
            return Err(vec![Diagnostic::file(schemas, message, help)]);
        }
        let mut rules = DefinitionRules::default();
        for (name, definition) in &made {
            let family =
                kinds.plan.families.iter().find(|family| {
                    family.has_versions() && is_of(definition, &family.hub.group, &family.kind)
                });
            let Some(family) = family else { continue };
            let Kinds { api, plan, defaults, canonical, behaviours, .. } = &kinds;
            let functions = &Functions::none();
            let model = Model { api, plan, defaults, canonical, behaviours, functions, over_json: true };
            let converter = hubgen_rules::interpreted(model, family)
                .map_err(|error| vec![Diagnostic::file(&schemas, error.to_string(), "")])?;
            let text = definition["metadata"]["annotations"][RULES].as_str().map(str::to_owned);
            rules.add(name, text, converter);
        }
        Ok(Self { definitions: made.into_values().collect(), rules })
    }
}

/// The definitions of a repository that bring their rules, and no others.
///
/// # Errors
/// All errors in the schemas, the source and the rules.
pub fn definitions_with_rules(project: &Project) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let (schemas, target) = (project.root.join(&project.schemas), Target::project(project));
    let mut api = hubgen_codegen::definitions(&schemas, &kubernetes(), &target)?.api;
    let kinds = hubgen_codegen::kinds(&schemas, &kubernetes(), &target)?;
    let brought = bring_rules(&mut api, &kinds, project)?;
    let made = written(&api, project)?.into_iter();
    Ok(made.filter(|(name, _)| brought.with.contains(name)).map(|(_, definition)| definition).collect())
}

/// The definitions of an API, by their names.
fn written(api: &Api, project: &Project) -> Result<BTreeMap<String, Value>, Vec<Diagnostic>> {
    definitions(api).map_err(|faults| Sources::new(project.root.join(&project.schemas)).locate_all(faults))
}

fn is_of(definition: &Value, group: &str, kind: &str) -> bool {
    definition["spec"]["group"] == *group && definition["spec"]["names"]["kind"] == *kind
}

/// Why the rules of kinds cannot come with their definitions, by the names of these.
pub type Left = BTreeMap<String, Vec<Diagnostic>>;

/// What became of the rules of definitions.
#[derive(Default)]
pub struct Brought {
    /// The definitions that bring them.
    pub with: BTreeSet<String>,
    /// Those that should, and cannot.
    pub left: Left,
}

/// Lets the definitions of an API bring the rules of their kinds, where they can.
///
/// # Errors
/// Those of definitions.
pub fn bring_rules(api: &mut Api, kinds: &Kinds, project: &Project) -> Result<Brought, Vec<Diagnostic>> {
    forget_rules(api);
    let (mut out, mut texts) = (Brought::default(), Vec::new());
    for (name, definition) in written(api, project)? {
        let rules = kinds.rules.rules.iter();
        let found = rules
            .enumerate()
            .find(|(_, rules)| is_of(&definition, &rules.hub.value.group, &rules.kind.value));
        let Some((index, rules)) = found else { continue };
        let functions = hubgen_rules::own_functions(rules, index);
        if !functions.is_empty() {
            out.left.insert(name, kinds.diagnostics(functions));
            continue;
        }
        match hubgen_rules::text(&definition, &kinds.rules, index, api, &kinds.canonical) {
            Ok(text) => {
                texts.push((rules.hub.value.group.clone(), rules.kind.value.clone(), text));
                out.with.insert(name);
            }
            Err(errors) => drop(out.left.insert(name, errors)),
        }
    }
    for (group, kind, text) in texts {
        let named =
            |name: &hubgen_model::GroupVersionKind| name.group_version.group == group && name.kind == kind;
        for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
            let Some(own) = ty.kind.as_mut().filter(|own| own.registered.first().is_some_and(named)) else {
                continue;
            };
            if let Some(definition) = own.definition.as_deref_mut().filter(|definition| definition.storage) {
                definition.shared.get_or_insert_default().annotations.insert(RULES.to_owned(), text.clone());
            }
        }
    }
    Ok(out)
}

/// Takes rules out of definitions that were imported with them.
pub fn forget_rules(api: &mut Api) {
    for ty in api.versions.values_mut().flat_map(|version| version.types.values_mut()) {
        let definition = ty.kind.as_mut().and_then(|kind| kind.definition.as_deref_mut());
        if let Some(shared) = definition.and_then(|definition| definition.shared.as_mut()) {
            shared.annotations.remove(RULES);
        }
    }
}
