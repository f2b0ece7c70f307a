//! Reads `canonical.toml`: for values that a type can represent in several ways, the rewrites that
//! produce the canonical form.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use hubgen_model::canonical::{CanonicalForms, Rewrite};
use hubgen_model::rules::At;
use hubgen_model::{Api, Field, GroupVersion, Presence, Type, TypeExpr, TypeId};

use super::read;
use crate::table::{Reader, Value, group_version};
use crate::{Diagnostic, Source};

const OPERATORS: [&str; 6] = ["alias", "first", "overwrite", "constant", "negative", "forget"];

/// The content of the file, not yet checked against types.
#[derive(Debug)]
pub struct Document {
    source: Source,
    versions: Vec<Version>,
}

#[derive(Debug)]
struct Version {
    name: At<GroupVersion>,
    /// Another version, whose rewrites apply to the types of the same names here.
    like: Option<At<GroupVersion>>,
    types: Vec<(At<String>, Vec<At<Rewrite>>)>,
}

/// Reads the file.
pub fn document(source: Source, errors: &mut Vec<Diagnostic>) -> Document {
    let versions = versions(&mut Reader::new(&source, errors), &source);
    Document { source, versions }
}

fn versions(reader: &mut Reader<'_>, source: &Source) -> Vec<Version> {
    let mut versions = Vec::new();
    for (key, value) in &read::document(source, reader).unwrap_or_default() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| match group_version(name) {
            Some(parsed) => versions.push(version(reader, At::new(parsed, key.span()), value)),
            None => reader.error(
                key.span(),
                format!("`{name}` is not a group version"),
                "expected a table for a version, such as [\"core/v1\"]",
            ),
        });
    }
    versions
}

fn version(reader: &mut Reader<'_>, name: At<GroupVersion>, value: &Value<'_>) -> Version {
    let mut version = Version { name, like: None, types: Vec::new() };
    for (key, value) in reader.table(value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| match name {
            "like" => version.like = reader.group_version(value),
            _ => version.types.push((At::new(name.to_owned(), key.span()), steps(reader, value))),
        });
    }
    version
}

fn steps(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<At<Rewrite>> {
    let mut out = Vec::new();
    for (key, value) in reader.table(value).into_iter().flatten() {
        let name = key.get_ref().as_ref();
        reader.below(name, |reader| match name {
            "alias" => out.extend(read::list(reader, value, alias)),
            "first" => out.extend(read::list(reader, value, first)),
            "overwrite" => out.extend(read::list(reader, value, overwrite)),
            "constant" => out.extend(
                read::words(reader, value)
                    .into_iter()
                    .filter_map(|(path, value, span)| constant(reader, path.0, value, span)),
            ),
            "negative" => {
                for (key, value) in reader.table(value).into_iter().flatten() {
                    let path = reader.parse_path(key.get_ref(), key.span());
                    if let (Some(path), Some(value)) = (path, reader.integer(value)) {
                        out.push(At::new(Rewrite::Negative { path: path.0, value }, key.span()));
                    }
                }
            }
            "forget" => {
                let keys = reader.array(value).into_iter().flat_map(|array| array.iter());
                let annotations: Vec<String> =
                    keys.filter_map(|key| Some(reader.string(key)?.value)).collect();
                out.push(At::new(Rewrite::Forget { annotations }, key.span()));
            }
            _ => reader.error(
                key.span(),
                format!("`{name}` is not an operator"),
                format!("expected one of {}", OPERATORS.join(", ")),
            ),
        });
    }
    out
}

fn alias(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rewrite> {
    let [field, of] = texts(reader, value, ["field", "of"])?;
    Some(Rewrite::Alias { field, of })
}

fn overwrite(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rewrite> {
    let [from, into] = texts(reader, value, ["from", "into"])?;
    Some(Rewrite::Overwrite { from, into })
}

fn first(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Rewrite> {
    let table = reader.table(value)?;
    reader.only(table, &["field", "list", "element"]);
    let field = reader.required(value, table, "field").and_then(|value| reader.string(value));
    let list = reader.required(value, table, "list").and_then(|value| reader.string(value));
    let element = table.get("element").and_then(|value| reader.string(value));
    Some(Rewrite::First { field: field?.value, list: list?.value, element: element.map(|at| at.value) })
}

fn constant(
    reader: &mut Reader<'_>,
    path: Vec<String>,
    value: String,
    span: Range<usize>,
) -> Option<At<Rewrite>> {
    match <[String; 2]>::try_from(path) {
        Ok([list, field]) => Some(At::new(Rewrite::Constant { list, field, value }, span)),
        Err(path) => {
            let help = "write `list.field`: a field of the elements of a list";
            reader.error(span, format!("`{}` does not consist of two names", path.join(".")), help);
            None
        }
    }
}

/// The strings of a table that has exactly these keys.
fn texts<const N: usize>(reader: &mut Reader<'_>, value: &Value<'_>, keys: [&str; N]) -> Option<[String; N]> {
    let table = reader.table(value)?;
    reader.only(table, &keys);
    let found = keys.map(|key| reader.required(value, table, key).and_then(|value| reader.string(value)));
    let found: Option<Vec<String>> = found.into_iter().map(|found| Some(found?.value)).collect();
    found?.try_into().ok()
}

impl Document {
    /// Checks the rewrites against the types.
    ///
    /// # Errors
    /// All errors, in the order of the file.
    pub fn resolve(&self, api: &Api) -> Result<CanonicalForms, Vec<Diagnostic>> {
        let mut canonical = CanonicalForms::default();
        let mut errors = Vec::new();
        let mut wrong = |span: &Range<usize>, path: String, message: String, help: &str| {
            errors.push(self.source.error(span.clone(), path, message, help));
        };
        for version in &self.versions {
            let name = &version.name.value;
            let Some(types) = api.versions.get(name).map(|version| &version.types) else {
                let help = "there is no schema for this version; check its name";
                wrong(&version.name.span, name.to_string(), format!("{name} does not exist"), help);
                continue;
            };
            for (ty, steps) in &version.types {
                let path = format!("{name}.{}", ty.value);
                let Some(known) = types.get(&ty.value) else {
                    let help = "use the name of a type in the schema of this version";
                    wrong(&ty.span, path, format!("{name} has no type `{}`", ty.value), help);
                    continue;
                };
                if let Some(recursive) = recursive(api, known) {
                    let message = format!(
                        "{} contains itself, and recursive types cannot have a canonical form",
                        recursive.id
                    );
                    wrong(
                        &ty.span,
                        path.clone(),
                        message,
                        "write rewrites only for types that are neither recursive nor part of a recursive type",
                    );
                }
                for step in steps {
                    if let Err(message) = check(api, known, &step.value) {
                        let help = "correct the name, or use an operator for fields of these types";
                        wrong(&step.span, path.clone(), message, help);
                    }
                }
                let steps = steps.iter().map(|step| step.value.clone()).collect();
                canonical.types.insert(known.id.clone(), steps);
            }
            let Some(like) = &version.like else { continue };
            let theirs = self.versions.iter().find(|other| other.name.value == like.value);
            let theirs = theirs.filter(|other| other.like.is_none()).map(|other| &other.types);
            let Some(theirs) = theirs else {
                let help = "name a version with rewrites of its own";
                wrong(&like.span, format!("{name}.like"), format!("{} has no rewrites", like.value), help);
                continue;
            };
            for (ty, steps) in theirs {
                let Some(known) = types.get(&ty.value) else { continue };
                for step in steps {
                    if let Err(message) = check(api, known, &step.value) {
                        let help = "give this version its own table for the type";
                        wrong(&like.span, format!("{name}.{}", ty.value), message, help);
                    }
                }
                let steps = steps.iter().map(|step| step.value.clone()).collect();
                canonical.types.entry(known.id.clone()).or_insert(steps);
            }
        }
        if errors.is_empty() { Ok(canonical) } else { Err(errors) }
    }
}

/// Checks a rewrite against its type.
///
/// # Errors
/// What does not match the type.
fn check(api: &Api, ty: &Type, step: &Rewrite) -> Result<(), String> {
    let string = TypeExpr::String;
    match step {
        Rewrite::Alias { field, of } => {
            value(ty, field, |ty| *ty == string, "a string")?;
            value(ty, of, |ty| *ty == string, "a string")
        }
        Rewrite::First { field, list, element } => {
            value(ty, field, |ty| *ty == string, "a string")?;
            match element {
                None => value(
                    ty,
                    list,
                    |ty| matches!(ty, TypeExpr::List(of) if **of == string),
                    "a list of strings",
                ),
                Some(element) => value(elements(api, ty, list)?, element, |ty| *ty == string, "a string"),
            }
        }
        Rewrite::Overwrite { from, into } => {
            value(ty, from, |ty| matches!(ty, TypeExpr::Map(of) if **of == string), "a map of strings")?;
            let bytes = TypeExpr::Bytes;
            value(ty, into, |ty| matches!(ty, TypeExpr::Map(of) if **of == bytes), "a map of bytes")
        }
        Rewrite::Constant { list, field, .. } => {
            value(elements(api, ty, list)?, field, |ty| *ty == string, "a string")
        }
        Rewrite::Negative { path, .. } => {
            let mut at = ty;
            let (last, parents) = path.split_last().ok_or("is empty")?;
            for name in parents {
                let id = one(at, name)?.ty.named();
                at = id
                    .and_then(|id| api.find(id))
                    .ok_or_else(|| format!("`{name}` of {} is not an object", at.id))?;
            }
            let field = one(at, last)?;
            if field.ty == TypeExpr::Int64 {
                return Ok(());
            }
            Err(format!("`{last}` of {} is {}, not a 64 bit integer", at.id, field.ty))
        }
        Rewrite::Forget { annotations } => {
            let metadata = one(ty, "metadata")?.ty.named().and_then(|id| api.find(id));
            let metadata = metadata.ok_or_else(|| format!("{} has no metadata", ty.id))?;
            one(metadata, "annotations")?;
            if annotations.is_empty() { Err("names no annotations".to_owned()) } else { Ok(()) }
        }
    }
}

/// A recursive type among this type and those that contain it.
fn recursive<'a>(api: &'a Api, ty: &'a Type) -> Option<&'a Type> {
    let mut holders: HashMap<&TypeId, Vec<&'a Type>> = HashMap::new();
    for holder in api.types() {
        for id in holder.fields().iter().filter_map(|field| field.ty.named()) {
            holders.entry(id).or_default().push(holder);
        }
    }
    let above = |id: &'a TypeId| -> HashSet<&'a TypeId> {
        let (mut found, mut todo) = (HashSet::new(), vec![id]);
        while let Some(id) = todo.pop() {
            let above = holders.get(id).into_iter().flatten();
            todo.extend(above.map(|holder| &holder.id).filter(|id| found.insert(*id)));
        }
        found
    };
    let all = above(&ty.id);
    let mut all: Vec<&'a TypeId> = all.into_iter().chain([&ty.id]).collect();
    all.sort();
    all.into_iter().filter(|id| above(id).contains(id)).find_map(|id| api.find(id))
}

fn one<'a>(ty: &'a Type, name: &str) -> Result<&'a Field, String> {
    ty.field(name).ok_or_else(|| {
        let names: Vec<&str> = ty.fields().iter().map(|field| field.name.as_str()).collect();
        format!("{} has no field `{name}`; it has the fields {}", ty.id, names.join(", "))
    })
}

/// Checks that a field has the expected type and is not a pointer.
fn value(ty: &Type, name: &str, fits: impl Fn(&TypeExpr) -> bool, what: &str) -> Result<(), String> {
    let field = one(ty, name)?;
    if field.presence == Presence::Value && fits(&field.ty) {
        return Ok(());
    }
    let pointer = if field.presence != Presence::Value { " that may be absent" } else { "" };
    Err(format!("`{name}` of {} is {}{pointer}, not {what}", ty.id, field.ty))
}

/// The type of the elements of a list of objects.
fn elements<'a>(api: &'a Api, ty: &Type, list: &str) -> Result<&'a Type, String> {
    let field = one(ty, list)?;
    let element = match &field.ty {
        TypeExpr::List(element) => element.named().and_then(|id| api.find(id)),
        _ => None,
    };
    element.ok_or_else(|| format!("`{list}` of {} is {}, not a list of objects", ty.id, field.ty))
}
