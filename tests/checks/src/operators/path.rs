//! Paths in objects, and patterns of them.

use std::fmt;

/// The way to a value in an object.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Path(pub Vec<Step>);

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Member(String),
    Item(usize),
}

impl Path {
    pub fn below(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Item(index) => write!(f, "[{index}]")?,
                Step::Member(name) if name.contains('.') => write!(f, "[{name:?}]")?,
                Step::Member(name) if at == 0 => f.write_str(name)?,
                Step::Member(name) => write!(f, ".{name}")?,
            }
        }
        Ok(())
    }
}

/// A pattern: `spec.podSets[].name`, `metadata.annotations["example.com/a"]`; `*` is any member, `**` any way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Member(String),
    AnyMember,
    AnyItem,
    AnyWay,
}

impl Pattern {
    /// Reads a pattern; `None` if a name is empty, or a bracket is not closed.
    pub fn parse(text: &str) -> Option<Self> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("[]") {
                parts.push(Part::AnyItem);
                rest = after;
            } else if let Some(after) = rest.strip_prefix("[\"") {
                let (name, after) = after.split_once("\"]")?;
                parts.push(Part::Member(name.to_owned()));
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                parts.push(match name {
                    "" => return None,
                    "*" => Part::AnyMember,
                    "**" => Part::AnyWay,
                    name => Part::Member(name.to_owned()),
                });
                rest = after;
            }
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        (!parts.is_empty()).then_some(Self(parts))
    }

    pub fn matches(&self, path: &Path) -> bool {
        matches(&self.0, &path.0)
    }

    /// The path in another object that this pattern means: `[]` and `*` are what they are in `path`, in their order.
    pub fn at(&self, path: &Path) -> Option<Path> {
        let mut items = path.0.iter().filter(|step| matches!(step, Step::Item(_)));
        let mut out = Vec::new();
        for (at, part) in self.0.iter().enumerate() {
            out.push(match part {
                Part::Member(name) => Step::Member(name.clone()),
                Part::AnyItem => items.next()?.clone(),
                Part::AnyMember => path.0.get(at)?.clone(),
                Part::AnyWay => return None,
            });
        }
        Some(Path(out))
    }
}

fn matches(parts: &[Part], steps: &[Step]) -> bool {
    match (parts, steps) {
        ([], []) => true,
        ([Part::AnyWay, rest @ ..], _) => (0..=steps.len()).any(|count| matches(rest, &steps[count..])),
        ([part, parts @ ..], [step, steps @ ..]) => {
            let is_it = match (part, step) {
                (Part::Member(name), Step::Member(found)) => name == found,
                (Part::AnyMember, Step::Member(_)) | (Part::AnyItem, Step::Item(_)) => true,
                _ => false,
            };
            is_it && matches(parts, steps)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &[&str]) -> Path {
        let step = |step: &&str| step.parse().map_or_else(|_| Step::Member((*step).to_owned()), Step::Item);
        Path(steps.iter().map(step).collect())
    }

    #[test]
    fn patterns_match_names_items_and_ways() {
        let long = path(&["spec", "routes", "0", "routes", "3", "a.b/c"]);
        assert_eq!(long.to_string(), "spec.routes[0].routes[3][\"a.b/c\"]");
        for (pattern, is_match) in [
            ("spec.routes[].routes[][\"a.b/c\"]", true),
            ("spec.**[\"a.b/c\"]", true),
            ("spec.routes[].routes[].*", true),
            ("spec.routes[].routes[]", false),
            ("spec.routes.*.routes[].*", false),
            ("spec.**.other", false),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap().matches(&long), is_match, "{pattern}");
        }
        assert_eq!(Pattern::parse("a..b").or(Pattern::parse("")).or(Pattern::parse("a[\"b")), None);
    }

    #[test]
    fn a_pattern_means_a_place_beside_another() {
        let found = path(&["spec", "items", "2", "to"]);
        let at = |pattern: &str| Pattern::parse(pattern).unwrap().at(&found);
        assert_eq!(at("spec.old[].from"), Some(path(&["spec", "old", "2", "from"])));
        assert_eq!(at("spec.old[].more[].from"), None);
    }
}
