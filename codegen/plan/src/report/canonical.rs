//! What the conversion of a version does not distinguish.

use hubgen_model::value_table::Cell;
use hubgen_model::{Field, TypeId};

use crate::program::ops::{Absence, Callee, Each, FieldCopy, First, Op, Parent, TypedTable};
use crate::program::path::join;
use crate::{Mapping, Pair, ResolvedPath, Value};

/// Values of a version that version → hub → version does not distinguish: it returns the same one for all of them.
///
/// Generated code and the interpreter declare the same in the terms of the run time, as `convert::Canonical` of
/// `hubgen-machinery`. Paths begin below the kind, and `[]` stands for the elements of a list and the values of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Canonical {
    /// An empty value at the path and an absent one.
    Empty(String),
    /// An object at the path that contains nothing but what the rules determine, and an absent one.
    Determined(String),
    /// A list at the path with a single element, which the rules create, and an absent or empty one.
    Created(String),
    /// Any values at the path: a function returns another form of them, or the rules determine them.
    Any(String),
    /// Any values at the path: the rules drop them.
    Dropped(String),
}

/// What the conversion of a version does not distinguish, each with the line of the report that explains it.
pub fn canonical(mapping: &Mapping, version: &TypeId, hub: &TypeId) -> Vec<(Canonical, String)> {
    let mut walk = Walk { mapping, inside: Vec::new(), found: Vec::new() };
    walk.pair(version, hub, "");
    walk.found
}

struct Walk<'a> {
    mapping: &'a Mapping,
    /// The pairs that contain the current one: types may contain themselves.
    inside: Vec<(TypeId, TypeId)>,
    found: Vec<(Canonical, String)>,
}

impl Walk<'_> {
    fn pair(&mut self, version: &TypeId, hub: &TypeId, at: &str) {
        let key = (version.clone(), hub.clone());
        let Some(pair) = self.mapping.pairs.get(&key).filter(|_| !self.inside.contains(&key)) else { return };
        self.inside.push(key);
        for op in &pair.from_hub.ops {
            self.op(op, pair, at);
        }
        for op in &pair.to_hub.ops {
            if let Op::Drop { from } = op {
                self.dropped(from, at);
            }
        }
        for place in &pair.always {
            let path = join(at, &place.to_string());
            self.empty(path.clone(), format!("`{path}` is always present"));
        }
        self.inside.pop();
    }

    /// An op from the hub to the version, and its reverse.
    fn op(&mut self, op: &Op, pair: &Pair, at: &str) {
        let path = |place: &ResolvedPath| join(at, &place.to_string());
        match op {
            Op::Copy(copy) => self.copy(copy, pair, at),
            // Cases could only depend on the hub, and no rule creates them.
            Op::Word { to, otherwise, .. } => {
                self.any(path(to), format!("`{}` is always `{otherwise}`", path(to)));
                self.parents(to, pair, at);
            }
            Op::Join { to, .. } => {
                self.any(path(to), format!("an empty name in `{}` becomes the number 0", path(to)));
                self.parents(to, pair, at);
            }
            Op::Gather { list, first, each } => {
                self.copy(list, pair, at);
                let elements = path(&list.to);
                for First { field, .. } in first {
                    let line = format!("`{}` equals the value in the first element", path(field));
                    self.any(path(field), line);
                    let line =
                        format!("`{}` creates the first element of an empty `{elements}`", path(field));
                    self.add(Canonical::Created(elements.clone()), line);
                }
                for Each { field, element, .. } in each {
                    let line = format!(
                        "a value of `{elements}[].{}` that all elements share becomes `{}`, which wins over them",
                        element.name,
                        path(field)
                    );
                    self.any(path(field), line.clone());
                    for place in self.in_version(&list.value, element) {
                        for parent in place.parents() {
                            let what = format!("{elements}[].{parent}");
                            let line =
                                format!("a `{what}` with nothing but what all elements share becomes absent");
                            self.add(Canonical::Determined(what), line);
                        }
                        self.any(format!("{elements}[].{place}"), line.clone());
                    }
                }
            }
            Op::Call { function, to, .. } => {
                for place in to {
                    let line = match function {
                        Callee::Table(_) => {
                            format!("`{}`, where several rows have the same on the other side", path(place))
                        }
                        function => format!("`{}`, in the form that `{function}` returns", path(place)),
                    };
                    self.any(path(place), line);
                    self.parents(place, pair, at);
                }
            }
            Op::FromElement { element, .. } => {
                let field = &element.field;
                if field.field().is_nullable() {
                    self.null(path(field));
                }
                self.parents(field, pair, at);
            }
            Op::Drop { .. } | Op::Split { .. } | Op::ToElement { .. } | Op::Spread { .. } | Op::Rest(_) => {}
        }
    }

    /// The paths that a field of the hub's elements has in those of the version.
    fn in_version(&self, elements: &Value, field: &Field) -> Vec<ResolvedPath> {
        let Value::Pair(version, hub) = elements.innermost() else {
            return vec![ResolvedPath(vec![field.clone()])];
        };
        let pair = self.mapping.pairs.get(&(version.clone(), hub.clone()));
        let copies = pair.into_iter().flat_map(|pair| pair.from_hub.ops.iter().filter_map(Op::copy));
        copies.filter(|copy| copy.from.names() == [&*field.name]).map(|copy| copy.to.clone()).collect()
    }

    /// A field of the hub becomes one of the version.
    fn copy(&mut self, copy: &FieldCopy, pair: &Pair, at: &str) {
        let FieldCopy { from: hub, to: version, value, .. } = copy;
        let path = join(at, &version.to_string());
        if version.may_be_absent() && !hub.may_be_absent() || copy.absence == Absence::EmptyIsAbsent {
            self.empty(path.clone(), format!("an empty `{path}` and an absent one are the same"));
        } else if version.field().is_nullable() && !hub.field().is_nullable() {
            self.null(path.clone());
        }
        if copy.absence == Absence::EmptyIsAbsent && self.determines(value, &mut Vec::new()) {
            let line = format!("a `{path}` that contains nothing but what rules determine becomes absent");
            self.add(Canonical::Determined(path.clone()), line);
        }
        self.parents(version, pair, at);
        self.value(value, path);
    }

    /// Whether rules determine fields of an object of the version, or of one in it, whatever other fields the hub has.
    /// `inside` has the types around it, which may contain themselves.
    fn determines<'v>(&'v self, value: &'v Value, inside: &mut Vec<&'v TypeId>) -> bool {
        let Value::Pair(version, hub) = value else { return false };
        if inside.contains(&version) {
            return false;
        }
        inside.push(version);
        let pair = self.mapping.pairs.get(&(version.clone(), hub.clone()));
        let mut ops = pair.into_iter().flat_map(|pair| &pair.from_hub.ops);
        ops.any(|op| {
            let is_in_it = |copy: &'v FieldCopy| self.determines(&copy.value, inside);
            determined(op).next().is_some() || op.copy().is_some_and(is_in_it)
        })
    }

    /// The optional objects around a field of the version.
    fn parents(&mut self, version: &ResolvedPath, pair: &Pair, at: &str) {
        for parent in version.parents() {
            let at = join(at, &parent.to_string());
            let with = |other: &Parent| other.path == parent && other.when.followed().is_some();
            let follows = pair.from_hub.parents.iter().any(with);
            let determined = pair.from_hub.ops.iter().flat_map(determined);
            let mut determined = determined.filter(|to| to.names().starts_with(&parent.names()));
            match determined.next() {
                only if follows => {
                    let line = format!("an absent `{at}` becomes empty if the hub has this object");
                    self.empty(at.clone(), line);
                    // In JSON, where no word is written, what is empty may be left out.
                    if let Some(only) = only.filter(|only| is_shared(pair, only)) {
                        self.only(at, only);
                    }
                }
                Some(only) => self.only(at, only),
                None => {
                    let line = format!("an empty `{at}` becomes absent");
                    self.empty(at, line);
                }
            }
        }
    }

    /// An object with nothing but a field that has no place of its own in the hub.
    fn only(&mut self, at: String, field: &ResolvedPath) {
        let line = format!("a `{at}` that contains nothing but `{}` becomes absent", field.field().name);
        self.add(Canonical::Determined(at), line);
    }

    fn value(&mut self, value: &Value, at: String) {
        match value {
            Value::Pair(version, hub) => self.pair(version, hub, &at),
            Value::List(inner) | Value::Map(inner) => self.value(inner, at + "[]"),
            Value::Keyed(keyed) => self.value(&keyed.value, at + "[]"),
            Value::Words(words) if !words.also.is_empty() => {
                let back = |(own, hub): &(String, String)| {
                    let (first, _) = words.pairs.iter().find(|(_, other)| other == hub)?;
                    Some(format!("`{own}` becomes `{first}`"))
                };
                let lines: Vec<String> = words.also.iter().filter_map(back).collect();
                self.any(at.clone(), format!("in `{at}`, {}", lines.join(", ")));
            }
            _ => {}
        }
    }

    /// A field of the version that the hub does not have.
    fn dropped(&mut self, place: &ResolvedPath, at: &str) {
        let path = join(at, &place.to_string());
        for parent in place.parents() {
            let parent = join(at, &parent.to_string());
            let line = format!("`{parent}` becomes absent if it contains nothing but what is dropped");
            self.empty(parent, line);
        }
        let line = format!("`{path}` is always absent");
        self.add(Canonical::Dropped(path), line);
    }

    fn null(&mut self, path: String) {
        let line = format!("`null` and no `{path}` are the same");
        self.empty(path, line);
    }

    fn empty(&mut self, path: String, line: String) {
        self.add(Canonical::Empty(path), line);
    }

    fn any(&mut self, path: String, line: String) {
        self.add(Canonical::Any(path), line);
    }

    /// Several fields may be in one object and result in the same line.
    fn add(&mut self, what: Canonical, line: String) {
        if !self.found.iter().any(|(other, known)| *other == what && *known == line) {
            self.found.push((what, line));
        }
    }
}

/// Whether a field of the version is what all elements of a list share.
fn is_shared(pair: &Pair, field: &ResolvedPath) -> bool {
    pair.from_hub.ops.iter().any(|op| match op {
        Op::Gather { each, .. } => each.iter().any(|each| each.field == *field),
        _ => false,
    })
}

/// The fields of the version that do not have a place of their own in the hub: words, what all elements of a list share,
/// which is lost if the list is empty, and fields of which a row of a table keeps nothing.
fn determined(op: &Op) -> impl Iterator<Item = &ResolvedPath> {
    let (word, each): (_, &[Each]) = match op {
        Op::Word { to, .. } => (Some(to), &[]),
        Op::Gather { each, .. } => (None, each),
        _ => (None, &[]),
    };
    let (table, to): (_, &[ResolvedPath]) = match op {
        Op::Call { function: Callee::Table(TypedTable { table, .. }), to, .. } => (Some(table), to),
        _ => (None, &[]),
    };
    let is_kept =
        move |at: usize| table.iter().all(|table| table.rows.iter().all(|row| row.version[at] != Cell::Any));
    let lost = to.iter().enumerate().filter(move |(at, _)| !is_kept(*at)).map(|(_, to)| to);
    word.into_iter().chain(each.iter().map(|each| &each.field)).chain(lost)
}
