//! Writes the rules of a repository's kind as the text that comes with its definition.

use std::collections::{BTreeMap, BTreeSet};

use hubgen_diagnostic::Diagnostic;
use hubgen_documents::rules::RuleSet;
use hubgen_machinery::convert::MAX_ANNOTATIONS;
use hubgen_model::canonical::CanonicalForms;
use hubgen_model::rules::{At, Rule, Rules};
use hubgen_model::{Api, GroupVersion, Type, TypeId};
use serde_json::Value;

use crate::parts::{Parts, SHARED};
use crate::read::converter;
use crate::types;

/// What to do with rules that no definition can bring.
const BY_THE_REPOSITORY: &str =
    "leave the rules out of the definitions; `hubgen serve --config` converts by those of the repository";

/// The rules of a kind as the text that comes with its definition, which is made of the same `api`. `index` is the place of
/// the kind's rules in the set.
///
/// # Errors
/// If the definition and the text lack what conversions need: a type that contains itself or has a canonical form, tables from
/// other files, functions of users' own code, more text than annotations may have, or anything else by which the text would be
/// refused.
pub fn text(
    definition: &Value,
    set: &RuleSet,
    index: usize,
    api: &Api,
    canonical: &CanonicalForms,
) -> Result<String, Vec<Diagnostic>> {
    let (Some(rules), Some(source)) = (set.rules.get(index), set.source(index)) else {
        return Ok(String::new());
    };
    let wrong = |message: String, help: &str| vec![Diagnostic::file(source.file(), message, help)];
    let shared = match set.shared() {
        _ if !uses_shared(rules) => None,
        [own] => Some(own.text()),
        _ => {
            let message =
                format!("rules/{SHARED} imports other files, which a definition cannot bring with it");
            return Err(wrong(message, "copy the tables, or leave the rules out of the definitions"));
        }
    };
    let names = names(rules, api).map_err(|ty| {
        let message = format!("{ty} contains itself, which no definition can describe");
        wrong(message, BY_THE_REPOSITORY)
    })?;
    if let Some(ty) = with_canonical_form(rules, api, canonical) {
        let message = format!("{ty} has a canonical form, which a definition cannot bring with it");
        return Err(wrong(message, BY_THE_REPOSITORY));
    }
    let names = types::write(&names);
    let text = Parts::write(source.text(), shared, Some(&*names).filter(|names| !names.is_empty()));
    if text.len() > MAX_ANNOTATIONS {
        let message = format!(
            "the rules have {} bytes with what they need, and annotations may have {MAX_ANNOTATIONS}",
            text.len()
        );
        return Err(wrong(message, BY_THE_REPOSITORY));
    }
    converter(definition, &text)?;
    Ok(text)
}

/// Whether the rules of a kind are in files of others, too.
fn uses_shared(rules: &Rules) -> bool {
    let is_shared = |rule: &At<Rule>| rule.file.is_some();
    rules.versions.values().any(|version| {
        version.rules.iter().any(is_shared)
            || version.types.values().any(|(_, rules)| rules.iter().any(is_shared))
    })
}

/// A type of the kind's own group that has a canonical form.
fn with_canonical_form<'a>(rules: &Rules, api: &'a Api, canonical: &'a CanonicalForms) -> Option<&'a TypeId> {
    let is_own = |group: &str| group == rules.hub.value.group;
    let versions = api.versions.keys().filter(|version| is_own(&version.group));
    let roots = versions.filter_map(|version| api.root(version, &rules.kind.value));
    let mut found = roots.flat_map(|root| canonical.below(api, root)).map(|(_, id)| id);
    found.find(|id| is_own(&id.group_version.group))
}

/// Where the types are that have tables in the rules: by version, the names by their paths.
///
/// # Errors
/// A type that contains itself.
fn names(rules: &Rules, api: &Api) -> Result<BTreeMap<String, BTreeMap<String, String>>, String> {
    let wanted: BTreeSet<&str> =
        rules.versions.values().flat_map(|version| version.types.keys()).map(String::as_str).collect();
    let mut out = BTreeMap::new();
    let of_group = |version: &&GroupVersion| version.group == rules.hub.value.group;
    for version in api.versions.keys().filter(of_group) {
        let Some(root) = api.root(version, &rules.kind.value) else { continue };
        let mut found = BTreeMap::new();
        add(api, &wanted, &mut vec![root], "", &mut found)?;
        out.insert(version.version.clone(), found);
    }
    Ok(out)
}

/// Adds the names of the objects below the last type of `inside`.
fn add<'a>(
    api: &'a Api,
    wanted: &BTreeSet<&str>,
    inside: &mut Vec<&'a Type>,
    path: &str,
    found: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let Some(ty) = inside.last().copied() else { return Ok(()) };
    for field in ty.fields() {
        let below = field.ty.named().filter(|id| id.group_version == ty.id.group_version);
        let Some(below) = below.and_then(|id| api.find(id)) else { continue };
        if inside.iter().any(|outer| outer.id == below.id) {
            return Err(below.id.to_string());
        }
        let path = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
        inside.push(below);
        add(api, wanted, inside, &path, found)?;
        inside.pop();
        if wanted.contains(&*below.id.name) {
            found.insert(path, below.id.name.clone());
        }
    }
    Ok(())
}
