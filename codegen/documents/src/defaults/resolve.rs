//! Checks defaults against the types that they belong to.

use std::collections::{BTreeMap, HashSet};

use hubgen_model::defaults::{Condition, DefaultStep, Defaults};
use hubgen_model::functions::{DefaultFunction, OF_DEFAULTS};
use hubgen_model::{Api, Field, GroupVersion, Presence, Type, TypeExpr};
use serde_json::Value;

use super::{Documents, TypeDefaults, VersionDefaults};
use crate::{Diagnostic, Source};

/// What is wrong, and what to do.
type Wrong = (String, String);

impl Documents {
    /// Checks all defaults against the types.
    ///
    /// # Errors
    /// All errors, in the order of files and lines.
    pub fn resolve(&self, api: &Api) -> Result<Defaults, Vec<Diagnostic>> {
        let mut resolver = Resolver { api, versions: BTreeMap::new(), errors: Vec::new() };
        for document in &self.0 {
            for version in &document.versions {
                resolver.versions.insert(&version.name.value, (&document.source, version));
            }
        }
        let mut defaults = Defaults::default();
        for (source, version) in resolver.versions.values().copied().collect::<Vec<_>>() {
            resolver.version(source, version, &mut defaults);
        }
        let mut errors = resolver.errors;
        errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        if errors.is_empty() { Ok(defaults) } else { Err(errors) }
    }
}

struct Resolver<'a> {
    api: &'a Api,
    versions: BTreeMap<&'a GroupVersion, (&'a Source, &'a VersionDefaults)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn version(&mut self, source: &Source, version: &VersionDefaults, defaults: &mut Defaults) {
        let name = &version.name;
        let Some(types) = self.api.versions.get(&name.value).map(|version| &version.types) else {
            let help = "there is no schema for this version; check its name";
            let message = format!("{} does not exist", name.value);
            self.errors.push(source.error(name.span.clone(), name.value.to_string(), message, help));
            return;
        };
        for ty in &version.types {
            let Some(known) = types.get(&ty.name) else {
                let path = format!("{}.{}", name.value, ty.name);
                let message = format!("{} has no type `{}`", name.value, ty.name);
                let help = "use the name of a type in the schema of this version";
                self.errors.push(source.error(ty.span.clone(), path, message, help));
                continue;
            };
            self.own(source, known, ty, defaults);
        }
        let Some(like) = &version.like else { return };
        let taken = match self.taken(&like.value, &mut vec![&name.value]) {
            Ok(taken) => taken,
            Err(message) => {
                let help = "name a version that has defaults of its own and is not `like` this one";
                self.errors.push(source.error(
                    like.span.clone(),
                    format!("{}.like", name.value),
                    message,
                    help,
                ));
                return;
            }
        };
        let own: HashSet<&str> = version.types.iter().map(|ty| ty.name.as_str()).collect();
        let mut any = false;
        for theirs in taken.into_iter().filter(|theirs| !own.contains(theirs.name.as_str())) {
            let Some(ty) = types.get(&theirs.name) else { continue };
            // Skips defaults of fields that this version does not have.
            let steps: Vec<DefaultStep> = theirs
                .steps
                .iter()
                .map(|step| step.value.clone())
                .filter(|step| self.check(ty, step).is_ok() && !is_schema_default(ty, step))
                .collect();
            any |= !steps.is_empty();
            if !steps.is_empty() {
                defaults.types.insert(ty.id.clone(), steps);
            }
        }
        if !any {
            let message = format!("{} and {} have no type with defaults in common", name.value, like.value);
            let path = format!("{}.like", name.value);
            self.errors.push(source.error(like.span.clone(), path, message, "remove the line"));
        }
    }

    /// The defaults of all types of the version that another one is like, including those that it
    /// takes over itself.
    fn taken(
        &self,
        name: &'a GroupVersion,
        path: &mut Vec<&GroupVersion>,
    ) -> Result<Vec<&'a TypeDefaults>, String> {
        if path.contains(&name) {
            return Err(format!("{name} is like itself"));
        }
        let Some((_, version)) = self.versions.get(name) else {
            return Err(format!("{name} has no defaults"));
        };
        let mut out: Vec<&TypeDefaults> = version.types.iter().collect();
        if let Some(like) = &version.like {
            let mut path: Vec<&GroupVersion> = path.clone();
            path.push(name);
            let known: HashSet<&str> = out.iter().map(|ty| ty.name.as_str()).collect();
            let more = self.taken(&like.value, &mut path)?;
            out.extend(more.into_iter().filter(|ty| !known.contains(ty.name.as_str())));
        }
        Ok(out)
    }

    fn own(&mut self, source: &Source, ty: &Type, written: &TypeDefaults, defaults: &mut Defaults) {
        let mut steps: Vec<DefaultStep> = Vec::new();
        for step in &written.steps {
            let twice = || steps.iter().find_map(|earlier| covers(earlier, &step.value));
            let outcome = self.check(ty, &step.value).and_then(|()| match twice() {
                Some(wrong) => Err(wrong),
                None if is_schema_default(ty, &step.value) => Err((
                    "the schema already specifies a default for this field".to_owned(),
                    "remove one of the two".to_owned(),
                )),
                None => Ok(()),
            });
            if let Err((message, help)) = outcome {
                let path = format!("{}.{}", ty.id.group_version, ty.id.name);
                self.errors.push(source.error(step.span.clone(), path, message, help));
            }
            steps.push(step.value.clone());
        }
        if !steps.is_empty() {
            defaults.types.insert(ty.id.clone(), steps);
        }
    }

    fn check(&self, ty: &Type, step: &DefaultStep) -> Result<(), Wrong> {
        match step {
            DefaultStep::Set { path, value, when } => {
                let field = self.field(ty, path)?;
                if matches!(field.ty, TypeExpr::Ref(_)) && field.presence == Presence::Value {
                    return Err((
                        format!("`{}` is never absent", path.join(".")),
                        format!("give defaults to its fields, such as `\"{}.…\"`, in quotes", path.join(".")),
                    ));
                }
                self.fits(&field.ty, value)?;
                let words = &field.enumeration;
                if !words.is_empty() && !words.contains(value) {
                    return Err((
                        format!("{value} is not among the values that the schema allows"),
                        format!("expected one of {}", Value::from(words.clone())),
                    ));
                }
                when.iter().try_for_each(|Condition { path, .. }| self.field(ty, path).map(drop))
            }
            DefaultStep::Call(name) => {
                let Some(function) = DefaultFunction::find(name) else {
                    let names: Vec<&str> = OF_DEFAULTS.iter().map(|function| function.name).collect();
                    return Err((
                        format!("there is no function `{name}`"),
                        format!("expected one of {}", names.join(", ")),
                    ));
                };
                function.needs.iter().try_for_each(|path| {
                    let path: Vec<String> = path.split('.').map(str::to_owned).collect();
                    let wrong = |(message, _)| {
                        (
                            format!("`{name}` cannot be called for this type: {message}"),
                            "call it for another type".to_owned(),
                        )
                    };
                    self.field(ty, &path).map(drop).map_err(wrong)
                })
            }
        }
    }

    /// Finds the field at the end of a path.
    fn field(&self, ty: &'a Type, path: &[String]) -> Result<&'a Field, Wrong> {
        let (name, rest) = path.split_first().expect("a path has names");
        let Some(field) = ty.field(name) else {
            let names: Vec<&str> = ty.fields().iter().map(|field| field.name.as_str()).collect();
            return Err((
                format!("{} has no field `{name}`", ty.id),
                format!("expected one of {}", names.join(", ")),
            ));
        };
        if rest.is_empty() {
            return Ok(field);
        }
        match &field.ty {
            TypeExpr::Ref(id) => self.field(self.api.find(id).expect("references are resolved"), rest),
            other => Err((
                format!("`{name}` of {} is {other}, which has no fields", ty.id),
                match other.named() {
                    Some(id) => format!("write the default in the table of the type {}", id.name),
                    None => "end the path there".to_owned(),
                },
            )),
        }
    }

    fn fits(&self, ty: &TypeExpr, value: &Value) -> Result<(), Wrong> {
        match (ty, value) {
            (TypeExpr::Ref(id), Value::Object(members)) => {
                let ty = self.api.find(id).expect("references are resolved");
                members.iter().try_for_each(|(name, value)| {
                    self.fits(&self.field(ty, std::slice::from_ref(name))?.ty, value)
                })
            }
            (TypeExpr::List(element), Value::Array(elements)) => {
                elements.iter().try_for_each(|value| self.fits(element, value))
            }
            (TypeExpr::Map(element), Value::Object(members)) => {
                members.values().try_for_each(|value| self.fits(element, value))
            }
            (ty, value) if ty.fits(value) => Ok(()),
            (ty, value) => Err((
                format!("{value} does not match the type of the field, {ty}"),
                "write the default as it appears in an object".to_owned(),
            )),
        }
    }
}

/// Whether an earlier default makes a later one useless.
fn covers(earlier: &DefaultStep, later: &DefaultStep) -> Option<Wrong> {
    let help = || "remove one of the two, or add a condition to each (`when`)".to_owned();
    match (earlier, later) {
        (DefaultStep::Set { path, when, .. }, DefaultStep::Set { path: later, when: also, .. })
            if path == later =>
        {
            let is_covered = when.is_empty() || when == also;
            is_covered.then(|| (format!("`{}` already has a default", path.join(".")), help()))
        }
        (DefaultStep::Call(earlier), DefaultStep::Call(later)) if earlier == later => {
            Some((format!("`{earlier}` is already called"), help()))
        }
        _ => None,
    }
}

/// Whether the schema specifies the default of this field.
fn is_schema_default(ty: &Type, step: &DefaultStep) -> bool {
    match step {
        DefaultStep::Set { path, when, .. } if when.is_empty() => match &**path {
            [name] => ty.field(name).is_some_and(|field| field.default.is_some()),
            _ => false,
        },
        _ => false,
    }
}
