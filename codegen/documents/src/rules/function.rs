//! Reads rules that call functions.

use hubgen_model::PlainType;
use hubgen_model::rules::{At, FieldPath, Function, Rule};
use toml::de::DeTable;

use crate::table::{Reader, Value};

/// The field of every kind that its versions have in common.
const METADATA: &str = "metadata";

pub(super) fn read(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rule> {
    let table = reader.table(value)?;
    let keys = ["name", "module", "version", "hub", "reads"];
    let is_named = table.contains_key("name") && !table.contains_key("module");
    reader.only(table, if is_named { &keys[..4] } else { &keys });
    match (table.get("name"), table.get("module")) {
        (Some(name), None) => {
            let name = reader.string(name);
            let (version, hub) = (paths(reader, value, table, "version"), paths(reader, value, table, "hub"));
            Some(Rule::Function { function: Function::Named(name?.value), version: version?, hub: hub? })
        }
        (None, Some(module)) => {
            let module = self::module(reader, module);
            let (version, hub) = (typed(reader, value, table, "version"), typed(reader, value, table, "hub"));
            let reads = match table.get("reads") {
                Some(fields) => reader.array(fields).map(|fields| reads(reader, fields)),
                None => Some(Vec::new()),
            };
            let ((version, version_types), (hub, hub_types)) = (version?, hub?);
            let function =
                Function::Own { module: module?, version: version_types, hub: hub_types, reads: reads? };
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

/// Refuses functions that would return metadata: it is the same at all versions. The paths of the rules begin at the
/// kind.
pub(super) fn expect_no_metadata(reader: &mut Reader<'_>, rules: &[At<Rule>]) {
    for rule in rules {
        let Rule::Function { function: Function::Own { .. }, version, hub } = &rule.value else { continue };
        if let Some(path) = version.iter().chain(hub).find(|path| path.0[0] == METADATA) {
            reader.error(
                rule.span.clone(),
                format!("functions return what `version` and `hub` name, and no conversion changes `{path}`"),
                format!("name it in `reads`, as a parameter of both functions: reads = [\"{path}: …\"]"),
            );
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

/// The fields of the metadata that functions take besides, each with its type.
fn reads(reader: &mut Reader<'_>, fields: &[Value<'_>]) -> Vec<(FieldPath, PlainType)> {
    let mut out = Vec::new();
    for value in fields {
        let Some((path, ty)) = field(reader, value) else { continue };
        if path.0[0] == METADATA && path.0.len() <= 2 {
            out.push((path, ty));
        } else {
            reader.error(
                value.span(),
                format!("`{path}` is not metadata"),
                "read `metadata: ObjectMeta` or one of its fields, such as `metadata.name: Str`; functions take all other \
                 fields as those of `version` and `hub`",
            );
        }
    }
    out
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
