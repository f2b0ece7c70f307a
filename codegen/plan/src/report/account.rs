//! What converting one version to the hub and back does to each field.

use hubgen_model::{Field, Type, TypeExpr, TypeId};

use super::canonical::canonical;
use crate::program::ops::{Absence, Callee, Each, FieldCopy, First, Op, TypedTable};
use crate::program::path::join;
use crate::{Kept, Mapping, Pair, ResolvedPath, Types, Value};

/// What converting one version to the hub and back does, as lines for people.
#[derive(Default)]
pub struct Account {
    /// What is elsewhere in the version.
    pub moved: Vec<String>,
    /// What the version cannot represent, which annotations store.
    pub kept: Vec<String>,
    /// What is lost on the way to the hub, because a rule drops it.
    pub dropped: Vec<String>,
    /// What the version can represent in two forms, and returns in one.
    pub canonicalized: Vec<String>,
    /// What is in none of these. Generation fails if there is anything.
    pub lossy: Vec<String>,
}

impl Account {
    pub(super) fn parts(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        [
            ("moved", &self.moved),
            ("kept", &self.kept),
            ("dropped", &self.dropped),
            ("canonicalized", &self.canonicalized),
            ("lossy", &self.lossy),
        ]
        .into_iter()
    }

    pub(super) fn is_identical(&self) -> bool {
        self.parts().all(|(_, lines)| lines.is_empty())
    }
}

/// Visits all pairs of types from the kind downwards.
pub fn account(types: Types<'_>, mapping: &Mapping, version: &TypeId, hub: &TypeId) -> Account {
    let mut walk = Walk { types, mapping, inside: Vec::new(), account: Account::default() };
    walk.pair(version, hub, "", "");
    for (_, line) in canonical(mapping, version, hub) {
        add(&mut walk.account.canonicalized, line);
    }
    walk.account
}

struct Walk<'a> {
    types: Types<'a>,
    mapping: &'a Mapping,
    /// The pairs that contain the current one: types may contain themselves.
    inside: Vec<(TypeId, TypeId)>,
    account: Account,
}

impl Walk<'_> {
    /// A pair of types at these paths. The types of a pair without programs are equal.
    fn pair(&mut self, version: &TypeId, hub: &TypeId, in_version: &str, in_hub: &str) {
        let key = (version.clone(), hub.clone());
        let Some(pair) = self.mapping.pairs.get(&key).filter(|_| !self.inside.contains(&key)) else { return };
        self.inside.push(key);
        for op in &pair.from_hub.ops {
            self.op(op, pair, in_version, in_hub);
        }
        // The only ops of the other direction that have no reverse.
        for op in &pair.to_hub.ops {
            match op {
                Op::Word { to, cases, otherwise } => self.word(to, cases, otherwise, in_version, in_hub),
                Op::Drop { from } => {
                    let path = join(in_version, &from.to_string());
                    add(&mut self.account.dropped, format!("`{path}`, which is lost on the way to the hub"));
                }
                _ => {}
            }
        }
        for place in &pair.kept {
            let path = join(in_hub, &place.to_string());
            let line = match self.keeper(&path) {
                Some(Kept { annotation, .. }) => {
                    format!("`{path}` in `{}`, {}", annotation.key, annotation.form.explained())
                }
                None => format!("`{path}`"),
            };
            add(&mut self.account.kept, line);
        }
        self.uncovered(version, "the hub", in_version, &in_the_version(pair));
        self.uncovered(hub, "the version", in_hub, &in_the_hub(pair));
        self.inside.pop();
    }

    /// What an op from the hub to the version does, and its reverse.
    fn op(&mut self, op: &Op, pair: &Pair, in_version: &str, in_hub: &str) {
        let of_version = |place: &ResolvedPath| join(in_version, &place.to_string());
        let of_hub = |place: &ResolvedPath| join(in_hub, &place.to_string());
        match op {
            Op::Copy(copy) => self.copy(copy, pair, in_version, in_hub),
            Op::FromElement { list, element, .. } => {
                let conditions: Vec<String> =
                    element.when.iter().map(|(place, word)| format!("`{place}` is `{word}`")).collect();
                let (version, list) = (of_version(&element.field), of_hub(list));
                let which = if element.last { "the last element" } else { "the element" };
                let line = format!(
                    "`{version}` is `{}` of {which} of `{list}` where {}",
                    element.value,
                    conditions.join(", ")
                );
                add(&mut self.account.moved, line);
                match self.keeper(&list) {
                    Some(kept) if kept.annotation.whole => {}
                    Some(_) => add(&mut self.account.kept, format!("the index of that element in `{list}`")),
                    None => add(&mut self.account.kept, format!("the other elements of `{list}`")),
                }
            }
            Op::Join { number, name, to } => {
                let (version, number, name) = (of_version(to), of_hub(number), of_hub(name));
                add(&mut self.account.moved, format!("`{version}` is `{number}` or `{name}`"));
                add(&mut self.account.kept, format!("`{number}` if `{name}` is set"));
            }
            Op::Gather { list, first, each } => {
                self.copy(list, pair, in_version, in_hub);
                let list = of_hub(&list.from);
                for First { field, element, .. } in first {
                    let version = of_version(field);
                    let line = format!("`{version}` is `{}` of the first element of `{list}`", element.name);
                    add(&mut self.account.moved, line);
                }
                for Each { field, element, .. } in each {
                    let (version, element) = (of_version(field), format!("{list}[].{}", element.name));
                    let line = format!("`{version}` is `{element}` if it is equal in all elements");
                    add(&mut self.account.moved, line);
                }
            }
            Op::Call { function, from, to } => {
                let list = |places: &[ResolvedPath], of: &dyn Fn(&ResolvedPath) -> String| {
                    places.iter().map(|place| format!("`{}`", of(place))).collect::<Vec<_>>().join(", ")
                };
                let (version, hub) = (list(to, &of_version), list(from, &of_hub));
                if let Callee::Table(TypedTable { table, .. }) = function {
                    let rows = match table.rows.len() {
                        1 => "one row".to_owned(),
                        count => format!("{count} rows"),
                    };
                    add(&mut self.account.moved, format!("{version} from {hub}, by a table of {rows}"));
                    add(&mut self.account.kept, format!("{hub}, if no row has it, or more than one"));
                } else {
                    add(
                        &mut self.account.moved,
                        format!("{version} from {hub}, by the function `{function}`"),
                    );
                    if !function.is_exact() {
                        add(
                            &mut self.account.kept,
                            format!("{hub}, if `{function}` does not return it unchanged"),
                        );
                    }
                }
            }
            Op::Rest(rest) => {
                for given in &rest.given {
                    let line = format!("`{}` is an unknown field of the version", of_hub(given));
                    add(&mut self.account.moved, line);
                }
                for taken in &rest.taken {
                    let line = format!("`{}` is an unknown field of the hub", of_version(taken));
                    add(&mut self.account.moved, line);
                }
                for name in rest.conflicts() {
                    let line = format!("an unknown field `{name}` in `{}`", of_hub(&rest.from));
                    add(&mut self.account.kept, line);
                }
            }
            // What it writes is canonical. The others are the reverse ops.
            Op::Word { .. }
            | Op::Drop { .. }
            | Op::Split { .. }
            | Op::ToElement { .. }
            | Op::Spread { .. } => {}
        }
    }

    /// A field of the hub becomes one of the version.
    fn copy(&mut self, copy: &FieldCopy, pair: &Pair, in_version: &str, in_hub: &str) {
        let FieldCopy { from: hub, to: version, value, .. } = copy;
        let (from, to) = (join(in_version, &version.to_string()), join(in_hub, &hub.to_string()));
        if version.names() != hub.names() {
            add(&mut self.account.moved, format!("`{from}` is `{to}`"));
        }
        if hub.may_be_absent() && (!version.may_be_absent() || copy.absence == Absence::EmptyIsAbsent) {
            add(&mut self.account.kept, format!("whether `{to}` is absent or empty"));
        }
        if hub.field().is_nullable() && !version.field().is_nullable() {
            add(&mut self.account.kept, format!("whether `{to}` is absent or `null`"));
        }
        for parent in hub.parents().filter(|parent| !pair.keeps_presence(parent)) {
            let at = join(in_hub, &parent.to_string());
            add(&mut self.account.kept, format!("whether `{at}` is absent or empty"));
        }
        self.value(value, from, to);
    }

    /// A field of the hub specifies which field of the version is set.
    fn word(
        &mut self,
        to: &ResolvedPath,
        cases: &[(ResolvedPath, String)],
        otherwise: &str,
        in_version: &str,
        in_hub: &str,
    ) {
        let words: String = cases
            .iter()
            .map(|(place, word)| {
                format!("`{word}` if `{}` is present, otherwise ", join(in_version, &place.to_string()))
            })
            .collect();
        let hub = join(in_hub, &to.to_string());
        add(&mut self.account.moved, format!("`{hub}` is {words}`{otherwise}`"));
        add(&mut self.account.kept, format!("any other value of `{hub}`"));
    }

    fn value(&mut self, value: &Value, in_version: String, in_hub: String) {
        match value {
            Value::Pair(version, hub) => self.pair(version, hub, &in_version, &in_hub),
            Value::List(inner) | Value::Map(inner) => {
                self.value(inner, in_version + "[]", in_hub + "[]");
            }
            Value::Keyed(keyed) => {
                value
                    .moved(&in_version, &in_hub)
                    .into_iter()
                    .for_each(|line| add(&mut self.account.moved, line));
                value.kept(&in_hub).into_iter().for_each(|line| add(&mut self.account.kept, line));
                self.value(&keyed.value, in_version + "[]", in_hub + "[]");
            }
            value => {
                value
                    .moved(&in_version, &in_hub)
                    .into_iter()
                    .for_each(|line| add(&mut self.account.moved, line));
                value.kept(&in_hub).into_iter().for_each(|line| add(&mut self.account.kept, line));
            }
        }
    }

    /// The upstream annotation for a path in the hub.
    fn keeper(&self, path: &str) -> Option<&Kept> {
        self.mapping.kept.iter().find(|kept| kept.path.to_string() == path)
    }

    /// Fields of a type that no op reads or writes.
    fn uncovered(&mut self, ty: &TypeId, other: &str, at: &str, covered: &[&ResolvedPath]) {
        let fields = self.types.find(ty).map(Type::fields).unwrap_or_default();
        for path in uncovered(self.types, fields, covered, &[]) {
            let path = join(at, &path.join("."));
            add(&mut self.account.lossy, format!("`{path}`, for which {other} has no field"));
        }
    }
}

/// Field paths of the version that its programs write, read or drop.
fn in_the_version(pair: &Pair) -> Vec<&ResolvedPath> {
    let dropped = pair.to_hub.ops.iter().filter_map(|op| match op {
        Op::Drop { from } => Some(from),
        _ => None,
    });
    let read = pair.to_hub.ops.iter().flat_map(Op::reads);
    pair.from_hub.ops.iter().flat_map(Op::writes).chain(read).chain(dropped).collect()
}

/// Field paths of the hub that the programs write or read, or that are kept.
fn in_the_hub(pair: &Pair) -> Vec<&ResolvedPath> {
    let read = pair.from_hub.ops.iter().flat_map(Op::reads);
    pair.to_hub.ops.iter().flat_map(Op::writes).chain(read).chain(&pair.kept).chain(&pair.key).collect()
}

/// Paths below `at` that `covered` does not contain, neither themselves nor all fields below them.
fn uncovered<'a>(
    types: Types<'a>,
    fields: &'a [Field],
    covered: &[&ResolvedPath],
    at: &[&'a str],
) -> Vec<Vec<&'a str>> {
    let mut out = Vec::new();
    for field in fields {
        let path = [at, &[field.name.as_str()]].concat();
        if covered.iter().any(|place| place.names() == path) {
            continue;
        }
        let is_apart = covered.iter().any(|place| place.names().starts_with(&path));
        match &field.ty {
            TypeExpr::Ref(id) if is_apart => {
                let fields = types.find(id).map(Type::fields).unwrap_or_default();
                out.extend(uncovered(types, fields, covered, &path));
            }
            _ => out.push(path),
        }
    }
    out
}

/// Two fields may be in one object and result in the same line.
fn add(lines: &mut Vec<String>, line: String) {
    if !lines.contains(&line) {
        lines.push(line);
    }
}
