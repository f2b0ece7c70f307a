//! The differences that an operator's check.toml lists.

use std::path::Path as File;

use hubgen_kubernetes::machinery::scheme::KindEntry;
use serde::Deserialize;
use serde_json::Value;

use super::mismatch::Mismatch;
use super::path::{Path, Pattern, Step};

/// The content of check.toml.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Listed {
    /// Values that are often generated for fields with these names.
    #[serde(default)]
    words: std::collections::BTreeMap<String, Vec<String>>,
    /// What generated objects do not have.
    #[serde(default)]
    left_out: Vec<LeftOut>,
    /// Where texts are JSON, which is compared as such.
    #[serde(default)]
    json: Vec<Place>,
    /// Lists whose order the operator does not keep.
    #[serde(default)]
    unordered: Vec<Place>,
    /// Values that differ.
    #[serde(default)]
    difference: Vec<Difference>,
    /// Objects that only one side converts.
    #[serde(default)]
    refused: Vec<Refused>,
}

/// What generated objects of some kinds do not have, because it cannot be compared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    /// The kinds; all if there is none.
    #[serde(default)]
    kinds: Vec<String>,
    path: Place,
    /// Why, and where it is tested instead.
    #[expect(dead_code, reason = "it is for people, and required so that they write it")]
    why: String,
}

/// A difference: both sides, and the reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Difference {
    #[serde(flatten)]
    when: When,
    /// Where.
    path: Place,
    /// What the operator writes.
    theirs: Side,
    /// What hubgen writes.
    ours: Side,
}

/// Objects that only one side converts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Refused {
    #[serde(flatten)]
    when: When,
    by: By,
    /// A part of the error.
    error: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum By {
    Operator,
    Hubgen,
}

/// Where a difference applies.
#[derive(Deserialize)]
struct When {
    /// The kinds; all if there is none.
    #[serde(default)]
    kinds: Vec<String>,
    /// The version that was asked, without the group; any if there is none.
    from: Option<String>,
    /// The version of the answer.
    to: Option<String>,
    /// What the object that was asked has, besides.
    #[serde(default)]
    asked: Vec<Asked>,
    /// Why both differ, and who loses what.
    why: String,
}

/// What the object that was asked has at a place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    path: Place,
    is: Side,
}

/// What one side has.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Side {
    /// Nothing.
    Absent,
    /// Nothing, `null`, `""`, zero, `false`, or a list or an object without anything.
    Empty,
    /// Something that is not empty.
    Filled,
    /// This value.
    Is(Value),
    /// One of these values.
    OneOf(Vec<Value>),
    /// What the object that was asked has at a place. Types at different versions leave out different empty values.
    Asked(Place),
    /// A list with this value alone.
    ListOf(Box<Side>),
    /// A text that begins so.
    Begins(String),
    /// A list of objects with one member each: the items of a list that the asked object has. An empty item is an empty
    /// object.
    Objects {
        /// The name of the member.
        member: String,
        /// The list.
        of: Place,
    },
    /// An object with these members, and no other.
    Only(std::collections::BTreeMap<String, Side>),
}

/// A pattern in check.toml.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Place(Pattern);

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let help = "expected names with dots, `[]` for any item, `*` for any member";
        Pattern::parse(&text).map(Self).ok_or_else(|| format!("{text:?} is no path: {help}"))
    }
}

/// A conversion.
pub struct Case<'a> {
    pub kind: &'a str,
    pub from: &'a KindEntry,
    pub to: &'a KindEntry,
    /// The object that both convert.
    pub asked: &'a Value,
}

impl Listed {
    /// Reads check.toml.
    ///
    /// # Errors
    /// If it cannot be read, or has something else in it.
    pub fn read(file: &File) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
        toml::from_str(&text).map_err(|error| failed(&error))
    }

    /// Each field with a value that is often generated.
    pub fn words(&self) -> Vec<(&str, &str)> {
        let all = self.words.iter();
        all.flat_map(|(name, words)| words.iter().map(move |word| (&**name, &**word))).collect()
    }

    /// Whether objects of a kind do not have all that its definition allows.
    pub fn leaves_out(&self, kind: &str) -> bool {
        self.left_out.iter().any(|one| one.kinds.iter().any(|of| of == kind))
    }

    /// Removes what objects of a kind do not have.
    pub fn leave_out(&self, kind: &str, object: &mut Value) {
        let places =
            self.left_out.iter().filter(|one| one.kinds.is_empty() || one.kinds.iter().any(|of| of == kind));
        let places: Vec<&Pattern> = places.map(|one| &one.path.0).collect();
        if !places.is_empty() {
            remove(object, &Path::default(), &places);
        }
    }

    /// The listed difference that a mismatch is: its index. Each one is tried with other values on either side, too:
    /// one that allows these would hide what is wrong.
    pub fn find(&self, case: &Case<'_>, mismatch: &Mismatch<'_>) -> Option<usize> {
        let index = self.difference.iter().position(|difference| difference.is(case, mismatch))?;
        let altered = altered(mismatch.theirs);
        let changed = [
            Mismatch { path: mismatch.path.clone(), theirs: Some(&altered), ours: mismatch.ours },
            Mismatch { path: mismatch.path.clone(), theirs: mismatch.theirs, ours: Some(&altered) },
        ];
        let hides = changed.iter().any(|changed| self.difference[index].is(case, changed));
        (!hides).then_some(index)
    }

    /// The listed refusal of an object that only one side converts: its index, after those of the differences.
    pub fn refusal(&self, case: &Case<'_>, theirs: Option<&String>, ours: Option<&String>) -> Option<usize> {
        let is_it = |refused: &Refused| {
            let (error, other) = match refused.by {
                By::Operator => (theirs, ours),
                By::Hubgen => (ours, theirs),
            };
            let is_error = error.is_some_and(|error| error.contains(&refused.error));
            is_error && other.is_none() && refused.when.is(case, &Path::default())
        };
        self.refused.iter().position(is_it).map(|index| self.difference.len() + index)
    }

    /// The reasons of differences that no object of a kind had.
    pub fn unused(&self, used: impl Iterator<Item = usize>, kind: Option<&str>) -> Vec<String> {
        let used: Vec<usize> = used.collect();
        let all = self.difference.iter().map(|one| &one.when).chain(self.refused.iter().map(|one| &one.when));
        let unused = all.enumerate().filter(|(index, when)| {
            !used.contains(index) && kind.is_none_or(|kind| when.kinds.iter().any(|named| named == kind))
        });
        unused.map(|(_, when)| when.why.clone()).collect()
    }

    /// An answer with its texts of JSON read, and with lists sorted that have no order.
    pub fn in_comparable_form(&self, mut answer: Value) -> Value {
        // So that an annotation that only one side has differs, and not the map of them.
        if let Some(metadata) = answer.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.entry("annotations").or_insert_with(|| serde_json::json!({}));
        }
        self.prepare(&mut answer, &Path::default());
        answer
    }

    fn prepare(&self, value: &mut Value, path: &Path) {
        let is_in = |places: &[Place]| places.iter().any(|place| place.0.matches(path));
        if is_in(&self.json)
            && let Some(read) = value.as_str().and_then(|text| serde_json::from_str(text).ok())
        {
            *value = read;
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    self.prepare(member, &path.below(Step::Member(name.clone())));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.prepare(item, &path.below(Step::Item(index)));
                }
                if is_in(&self.unordered) {
                    items.sort_by_key(Value::to_string);
                }
            }
            _ => {}
        }
    }
}

/// Removes the members at some places.
fn remove(value: &mut Value, path: &Path, places: &[&Pattern]) {
    match value {
        Value::Object(members) => members.retain(|name, member| {
            let path = path.below(Step::Member(name.clone()));
            remove(member, &path, places);
            !places.iter().any(|place| place.matches(&path))
        }),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                remove(item, &path.below(Step::Item(index)), places);
            }
        }
        _ => {}
    }
}

impl Difference {
    fn is(&self, case: &Case<'_>, mismatch: &Mismatch<'_>) -> bool {
        let path = &mismatch.path;
        self.path.0.matches(path)
            && self.when.is(case, path)
            && self.theirs.has(mismatch.theirs, case, path)
            && self.ours.has(mismatch.ours, case, path)
    }
}

impl When {
    fn is(&self, case: &Case<'_>, path: &Path) -> bool {
        let is_version = |named: &Option<String>, entry: &KindEntry| {
            named.as_ref().is_none_or(|named| *named == *entry.version || *named == entry.api_version())
        };
        (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == case.kind))
            && is_version(&self.from, case.from)
            && is_version(&self.to, case.to)
            && self.asked.iter().all(|asked| asked.is.has(asked.path.in_asked(case, path), case, path))
    }
}

impl Place {
    /// What the object that was asked has at this place, beside a path of the answer.
    fn in_asked<'a>(&self, case: &Case<'a>, path: &Path) -> Option<&'a Value> {
        let mut value = case.asked;
        for step in self.0.at(path)?.0 {
            value = match step {
                Step::Member(name) => value.get(name)?,
                Step::Item(index) => value.get(index)?,
            };
        }
        Some(value)
    }
}

impl Side {
    fn has(&self, value: Option<&Value>, case: &Case<'_>, path: &Path) -> bool {
        match self {
            Self::Absent => value.is_none(),
            Self::Empty => value.is_none_or(is_empty),
            Self::Filled => value.is_some_and(|value| !is_empty(value)),
            Self::Is(expected) => value == Some(expected),
            Self::OneOf(expected) => value.is_some_and(|value| expected.contains(value)),
            Self::Asked(place) => match (value, place.in_asked(case, path)) {
                (Some(value), Some(asked)) => without_empty(value) == without_empty(asked),
                (None, Some(asked)) => is_empty(asked),
                (_, None) => false,
            },
            Self::ListOf(item) => match value.and_then(Value::as_array).map(Vec::as_slice) {
                Some([only]) => item.has(Some(only), case, path),
                _ => false,
            },
            Self::Objects { member, of } => {
                let items = of.in_asked(case, path).and_then(Value::as_array);
                let found = value.and_then(Value::as_array);
                found.zip(items).is_some_and(|(found, items)| {
                    let is_it = |(found, item): (&Value, &Value)| match is_empty(item) {
                        true => *found == serde_json::json!({}),
                        false => *found == serde_json::json!({ member: item }),
                    };
                    found.len() == items.len() && found.iter().zip(items).all(is_it)
                })
            }
            Self::Only(expected) => match value.and_then(Value::as_object) {
                Some(members) => {
                    let is_expected =
                        |(name, side): (&String, &Self)| side.has(members.get(name), case, path);
                    expected.iter().all(is_expected) && members.keys().all(|name| expected.contains_key(name))
                }
                None => false,
            },
            Self::Begins(start) => value.and_then(Value::as_str).is_some_and(|text| text.starts_with(start)),
        }
    }
}

/// A value without empty members.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, member)| (name.clone(), without_empty(member)));
            Value::Object(members.filter(|(_, member)| !is_empty(member)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_empty).collect()),
        value => value.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// A value that is certainly another one.
fn altered(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) => format!("altered {text}").into(),
        _ => "altered".into(),
    }
}
