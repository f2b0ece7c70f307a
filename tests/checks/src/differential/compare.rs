//! Compares one answer with ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock};

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::reflect::{self, Descriptor, Type};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object, Scheme};
use serde_json::{Map as Members, Value};

use super::differences::{self, Case, Mismatch, Owned};
use super::path::general;
use super::record::{Answer, Record};
use super::{Failure, Part, refusal, served};
use crate::annotations::without_ours;
use crate::title;

/// The part of answers to compare, and the Scheme to compare with.
pub struct Comparison {
    pub scheme: Scheme,
    pub part: Part,
}

/// Numbers of answers, by result.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub equal: usize,
    /// Equal except for values in served.json, which a server sets.
    pub served: usize,
    /// Different, but only as docs/differences.md describes.
    pub listed: usize,
    pub different: usize,
    /// Of the answers in `equal` and `served`, those whose members have another order.
    pub reordered: usize,
    /// Versions that the other side does not know.
    pub unknown: usize,
}

impl Counts {
    pub fn compared(&self) -> usize {
        self.passed() + self.different
    }

    /// The number of answers that are as expected.
    pub fn passed(&self) -> usize {
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

/// The results of a comparison.
#[derive(Default)]
pub struct Tally {
    pub kinds: BTreeMap<String, Counts>,
    /// The number of answers with each listed difference.
    pub listed: BTreeMap<&'static str, usize>,
    /// The number of answers with values that a server sets, by who sets them.
    pub served: BTreeMap<&'static str, usize>,
    /// Differences that are not listed, by message and field.
    different: BTreeMap<(String, String), Example>,
}

/// Differences of the same type, and the smallest object that shows them.
struct Example {
    count: usize,
    /// The versions at which the answers differ.
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

    /// Adds a difference in a kind and a field.
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

    /// The number of kinds that the other side has answered for.
    pub fn compared_kinds(&self) -> usize {
        self.kinds.values().filter(|counts| counts.compared() > 0).count()
    }

    /// A failure for each type of difference.
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
    /// Compares the answers in a record with ours.
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
                "hubgen does not have this kind",
            );
        };
        let family = title(entry);
        self.answers(entry, record, &mut |asked, theirs, ours| match asked {
            Some(asked) => self.judge(&asked, theirs, ours, line, family.clone(), tally),
            None => tally.kinds.entry(family.clone()).or_default().unknown += 1,
        });
    }

    /// Calls a function with each answer of a record and ours; without the request if hubgen does
    /// not have the version.
    fn answers(
        &self,
        from: &Arc<KindEntry>,
        record: &Record,
        see: &mut dyn FnMut(Option<Asked<'_>>, &Answer, &Answer),
    ) {
        let object = self.read(from, record);
        let ours: Answer = object.as_ref().map(show).map_err(Clone::clone);
        let read = ours.clone().map_or(Value::Null, Value::Object);
        if self.part == Part::Defaults || record.versions.is_empty() {
            let asked = Asked { record, from, to: from, converts: false, read: &read };
            return see(Some(asked), &record.answer, &ours);
        }
        for (version, theirs) in &record.versions {
            let to = self.scheme.named(version, &from.kind);
            let ours = to.map_or(Err(String::new()), |to| {
                object.as_ref().map_err(Clone::clone).and_then(|object| self.convert(object, to))
            });
            see(to.map(|to| Asked { record, from, to, converts: true, read: &read }), theirs, &ours);
        }
    }

    fn read(&self, entry: &Arc<KindEntry>, record: &Record) -> Result<Object, String> {
        let text = record.object.to_string();
        let (mut object, _) = Object::decode(entry, text.as_bytes()).map_err(|error| error.to_string())?;
        if record.default {
            object.set_defaults(&Context { now: record.now.unwrap_or_default() });
        }
        if record.server {
            // The other side's answer was converted through its hub, too.
            object.canonicalize();
        }
        Ok(object)
    }

    /// The object at a version; at its own version too, it is converted through the hub.
    fn convert(&self, object: &Object, to: &Arc<KindEntry>) -> Answer {
        let mut object = object.clone();
        object.canonicalize();
        let converted = match &to.conversion {
            Conversion::Hub(conversion) if object.entry == *to => conversion
                .to_hub(object.value)
                .and_then(|hub| conversion.from_hub(hub))
                .map(|value| Object { entry: Arc::clone(to), value })
                .map_err(|error| error.to_string()),
            _ => self.scheme.convert(object, to).map_err(|error| error.to_string()),
        };
        converted.map(|object| show(&object))
    }
}

/// The object as JSON, without hubgen's annotations.
pub fn show(object: &Object) -> Members<String, Value> {
    let mut object = object.clone();
    without_ours(&mut *object.value);
    serde_json::from_slice(&object.encode().unwrap()).expect("what we write is JSON")
}

/// The request for one answer of a record.
struct Asked<'a> {
    record: &'a Record,
    /// The kind of the object.
    from: &'a Arc<KindEntry>,
    /// The kind to convert to.
    to: &'a Arc<KindEntry>,
    /// Whether the object is converted through the hub.
    converts: bool,
    /// The request as hubgen reads it; `null` if it cannot.
    read: &'a Value,
}

/// A field in which an answer differs from ours.
struct Finding {
    path: String,
    /// The field, such as `PodSpec.containers`, or else the path.
    name: String,
    /// The intended difference that explains it, if any.
    explained: Option<Explanation>,
    message: String,
}

#[derive(Clone, Copy)]
enum Explanation {
    /// Listed in docs/differences.md.
    Listed(&'static str),
    /// Listed in served.json.
    Served(&'static str),
}

impl Comparison {
    fn judge(
        &self,
        asked: &Asked<'_>,
        theirs: &Answer,
        ours: &Answer,
        line: usize,
        family: String,
        tally: &mut Tally,
    ) {
        let counts = tally.kinds.entry(family).or_default();
        let Some(findings) = self.findings(asked, theirs, ours) else {
            counts.unknown += 1;
            return;
        };
        let is_reordered = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => !is_same_order(theirs, ours),
            _ => false,
        };
        if findings.iter().any(|finding| finding.explained.is_none()) {
            counts.different += 1;
            let (kind, version) = (asked.from.to_string(), asked.to.api_version());
            let object = asked.record.object.to_string();
            for finding in findings.into_iter().filter(|finding| finding.explained.is_none()) {
                let message = format!("{}: {}", finding.path, finding.message);
                tally.differ((kind.clone(), finding.name), &object, line, &version, &message);
            }
            return;
        }
        let (mut setters, mut names) = (BTreeSet::new(), BTreeSet::new());
        for finding in &findings {
            match finding.explained {
                Some(Explanation::Listed(name)) => names.insert(name),
                Some(Explanation::Served(who)) => setters.insert(who),
                None => false,
            };
        }
        if findings.is_empty() {
            counts.equal += 1;
        } else if names.is_empty() {
            counts.served += 1;
        } else {
            counts.listed += 1;
        }
        counts.reordered += usize::from(is_reordered && names.is_empty());
        for name in names {
            *tally.listed.entry(name).or_default() += 1;
        }
        for who in setters {
            *tally.served.entry(who).or_default() += 1;
        }
    }

    /// The fields in which an answer differs from ours, with their explanations; `None` if the
    /// other side does not have the version.
    fn findings(&self, asked: &Asked<'_>, theirs: &Answer, ours: &Answer) -> Option<Vec<Finding>> {
        let mut places = Vec::new();
        match (theirs, ours) {
            (Err(error), _) if is_unknown(error) => return None,
            (Err(theirs), Err(ours)) if refusal::is_same(theirs, ours) => {}
            (Ok(theirs), Ok(ours)) => {
                let mut finder = Finder { places };
                finder.object(
                    theirs,
                    ours,
                    "",
                    Shape::Struct(asked.to.descriptor().compiled().expect(COMPILED)),
                );
                places = finder.places;
            }
            _ => places.push(Mismatch { path: String::new(), theirs: None, ours: None, field: None }),
        }
        if places.is_empty() {
            return Some(Vec::new());
        }
        let whole = |answer: &Answer| answer.clone().map(Value::Object);
        let again = theirs.as_ref().ok().and_then(|theirs| self.again(asked.to, theirs)).unwrap_or_default();
        let [whole_theirs, whole_ours] = [whole(theirs), whole(ours)];
        let case = Case {
            kind: asked.from.kind.strip_suffix("List").unwrap_or(&asked.from.kind),
            from: asked.from,
            to: asked.to,
            default: asked.record.default,
            converts: asked.converts,
            served: asked.record.server,
            release: asked.record.release,
            asked: &asked.record.object,
            read: asked.read,
            theirs: whole_theirs.as_ref().map_err(String::as_str),
            ours: whole_ours.as_ref().map_err(String::as_str),
            again: &again,
        };
        let finding = |place: Mismatch<'_>| {
            let served = asked.record.server.then(|| served::set_by(&self.scheme, &case, &place)).flatten();
            let listed = || differences::listed(&case, &place).map(Explanation::Listed);
            let message = match (theirs, ours) {
                (Err(theirs), Err(ours)) => {
                    format!("refused for different reasons; by the other side: {theirs}; by us: {ours}")
                }
                (Err(error), Ok(_)) => format!("refused by the other side: {error}"),
                (Ok(_), Err(error)) => format!("refused by us: {error}"),
                _ => format!("expected {}, found {}", short(place.theirs), short(place.ours)),
            };
            let name = place
                .field
                .map_or_else(|| general(&place.path), |(of, field)| format!("{of}.{}", field.name));
            let explained = served.map(Explanation::Served).or_else(listed);
            Finding { path: place.path, name, explained, message }
        };
        Some(places.into_iter().map(finding).collect())
    }

    /// Their answer, read by hubgen and converted to the hub and back.
    fn again(&self, at: &Arc<KindEntry>, theirs: &Members<String, Value>) -> Option<Value> {
        let text = serde_json::to_vec(theirs).expect("what was JSON is JSON");
        let (object, _) = Object::decode(at, &text).ok()?;
        self.convert(&object, at).ok().map(Value::Object)
    }
}

/// Whether an error means that the other side lacks the kind or the version.
pub fn is_unknown(error: &str) -> bool {
    error.contains("no kind \"") || error.contains("is not suitable for converting")
}

fn short(value: Option<&Value>) -> String {
    const LENGTH: usize = 300;
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    let end = text.floor_char_boundary(LENGTH);
    if end == text.len() { text } else { format!("{}…", &text[..end]) }
}

/// Whether the members that two objects have in common are in the same order.
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

/// Collects all differences, at the deepest fields possible. Lists of different lengths differ as a
/// whole. Annotations differ one by one, even if one side has none.
struct Finder<'a> {
    places: Vec<Mismatch<'a>>,
}

fn no_members() -> &'static Value {
    static NONE: LazyLock<Value> = LazyLock::new(|| Value::Object(Members::new()));
    &NONE
}

const COMPILED: &str = "the kinds that are compared are compiled";

/// The type of an object's members.
#[derive(Clone, Copy)]
enum Shape {
    Struct(&'static Descriptor),
    /// A map, and the field that contains it.
    Map(&'static Type, Option<Owned>),
    Unknown,
}

impl Shape {
    /// The field of that name with its struct, and its type.
    fn member(self, name: &str) -> (Option<Owned>, Option<&'static Type>) {
        match self {
            Self::Struct(descriptor) => {
                let field = descriptor.position(name).map(|index| &descriptor.fields[index]);
                (field.map(|field| (&*descriptor.name, field)), field.map(|field| &field.ty))
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
            let (mut theirs, mut ours) = (a.get(name), b.get(name));
            if theirs == ours {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let (field, ty) = shape.member(name);
            if path.ends_with("metadata.annotations") {
                match (theirs, ours) {
                    (None, Some(Value::Object(all))) if !all.is_empty() => theirs = Some(no_members()),
                    (Some(Value::Object(all)), None) if !all.is_empty() => ours = Some(no_members()),
                    _ => {}
                }
            }
            self.value(Mismatch { path, theirs, ours, field }, ty);
        }
    }

    fn value(&mut self, place: Mismatch<'a>, ty: Option<&'static Type>) {
        match (place.theirs, place.ours) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                let shape = match ty.map(|ty| ty.member(reflect::Shape::Object)) {
                    Some(Type::Struct(ty)) => Shape::Struct(ty.compiled().expect(COMPILED)),
                    Some(Type::Map(node)) => Shape::Map(&node.ty, place.field),
                    _ => Shape::Unknown,
                };
                self.object(a, b, &place.path, shape);
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
                let ty = match ty.map(|ty| ty.member(reflect::Shape::Array)) {
                    Some(Type::List(node)) => Some(&node.ty),
                    _ => None,
                };
                let different = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
                for (index, (theirs, ours)) in different {
                    let path = format!("{}[{index}]", place.path);
                    self.value(Mismatch { path, theirs: Some(theirs), ours: Some(ours), ..place }, ty);
                }
            }
            _ => self.places.push(place),
        }
    }
}

#[cfg(test)]
#[path = "mutations.rs"]
mod mutations;
