//! Checks columns against the kinds that they are about.

use std::collections::BTreeMap;

use hubgen_model::behaviour::Behaviours;
use hubgen_model::columns::{Column, Columns, KindColumns, Or, Show, ValueAt};
use hubgen_model::functions::OF_CELLS;
use hubgen_model::rules::At;
use hubgen_model::{Api, Declared, GroupVersionKind, Type, TypeExpr};

use super::path::{Found, Wrong, find};
use super::{ColumnLine, Document, Documents, KindLines, ShowLine, Template};
use crate::Diagnostic;

/// A kind at each of its versions.
type Family<'a> = Vec<(&'a GroupVersionKind, &'a Type)>;

impl Documents {
    /// Checks all columns against the kinds, and adds them, and those of definitions. `declared` are the families that
    /// moved from group to group.
    ///
    /// # Errors
    /// All errors, in the order of files and lines.
    pub fn resolve(
        &self,
        api: &Api,
        declared: &[Declared],
        behaviours: &mut Behaviours,
    ) -> Result<(), Vec<Diagnostic>> {
        let families = families(api, declared);
        defined(&families, behaviours);
        let mut errors = Vec::new();
        for document in &self.0 {
            let group = if document.group == "core" { "" } else { &*document.group };
            for lines in &document.kinds {
                let name = &lines.name;
                let Some(family) = families.get(&(group, name.value.as_str())) else {
                    let known: Vec<&str> =
                        families.keys().filter(|(home, _)| *home == group).map(|(_, kind)| *kind).collect();
                    let message =
                        format!("{} has no kind `{}` that servers offer", document.group, name.value);
                    let help = format!("expected one of {}", known.join(", "));
                    errors.push(document.source.error(name.span.clone(), &name.value, message, help));
                    continue;
                };
                let mut resolver = Resolver { api, family, document, path: &name.value, errors: Vec::new() };
                let columns = resolver.kind(lines);
                errors.extend(resolver.errors);
                for (member, _) in family {
                    behaviours.columns.insert((*member).clone(), Columns::OfKind(columns.clone()));
                }
            }
        }
        errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Adds the columns of definitions.
fn defined(families: &BTreeMap<(&str, &str), Family<'_>>, behaviours: &mut Behaviours) {
    for (name, ty) in families.values().flatten() {
        let definition = ty.kind.as_ref().and_then(|kind| kind.definition.as_ref());
        let Some(definition) = definition else { continue };
        behaviours.columns.insert((*name).clone(), Columns::Defined(definition.columns.clone()));
    }
}

/// The kinds that servers offer, by the group where they live today and their name.
fn families<'a>(api: &'a Api, declared: &'a [Declared]) -> BTreeMap<(&'a str, &'a str), Family<'a>> {
    let mut families: BTreeMap<_, Family<'_>> = BTreeMap::new();
    for ty in api.own_types() {
        let Some(kind) = ty.kind.as_ref().filter(|kind| kind.resource.is_some()) else { continue };
        let Some(name) = kind.registered.first() else { continue };
        let moved = declared
            .iter()
            .find(|family| family.kind == name.kind && family.members.contains(&name.group_version));
        let home = moved.map_or(&*name.group_version.group, |family| &*family.hub.group);
        families.entry((home, name.kind.as_str())).or_default().push((name, ty));
    }
    families
}

struct Resolver<'a> {
    api: &'a Api,
    family: &'a Family<'a>,
    document: &'a Document,
    path: &'a str,
    errors: Vec<Diagnostic>,
}

impl<'a> Resolver<'a> {
    fn error(&mut self, span: &std::ops::Range<usize>, (message, help): Wrong) {
        self.errors.push(self.document.source.error(span.clone(), self.path, message, help));
    }

    fn kind(&mut self, lines: &KindLines) -> KindColumns {
        let mut function = |name: &Option<At<String>>| name.as_ref().map(|name| self.function(name));
        let (completed, default_since) = (function(&lines.completed), function(&lines.default_since));
        let sorted_by = lines.sorted_by.as_ref().map(|path| {
            if let Some(found) = self.find(path)
                && !matches!(found, TypeExpr::Int32 | TypeExpr::Int64)
            {
                let help = "name a field that is an integer".to_owned();
                self.error(&path.span, (format!("lists cannot be sorted by {found}"), help));
            }
            path.value.clone()
        });
        let columns = lines.columns.iter().filter_map(|line| self.column(line)).collect();
        KindColumns { columns, completed, sorted_by, default_since }
    }

    fn column(&mut self, line: &ColumnLine) -> Option<Column> {
        let show = match &line.show {
            ShowLine::Path { path, or, empty_is_none } => {
                Show::Value(self.value(path, or.clone(), *empty_is_none)?)
            }
            ShowLine::Text(Template { values, after }) => {
                let mut found = Vec::new();
                for (before, path) in values {
                    found.push((before.clone(), self.value(path, None, false)?));
                }
                Show::Text { values: found, after: after.clone() }
            }
            ShowLine::Each { path, or, empty_is_none } => {
                if !self.found(path)?.is_many {
                    let help = "write `path`, or select all items: `.spec.containers[*].name`".to_owned();
                    self.error(&path.span, ("the path selects one value".to_owned(), help));
                }
                Show::Joined { path: path.value.clone(), or: or.clone(), empty_is_none: *empty_is_none }
            }
            ShowLine::Count(paths) => {
                for path in paths {
                    let found = self.find(path)?;
                    if !matches!(found, TypeExpr::List(_) | TypeExpr::Map(_) | TypeExpr::Strings) {
                        let help = "name a list or a map".to_owned();
                        self.error(&path.span, (format!("{found} has no items to count"), help));
                    }
                }
                Show::Count(paths.iter().map(|path| path.value.clone()).collect())
            }
            ShowLine::Age { path, or } => {
                let found = self.find(path)?;
                if !matches!(found, TypeExpr::Time | TypeExpr::MicroTime) {
                    let help = "name a field that is a time".to_owned();
                    self.error(&path.span, (format!("{found} has no age"), help));
                }
                Show::Age { path: path.value.clone(), or: or.clone() }
            }
            ShowLine::Function { name, path } => {
                if let Some(path) = path {
                    self.find(path)?;
                }
                let path = path.as_ref().map(|path| path.value.clone()).unwrap_or_default();
                Show::Function { name: self.function(name), path }
            }
        };
        let ColumnLine { name, ty, format, priority, .. } = line;
        Some(Column { name: name.clone(), ty: ty.clone(), format: format.clone(), priority: *priority, show })
    }

    /// A function by its name.
    fn function(&mut self, name: &At<String>) -> String {
        if !OF_CELLS.contains(&name.value.as_str()) {
            let module = name.value.split("::").next().unwrap_or_default();
            let of_module: Vec<&str> =
                OF_CELLS.iter().copied().filter(|known| known.split("::").next() == Some(module)).collect();
            let known = if of_module.is_empty() { OF_CELLS } else { &of_module };
            let help = format!("expected one of {}", known.join(", "));
            self.error(&name.span, (format!("there is no function `{}` for cells", name.value), help));
        }
        name.value.clone()
    }

    /// A scalar at a path. What is shown if it is absent is written beside it, or else the zero of its type.
    fn value(&mut self, path: &At<String>, or: Option<Or>, empty_is_none: bool) -> Option<ValueAt> {
        let Found { ty, is_many } = self.found(path)?;
        if is_many {
            let help = "write `each`, or select one item: `.spec.containers[0].name`".to_owned();
            self.error(&path.span, ("the path selects several values".to_owned(), help));
        }
        let zero = match ty {
            TypeExpr::Bool => Or::Bool(false),
            TypeExpr::Int32 | TypeExpr::Int64 => Or::Integer(0),
            TypeExpr::String
            | TypeExpr::Time
            | TypeExpr::MicroTime
            | TypeExpr::Duration
            | TypeExpr::Quantity
            | TypeExpr::IntOrString => Or::Text(String::new()),
            other => {
                let help = "name a field that is a text, a number, a boolean, or another scalar".to_owned();
                self.error(&path.span, (format!("a cell cannot show {other}"), help));
                return None;
            }
        };
        Some(ValueAt { path: path.value.clone(), or: or.unwrap_or(zero), empty_is_none })
    }

    /// The type at a path.
    fn find(&mut self, path: &At<String>) -> Option<&'a TypeExpr> {
        self.found(path).map(|found| found.ty)
    }

    /// What is at a path, at the newest version that has it: the hub has what any version has.
    fn found(&mut self, path: &At<String>) -> Option<Found<'a>> {
        let mut wrong = None;
        for (_, ty) in self.family.iter().rev() {
            match find(self.api, ty, &path.value) {
                Ok(found) => return Some(found),
                Err(other) => wrong = wrong.or(Some(other)),
            }
        }
        if let Some(wrong) = wrong {
            self.error(&path.span, wrong);
        }
        None
    }
}
