//! Checks what each version has, or all versions together: schemas, subresources, columns, fields for selectors. Checks
//! which versions are stored.

use std::collections::HashSet;

use serde_json::Value;

use super::form::{Form, Shared, Version};
use super::options::{MOST_FIELDS, Options};
use super::props::Props;
use super::schema::field_path::{self, Notation};
use super::schema::{self, structural};
use super::words;
use crate::error::FieldError;
use crate::rule::RULES;
use crate::schema::Schema;
use crate::text;

/// The most bytes of a warning.
const MOST_OF_WARNING: usize = 256;

/// Checks each version, with what only that one has.
pub(super) fn check(form: &Form<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    let of_all = form.of_all;
    for (at, version) in form.versions.iter().enumerate() {
        let path = format!("spec.versions[{at}]");
        words::label(version.name(), format!("{path}.name"), found);
        warning(version, &path, found);
        let shared = &version.shared;
        let has_status =
            if of_all.subresources.is_some() { of_all.has_status() } else { shared.has_status() };
        if let Some(schema) = shared.open_api() {
            check_schema(schema, (version.name(), &format!("{path}.schema")), has_status, options, found);
        }
        subresources(shared, &path, found);
        columns(shared, &path, found);
        match (shared.selectable.is_empty(), shared.open_api()) {
            (true, _) => {}
            (false, Some(schema)) => {
                if let Some(why) = structural::unsupported(schema) {
                    found.push(FieldError::invalid_text(format!("{path}.schema.openAPIV3Schema"), "", &why));
                }
                selectable(shared.selectable, schema, &path, options, version.name(), found);
            }
            (false, None) => {
                let why = "may only be set when `version.schema.openAPIV3Schema` is not included";
                found.push(FieldError::invalid_text(format!("{path}.selectableFields"), "", why));
            }
        }
    }
}

/// Checks what all versions have.
pub(super) fn of_all(form: &Form<'_>, options: &Options<'_>, found: &mut Vec<FieldError>) {
    let shared = &form.of_all;
    if let Some(schema) = shared.open_api() {
        let has_status =
            shared.has_status() || form.versions.iter().any(|version| version.shared.has_status());
        check_schema(schema, ("", "spec.validation"), has_status, options, found);
    }
    subresources(shared, "spec", found);
    columns(shared, "spec", found);
    if shared.selectable.is_empty() {
        return;
    }
    match (shared.schema, shared.open_api()) {
        (None, _) => {
            let why = "may only be set when validations.schema is included";
            found.push(FieldError::invalid_text("spec.selectableFields", "", why));
        }
        (Some(_), schema) => {
            if let Some(why) = schema.and_then(structural::unsupported) {
                found.push(FieldError::invalid_text("spec.schema.openAPIV3Schema", "", &why));
            }
            let schema = schema.unwrap_or(Props(&Value::Null));
            selectable(shared.selectable, schema, "spec", options, "", found);
        }
    }
}

/// Checks the schema of a version, whose name is empty for all versions together; its rules in CEL if it is right otherwise.
fn check_schema(
    schema: Props<'_>,
    (version, path): (&str, &str),
    has_status: bool,
    options: &Options<'_>,
    found: &mut Vec<FieldError>,
) {
    let before = found.len();
    schema::check(schema, path, has_status, options.schema, found);
    if !options.schema.structural || found.len() > before {
        return;
    }
    let old: Vec<&Value> = options.old_schemas.iter().map(|(_, old)| old.0).collect();
    let is_unchanged = options.old_schemas.iter().any(|(name, old)| *name == version && old.0 == schema.0);
    let checked = Schema::check_update(schema.0, &format!("{path}.openAPIV3Schema"), &old, is_unchanged);
    let errors = checked.mistakes.into_iter().map(|mistake| mistake.error);
    found.extend(errors.filter(|error| error.field.contains(RULES) || error.message.contains(RULES)));
}

fn warning(version: &Version<'_>, path: &str, found: &mut Vec<FieldError>) {
    let Some(warning) = Props(version.json).word("deprecationWarning") else { return };
    let mut wrong = |why: &str| {
        let path = format!("{path}.deprecationWarning");
        found.push(FieldError::invalid_shown(path, &text::json(&warning.into()), why));
    };
    if !version.is("deprecated") {
        return wrong("can only be set for deprecated versions");
    }
    if warning.len() > MOST_OF_WARNING {
        wrong("must be <= 256 characters long");
    }
    if warning.is_empty() {
        wrong("must not be an empty string");
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| !text::is_printable(*c)) {
        wrong(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
}

fn subresources(shared: &Shared<'_>, path: &str, found: &mut Vec<FieldError>) {
    let Some(scale) = shared.subresources.and_then(|all| Props(all).get("scale")).map(Props) else { return };
    for (key, parents, where_) in [
        ("specReplicasPath", &[".spec."][..], "under .spec"),
        ("statusReplicasPath", &[".status."], "under .status"),
        ("labelSelectorPath", &[".spec.", ".status."], "under either .spec or .status"),
    ] {
        let (json_path, path) = (scale.text(key), format!("{path}.subresources.scale.{key}"));
        if json_path.is_empty() {
            if key != "labelSelectorPath" {
                found.push(FieldError::required(path, ""));
            }
        } else if !simple_path(json_path, &path, found)
            && !parents.iter().any(|parent| json_path.starts_with(parent))
        {
            let why = format!("should be a json path {where_}");
            found.push(FieldError::invalid_text(path, json_path, &why));
        }
    }
}

/// Adds the error of a path that does not begin with a dot. Returns whether there is one.
fn simple_path(json_path: &str, path: &str, found: &mut Vec<FieldError>) -> bool {
    let is_wrong = !json_path.starts_with('.');
    if is_wrong {
        found.push(FieldError::invalid_text(path, json_path, "must be a simple json path starting with ."));
    }
    is_wrong
}

fn columns(shared: &Shared<'_>, path: &str, found: &mut Vec<FieldError>) {
    for (at, column) in shared.columns.iter().map(Props).enumerate() {
        let at = |key: &str| format!("{path}.additionalPrinterColumns[{at}].{key}");
        let (ty, format) = (column.text("type"), column.text("format"));
        if column.text("name").is_empty() {
            found.push(FieldError::required(at("name"), ""));
        }
        let why = "must be one of boolean,date,integer,number,string";
        if ty.is_empty() {
            found.push(FieldError::required(at("type"), why));
        } else if !["boolean", "date", "integer", "number", "string"].contains(&ty) {
            found.push(FieldError::invalid_text(at("type"), ty, why));
        }
        let formats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
        if !format.is_empty() && !formats.contains(&format) {
            let why = format!("must be one of {}", formats.join(","));
            found.push(FieldError::invalid_text(at("format"), format, &why));
        }
        match column.text("jsonPath") {
            "" => found.push(FieldError::required(at("JSONPath"), "")),
            json_path => _ = simple_path(json_path, &at("JSONPath"), found),
        }
    }
}

fn selectable(
    fields: &[Value],
    schema: Props<'_>,
    path: &str,
    options: &Options<'_>,
    version: &str,
    found: &mut Vec<FieldError>,
) {
    let path = format!("{path}.selectableFields");
    let mut seen = HashSet::new();
    for (at, field) in fields.iter().map(Props).enumerate() {
        let (json_path, path) = (field.text("jsonPath"), format!("{path}[{at}].jsonPath"));
        if json_path.is_empty() {
            found.push(FieldError::required(path, ""));
            continue;
        }
        let mut wrong = |why: &str| found.push(FieldError::invalid_text(&path, json_path, why));
        let to = match field_path::find(schema, json_path, Notation::Dots) {
            Ok(to) => to,
            Err(why) => {
                wrong(&format!("is an invalid path: {why}"));
                continue;
            }
        };
        if to.root == "metadata" {
            wrong("must not point to fields in metadata");
        }
        if !matches!(to.schema.map_or("", Props::ty), "string" | "boolean" | "integer") {
            wrong(
                "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are \
                 allowed.",
            );
        }
        if !seen.insert(to.path) {
            found.push(FieldError::duplicate(path, &json_path.into()));
        }
    }
    if seen.len() > MOST_FIELDS && !options.too_many_fields.contains(&version) {
        found.push(FieldError::too_many(path, seen.len(), MOST_FIELDS as i64));
    }
}

/// Checks that the versions at which objects may be stored are all there.
pub(super) fn stored(form: &Form<'_>, found: &mut Vec<FieldError>) {
    let path = "status.storedVersions";
    let stored: Vec<&str> = form.status.words("storedVersions").collect();
    let shown: Value = stored.clone().into();
    if stored.is_empty() {
        // A list that is absent and one that is empty differ only here.
        let shown = form.status.get("storedVersions").map_or("null".to_owned(), text::json);
        found.push(FieldError::invalid_shown(path, &shown, "must have at least one stored version"));
        return;
    }
    for (at, version) in form.versions.iter().enumerate().filter(|(_, version)| version.is("storage")) {
        let name = version.name();
        // The second version of a name is none of those that are stored.
        let is_repeated = form.versions[..at].iter().any(|other| other.name() == name);
        if is_repeated || !stored.contains(&name) {
            found.push(FieldError::invalid(path, &shown, &format!("must have the storage version {name}")));
        }
    }
    for (at, name) in stored.iter().enumerate() {
        let is_last = !stored[at + 1..].contains(name);
        if is_last && form.versions.iter().all(|version| version.name() != *name) {
            let why = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until \
                 a storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            found.push(FieldError::invalid_text(format!("{path}[{at}]"), name, &why));
        }
    }
}
