//! Paths of fields, and what rules make of them.

use std::fmt;

/// A field path as its parts: names of members, and elements of lists as `[0]`. In the path of a rule, `[]` stands for
/// any element of a list and any value of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<String>);

impl Path {
    /// The path of a rule: `spec.rules[].host`.
    pub fn of_rule(text: &str) -> Self {
        let parts = text.split('.').flat_map(|name| {
            let (name, many) = name.split_at(name.find('[').unwrap_or(name.len()));
            std::iter::once(name.to_owned()).chain(many.split_inclusive(']').map(str::to_owned))
        });
        Self(parts.collect())
    }

    /// The path of a member or element below this one.
    pub fn below(&self, part: impl Into<String>) -> Self {
        Self(self.0.iter().cloned().chain([part.into()]).collect())
    }

    /// Only so many parts from the start.
    pub fn first(&self, count: usize) -> Self {
        Self(self.0[..count.min(self.0.len())].to_vec())
    }

    /// Whether this is the path of a rule for `path`, or for something around it.
    pub fn covers(&self, path: &Self) -> bool {
        self.0.len() <= path.0.len()
            && self.0.iter().zip(&path.0).all(|(part, other)| part == "[]" || part == other)
    }

    /// What `path` becomes where this path of a rule becomes `other`; `None` if it does not cover the path.
    pub fn moves(&self, path: &Self, other: &Self) -> Option<Self> {
        if !self.covers(path) {
            return None;
        }
        let any = self.0.iter().zip(&path.0).filter(|(part, _)| *part == "[]").map(|(_, found)| found);
        let mut any = any.cloned();
        let there = other.0.iter().map(|part| match &**part {
            "[]" => any.next().unwrap_or_else(|| part.clone()),
            _ => part.clone(),
        });
        let moved: Vec<String> = there.collect();
        Some(Self(moved.into_iter().chain(path.0[self.0.len()..].iter().cloned()).collect()))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            let dot = if index == 0 || part.starts_with('[') { "" } else { "." };
            write!(f, "{dot}{part}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_stay_those_that_they_are() {
        let [rule, other] = ["spec.rules[].host", "spec.all[].names.host"].map(Path::of_rule);
        let path = Path::of_rule("spec.rules[2].host.x");
        assert_eq!(rule.moves(&path, &other).expect("covered").to_string(), "spec.all[2].names.host.x");
        assert_eq!(rule.moves(&Path::of_rule("spec.rules[2]"), &other), None);
        assert_eq!(rule.moves(&Path::of_rule("spec.rules[2].hosts"), &other), None);
    }
}
