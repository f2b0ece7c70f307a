//! Reads rules that call functions.

use hubgen_model::PlainType;
use hubgen_model::rules::{FieldPath, Function, Rule};
use toml::de::DeTable;

use super::table::{Reader, Value};

pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    reader.only(table, &["name", "module", "version", "hub"]);
    match (table.get("name"), table.get("module")) {
        (Some(name), None) => {
            let name = reader.string(name);
            let (version, hub) = (paths(reader, value, table, "version"), paths(reader, value, table, "hub"));
            Some(Rule::Function { function: Function::Named(name?.value), version: version?, hub: hub? })
        }
        (None, Some(module)) => {
            let module = self::module(reader, module);
            let (version, hub) = (typed(reader, value, table, "version"), typed(reader, value, table, "hub"));
            let ((version, version_types), (hub, hub_types)) = (version?, hub?);
            let function = Function::Own { module: module?, version: version_types, hub: hub_types };
            Some(Rule::Function { function, version, hub })
        }
        _ => {
            reader.error(
                value.span(),
                "expected either `name` or `module`",
                "name one of hubgen's own functions with `name`, or a module of your code with `module`",
            );
            None
        }
    }
}

/// The path of the Rust module that contains both functions.
fn module(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<String> {
    let text = reader.string(value)?;
    let segments: Vec<&str> = text.value.split("::").collect();
    let is_valid = |(index, segment): (usize, &&str)| match *segment {
        "crate" => index == 0,
        "_" | "self" | "Self" | "super" => false,
        name => {
            name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        }
    };
    if segments.iter().enumerate().all(is_valid) {
        return Some(text.value);
    }
    reader.error(
        text.span,
        format!("`{}` is not the path of a Rust module", text.value),
        "write the whole path, such as `crate::duration`, or `functions::duration` for another crate",
    );
    None
}

/// The fields of one side.
fn paths(
    reader: &mut Reader<'_>,
    rule: &Value<'_>,
    table: &DeTable<'_>,
    side: &str,
) -> Option<Vec<FieldPath>> {
    let fields = reader.required(rule, table, side).and_then(|value| reader.array(value))?;
    Some(fields.iter().filter_map(|value| reader.field_path(value)).collect())
}

/// The fields of one side, each with its type: `spec.days: i32`.
fn typed(
    reader: &mut Reader<'_>,
    rule: &Value<'_>,
    table: &DeTable<'_>,
    side: &str,
) -> Option<(Vec<FieldPath>, Vec<PlainType>)> {
    let value = reader.required(rule, table, side)?;
    let fields = reader.array(value)?;
    if fields.is_empty() {
        reader.error(value.span(), "no fields", "name at least one, with its type: [\"spec.days: i32\"]");
        return None;
    }
    Some(fields.iter().filter_map(|value| field(reader, value)).unzip())
}

fn field(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<(FieldPath, PlainType)> {
    let text = reader.string(value)?;
    let (path, ty) = text.value.split_once(':').unwrap_or((&text.value, ""));
    let (path, ty) = (path.trim(), ty.trim());
    if ty.is_empty() {
        reader.error(
            text.span,
            format!("`{path}` has no type"),
            format!("write the type that the function takes after the field: `{path}: i32`"),
        );
        return None;
    }
    let parsed = PlainType::parse(ty);
    if parsed.is_none() {
        reader.error(
            text.span.clone(),
            format!("`{ty}` is not a type that a function can take"),
            format!("expected {}", PlainType::EXPECTED),
        );
    }
    Some((reader.parse_path(path, text.span)?, parsed?))
}
