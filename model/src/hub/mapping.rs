//! From a version and its rules to pairs of types, field by field.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::locate::{common, object, owner, place};
use super::{Kept, Link, Mapping, Pair, Place, Problem, Value, Where};
use crate::rules::{self, Annotation, At, FUNCTIONS, FieldPath, Form, Plain, Rule, Rules, VersionRules};
use crate::sharing::Sharing;
use crate::{Api, Field, GroupVersion, Presence, Type, TypeExpr, TypeId, family};

/// A rule at the type where it takes hold.
struct Located<'a> {
    rule: &'a At<Rule>,
    /// How many names its paths have lost on the way there.
    depth: usize,
    used: Cell<bool>,
}

pub(super) struct Mapper<'a> {
    api: &'a Api,
    sharing: &'a Sharing,
    ruled: Option<(usize, &'a Rules)>,
    version: &'a GroupVersion,
    /// Where to point for what no rule says.
    span: Range<usize>,
    /// By the version's type.
    rules: HashMap<&'a str, Vec<Located<'a>>>,
    todo: Vec<(TypeId, TypeId, String)>,
    mapping: Mapping,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Mapper<'a> {
    pub(super) fn new(
        api: &'a Api,
        sharing: &'a Sharing,
        ruled: Option<(usize, &'a Rules)>,
        version: &'a GroupVersion,
    ) -> Self {
        let said = ruled.and_then(|(_, rules)| rules.versions.get(version));
        let span = match (said, ruled) {
            (Some(said), _) => said.span.clone(),
            (None, Some((_, rules))) => rules.hub.span.clone(),
            (None, None) => 0..0,
        };
        Self {
            api,
            sharing,
            ruled,
            version,
            span,
            rules: HashMap::new(),
            todo: Vec::new(),
            mapping: Mapping { exact: true, ..Mapping::default() },
            problems: Vec::new(),
        }
    }

    /// Maps the kind's type at the version to the hub.
    pub(super) fn map(&mut self, root: &'a TypeId, hub: &'a TypeId) -> Mapping {
        let (Some(version), Some(hub)) = (self.api.find(root), self.api.find(hub)) else {
            return std::mem::take(&mut self.mapping);
        };
        self.locate_all(version, hub);
        if version.id == hub.id && self.rules.is_empty() {
            return std::mem::take(&mut self.mapping);
        }
        self.keep_all(hub);
        self.todo.push((version.id.clone(), hub.id.clone(), String::new()));
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
        self.find_unused();
        self.find_ambiguous();
        self.mapping.exact = self.is_exact();
        std::mem::take(&mut self.mapping)
    }

    fn problem(
        &mut self,
        span: Range<usize>,
        path: impl ToString,
        message: impl ToString,
        help: impl ToString,
    ) {
        let place = self.ruled.map_or(Where::Nowhere, |(index, _)| Where::Rules(index, span));
        let (path, message, help) = (path.to_string(), message.to_string(), help.to_string());
        self.problems.push(Problem { place, path, message, help });
    }

    // Finding where each rule takes hold.

    fn locate_all(&mut self, root: &'a Type, hub: &'a Type) {
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
                let (ty, _, depth) = common(self.api, root, hub, &paths);
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
                _ => common(self.api, root, hub, &[path]).2,
            };
            while let Some((_, above)) = apart.iter().find(|(other, above)| {
                *above < depth && other.len() > depth && other[..depth] == path[..depth]
            }) {
                depth = *above;
            }
            let (ty, depth) = match owner(self.api, root, &path[..=depth]) {
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

    fn find_unused(&mut self) {
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

    /// Functions are named for the version's type, so it converts to one type.
    fn find_ambiguous(&mut self) {
        let mut seen: BTreeMap<&str, &TypeId> = BTreeMap::new();
        let mut twice = Vec::new();
        for (version, hub) in self.mapping.pairs.keys() {
            if let Some(other) = seen.insert(&version.name, hub) {
                twice.push((version.clone(), other.clone(), hub.clone()));
            }
        }
        for (version, one, other) in twice {
            self.problem(
                self.span.clone(),
                version.name.clone(),
                format!("becomes {one} in one place and {other} in another"),
                "move it to places where the hub has one type",
            );
        }
    }

    // Pairs of types.

    fn pair(&mut self, version: &TypeId, hub: &TypeId, path: &str) -> Pair {
        let (Some(version), Some(hub)) = (self.api.find(version), self.api.find(hub)) else {
            return Pair::default();
        };
        let mut claims = Claims::default();
        let mut pair = Pair::default();
        let rules = self.rules.remove(version.id.name.as_str()).unwrap_or_default();
        for located in &rules {
            located.used.set(true);
            match self.link(version, hub, located, path) {
                Ok(link) => {
                    if let Err(taken) = claims.take(&link) {
                        self.problem(
                            located.rule.span.clone(),
                            join(path, &taken),
                            "two rules lead to this field",
                            "keep one of them",
                        );
                    }
                    pair.links.push(link);
                }
                Err(message) => {
                    let at =
                        paths(&located.rule.value).first().map(|path| path.join(".")).unwrap_or_default();
                    self.problem(
                        located.rule.span.clone(),
                        at,
                        message,
                        "correct the path, or use the verb that fits these types",
                    );
                    // What it meant to cover is not reported once more.
                    claims.take_paths(&located.rule.value, located.depth);
                }
            }
        }
        self.rules.insert(&version.id.name, rules);
        self.shared_names(version, hub, path, &mut claims, &mut pair);
        pair
    }

    /// Links fields of the same name, and reports those that nothing covers.
    fn shared_names(&mut self, version: &Type, hub: &Type, path: &str, claims: &mut Claims, pair: &mut Pair) {
        for field in hub.fields() {
            let name = std::slice::from_ref(&field.name);
            match claims.hub_state(name) {
                Claim::Whole => continue,
                Claim::Parts => {
                    for missing in self.uncovered(field, &claims.hub, name.to_vec()) {
                        self.uncovered_problem(&join(path, &missing), hub);
                    }
                    continue;
                }
                Claim::None => {}
            }
            let own = version.field(&field.name).filter(|_| claims.version_state(name) == Claim::None);
            let Some(own) = own else {
                self.uncovered_problem(&join(path, &field.name), hub);
                continue;
            };
            claims.version.insert(name.to_vec());
            match self.value(&own.ty, &field.ty, &join(path, &field.name)) {
                Some(value) => pair.links.push(Link::Copy {
                    version: Place(vec![own.clone()]),
                    hub: Place(vec![field.clone()]),
                    value,
                }),
                None => self.problem(
                    self.span.clone(),
                    join(path, &field.name),
                    format!("{} has {}, the hub {}", self.version, own.ty, field.ty),
                    "say with a rule how one becomes the other",
                ),
            }
        }
        for field in version.fields() {
            let name = std::slice::from_ref(&field.name);
            let missing = match claims.version_state(name) {
                Claim::Whole => continue,
                Claim::Parts => self.uncovered(field, &claims.version, name.to_vec()),
                Claim::None => vec![field.name.clone()],
            };
            for missing in missing {
                self.problem(
                    self.span.clone(),
                    join(path, &missing),
                    format!("{} has this field, and the hub has no place for it", self.version),
                    "say with `move` where it belongs, or give the hub the field with `add`",
                );
            }
        }
    }

    fn uncovered_problem(&mut self, path: &str, hub: &Type) {
        self.problem(
            self.span.clone(),
            path,
            format!(
                "{} has no such field, and no rule says where that of {} comes from",
                self.version, hub.id
            ),
            "say with `move` what it is there, or with `keep` that this version cannot say it",
        );
    }

    /// Which fields below one are not covered, as paths.
    fn uncovered(&self, field: &Field, claimed: &BTreeSet<Vec<String>>, at: Vec<String>) -> Vec<String> {
        let Some(ty) = object(self.api, &field.ty) else { return vec![at.join(".")] };
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

    /// How a value converts; `None` where it does not by itself.
    pub(super) fn value(&mut self, version: &TypeExpr, hub: &TypeExpr, path: &str) -> Option<Value> {
        if self.sharing.same(version, hub) && !self.is_ruled(version) {
            return Some(Value::Same);
        }
        match (version, hub) {
            (TypeExpr::Ref(version), TypeExpr::Ref(hub)) => {
                let key = (self.sharing.of(version).clone(), self.sharing.of(hub).clone());
                self.todo.push((key.0.clone(), key.1.clone(), path.to_owned()));
                Some(Value::Pair(key.0, key.1))
            }
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Some(Value::List(Box::new(self.value(version, hub, path)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Some(Value::Map(Box::new(self.value(version, hub, path)?)))
            }
            _ => None,
        }
    }

    /// Whether a rule changes something in or below a type.
    fn is_ruled(&self, ty: &TypeExpr) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<&TypeId> = ty.named().into_iter().collect();
        while let Some(id) = todo.pop() {
            if seen.insert(id) {
                if self.rules.contains_key(id.name.as_str()) {
                    return true;
                }
                let fields = self.api.find(id).map(Type::fields).unwrap_or_default();
                todo.extend(fields.iter().filter_map(|field| field.ty.named()));
            }
        }
        false
    }

    // Single rules.

    fn link(
        &mut self,
        version: &Type,
        hub: &Type,
        located: &Located<'_>,
        path: &str,
    ) -> Result<Link, String> {
        let api = self.api;
        let in_version = |path: &FieldPath| place(api, version, &path.0[located.depth..]);
        let in_hub = |path: &FieldPath| place(api, hub, &path.0[located.depth..]);
        Ok(match &located.rule.value {
            Rule::Move { from, to } => {
                let (from, to) = (in_version(from)?, in_hub(to)?);
                let path = join(path, &to.to_string());
                let value = self.value(&from.field().ty, &to.field().ty, &path).ok_or_else(|| {
                    format!(
                        "`move` needs the same type on both sides; {from} is {}, {to} is {}",
                        from.field().ty,
                        to.field().ty
                    )
                })?;
                Link::Copy { version: from, hub: to, value }
            }
            Rule::Constant { field, value } => {
                let field = in_version(field)?;
                expect(&field, &[TypeExpr::String], "constant")?;
                Link::Constant { version: field, value: value.clone() }
            }
            Rule::Tag { path, set, otherwise } => {
                let hub = in_hub(path)?;
                expect(&hub, &[TypeExpr::String], "tag")?;
                let set: Result<Vec<_>, String> =
                    set.iter().map(|(path, word)| Ok((in_version(path)?, word.clone()))).collect();
                Link::Tag { hub, set: set?, otherwise: otherwise.clone() }
            }
            Rule::Element { field, list, when, value } => {
                let (field, list) = (in_version(field)?, in_hub(list)?);
                let element = match &list.field().ty {
                    TypeExpr::List(element) => match &**element {
                        TypeExpr::Ref(id) => self.sharing.of(id).clone(),
                        other => {
                            return Err(format!("`element` needs a list of objects; {list} holds {other}"));
                        }
                    },
                    other => return Err(format!("`element` needs a list; {list} is {other}")),
                };
                let ty = api.find(&element).ok_or_else(|| format!("{element} is not known"))?;
                let value = place(api, ty, &value.0)?;
                if value.field().ty != field.field().ty {
                    return Err(format!(
                        "`element` needs the same type on both sides; {field} is {}, {value} is {}",
                        field.field().ty,
                        value.field().ty
                    ));
                }
                let when: Result<Vec<_>, String> = when
                    .iter()
                    .map(|(path, word)| {
                        let place = place(api, ty, &path.0)?;
                        expect(&place, &[TypeExpr::String], "where")?;
                        Ok((place, word.clone()))
                    })
                    .collect();
                Link::Element { version: field, list, element, when: when?, value }
            }
            Rule::Split { field, number, name } => {
                let (field, number, name) = (in_version(field)?, in_hub(number)?, in_hub(name)?);
                expect(&field, &[TypeExpr::IntOrString], "split")?;
                expect(&number, &[TypeExpr::Int32], "split")?;
                expect(&name, &[TypeExpr::String], "split")?;
                Link::Split { version: field, number, name }
            }
            Rule::Wrap { from, to, field } => {
                let (from, to) = (in_version(from)?, in_hub(to)?);
                let value = self.wrapped(&from.field().ty, &to.field().ty, field)?;
                Link::Copy { version: from, hub: to, value }
            }
            Rule::Always { path } => {
                let version = in_version(path)?;
                if version.field().presence != Presence::Pointer {
                    return Err(format!("`always` needs a field that may be absent; {version} never is"));
                }
                Link::Always { version }
            }
            Rule::Hoist { list, field, element } => {
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let version = in_version(field)?;
                let element = place(api, ty, std::slice::from_ref(element))?.field().clone();
                let path = join(path, &version.to_string());
                let value = self
                    .value(&version.field().ty, &element.ty, &path)
                    .filter(|_| is_option(version.field()) == is_option(&element));
                let value = value.ok_or_else(|| {
                    format!(
                        "`hoist` needs the same type on both sides; {version} is {}, {} is {}",
                        version.field().ty,
                        element.name,
                        element.ty
                    )
                })?;
                Link::Hoist { version, list, element, value }
            }
            Rule::Head { list, field, element, set } => {
                let (list, ty) = self.shared_list(version, hub, &list.0[located.depth..])?;
                let version = in_version(field)?;
                let one = |name: &String| Ok(place(api, ty, std::slice::from_ref(name))?.field().clone());
                let set: Result<Vec<Field>, String> = set.iter().map(one).collect();
                let (element, set) = (one(element)?, set?);
                for field in [version.field(), &element] {
                    if field.ty != TypeExpr::String || is_option(field) {
                        return Err(format!("`head` needs a string; {} is {}", field.name, field.ty));
                    }
                }
                if let Some(field) = set.iter().find(|field| field.ty != TypeExpr::Bool || is_option(field)) {
                    return Err(format!("`set` needs a boolean; {} is {}", field.name, field.ty));
                }
                Link::Head { version, list, id: self.sharing.of(&ty.id).clone(), element, set }
            }
            Rule::Function { name, version, hub } => {
                let known = rules::function(name).ok_or_else(|| {
                    let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
                    format!("there is no function `{name}`; there are {}", names.join(", "))
                })?;
                let version: Result<Vec<_>, String> = version.iter().map(in_version).collect();
                let hub: Result<Vec<_>, String> = hub.iter().map(in_hub).collect();
                let (version, hub) = (version?, hub?);
                takes(name, &version, known.version)?;
                takes(name, &hub, known.hub)?;
                if let (Some(own), Some(hub)) = (version.first(), hub.first())
                    && known.version.first() == Some(&Plain::Object)
                    && !self.sharing.same(&own.field().ty, &hub.field().ty)
                {
                    return Err(format!("`{name}` needs the same type on both sides"));
                }
                Link::Function { name: name.clone(), version, hub }
            }
            Rule::Keep { path, .. } => Link::Kept { hub: in_hub(path)? },
        })
    }

    /// A list that version and hub have at one place, with the hub's type of
    /// its elements.
    fn shared_list(&self, version: &Type, hub: &Type, path: &[String]) -> Result<(Place, &'a Type), String> {
        let (own, list) = (place(self.api, version, path)?, place(self.api, hub, path)?);
        for list in [&own, &list] {
            if !matches!(&list.field().ty, TypeExpr::List(inner) if matches!(**inner, TypeExpr::Ref(_))) {
                return Err(format!("is no list of objects: {list} is {}", list.field().ty));
            }
        }
        let ty = object(self.api, &list.field().ty).ok_or_else(|| format!("{list} is not known"))?;
        Ok((list, ty))
    }

    /// How a value becomes an object that holds it in a field.
    fn wrapped(&mut self, version: &TypeExpr, hub: &TypeExpr, field: &str) -> Result<Value, String> {
        match (version, hub) {
            (TypeExpr::List(version), TypeExpr::List(hub)) => {
                Ok(Value::List(Box::new(self.wrapped(version, hub, field)?)))
            }
            (TypeExpr::Map(version), TypeExpr::Map(hub)) => {
                Ok(Value::Map(Box::new(self.wrapped(version, hub, field)?)))
            }
            (version, TypeExpr::Ref(id)) => {
                let ty = self.api.find(id).ok_or_else(|| format!("{id} is not known"))?;
                let inner = place(self.api, ty, &[field.to_owned()])?;
                if inner.field().ty != *version || is_option(inner.field()) {
                    return Err(format!(
                        "`wrap` needs the same type on both sides; {version} is not {}",
                        inner.field().ty
                    ));
                }
                Ok(Value::Wrapped(self.sharing.of(id).clone(), field.to_owned()))
            }
            (_, hub) => Err(format!("`wrap` needs an object in the hub; there is {hub}")),
        }
    }

    /// Resolves what upstream keeps in annotations.
    fn keep_all(&mut self, hub: &'a Type) {
        let Some((_, rules)) = self.ruled else { return };
        let Some(said) = rules.versions.get(self.version) else { return };
        let like = said.like.as_ref().and_then(|like| rules.versions.get(&like.value));
        for said in like.into_iter().chain([said]) {
            let elements: Vec<&FieldPath> = said.rules.iter().filter_map(list_of_element).collect();
            for rule in &said.rules {
                let Rule::Keep { path, annotation: Some(annotation) } = &rule.value else { continue };
                match self.kept(hub, path, annotation, elements.contains(&path)) {
                    Ok(kept) => self.mapping.kept.push(kept),
                    Err(message) => self.problem(
                        rule.span.clone(),
                        path,
                        message,
                        "`as` is \"text\" for a plain value, \"internal\" for an object, \"zero\" for a number that may be absent, or a version of the family",
                    ),
                }
            }
            for rule in said.types.values().flat_map(|(_, rules)| rules) {
                if let Rule::Keep { path, annotation: Some(_) } = &rule.value {
                    self.problem(
                        rule.span.clone(),
                        path,
                        "an annotation belongs to the object, and its type may occur many times in it",
                        "say it in the version's own table, with the path from the kind downwards",
                    );
                }
            }
        }
    }

    fn kept(
        &mut self,
        hub: &'a Type,
        path: &FieldPath,
        annotation: &Annotation,
        shows_element: bool,
    ) -> Result<Kept, String> {
        let place = place(self.api, hub, &path.0)?;
        let ty = &place.field().ty;
        let plain = [TypeExpr::String, TypeExpr::Int32, TypeExpr::Int64, TypeExpr::Bool, TypeExpr::Quantity];
        let via = match (&annotation.form, ty) {
            (Form::Text, ty) if plain.contains(ty) => None,
            (Form::Internal, TypeExpr::Ref(_)) => None,
            (Form::Zero, TypeExpr::Int32 | TypeExpr::Int64) if is_option(place.field()) => None,
            (Form::Version(other), _) => {
                let kind = &self.ruled.ok_or("there are no rules")?.1.kind.value;
                let root =
                    family::root(self.api, other, kind).ok_or_else(|| format!("{other} has no {kind}"))?;
                let own = self::place(self.api, root, &path.0)?.field().ty.clone();
                let is_json = matches!(&own, TypeExpr::Ref(_))
                    || matches!(&own, TypeExpr::List(inner) if matches!(**inner, TypeExpr::Ref(_)));
                if !is_json {
                    return Err(format!("is {own} in {other}: neither an object nor a list of objects"));
                }
                let mut mapper = Mapper::new(self.api, self.sharing, self.ruled, other);
                mapper.locate_all(root, hub);
                let value = mapper
                    .value(&own, ty, "")
                    .ok_or_else(|| format!("is {own} in {other}, {ty} in the hub"))?;
                Some((other.clone(), own, value))
            }
            (form, ty) => return Err(format!("{ty} cannot be kept as {form}")),
        };
        if shows_element && !matches!(ty, TypeExpr::List(_)) {
            return Err("is no list".to_owned());
        }
        Ok(Kept { place, annotation: annotation.clone(), via, shows_element })
    }

    /// Whether hub → version → hub loses nothing by the rules alone.
    fn is_exact(&self) -> bool {
        self.mapping.pairs.iter().all(|(key, pair)| {
            pair.links.iter().all(|link| match link {
                Link::Copy { version, hub, value } => {
                    !wraps(value)
                        && !hub.0[..hub.0.len() - 1].iter().any(is_option)
                        && (is_option(version.field()) || !is_option(hub.field()))
                }
                Link::Constant { .. } | Link::Always { .. } => true,
                Link::Tag { .. }
                | Link::Element { .. }
                | Link::Split { .. }
                | Link::Hoist { .. }
                | Link::Head { .. } => false,
                Link::Function { name, .. } => rules::function(name).is_some_and(|known| known.exact),
                // An annotation speaks of one place; the type may be in others too.
                Link::Kept { hub } => {
                    let is_kept = |kept: &&Kept| kept.via.is_none() && kept.place.0.ends_with(&hub.0);
                    self.mapping.kept.iter().filter(is_kept).count() == self.places(key, &mut BTreeSet::new())
                }
            })
        })
    }

    /// In how many places below the kind a pair of types is met; what is met
    /// again inside itself is met without end.
    fn places<'k>(&'k self, key: &'k (TypeId, TypeId), inside: &mut BTreeSet<&'k (TypeId, TypeId)>) -> usize {
        if !inside.insert(key) {
            return usize::MAX;
        }
        let mut count = 0usize;
        let mut is_root = true;
        for (parent, pair) in &self.mapping.pairs {
            for link in &pair.links {
                let (Link::Copy { value, .. } | Link::Hoist { value, .. }) = link else { continue };
                if let Some(many) = leads_to(value, key) {
                    is_root = false;
                    count = count.saturating_add(if many { usize::MAX } else { self.places(parent, inside) });
                }
            }
        }
        inside.remove(key);
        if is_root { 1 } else { count }
    }
}

/// Whether a value is of that pair, and if so, whether it is many.
fn leads_to(value: &Value, key: &(TypeId, TypeId)) -> Option<bool> {
    match value {
        Value::Same | Value::Wrapped(..) => None,
        Value::Pair(version, hub) => (version == &key.0 && hub == &key.1).then_some(false),
        Value::List(inner) | Value::Map(inner) => leads_to(inner, key).map(|_| true),
    }
}

/// Whether a value becomes part of an object.
fn wraps(value: &Value) -> bool {
    match value {
        Value::Same | Value::Pair(..) => false,
        Value::List(inner) | Value::Map(inner) => wraps(inner),
        Value::Wrapped(..) => true,
    }
}

/// Whether a rule only marks a field that others convert.
fn marks_zero(rule: &Rule) -> bool {
    matches!(rule, Rule::Keep { annotation: Some(Annotation { form: Form::Zero, .. }), .. })
}

/// # Errors
/// When the function takes other fields.
fn takes(name: &str, places: &[Place], types: &[Plain]) -> Result<(), String> {
    if places.len() != types.len() {
        let types: Vec<String> = types.iter().map(Plain::to_string).collect();
        return Err(format!("`{name}` needs {}; here are {} fields", types.join(", "), places.len()));
    }
    match places.iter().zip(types).find(|(place, ty)| !ty.fits(place.field())) {
        Some((place, ty)) => Err(format!("`{name}` needs {ty}; {place} is {}", place.field().ty)),
        None => Ok(()),
    }
}

fn list_of_element(rule: &At<Rule>) -> Option<&FieldPath> {
    match &rule.value {
        Rule::Element { list, .. } => Some(list),
        _ => None,
    }
}

/// Whether absence is a state of its own, or a time, which has no other zero.
fn is_option(field: &Field) -> bool {
    field.presence == Presence::Pointer || matches!(field.ty, TypeExpr::Time | TypeExpr::MicroTime)
}

fn expect(place: &Place, types: &[TypeExpr], verb: &str) -> Result<(), String> {
    if types.contains(&place.field().ty) {
        return Ok(());
    }
    Err(format!("`{verb}` needs {}; {place} is {}", types[0], place.field().ty))
}

fn join(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}

/// All paths of a rule that begin at its type.
fn paths(rule: &Rule) -> Vec<&[String]> {
    match rule {
        Rule::Move { from, to } => vec![&from.0, &to.0],
        Rule::Constant { field, .. } => vec![&field.0],
        Rule::Tag { path, set, .. } => {
            std::iter::once(&*path.0).chain(set.iter().map(|(path, _)| &*path.0)).collect()
        }
        Rule::Element { field, list, .. } => vec![&field.0, &list.0],
        Rule::Split { field, number, name } => vec![&field.0, &number.0, &name.0],
        Rule::Wrap { from, to, .. } => vec![&from.0, &to.0],
        // The list is at one place in both.
        Rule::Hoist { field, list, .. } | Rule::Head { field, list, .. } => vec![&field.0, &list.0],
        Rule::Function { version, hub, .. } => version.iter().chain(hub).map(|path| &*path.0).collect(),
        Rule::Always { path } | Rule::Keep { path, .. } => vec![&path.0],
    }
}

/// Which fields some rule speaks of.
#[derive(Default)]
struct Claims {
    version: BTreeSet<Vec<String>>,
    hub: BTreeSet<Vec<String>>,
    /// Lists of the hub of which an element is a field of the version.
    elements: BTreeSet<Vec<String>>,
    /// Fields of the hub that are kept.
    kept: BTreeSet<Vec<String>>,
}

#[derive(PartialEq)]
enum Claim {
    None,
    Parts,
    Whole,
}

fn state(claimed: &BTreeSet<Vec<String>>, path: &[String]) -> Claim {
    if claimed.contains(path) {
        Claim::Whole
    } else if claimed.iter().any(|other| other.starts_with(path)) {
        Claim::Parts
    } else {
        Claim::None
    }
}

impl Claims {
    fn version_state(&self, path: &[String]) -> Claim {
        state(&self.version, path)
    }

    fn hub_state(&self, path: &[String]) -> Claim {
        state(&self.hub, path)
    }

    /// # Errors
    /// The field that another rule has already.
    fn take(&mut self, link: &Link) -> Result<(), String> {
        let names = |place: &Place| place.0.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        match link {
            Link::Copy { version, hub, .. } => {
                claim(&mut self.version, names(version))?;
                claim(&mut self.hub, names(hub))
            }
            Link::Constant { version, .. } | Link::Hoist { version, .. } | Link::Head { version, .. } => {
                claim(&mut self.version, names(version))
            }
            // Other rules say what is in it.
            Link::Always { .. } => Ok(()),
            Link::Function { version, hub, .. } => {
                version.iter().try_for_each(|place| claim(&mut self.version, names(place)))?;
                hub.iter().try_for_each(|place| claim(&mut self.hub, names(place)))
            }
            Link::Tag { hub, .. } => claim(&mut self.hub, names(hub)),
            Link::Split { version, number, name } => {
                claim(&mut self.version, names(version))?;
                claim(&mut self.hub, names(number))?;
                claim(&mut self.hub, names(name))
            }
            // A list may be kept and show an element.
            Link::Element { version, list, .. } => {
                claim(&mut self.version, names(version))?;
                self.elements.insert(names(list));
                if self.kept.contains(&names(list)) { Ok(()) } else { claim(&mut self.hub, names(list)) }
            }
            // A type may be in several places, each with an annotation.
            Link::Kept { hub } => {
                let fresh = self.kept.insert(names(hub));
                if fresh && !self.elements.contains(&names(hub)) {
                    claim(&mut self.hub, names(hub))
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Claims the paths of a rule that is wrong.
    fn take_paths(&mut self, rule: &Rule, depth: usize) {
        // What else is said of the list holds.
        if let Rule::Hoist { field, .. } | Rule::Head { field, .. } = rule {
            self.version.insert(field.0[depth..].to_vec());
            return;
        }
        for path in paths(rule) {
            self.version.insert(path[depth..].to_vec());
            self.hub.insert(path[depth..].to_vec());
        }
        if let Rule::Element { list, .. } = rule {
            self.elements.insert(list.0[depth..].to_vec());
        }
    }
}

fn claim(claimed: &mut BTreeSet<Vec<String>>, path: Vec<String>) -> Result<(), String> {
    let taken = claimed.iter().any(|other| other.starts_with(&path) || path.starts_with(other));
    let text = path.join(".");
    claimed.insert(path);
    if taken { Err(text) } else { Ok(()) }
}
