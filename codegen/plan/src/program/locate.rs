//! Locates each rule: at the deepest pair of types that all of its paths reach by the same names.

use std::cell::Cell;
use std::ops::Range;

use hubgen_model::Type;
use hubgen_model::rules::{Annotation, At, Form, Rule, VersionRules};

use super::Mapper;
use super::path::{common, owner};

/// A rule with the type that it is located at.
pub(super) struct Located<'a> {
    pub(super) rule: &'a At<Rule>,
    /// The number of names that its paths have lost on the way there.
    pub(super) depth: usize,
    pub(super) used: Cell<bool>,
}

impl<'a> Mapper<'a> {
    pub(super) fn locate_all(&mut self, root: &'a Type, hub: &'a Type) {
        let Some((_, rules)) = self.ruled else { return };
        let Some(own) = rules.versions.get(self.version) else { return };
        if let Some(like) = &own.like {
            match rules.versions.get(&like.value) {
                Some(other) if other.like.is_none() => self.locate(other, root, hub),
                Some(_) => self.problem(
                    like.span.clone(),
                    self.version,
                    format!("{} itself refers to another version with `like`", like.value),
                    "name that version instead",
                ),
                None => self.problem(
                    like.span.clone(),
                    self.version,
                    format!("there are no rules for {}", like.value),
                    "name a version that has rules",
                ),
            }
        }
        self.locate(own, root, hub);
    }

    fn locate(&mut self, own: &'a VersionRules, root: &'a Type, hub: &'a Type) {
        // Objects whose fields rules map separately, by path. A rule with paths on one
        // side only is located next to those rules.
        let mut apart: Vec<(&[String], usize)> = Vec::new();
        for rule in &own.rules {
            let paths = paths(&rule.value);
            if paths.len() > 1 {
                let (ty, _, depth) = common(self.types, root, hub, &paths);
                apart.extend(paths.into_iter().map(|path| (path, depth)));
                self.rules.entry(&ty.id.name).or_default().push(Located {
                    rule,
                    depth,
                    used: Cell::new(false),
                });
            }
        }
        for rule in own.rules.iter().filter(|rule| !marks_zero(&rule.value)) {
            let [path] = paths(&rule.value)[..] else { continue };
            let mut depth = match &rule.value {
                Rule::Constant { .. }
                | Rule::Always { .. }
                | Rule::EmptyIsAbsent { .. }
                | Rule::Drop { .. } => path.len() - 1,
                _ => common(self.types, root, hub, &[path]).2,
            };
            while let Some((_, above)) = apart.iter().find(|(other, above)| {
                *above < depth && other.len() > depth && other[..depth] == path[..depth]
            }) {
                depth = *above;
            }
            let (ty, depth) = match owner(self.types, root, &path[..=depth]) {
                Some(ty) => (ty, depth),
                None => (root, 0),
            };
            self.rules.entry(&ty.id.name).or_default().push(Located { rule, depth, used: Cell::new(false) });
        }
        for (name, (_, rules)) in &own.types {
            let located = rules.iter().map(|rule| Located { rule, depth: 0, used: Cell::new(false) });
            self.rules.entry(name).or_default().extend(located);
        }
    }

    pub(super) fn find_unused(&mut self) {
        let unused: Vec<(Range<usize>, String)> = self
            .rules
            .iter()
            .flat_map(|(name, rules)| rules.iter().map(move |located| (name, located)))
            .filter(|(_, located)| !located.used.get())
            .map(|(name, located)| (located.rule.span.clone(), (*name).to_owned()))
            .collect();
        for (span, name) in unused {
            self.problem(
                span,
                self.version.clone(),
                format!("the rule has no effect: no type {name} of {} is converted", self.version),
                "name a type that the kind contains, or give paths from the kind",
            );
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
