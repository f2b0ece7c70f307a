//! Where each rule takes hold: at the deepest pair of types that all of its
//! paths lead to by the same names.

use std::cell::Cell;
use std::ops::Range;

use hubgen_model::Type;
use hubgen_model::rules::{Annotation, At, Form, Rule, VersionRules};

use super::Mapper;
use super::path::{common, owner};

/// A rule at the type where it takes hold.
pub(super) struct Located<'a> {
    pub(super) rule: &'a At<Rule>,
    /// How many names its paths have lost on the way there.
    pub(super) depth: usize,
    pub(super) used: Cell<bool>,
}

impl<'a> Mapper<'a> {
    pub(super) fn locate_all(&mut self, root: &'a Type, hub: &'a Type) {
        let Some((_, rules)) = self.ruled else { return };
        let Some(said) = rules.versions.get(self.version) else { return };
        if let Some(like) = &said.like {
            match rules.versions.get(&like.value) {
                Some(other) if other.like.is_none() => self.locate(other, root, hub),
                Some(_) => self.problem(
                    like.span.clone(),
                    self.version,
                    format!("{} is like another version itself", like.value),
                    "name that one",
                ),
                None => self.problem(
                    like.span.clone(),
                    self.version,
                    format!("there are no rules of {}", like.value),
                    "name a version that has rules",
                ),
            }
        }
        self.locate(said, root, hub);
    }

    fn locate(&mut self, said: &'a VersionRules, root: &'a Type, hub: &'a Type) {
        // Objects that rules take apart, by their path: what is said of one
        // side only belongs beside those rules.
        let mut apart: Vec<(&[String], usize)> = Vec::new();
        for rule in &said.rules {
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
        for rule in said.rules.iter().filter(|rule| !marks_zero(&rule.value)) {
            let [path] = paths(&rule.value)[..] else { continue };
            let mut depth = match &rule.value {
                Rule::Constant { .. } | Rule::Always { .. } => path.len() - 1,
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
        for (name, (_, rules)) in &said.types {
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
                format!("the rule never takes hold: no type {name} of {} is converted", self.version),
                "name a type that the kind leads to, or give paths from the kind downwards",
            );
        }
    }
}

/// Whether a rule only marks a field that others convert.
fn marks_zero(rule: &Rule) -> bool {
    matches!(rule, Rule::Keep { annotation: Some(Annotation { form: Form::Zero, .. }), .. })
}

/// All paths of a rule that begin at its type.
pub(super) fn paths(rule: &Rule) -> Vec<&[String]> {
    match rule {
        Rule::Move { from, to, .. } => vec![&from.0, &to.0],
        Rule::Constant { field, .. } => vec![&field.0],
        Rule::Tag { path, set, .. } => {
            std::iter::once(&*path.0).chain(set.iter().map(|(path, _)| &*path.0)).collect()
        }
        Rule::Element { field, list, .. } => vec![&field.0, &list.0],
        Rule::Split { field, number, name } => vec![&field.0, &number.0, &name.0],
        // The list is at one place in both.
        Rule::Hoist { field, list, .. } | Rule::Head { field, list, .. } => vec![&field.0, &list.0],
        Rule::Function { version, hub, .. } => version.iter().chain(hub).map(|path| &*path.0).collect(),
        Rule::Always { path } | Rule::Keep { path, .. } => vec![&path.0],
    }
}
