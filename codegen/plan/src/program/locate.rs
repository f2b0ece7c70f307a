//! Locates each rule: at the deepest pair of types that all of its paths reach by the same names.

use std::cell::Cell;
use std::collections::HashMap;

use hubgen_model::rules::{Annotation, At, Form, Rule, VersionRules};
use hubgen_model::{Type, TypeId};

use super::Mapper;
use super::near::near;
use super::path::{common, owner};

/// A rule with the type that it is located at.
pub(super) struct Located<'a> {
    pub(super) rule: &'a At<Rule>,
    /// The number of names that its paths have lost on the way there.
    pub(super) depth: usize,
    pub(super) used: Cell<bool>,
}

/// The paths of rules with several paths, by the type at which each rule converts its fields one by one. Paths begin at
/// that type.
type Apart<'a> = HashMap<&'a str, Vec<&'a [String]>>;

/// A rule of a table, and where it is before other rules are looked at.
struct Found<'a> {
    rule: &'a At<Rule>,
    /// The name of the type at which the paths of the table begin.
    name: &'a str,
    /// That type, if there is one.
    start: Option<&'a Type>,
    /// The number of names of its paths that lead to the deepest types.
    depth: usize,
}

impl<'a> Mapper<'a> {
    pub(super) fn locate_all(&mut self, root: &'a Type, hub: &'a Type) {
        let Some((_, rules)) = self.ruled else { return };
        let Some(own) = rules.versions.get(self.version) else { return };
        let mut found = Vec::new();
        if let Some(like) = &own.like {
            match rules.versions.get(&like.value) {
                Some(other) if other.like.is_none() => found.extend(self.found(other, root, hub)),
                Some(_) => self.problem(
                    like,
                    self.version,
                    format!("{} itself refers to another version with `like`", like.value),
                    "name that version instead",
                ),
                None => self.problem(
                    like,
                    self.version,
                    format!("there are no rules for {}", like.value),
                    "name a version that has rules",
                ),
            }
        }
        found.extend(self.found(own, root, hub));
        let mut apart = Apart::new();
        for found in &found {
            let paths = paths(&found.rule.value);
            if paths.len() > 1 {
                let below = paths.iter().map(|path| &path[found.depth..]);
                apart.entry(self.type_at(found, found.depth)).or_default().extend(below);
            }
        }
        for found in found {
            let depth = self.depth(&found, &apart);
            let located = Located { rule: found.rule, depth, used: Cell::new(false) };
            self.rules.entry(self.type_at(&found, depth)).or_default().push(located);
        }
    }

    /// The rules of a version: those with several paths, those with one path, and those of types.
    fn found(&self, own: &'a VersionRules, root: &'a Type, hub: &'a Type) -> Vec<Found<'a>> {
        let (several, one): (Vec<_>, Vec<_>) = own
            .rules
            .iter()
            .filter(|rule| !marks_zero(&rule.value))
            .partition(|rule| paths(&rule.value).len() > 1);
        let of_kind = |rule| Found {
            rule,
            name: &root.id.name,
            start: Some(root),
            depth: self.deepest(root, Some(hub), &rule.value),
        };
        let mut out: Vec<Found<'a>> = several.into_iter().chain(one).map(of_kind).collect();
        for (name, (_, rules)) in &own.types {
            let start = self.types.find(&TypeId::at(self.version.clone(), name));
            let depth = |rule| start.map_or(0, |start| self.deepest(start, None, rule));
            out.extend(rules.iter().map(|rule| Found { rule, name, start, depth: depth(&rule.value) }));
        }
        out
    }

    /// How many names of a rule's paths lead to the deepest types that it can be a rule of. Without a type of the hub,
    /// only paths in the version lead anywhere.
    fn deepest(&self, version: &Type, hub: Option<&Type>, rule: &Rule) -> usize {
        let paths = paths(rule);
        let is_of_version = matches!(
            rule,
            Rule::Constant { .. } | Rule::Always { .. } | Rule::EmptyIsAbsent { .. } | Rule::Drop { .. }
        );
        let depth = match (paths.first(), hub) {
            (Some(path), _) if is_of_version => path.len() - 1,
            (_, Some(hub)) => common(self.types, version, hub, &paths).2,
            _ => 0,
        };
        // A path that leads nowhere is reported where it begins.
        let is_known = paths.first().and_then(|path| owner(self.types, version, &path[..=depth])).is_some();
        if is_known { depth } else { 0 }
    }

    /// The name of the type to which some names of a rule's paths lead.
    fn type_at(&self, found: &Found<'a>, depth: usize) -> &'a str {
        let path = paths(&found.rule.value).first().map_or(&[][..], |path| &path[..=depth]);
        let ty = found.start.and_then(|start| owner(self.types, start, path));
        ty.map_or(found.name, |ty| &ty.id.name)
    }

    /// How many names of a rule's paths lead to its type. Where other rules convert the fields of an object one by one,
    /// a rule about one of these fields is located next to them, for the object's type is not converted there.
    fn depth(&self, found: &Found<'a>, apart: &Apart<'a>) -> usize {
        let paths = paths(&found.rule.value);
        let Some(path) = paths.first() else { return found.depth };
        let mut depth = found.depth;
        let is_apart_at = |above: usize, depth: usize| {
            let others = apart.get(self.type_at(found, above)).into_iter().flatten();
            let object = &path[above..depth];
            others.into_iter().any(|other| other.len() > object.len() && other.starts_with(object))
        };
        while let Some(above) = (0..depth).find(|above| is_apart_at(*above, depth)) {
            depth = above;
        }
        depth
    }

    /// The types of the version that somebody may have meant.
    fn near_types(&self, name: &str) -> String {
        let parts =
            self.types.api.own_types().filter(|ty| ty.id.group_version == *self.version && ty.kind.is_none());
        let near = near(name, parts.map(|ty| &*ty.id.name));
        format!("name a type of this version, such as {}", near.join(", "))
    }

    pub(super) fn find_unused(&mut self) {
        let all =
            self.rules.iter().flat_map(|(name, rules)| rules.iter().map(move |located| (name, located)));
        let unused = all.filter(|(_, located)| !located.used.get());
        let mut unused: Vec<(At<()>, String)> =
            unused.map(|(name, located)| (self.type_named(located.rule, name), (*name).to_owned())).collect();
        unused.dedup();
        for (at, name) in unused {
            let help = match self.types.find(&TypeId::at(self.version.clone(), &name)) {
                Some(_) => "name a type that the kind contains, or give paths from the kind".to_owned(),
                None => self.near_types(&name),
            };
            self.problem(
                &at,
                self.version.clone(),
                format!("the rule has no effect: no type {name} of {} is converted", self.version),
                help,
            );
        }
    }

    /// Where the type of a rule is named: at the rule, or where the kind uses a table that it shares.
    fn type_named(&self, rule: &At<Rule>, ty: &str) -> At<()> {
        let table = self.ruled.and_then(|(_, rules)| rules.versions.get(self.version)?.types.get(ty));
        match (rule.file, table) {
            (Some(_), Some((span, _))) => At::new((), span.clone()),
            _ => At { value: (), span: rule.span.clone(), file: rule.file },
        }
    }
}

/// Whether a rule only marks a field that other rules convert.
fn marks_zero(rule: &Rule) -> bool {
    matches!(rule, Rule::Keep { annotation: Some(Annotation { form: Form::Zero, .. }), .. })
}

/// All paths of a rule that start at its type.
pub(super) fn paths(rule: &Rule) -> Vec<&[String]> {
    match rule {
        Rule::Move { from, to, .. } => vec![&from.0, &to.0],
        Rule::Constant { field, .. } => vec![&field.0],
        Rule::Tag { path, set, .. } => {
            std::iter::once(&*path.0).chain(set.iter().map(|(path, _)| &*path.0)).collect()
        }
        Rule::Element { field, list, .. } => vec![&field.0, &list.0],
        Rule::Split { field, number, name } => vec![&field.0, &number.0, &name.0],
        // The list has the same path in version and hub.
        Rule::Hoist { field, list, .. } | Rule::Head { field, list, .. } => vec![&field.0, &list.0],
        Rule::Function { version, hub, .. } => version.iter().chain(hub).map(|path| &*path.0).collect(),
        Rule::Always { path }
        | Rule::EmptyIsAbsent { path }
        | Rule::Drop { path }
        | Rule::Keep { path, .. } => vec![&path.0],
    }
}
