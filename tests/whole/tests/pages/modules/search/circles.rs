//! The circles among the children of each module.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use super::resolve::Resolver;
use super::tree::Tree;

/// One module that uses another, with a place where it does.
pub struct Edge {
    pub from: String,
    pub to: String,
    pub file: PathBuf,
    pub line: usize,
}

/// Children of one module, each of which uses all others, if only through others.
pub struct Circle {
    /// The path of their parent.
    pub parent: String,
    pub members: BTreeSet<String>,
    pub edges: Vec<Edge>,
}

impl Circle {
    /// The parent and the members: `crate::reflect::{list, slot}`.
    pub fn name(&self) -> String {
        let members: Vec<_> = self.members.iter().map(String::as_str).collect();
        format!("{}::{{{}}}", self.parent, members.join(", "))
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())?;
        self.edges.iter().try_for_each(|Edge { from, to, file, line }| {
            write!(f, "\n  {from} uses {to} at {}:{line}", file.display())
        })
    }
}

/// Which child of a module uses which, with the first place.
type Uses = BTreeMap<(usize, usize), (PathBuf, usize)>;

pub fn find(tree: &Tree) -> Vec<Circle> {
    let mut circles = Vec::new();
    for (parent, uses) in uses(tree) {
        let mut left: BTreeSet<usize> = uses.keys().map(|&(from, _)| from).collect();
        while let Some(child) = left.pop_first() {
            let after = reached(child, &uses);
            let members: BTreeSet<_> =
                after.into_iter().filter(|&other| reached(other, &uses).contains(&child)).collect();
            left.retain(|other| !members.contains(other));
            if members.len() > 1 {
                circles.push(describe(tree, parent, &members, &uses));
            }
        }
    }
    circles
}

/// The uses among the children of each module. What is deep inside a child counts for the child.
fn uses(tree: &Tree) -> BTreeMap<usize, Uses> {
    let mut all: BTreeMap<usize, Uses> = BTreeMap::new();
    let mut resolver = Resolver::new(tree);
    for (index, module) in tree.modules.iter().enumerate() {
        let from = tree.ancestry(index);
        for (path, &line) in &module.named {
            for used in resolver.modules(index, path) {
                let to = tree.ancestry(used);
                let Some(depth) = from.iter().zip(&to).position(|(from, to)| from != to) else { continue };
                let place = || (module.file.clone(), line);
                let uses = all.entry(from[depth - 1]).or_default();
                uses.entry((from[depth], to[depth])).or_insert_with(place);
            }
        }
    }
    all
}

/// The modules that a module uses, and those that these use, and so on.
fn reached(from: usize, uses: &Uses) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut left = vec![from];
    while let Some(module) = left.pop() {
        let next = uses.keys().filter(|&&(from, _)| from == module).map(|&(_, to)| to);
        left.extend(next.filter(|&to| reached.insert(to)));
    }
    reached
}

fn describe(tree: &Tree, parent: usize, members: &BTreeSet<usize>, uses: &Uses) -> Circle {
    let name = |module: usize| tree.modules[module].name.clone();
    let inside = uses.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
    Circle {
        parent: tree.ancestry(parent).into_iter().map(name).collect::<Vec<_>>().join("::"),
        members: members.iter().map(|&member| name(member)).collect(),
        edges: inside
            .map(|(&(from, to), (file, line))| Edge {
                from: name(from),
                to: name(to),
                file: file.clone(),
                line: *line,
            })
            .collect(),
    }
}
