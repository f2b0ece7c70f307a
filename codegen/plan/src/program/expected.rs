//! Fields that must contain one of several string values, with their paths from the kind.

use std::collections::BTreeSet;

use hubgen_model::TypeId;

use super::ops::{Expected, Op};
use super::{Direction, Mapper, Pair, Value};
use crate::Mapping;

type Key = (TypeId, TypeId);

impl Mapper<'_> {
    /// Finds, for each direction, the fields that may contain only the listed values.
    pub(super) fn expect_words(&mut self, root: &Key) {
        let mut endless = BTreeSet::new();
        let mut find = |direction| {
            let mut walk = Walk { mapping: &self.mapping, direction, inside: Vec::new(), found: Vec::new() };
            walk.pair(root, &[], &mut endless);
            walk.found
        };
        let (to_hub, from_hub) = (find(Direction::ToHub), find(Direction::FromHub));
        (self.mapping.expected_to_hub, self.mapping.expected_from_hub) = (to_hub, from_hub);
        let version = self.types.find(&root.0);
        for path in endless {
            let Some(version) = version else { continue };
            let names: Vec<String> = path.split('.').map(str::to_owned).collect();
            self.missing(
                (version, &names),
                path,
                "`words` is used in a type that contains itself",
                "use `words` only in types that do not contain themselves",
            );
        }
    }
}

struct Walk<'a> {
    mapping: &'a Mapping,
    direction: Direction,
    /// The pairs that contain the current one.
    inside: Vec<&'a Key>,
    found: Vec<Expected>,
}

impl<'a> Walk<'a> {
    /// Adds to `endless` the paths that lead back into a type with `words`.
    fn pair(&mut self, key: &Key, path: &[&'a str], endless: &mut BTreeSet<String>) {
        let Some((key, pair)) = self.mapping.pairs.get_key_value(key) else { return };
        if self.inside.contains(&key) {
            if has_words(self.mapping, key, &mut BTreeSet::new()) {
                endless.insert(path.join("."));
            }
            return;
        }
        self.inside.push(key);
        for (names, value) in values(pair, self.direction) {
            let path = [path, &names].concat();
            match value.innermost() {
                Value::Pair(version, hub) => self.pair(&(version.clone(), hub.clone()), &path, endless),
                value => {
                    let words = value.words(self.direction);
                    if !words.is_empty() {
                        let words = words.into_iter().map(str::to_owned).collect();
                        self.found.push(Expected { path: path.join("."), words });
                    }
                }
            }
        }
        self.inside.pop();
    }
}

/// The values that a program copies, with their field paths in the source.
fn values(pair: &Pair, direction: Direction) -> Vec<(Vec<&str>, &Value)> {
    let mut out = Vec::new();
    for op in &pair.program(direction).ops {
        out.extend(op.copy().map(|copy| (copy.from.names(), &copy.value)));
        match op {
            Op::Spread { each, .. } => out.extend(each.iter().map(|each| (each.field.names(), &each.value))),
            Op::Gather { list, each, .. } => {
                let names = |name| [list.from.names(), vec![name]].concat();
                out.extend(each.iter().map(|each| (names(&*each.element.name), &each.value)));
            }
            _ => {}
        }
    }
    out
}

fn has_words<'a>(mapping: &'a Mapping, key: &'a Key, seen: &mut BTreeSet<&'a Key>) -> bool {
    let Some(pair) = mapping.pairs.get(key).filter(|_| seen.insert(key)) else { return false };
    values(pair, Direction::ToHub).into_iter().any(|(_, value)| match value.innermost() {
        Value::Pair(version, hub) => {
            let below = mapping.pairs.get_key_value(&(version.clone(), hub.clone()));
            below.is_some_and(|(key, _)| has_words(mapping, key, seen))
        }
        value => !value.words(Direction::ToHub).is_empty(),
    })
}
