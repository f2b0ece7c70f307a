//! Lowers the rules of a version to programs, which convert every pair of types that differ.
//!
//! Each rule is located at a pair of types (`locate`) and lowered to ops (`lower`). The
//! ops of all rules of a pair are assembled to one program for each direction (`assemble`).
//! `claims` checks that every field is covered exactly once.

mod applied;
mod assemble;
mod claims;
mod direction;
pub(crate) mod empty;
mod exact;
mod expected;
mod function;
mod kept;
mod locate;
mod lower;
pub(crate) mod made_up;
mod mapping;
mod near;
mod operators;
pub mod ops;
pub(crate) mod path;
mod refusal;
mod resolved_path;
mod rest;
mod value;
mod value_table;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hubgen_model::rules::{Add, At, Problem, Rule, Rules, Where};
use hubgen_model::{Field, GroupVersion, Type, TypeExpr, TypeId};

pub use self::applied::Applied;
use self::claims::{Claim, Claims, state};
pub use self::direction::Direction;
use self::locate::{Located, paths};
use self::lower::Lowered;
pub use self::mapping::{Kept, Mapping, Pair};
pub use self::ops::{Callee, Element, Expected, Op, Program};
use self::path::{join, object, owner, resolve};
pub use self::resolved_path::ResolvedPath;
pub use self::value::{Keyed, Value};
use crate::Types;
use crate::difference::{Difference, What};
use crate::sharing::Sharing;

pub(super) struct Mapper<'a> {
    types: Types<'a>,
    sharing: &'a Sharing,
    ruled: Option<(usize, &'a Rules)>,
    version: &'a GroupVersion,
    /// The rules by the version's type.
    rules: HashMap<&'a str, Vec<Located<'a>>>,
    todo: Vec<(TypeId, TypeId, String)>,
    mapping: Mapping,
    /// For each pair of types, the fields of the hub's objects that the keys of maps become; `None` for objects that are
    /// no values of such a map.
    keys: BTreeMap<(TypeId, TypeId), BTreeSet<Option<String>>>,
    /// Indices of the mapping's kept lists of which an element is a field of the version.
    showing: Vec<usize>,
    pub(super) problems: Vec<Problem>,
    /// The differences that no rule covers. Each is among the problems, too.
    pub(super) differences: Vec<Difference>,
}

impl<'a> Mapper<'a> {
    pub(super) fn new(
        types: Types<'a>,
        sharing: &'a Sharing,
        ruled: Option<(usize, &'a Rules)>,
        version: &'a GroupVersion,
    ) -> Self {
        Self {
            types,
            sharing,
            ruled,
            version,
            rules: HashMap::new(),
            todo: Vec::new(),
            mapping: Mapping { exact: true, ..Mapping::default() },
            showing: Vec::new(),
            keys: BTreeMap::new(),
            problems: Vec::new(),
            differences: Vec::new(),
        }
    }

    /// Maps the kind's type at the version to the hub.
    pub(super) fn map(&mut self, root: &'a TypeId, hub: &'a TypeId) -> Mapping {
        let (Some(version), Some(hub)) = (self.types.find(root), self.types.find(hub)) else {
            return std::mem::take(&mut self.mapping);
        };
        self.locate_all(version, hub);
        if version.id == hub.id && self.rules.is_empty() {
            return std::mem::take(&mut self.mapping);
        }
        self.keep_all(hub);
        let root = (version.id.clone(), hub.id.clone());
        self.keys.insert(root.clone(), BTreeSet::from([None]));
        self.todo.push((root.0.clone(), root.1.clone(), String::new()));
        while let Some((version, hub, path)) = self.todo.pop() {
            let key = (version, hub);
            if self.mapping.pairs.contains_key(&key) {
                continue;
            }
            // Types may contain themselves.
            self.mapping.pairs.insert(key.clone(), Pair::default());
            let pair = self.pair(&key.0, &key.1, &path);
            self.mapping.pairs.insert(key, pair);
        }
        self.settle_made_up();
        self.find_unused();
        self.find_ambiguous();
        self.find_unkeyed();
        self.show_elements();
        self.expect_words(&root);
        self.mapping.exact = self.is_exact();
        std::mem::take(&mut self.mapping)
    }

    fn problem<T>(&mut self, at: &At<T>, path: impl ToString, message: impl ToString, help: impl ToString) {
        let place = self.ruled.map_or(Where::Nowhere, |(index, _)| at.place(index));
        let (path, message, help) = (path.to_string(), message.to_string(), help.to_string());
        self.problems.push(Problem { place, path, message, help });
    }

    /// Reports that a rule is missing about a field, whose names begin at a type, or about the type. The path begins at
    /// the kind.
    fn missing(
        &mut self,
        (ty, names): (&Type, &[String]),
        path: impl ToString,
        message: impl ToString,
        help: impl ToString,
    ) {
        let (path, message, help) = (path.to_string(), message.to_string(), help.to_string());
        let place = self.place_of(ty, names, &path);
        self.problems.push(Problem { place, path, message, help });
    }

    /// Where a field is written: in the schema of its version, or in the rule that adds it to the hub.
    fn place_of(&self, ty: &Type, names: &[String], path: &str) -> Where {
        let owner = &owner(self.types, ty, names).unwrap_or(ty).id;
        let field = names.last().cloned();
        let ty = if owner.of_hub { self.types.hubs.extended(owner) } else { owner.clone() };
        let is_written = |name: &String| self.types.api.find(&ty).is_some_and(|ty| ty.field(name).is_some());
        if let Some((file, rules)) = self.ruled
            && owner.of_hub
            && !field.as_ref().is_some_and(is_written)
        {
            let names: Vec<&str> = path.split('.').collect();
            let adds =
                |add: &&At<Add>| add.value.path.0.iter().zip(&names).all(|(name, other)| name == other);
            if let Some(add) = rules.add.iter().find(adds) {
                return Where::Rules(file, add.span.clone());
            }
        }
        let table = self.ruled.map(|(file, rules)| rules.table(file, self.version));
        Where::Schema { ty, field, table }
    }

    fn difference(&mut self, path: &str, what: What) {
        let (version, path) = (self.version.clone(), path.to_owned());
        self.differences.push(Difference { version, path, what });
    }

    /// Generated functions are named after the version's type, so a type must convert to only one
    /// type.
    fn find_ambiguous(&mut self) {
        let mut seen: BTreeMap<&str, &TypeId> = BTreeMap::new();
        let mut twice = Vec::new();
        for (version, hub) in self.mapping.pairs.keys() {
            if let Some(other) = seen.insert(&version.name, hub) {
                twice.push((version.clone(), other.clone(), hub.clone()));
            }
        }
        for (version, one, other) in twice {
            let Some(ty) = self.types.find(&version) else { continue };
            let message = format!("converts to {one} for one field and to {other} for another");
            self.difference(&version.name, What::TwoTypes(message.clone()));
            self.missing(
                (ty, &[]),
                version.name.clone(),
                message,
                "map it only to fields of the same hub type; what `add` adds below one of them, add below the others, too",
            );
        }
    }

    fn pair(&mut self, version: &TypeId, hub: &TypeId, path: &str) -> Pair {
        let (Some(version), Some(hub)) = (self.types.find(version), self.types.find(hub)) else {
            return Pair::default();
        };
        let mut claims = Claims::default();
        // The key of a map is none of the version's fields.
        let keys = self.keys.get(&(version.id.clone(), hub.id.clone())).into_iter().flatten();
        let key = keys.flatten().next().cloned();
        claims.hub.extend(key.iter().map(|key| vec![key.clone()]));
        let (mut all, mut applied) = (Vec::new(), Vec::new());
        let rules = self.rules.remove(version.id.name.as_str()).unwrap_or_default();
        for located in &rules {
            located.used.set(true);
            match self.lower(version, hub, located, path) {
                Ok(lowered) => {
                    if let Err(taken) = claims.take(&lowered) {
                        self.problem(
                            located.rule,
                            join(path, &taken),
                            format!(
                                "two rules cover this field; a rule applies to all objects of its type, here {}, wherever \
                                 that occurs",
                                version.id.name
                            ),
                            "remove one of them",
                        );
                    }
                    applied.push(Applied::of(self.ruled, located.rule, &lowered));
                    all.push(lowered);
                }
                Err(refusal) => {
                    let at =
                        paths(&located.rule.value).first().map(|path| path.join(".")).unwrap_or_default();
                    self.problem(located.rule, at, refusal.message, refusal.help);
                    // Do not report the fields that it should cover as well.
                    claims.take_paths(&located.rule.value, located.depth);
                }
            }
        }
        // A type without rules must not look like one with rules.
        if !rules.is_empty() {
            self.rules.insert(&version.id.name, rules);
        }
        self.shared_names(version, hub, path, &mut claims, &mut all);
        let mut pair = assemble::pair(&all, &self.mapping.kept);
        self.mapping.rules.insert((version.id.clone(), hub.id.clone()), applied);
        pair.key = key.and_then(|key| resolve(self.types, hub, &[key]).ok());
        self.find_without_effect(version, path, &pair);
        pair
    }

    /// Reports rules that an empty field is the same as an absent one, where it is so without them, or where the field
    /// is not converted as a whole.
    fn find_without_effect(&mut self, version: &Type, path: &str, pair: &Pair) {
        let rules = self.rules.get(version.id.name.as_str()).into_iter().flatten();
        let places = rules.filter_map(|located| {
            let Rule::EmptyIsAbsent { path } = &located.rule.value else { return None };
            let place = resolve(self.types, version, &path.0[located.depth..]).ok()?;
            let is_idle = empty::check(self.types, &place).is_ok() && !empty::has_effect(pair, &place);
            is_idle.then(|| (located.rule, place.to_string()))
        });
        for (rule, place) in places.collect::<Vec<_>>() {
            self.problem(
                rule,
                join(path, &place),
                "`empty-is-absent` has no effect: the hub does not tell an empty field from an absent one, or another \
                 operator than `move`, `words` or `wrap` converts it",
                "remove the path",
            );
        }
    }

    /// Copies fields of the same name, and reports fields that nothing covers.
    fn shared_names(
        &mut self,
        version: &Type,
        hub: &Type,
        path: &str,
        claims: &mut Claims,
        all: &mut Vec<Lowered>,
    ) {
        all.extend(self.rests(version, hub, claims));
        for field in hub.fields() {
            self.shared_name((version, hub), vec![field.name.clone()], path, claims, all);
        }
        for field in version.fields() {
            let name = std::slice::from_ref(&field.name);
            let missing = match claims.version_state(name) {
                Claim::Whole => continue,
                Claim::Parts => self.uncovered(field, &claims.version, name.to_vec()),
                Claim::None => vec![field.name.clone()],
            };
            for missing in missing {
                self.difference(&join(path, &missing), What::OnlyInVersion);
                let names: Vec<String> = missing.split('.').map(str::to_owned).collect();
                let (message, help) = if claims.kept.iter().any(|kept| names.starts_with(kept)) {
                    (
                        format!(
                            "{} has this field, so there is no need to keep that of the hub",
                            self.version
                        ),
                        "keep only those of its fields that this version lacks, or map it with a rule such as `move`",
                    )
                } else {
                    (
                        format!("{} has this field, but the hub has no field for it", self.version),
                        "map it with a rule such as `move` or `words`, or add the field to the hub with `add`; `drop` loses it",
                    )
                };
                self.missing((version, &names), join(path, &missing), message, help);
            }
        }
    }

    /// Copies a field of the hub from the field of the version at the same names below both types. If
    /// rules cover a part of an object, the other fields in it are copied.
    fn shared_name(
        &mut self,
        (version, hub): (&Type, &Type),
        names: Vec<String>,
        path: &str,
        claims: &mut Claims,
        all: &mut Vec<Lowered>,
    ) {
        let (of_hub, of_version) = (claims.hub_state(&names), claims.version_state(&names));
        let Ok(field) = resolve(self.types, hub, &names) else { return };
        if of_hub == Claim::Whole {
            return;
        }
        let own = resolve(self.types, version, &names).ok().filter(|_| of_version != Claim::Whole);
        let at = join(path, &names.join("."));
        match own {
            Some(own) if of_hub == Claim::None && of_version == Claim::None => {
                match self.value(&own.field().ty, &field.field().ty, &at) {
                    _ if field.field().is_rest() => {
                        all.push(self.rest((version, own, Vec::new()), (hub, field, Vec::new())));
                    }
                    Some(value) => all.push(Lowered::copy(own, field, value)),
                    None => {
                        let (of_version, of_hub) = (&own.field().ty, &field.field().ty);
                        let message = format!("is {of_version} in {}, but {of_hub} in the hub", self.version);
                        self.difference(&at, What::Types(message.clone()));
                        let help = "add a rule that converts one type to the other";
                        self.missing((version, &names), at, message, help);
                    }
                }
                claims.version.insert(names);
            }
            Some(own) if [&own, &field].iter().all(|field| matches!(field.field().ty, TypeExpr::Ref(_))) => {
                let fields = object(self.types, &field.field().ty).map(Type::fields).unwrap_or_default();
                for field in fields {
                    let names = [&*names, std::slice::from_ref(&field.name)].concat();
                    self.shared_name((version, hub), names, path, claims, all);
                }
            }
            _ if of_hub == Claim::Parts => {
                for missing in self.uncovered(field.field(), &claims.hub, names) {
                    self.uncovered_problem(&missing, path, hub);
                }
            }
            _ => self.uncovered_problem(&names.join("."), path, hub),
        }
    }

    /// Reports a field of the hub that nothing covers. `path` leads to the type, and `at` from there to the field.
    fn uncovered_problem(&mut self, at: &str, path: &str, hub: &Type) {
        let names: Vec<String> = at.split('.').map(str::to_owned).collect();
        let path = join(path, at);
        self.difference(&path, What::OnlyInHub);
        self.missing(
            (hub, &names),
            path,
            format!("{} has no such field, and no rule maps the field of {}", self.version, hub.id),
            "map it with a rule such as `move` or `words`, or mark it `keep` if this version cannot represent it",
        );
    }

    /// The fields below a field that are not covered, as paths.
    fn uncovered(&self, field: &Field, claimed: &BTreeSet<Vec<String>>, at: Vec<String>) -> Vec<String> {
        let Some(ty) = object(self.types, &field.ty) else { return vec![at.join(".")] };
        let mut out = Vec::new();
        for field in ty.fields() {
            let mut at = at.clone();
            at.push(field.name.clone());
            match state(claimed, &at) {
                Claim::Whole => {}
                Claim::Parts => out.extend(self.uncovered(field, claimed, at)),
                Claim::None => out.push(at.join(".")),
            }
        }
        out
    }

    /// Whether a rule changes a type or a type below it.
    fn is_ruled(&self, ty: &TypeExpr) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<&TypeId> = ty.named().into_iter().collect();
        while let Some(id) = todo.pop() {
            if seen.insert(id) {
                if self.rules.contains_key(id.name.as_str()) {
                    return true;
                }
                let fields = self.types.find(id).map(Type::fields).unwrap_or_default();
                todo.extend(fields.iter().filter_map(|field| field.ty.named()));
            }
        }
        false
    }
}
