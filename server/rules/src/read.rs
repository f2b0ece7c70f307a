//! Reads a definition and its rules.

use std::path::Path;
use std::sync::Arc;

use hubgen_definitions::{RULES, SchemeConverter};
use hubgen_diagnostic::{Diagnostic, Source};
use hubgen_documents::schema::Carried;
use hubgen_documents::{crd, rules, schema};
use hubgen_interpret::runtime::{Model, SnapshotError, entries};
use hubgen_machinery::convert::Functions;
use hubgen_machinery::scheme::Scheme;
use hubgen_model::Api;
use hubgen_model::behaviour::Behaviours;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::defaults::Defaults;
use hubgen_model::rules::{Function, Problem, Rule, Rules, VersionRules};
use hubgen_plan::Family;
use serde_json::{Value, json};

use crate::parts::Parts;
use crate::{renamed, types};

/// What converts the objects of a definition by these rules.
///
/// # Errors
/// All mistakes in the rules, with their lines and columns in the text: those of the text, and rules that do not fit the
/// schemas of the definition, or name functions that only a user's own program has.
pub fn converter(definition: &Value, text: &str) -> Result<SchemeConverter, Vec<Diagnostic>> {
    let spec = &definition["spec"];
    let [group, kind] =
        [&spec["group"], &spec["names"]["kind"]].map(|name| name.as_str().unwrap_or_default());
    let group = if group.is_empty() { "core" } else { group };
    let parts = Parts::parse(text, &format!("{group}.{kind}.toml")).map_err(|error| vec![error])?;
    // Errors are never in a file of this name: what is read comes from the definition.
    let folder = Path::new(RULES).join("rules");
    let set = rules::read_some(&folder, [parts.rules].into_iter().chain(parts.shared).collect())?;
    let all = set.rules.iter().enumerate();
    let problems: Vec<Problem> = all.flat_map(|(index, rules)| own_functions(rules, index)).collect();
    if !problems.is_empty() {
        return Err(set.diagnostics(problems));
    }
    let mut api = types_of(definition)?;
    if let Some(source) = parts.types {
        let errors = renamed::rename(&mut api, &types::read(&source)?, &source);
        if !errors.is_empty() {
            return Err(errors);
        }
    }
    bound(&api, &set.rules)?;
    // What all objects have is Kubernetes' own.
    let kubernetes = Carried::new(hubgen_schemas::kubernetes().iter().copied());
    let api = kubernetes.read_files(schema::files(&api, None))?;
    let plan = hubgen_plan::build(&api, &set.rules).map_err(|problems| set.diagnostics(problems))?;
    let model = Model {
        api: &api,
        plan: &plan,
        defaults: &Defaults::default(),
        canonical: &CanonicalForms::default(),
        behaviours: &Behaviours::default(),
        functions: &Functions::none(),
        over_json: true,
    };
    let wrong = |message: String| vec![Diagnostic::message(message, "")];
    let Some(family) = plan.families.iter().find(|family| family.kind == kind) else {
        return Err(wrong(format!("the definition defines no kind {kind}")));
    };
    interpreted(model, family).map_err(|error| wrong(error.to_string()))
}

/// What converts between the versions of a family by the rules of a model, which are interpreted.
///
/// # Errors
/// When a type is missing or cannot be built, or when a rule names a function that the model does not have.
pub fn interpreted(model: Model<'_>, family: &Family) -> Result<SchemeConverter, SnapshotError> {
    let mut scheme = Scheme::new();
    for entry in entries(model, family)? {
        // A kind and its list have different names.
        scheme.add(entry).expect("a family has each kind once");
    }
    Ok(SchemeConverter::new(Arc::new(scheme), &family.kind))
}

/// The most that fields and rules may be, multiplied: planning looks for the rules of each field. Those of large operators have
/// a hundredth of it.
const MAX_PAIRS: usize = 100_000_000;

/// Refuses what would take long to plan.
fn bound(api: &Api, rules: &[Rules]) -> Result<(), Vec<Diagnostic>> {
    let fields: usize = api.types().map(|ty| ty.fields().len()).sum();
    let versions = rules.iter().flat_map(|rules| rules.versions.values());
    let of_types =
        |version: &VersionRules| version.types.values().map(|(_, rules)| rules.len()).sum::<usize>();
    let lines: usize = versions.map(|version| version.rules.len() + of_types(version)).sum();
    if fields.saturating_mul(lines) <= MAX_PAIRS {
        return Ok(());
    }
    let message = format!("{fields} fields and {lines} rules are too many together");
    Err(vec![Diagnostic::message(message, OWN_PROGRAM)])
}

/// The types of a definition.
pub(crate) fn types_of(definition: &Value) -> Result<Api, Vec<Diagnostic>> {
    let bare = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": definition["metadata"]["name"]},
        "spec": definition["spec"],
    });
    let source = Source::new("definition.json", bare.to_string());
    let imported = crd::read(&[source], &crd::Options::default(), &Api::default());
    // Lines of a text that nobody has written help nobody.
    let unplaced = |error: Diagnostic| {
        let message = format!("the schemas of the definition cannot be read: {}", error.message);
        Diagnostic::message(message, "").at(error.path)
    };
    Ok(imported.map_err(|errors| errors.into_iter().map(unplaced).collect::<Vec<_>>())?.api)
}

/// The rules of a kind that name functions of users' own code. `index` is the place of the kind's rules among all.
pub fn own_functions(rules: &Rules, index: usize) -> Vec<Problem> {
    let mut out = Vec::new();
    for (version, own) in &rules.versions {
        for rule in own.rules.iter().chain(own.types.values().flat_map(|(_, rules)| rules)) {
            if let Rule::Function { function: Function::Own { module, .. }, .. } = &rule.value {
                out.push(Problem {
                    place: rule.place(index),
                    path: version.to_string(),
                    message: format!(
                        "`{module}` is a function of your own code, which this program does not contain"
                    ),
                    help: OWN_PROGRAM.to_owned(),
                });
            }
        }
    }
    out
}

/// What to do about functions of users' own code.
const OWN_PROGRAM: &str =
    "serve the kind with a program of your own that does: `hubgen_server::Server::with_scheme`";
