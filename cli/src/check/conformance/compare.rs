//! One answer beside ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hubgen_kubernetes::machinery::convert::laws::with_annotations;
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::{self, Descriptor, Type};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object, Scheme};
use serde_json::{Map as Members, Value};

use super::differences::{self, Case, Owned, Place};
use super::record::{Answer, Record};
use super::{Failure, Part, served};
use crate::check::title;

/// What of an answer is compared, and with whom.
pub struct Comparison {
    pub scheme: Scheme,
    pub part: Part,
}

/// How many answers were what.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub equal: usize,
    /// Equal but for what served.json says that a server sets.
    pub served: usize,
    /// Different as docs/differences.md says, and nowhere else.
    pub listed: usize,
    pub different: usize,
    /// Of those that are equal, be it but for what a server sets: with members
    /// in another order.
    pub reordered: usize,
    /// The other side does not have the kind at that version.
    pub unknown: usize,
}

impl Counts {
    pub fn compared(&self) -> usize {
        self.held() + self.different
    }

    /// Those that are as they should be.
    pub fn held(&self) -> usize {
        self.equal + self.served + self.listed
    }

    fn add(&mut self, other: &Self) {
        self.equal += other.equal;
        self.served += other.served;
        self.listed += other.listed;
        self.different += other.different;
        self.reordered += other.reordered;
        self.unknown += other.unknown;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { equal, served, listed, different, reordered, unknown } = self;
        write!(f, "{} compared, {equal} equal, ", self.compared())?;
        if *served > 0 {
            write!(f, "{served} but for what a server sets, ")?;
        }
        write!(f, "{listed} as listed, {different} different")?;
        if *reordered > 0 {
            write!(f, ", {reordered} in other order")?;
        }
        if *unknown > 0 {
            write!(f, ", {unknown} not known there")?;
        }
        Ok(())
    }
}

/// What was found.
#[derive(Default)]
pub struct Tally {
    pub kinds: BTreeMap<String, Counts>,
    /// How many answers each listed difference was met in.
    pub listed: BTreeMap<&'static str, usize>,
    /// How many answers had something of what a server sets.
    pub served: BTreeMap<&'static str, usize>,
    /// What is not listed, by what and where.
    different: BTreeMap<(String, String), Example>,
}

/// Differences of one sort, and the smallest object that shows it.
struct Example {
    count: usize,
    /// The versions in which the answers differ so.
    versions: BTreeSet<String>,
    line: usize,
    size: usize,
    message: String,
    record: String,
}

impl Tally {
    pub fn add(&mut self, other: Self) {
        for (kind, counts) in other.kinds {
            self.kinds.entry(kind).or_default().add(&counts);
        }
        for (name, count) in other.listed {
            *self.listed.entry(name).or_default() += count;
        }
        for (who, count) in other.served {
            *self.served.entry(who).or_default() += count;
        }
        for (place, example) in other.different {
            self.show(place, example);
        }
    }

    /// Adds a difference, found in a kind and a field.
    pub fn differ(
        &mut self,
        place: (String, String),
        object: &str,
        line: usize,
        version: &str,
        message: &str,
    ) {
        let record = object.to_owned();
        let versions = BTreeSet::from([version.to_owned()]);
        let message = message.to_owned();
        self.show(place, Example { count: 1, versions, line, size: record.len(), message, record });
    }

    fn show(&mut self, place: (String, String), mut example: Example) {
        let Some(known) = self.different.get_mut(&place) else {
            self.different.insert(place, example);
            return;
        };
        let count = known.count + example.count;
        let mut versions = std::mem::take(&mut known.versions);
        versions.append(&mut example.versions);
        if (example.size, example.line) < (known.size, known.line) {
            *known = example;
        }
        (known.count, known.versions) = (count, versions);
    }

    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.kinds.values().for_each(|counts| total.add(counts));
        total
    }

    /// How many kinds the other side has answered for.
    pub fn compared_kinds(&self) -> usize {
        self.kinds.values().filter(|counts| counts.compared() > 0).count()
    }

    /// One for each sort of difference.
    pub fn failures(&self, whole: bool) -> Vec<Failure> {
        let failure = |((file, path), example): (&(String, String), &Example)| Failure {
            file: file.clone(),
            path: path.clone(),
            message: format!(
                "{} ({} times, at {}; line {}){}",
                example.message,
                example.count,
                Vec::from_iter(example.versions.iter().map(String::as_str)).join(" "),
                example.line + 1,
                if whole { format!("\n  {}", example.record) } else { String::new() }
            ),
        };
        self.different.iter().map(failure).collect()
    }
}

impl Comparison {
    /// Compares what the record says with what we say.
    pub fn take(&self, record: &Record, line: usize, tally: &mut Tally) {
        let (api_version, kind) = record.name();
        let Some(entry) = self.scheme.named(api_version, kind) else {
            let counts = tally.kinds.entry(format!("{api_version} {kind}")).or_default();
            counts.different += 1;
            let place = (format!("{api_version} {kind}"), String::new());
            return tally.differ(
                place,
                &record.object.to_string(),
                line,
                api_version,
                "we have no such kind",
            );
        };
        let family = title(entry);
        let ours = self.read(entry, record);
        if self.part == Part::Defaults || record.versions.is_empty() {
            let ours = ours.as_ref().map(show).map_err(Clone::clone);
            let case = Case { from: entry, to: entry, record };
            return judge(&case, &record.answer, &ours, line, family, tally);
        }
        for (version, theirs) in &record.versions {
            let Some(to) = self.scheme.named(version, kind) else {
                tally.kinds.entry(family.clone()).or_default().unknown += 1;
                continue;
            };
            let case = Case { from: entry, to, record };
            let ours = ours.as_ref().map_err(Clone::clone).and_then(|object| self.convert(object, to));
            judge(&case, theirs, &ours, line, family.clone(), tally);
        }
    }

    fn read(&self, entry: &'static KindEntry, record: &Record) -> Result<Object, String> {
        let text = record.object.to_string();
        let (mut object, _) = Object::decode(entry, text.as_bytes()).map_err(|error| error.to_string())?;
        if record.default {
            object.set_defaults(&Context { now: record.now.unwrap_or_default() });
        }
        if record.server {
            // What it answers has been at the hub.
            object.normalise();
        }
        Ok(object)
    }

    /// The object at a version, its own by way of the hub.
    fn convert(&self, object: &Object, to: &'static KindEntry) -> Answer {
        let mut object = object.clone();
        object.normalise();
        let converted = match to.conversion {
            Conversion::Hub { to_hub, from_hub } if object.entry == to => from_hub(to_hub(object.value))
                .map(|value| Object { entry: to, value })
                .map_err(|error| error.to_string()),
            _ => self.scheme.convert(object, to).map_err(|error| error.to_string()),
        };
        converted.map(|object| show(&object))
    }
}

/// Annotations of ours, which no other implementation writes.
pub const OURS: &str = "conversion.hubgen.dev/";

/// The object as it is written, without our annotations.
pub fn show(object: &Object) -> Members<String, Value> {
    let mut object = object.clone();
    with_annotations(&mut *object.value, &mut |annotations| {
        annotations.retain(|key, _| !key.starts_with(OURS));
    });
    serde_json::from_slice(&object.encode()).expect("what we write is JSON")
}

fn judge(case: &Case<'_>, theirs: &Answer, ours: &Answer, line: usize, family: String, tally: &mut Tally) {
    let counts = tally.kinds.entry(family).or_default();
    let mut places = Vec::new();
    match (theirs, ours) {
        (Err(error), _) if is_unknown(error) => {
            counts.unknown += 1;
            return;
        }
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) => {
            places.push(Place {
                path: String::new(),
                theirs: &Value::Null,
                ours: &Value::Null,
                field: None,
                refused: Some(error),
            });
        }
        (Ok(_), Err(error)) => {
            places.push(Place {
                path: String::new(),
                theirs: &Value::Null,
                ours: &Value::Null,
                field: None,
                refused: Some(error),
            });
        }
        (Ok(theirs), Ok(ours)) => {
            let mut finder = Finder { places };
            finder.object(theirs, ours, "", Shape::Struct((case.to.new)().descriptor()));
            places = finder.places;
        }
    }
    let is_reordered = match (theirs, ours) {
        (Ok(theirs), Ok(ours)) => !is_same_order(theirs, ours),
        _ => false,
    };
    if places.is_empty() {
        counts.equal += 1;
        counts.reordered += usize::from(is_reordered);
        return;
    }
    let (mut setters, mut names, mut unlisted) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for place in &places {
        if let Some(who) = served::set_by(case, place) {
            setters.insert(who);
        } else if let Some(name) = differences::listed(case, place) {
            names.insert(name);
        } else {
            unlisted.push(place);
        }
    }
    if unlisted.is_empty() {
        if names.is_empty() {
            counts.served += 1;
            counts.reordered += usize::from(is_reordered);
        } else {
            counts.listed += 1;
        }
        for name in names {
            *tally.listed.entry(name).or_default() += 1;
        }
        for who in setters {
            *tally.served.entry(who).or_default() += 1;
        }
        return;
    }
    counts.different += 1;
    for place in unlisted {
        let message = match (place.refused, theirs) {
            (Some(error), Err(_)) => format!("refused there: {error}"),
            (Some(error), _) => format!("refused by us: {error}"),
            _ => format!("expected {}, found {}", short(place.theirs), short(place.ours)),
        };
        let name =
            place.field.map_or_else(|| general(&place.path), |(of, field)| format!("{of}.{}", field.name));
        let message = format!("{}: {message}", place.path);
        let (kind, version) = (case.from.to_string(), case.to.api_version());
        tally.differ((kind, name), &case.record.object.to_string(), line, &version, &message);
    }
}

/// Whether an error says that the other side lacks the kind or the version.
pub fn is_unknown(error: &str) -> bool {
    error.contains("no kind \"") || error.contains("is not suitable for converting")
}

/// Without positions in lists: all elements are of one type.
pub fn general(path: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for char in path.chars() {
        inside = char == '[' || (inside && char != ']');
        if char == '[' || char == ']' || !inside {
            out.push(char);
        }
    }
    out
}

fn short(value: &Value) -> String {
    const LENGTH: usize = 300;
    if value.is_null() {
        return "nothing".to_owned();
    }
    let text = value.to_string();
    let end = text.floor_char_boundary(LENGTH);
    if end == text.len() { text } else { format!("{}…", &text[..end]) }
}

/// Whether the members that two objects have both come in the same order.
fn is_same_order(a: &Members<String, Value>, b: &Members<String, Value>) -> bool {
    let common = a.iter().filter(|(name, _)| b.contains_key(*name));
    let others = b.iter().filter(|(name, _)| a.contains_key(*name));
    common.zip(others).all(|((name, a), (other, b))| name == other && is_written_alike(a, b))
}

fn is_written_alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => is_same_order(a, b),
        (Value::Array(a), Value::Array(b)) => a.iter().zip(b).all(|(a, b)| is_written_alike(a, b)),
        _ => true,
    }
}

/// Every place where the two differ, as deep as it goes. Lists of different
/// lengths differ as a whole. Absent is `null`.
struct Finder<'a> {
    places: Vec<Place<'a>>,
}

/// What the members of an object are.
#[derive(Clone, Copy)]
enum Shape {
    Struct(&'static Descriptor),
    /// The map that a field holds.
    Map(Type, Option<Owned>),
    Unknown,
}

impl Shape {
    /// The field of that name with its struct, and the type.
    fn member(self, name: &str) -> (Option<Owned>, Option<Type>) {
        match self {
            Self::Struct(descriptor) => {
                let field = descriptor.position(name).map(|index| &descriptor.fields[index]);
                (field.map(|field| (descriptor.name, field)), field.map(|field| field.ty))
            }
            Self::Map(element, field) => (field, Some(element)),
            Self::Unknown => (None, None),
        }
    }
}

impl<'a> Finder<'a> {
    fn object(
        &mut self,
        a: &'a Members<String, Value>,
        b: &'a Members<String, Value>,
        path: &str,
        shape: Shape,
    ) {
        let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
        for name in names {
            let (theirs, ours) = (a.get(name).unwrap_or(&Value::Null), b.get(name).unwrap_or(&Value::Null));
            if theirs == ours && a.contains_key(name) == b.contains_key(name) {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let (field, ty) = shape.member(name);
            self.value(Place { path, theirs, ours, field, refused: None }, ty);
        }
    }

    fn value(&mut self, place: Place<'a>, ty: Option<Type>) {
        match (place.theirs, place.ours) {
            (Value::Object(a), Value::Object(b)) => {
                let shape = match ty.map(|ty| ty.member(reflect::Shape::Object)) {
                    Some(Type::Struct(describe)) => Shape::Struct(describe()),
                    Some(Type::Map(element)) => Shape::Map(*element, place.field),
                    _ => Shape::Unknown,
                };
                self.object(a, b, &place.path, shape);
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let ty = match ty.map(|ty| ty.member(reflect::Shape::Array)) {
                    Some(Type::List(element)) => Some(*element),
                    _ => None,
                };
                let different = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
                for (index, (theirs, ours)) in different {
                    let path = format!("{}[{index}]", place.path);
                    self.value(Place { path, theirs, ours, ..place }, ty);
                }
            }
            _ => self.places.push(place),
        }
    }
}
