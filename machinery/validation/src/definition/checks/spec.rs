//! Checks the spec of a definition.

use super::conversion;
use super::form::Form;
use super::names;
use super::options::{Options, has_default};
use super::props::Props;
use super::shown;
use super::versions;
use super::words;
use crate::compile::keywords::FLAGS;
use crate::compile::lists::{KEYS, LIST_TYPE};
use crate::error::FieldError;
use crate::names::subdomain_mistakes;
use crate::rule::RULES;

/// Adds what is wrong in the spec.
pub(super) fn check(form: &Form<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    let Form { spec, of_all, versions: all, .. } = form;
    group(spec.text("group"), found);
    words::one_of(spec.text("scope"), "spec.scope", &["Cluster", "Namespaced"], found);
    // Where fields that no schema mentions are pruned, the schemas must be structural.
    let is_pruned = !form.keeps_unknown_fields();
    let mut options_of_schemas = options.schema;
    options_of_schemas.structural |= is_pruned;
    if of_all.open_api().is_none() {
        let lacking = all.iter().enumerate().filter(|(_, version)| version.shared.open_api().is_none());
        for (at, version) in lacking {
            let path = || format!("spec.versions[{at}].schema.openAPIV3Schema");
            if options.schemas {
                found.push(FieldError::required(path(), ""));
            } else if is_pruned && version.is("served") {
                found.push(FieldError::required(path(), "because otherwise all fields are pruned"));
            }
        }
    }
    if options.schema.keywords.defaults.is_none() && form.any(has_default) {
        options_of_schemas.structural = true;
        if !is_pruned {
            let why = "must be false in order to use defaults in the schema";
            found.push(FieldError::invalid("spec.preserveUnknownFields", &true.into(), why));
        }
    }
    options_of_schemas.structural |= form.any(has_extension);
    let options = &Options { schema: options_of_schemas, ..options.clone() };

    versions::check(form, options, found);
    let of_versions = |why: &str| FieldError::invalid_shown("spec.versions", &shown::versions(all), why);
    if all
        .iter()
        .enumerate()
        .any(|(at, version)| all[..at].iter().any(|other| other.name() == version.name()))
    {
        found.push(of_versions("must contain unique version names"));
    }
    if all.iter().filter(|version| version.is("storage")).count() != 1 {
        found.push(of_versions("must have exactly one version marked as storage version"));
    }
    if let Some(first) = all.first().map(|first| first.name()).filter(|first| !first.is_empty()) {
        // The name of the first version is that of the definition, too.
        words::label(first, "spec.version".to_owned(), found);
    }
    let of_kind = form.names();
    for key in ["plural", "singular", "kind", "listKind"] {
        if of_kind.text(key).is_empty() {
            found.push(FieldError::required(format!("spec.names.{key}"), ""));
        }
    }
    names::check(of_kind, "spec.names", found);
    versions::of_all(form, options, found);
    conversion::check(form, options, found);
}

/// Adds what an update must not change.
pub(super) fn immutable(new: &Form<'_>, old: &Form<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    let mut compare = |new: Props<'_>, old: Props<'_>, key: &str, path: &str| {
        let (new, old) = (new.text(key), old.text(key));
        if new != old {
            found.push(FieldError::invalid_text(path, new, "field is immutable"));
        }
    };
    let (names, old_names) = (new.names(), old.names());
    // Names in use tell where objects are stored.
    if options.names_stay {
        compare(new.spec, old.spec, "scope", "spec.scope");
        compare(names, old_names, "kind", "spec.names.kind");
    }
    compare(new.spec, old.spec, "group", "spec.group");
    compare(names, old_names, "plural", "spec.names.plural");
}

fn group(group: &str, found: &mut Vec<FieldError>) {
    let path = "spec.group";
    let mistakes = subdomain_mistakes(group);
    if group.is_empty() {
        found.push(FieldError::required(path, ""));
    } else if !mistakes.is_empty() {
        found.push(FieldError::invalid_text(path, group, &mistakes.join(",")));
    } else if !group.contains('.') {
        found.push(FieldError::invalid_text(path, group, "should be a domain with at least one dot"));
    }
}

/// Whether a schema has a keyword of Kubernetes that needs a structural schema.
fn has_extension(schema: Props<'_>) -> bool {
    schema.is_embedded()
        || schema.has(FLAGS.preserves)
        || schema.is_int_or_string()
        || !schema.list(KEYS).is_empty()
        || schema.has(LIST_TYPE)
        || !schema.list(RULES).is_empty()
}
