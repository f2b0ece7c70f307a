//! The law of partial objects, such as those that server-side apply converts: nothing appears that was not there.

use std::collections::BTreeSet;

use hubgen_machinery::convert::ConvertError;
use hubgen_machinery::json;
use hubgen_machinery::scheme::SchemeError;
use hubgen_machinery::tree::{Change, Edit, Path, VersionEdits};
use serde_json::{Map, Value};

use super::super::{Convertible, Stop, forged, unless_refused};
use super::{Undecoded, is_empty, set_stash, stash, whole, without_stash};
use crate::Violations;
use crate::objects::Source;

/// A part of an object at the version converts to every version, with its annotation as it is, cut, of another object,
/// and absent. Its metadata stays as it is, and each value of the result is one of the object or of its annotation.
///
/// # Errors
/// The values that appeared.
pub(in super::super) fn gains_nothing(
    versions: &[Undecoded<'_>],
    index: usize,
    source: &mut Source<'_>,
) -> Result<(), Violations> {
    unless_refused(|| {
        let version = &versions[index];
        let mut object = whole(versions, index, source)?;
        let choice = source.below(4);
        remove_some(&mut object, source, true);
        match (choice, stash(&object)) {
            (0, _) => object = without_stash(&object),
            (1, Some(text)) => {
                let half = text.floor_char_boundary(text.len() / 2);
                set_stash(&mut object, &text[..half]);
            }
            (2, _) => {
                let mut typed = version.empty();
                json::decode_into(object.to_string().as_bytes(), &mut *typed)
                    .map_err(|error| error.to_string())?;
                set_stash(&mut object, &forged(version, &*typed, source)?);
            }
            _ => {}
        }
        for (at, target) in versions.iter().enumerate() {
            let found = match version.convert_json(&object, target) {
                Ok(found) => found,
                // What an annotation restores may be too large to be stashed again.
                Err(SchemeError::Convert(
                    ConvertError::TooLarge { .. } | ConvertError::TooDeep(_) | ConvertError::NotJson(_),
                )) => continue,
                Err(error) => {
                    Err(Stop::from(error))?;
                    continue;
                }
            };
            let edits = [(version.side.edits(), true), (target.side.edits(), false)];
            compare(&object, &found, &edits)
                .map_err(|error| format!("at version {at}: {error}\n     of: {object}\n  found: {found}"))?;
        }
        Ok(())
    })
}

/// Removes members and elements here and there.
fn remove_some(value: &mut Value, source: &mut Source<'_>, is_root: bool) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| {
                is_root && ["apiVersion", "kind", "metadata"].contains(&name.as_str()) || source.below(4) != 3
            });
            let below = members.iter_mut().filter(|(name, _)| !is_root || *name != "metadata");
            below.for_each(|(_, value)| remove_some(value, source, false));
        }
        Value::Array(elements) => {
            elements.retain(|_| source.below(4) != 3);
            elements.iter_mut().for_each(|element| remove_some(element, source, false));
        }
        _ => {}
    }
}

/// A value that contains no others, with its path. Elements have the path of their list.
type Leaf<'v> = (String, &'v Value);

fn compare(object: &Value, found: &Value, edits: &[(&VersionEdits, bool)]) -> Result<(), Violations> {
    let (mut before, mut after) = (without_stash(object), without_stash(found));
    let [stash, new_stash] = [object, found]
        .map(|object| stash(object).and_then(|stash| serde_json::from_str::<Value>(&stash).ok()));
    let metadata = [&mut before, &mut after].map(|object| {
        let members = object.as_object_mut()?;
        members.remove("apiVersion");
        members.remove("kind");
        members.remove("metadata")
    });
    // An annotation may have been all the metadata that there is.
    let [given, left] =
        metadata.map(|metadata| metadata.filter(|metadata| metadata != &Value::Object(Map::new())));
    if given != left {
        return Err("metadata differs".to_owned().into());
    }
    let [mut sources, mut stashed, mut results, mut lost] = <[Leaves<'_>; 4]>::default();
    sources.add(&before, String::new());
    results.add(&after, String::new());
    if let Some(stash) = &new_stash {
        lost.add(stash, String::new());
    }
    let mut restored = BTreeSet::new();
    let raw = stash.as_ref().map(raw_json).unwrap_or_default();
    raw.iter().for_each(|value| stashed.add(value, String::new()));
    if let Some(stash) = &stash {
        stashed.add(stash, String::new());
        add_restored(stash, "", &mut restored);
    }
    let listed = Listed::of(edits);
    for (from, to) in &listed.moves {
        if from.iter().any(|name| restored.contains(name.as_str())) {
            restored.insert(to);
        }
    }
    let given: Vec<&Value> = sources.leaves.iter().map(|(_, value)| *value).collect();
    results.leaves.retain(|leaf| {
        let same = sources.leaves.iter().position(|other| other == leaf);
        same.map(|at| sources.leaves.swap_remove(at)).is_none()
    });
    let appeared = results.leaves.iter().filter(|(path, value)| {
        let is_restored = stashed.leaves.iter().any(|(_, other)| other == value)
            || is_empty(value) && restored.iter().any(|name| leads_through(path, name))
            // The object around something that the stash restores and the version lacks, or that is in the stash of
            // the result, as it does not come back where its object was removed.
            || value.is_object()
                && names(path).last().is_some_and(|name| {
                    let mut objects = stashed.containers.iter().chain(&lost.containers);
                    objects.any(|path| path.ends_with(&in_fields(name)))
                });
        let is_listed = listed.constants.contains(&value.to_string())
            || listed.is_computed(path)
            || value.is_object() && listed.is_made(path);
        let is_shared = names(path).any(|name| listed.shared.contains(name)) && given.contains(value);
        // What rules write needs no value of the source, which another one may need.
        if is_restored || is_listed || is_shared {
            return false;
        }
        if let Some(at) = sources.leaves.iter().position(|(_, other)| other == value) {
            sources.leaves.swap_remove(at);
            return false;
        }
        let is_repeated = listed.repeats && !is_empty(value) && given.contains(value);
        let was_emptied = is_container(value)
            && (sources.containers.contains(path)
                || sources.containers.difference(&results.containers).next().is_some());
        !(is_repeated || was_emptied)
    });
    let appeared: Vec<String> = appeared.map(|(path, value)| format!("{path}: {value}")).collect();
    if appeared.is_empty() { Ok(()) } else { Err(format!("appeared: {}", appeared.join(", ")).into()) }
}

/// The texts in a stash that are JSON, read: a field with any JSON is stashed as a text.
fn raw_json(stash: &Value) -> Vec<Value> {
    match stash {
        Value::Object(members) => members.values().flat_map(raw_json).collect(),
        Value::Array(elements) => elements.iter().flat_map(raw_json).collect(),
        Value::String(text) => serde_json::from_str(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The names of the fields of which a stash restores whole objects, or that there was no value. It leaves out what is
/// empty, and a required field comes back as `""` or zero all the same.
fn add_restored<'v>(stash: &'v Value, name: &'v str, restored: &mut BTreeSet<&'v str>) {
    match stash {
        Value::Object(members) => {
            if members.contains_key("was") && !members.contains_key("is") {
                restored.insert(name);
            }
            for (key, value) in members {
                match key.as_str() {
                    "is" if is_container(value) => drop(restored.insert(name)),
                    "fields" | "items" => add_restored(value, name, restored),
                    key => add_restored(value, key, restored),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| add_restored(element, name, restored)),
        _ => {}
    }
}

/// The end of the path of an object in a stash, in which some fields are restored.
fn in_fields(name: &str) -> String {
    format!(".{name}.fields")
}

/// Whether a path leads through a member. Its name may contain dots, as keys of maps do.
fn leads_through(path: &str, name: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    path.match_indices(name).any(|(at, _)| path[..at].ends_with('.') && is_end(&path[at + name.len()..]))
}

/// The names of the fields in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[', ']']).filter(|name| !name.is_empty())
}

fn is_container(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

#[derive(Default)]
struct Leaves<'v> {
    leaves: Vec<Leaf<'v>>,
    /// The paths of objects and lists, whether empty or not. One that loses its content is a leaf afterwards.
    containers: BTreeSet<String>,
}

impl<'v> Leaves<'v> {
    fn add(&mut self, value: &'v Value, path: String) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, value) in members {
                    self.add(value, format!("{path}.{name}"));
                }
            }
            Value::Array(elements) if !elements.is_empty() => {
                elements.iter().for_each(|element| self.add(element, format!("{path}[]")));
            }
            leaf => {
                self.leaves.push((path.clone(), leaf));
            }
        }
        if is_container(value) {
            self.containers.insert(path);
        }
    }
}

/// Values that rules write without reading them.
#[derive(Default)]
struct Listed {
    /// As JSON.
    constants: BTreeSet<String>,
    /// The names on the paths of members that move, and those that they get.
    moves: Vec<(Vec<String>, String)>,
    /// The names of members that functions compute.
    computed: BTreeSet<String>,
    /// The names of objects that are there without content.
    objects: BTreeSet<String>,
    /// The names of objects that wrap a value, or of lists and maps of them.
    wrapped: BTreeSet<String>,
    /// Whether one value becomes several.
    repeats: bool,
    /// The names of members that equal those of elements, and of the members of these.
    shared: BTreeSet<String>,
}

impl Listed {
    fn of(edits: &[(&VersionEdits, bool)]) -> Self {
        let mut listed = Self::default();
        for (edits, to_hub) in edits {
            let pairs = if *to_hub { &edits.to_hub } else { &edits.from_hub };
            pairs.iter().flat_map(|pair| &*pair.edits).for_each(|edit| listed.add(edit));
        }
        listed
    }

    /// Whether a function computed a value, or the value around it.
    fn is_computed(&self, path: &str) -> bool {
        names(path).any(|name| self.computed.contains(name))
    }

    /// Whether an object is there without content.
    fn is_made(&self, path: &str) -> bool {
        names(path).last().is_some_and(|name| self.objects.contains(name))
            || names(path).any(|name| self.wrapped.contains(name))
    }

    fn string(&mut self, text: &str) {
        self.constants.insert(Value::from(text).to_string());
    }

    /// Each value in JSON that rules write, which another version may show without what is around it.
    fn values(&mut self, json: &Value) {
        let mut leaves = Leaves::default();
        leaves.add(json, String::new());
        self.constants.extend(leaves.leaves.iter().map(|(_, value)| value.to_string()));
    }

    fn add(&mut self, edit: &Edit) {
        match edit {
            Edit::Change { path, change } => self.change(path, change),
            Edit::Move { from, to, change } => {
                self.change(to, change);
                let all = from.names().map(str::to_owned).collect();
                let (Some(from), Some(to)) = (from.names().last(), to.names().last()) else { return };
                self.moves.push((all, to.to_owned()));
                for listed in [&mut self.computed, &mut self.objects] {
                    if listed.contains(from) {
                        listed.insert(to.to_owned());
                    }
                }
            }
            Edit::Word { cases, otherwise, .. } => {
                cases.iter().for_each(|case| self.string(&case.word));
                self.string(otherwise);
            }
            Edit::ToElement { list, element } => {
                element.when.iter().for_each(|(_, word)| self.string(word));
                // Another version may show nothing of the element.
                self.objects.extend(list.names().last().map(str::to_owned));
            }
            Edit::Spread { first, each, .. } | Edit::Gather { first, each, .. } => {
                self.repeats = true;
                let fields =
                    first.iter().map(|first| &first.field).chain(each.iter().map(|each| &each.field));
                self.shared.extend(fields.filter_map(|field| Some(field.names().last()?.to_owned())));
                let elements =
                    first.iter().map(|first| &first.element).chain(each.iter().map(|each| &each.element));
                self.shared.extend(elements.map(ToString::to_string));
                if first.iter().any(|first| !first.set.is_empty()) {
                    self.constants.insert("true".to_owned());
                }
                each.iter().for_each(|each| self.change(&each.field, &each.change));
            }
            Edit::Call { to, .. } | Edit::Table { to, .. } => {
                self.computed.extend(to.iter().filter_map(|to| Some(to.names().last()?.to_owned())));
            }
            Edit::Made { value, .. } => self.values(&serde_json::from_str(value).unwrap_or_default()),
            Edit::Required { empty, .. } if **empty != *"{}" => self.constants.extend([empty.to_string()]),
            Edit::Present { to, .. } | Edit::Required { to, .. } => {
                self.objects.extend(to.names().last().map(str::to_owned));
            }
            Edit::FromElement { element, .. } => {
                self.constants.extend(element.empty.as_ref().map(ToString::to_string));
            }
            Edit::Determined { .. }
            | Edit::Empty { .. }
            | Edit::Filled { .. }
            | Edit::Hollow { .. }
            | Edit::Null { .. }
            | Edit::Split { .. }
            | Edit::Join { .. } => {}
        }
    }

    fn change(&mut self, path: &Path, change: &Change) {
        match change {
            Change::Same | Change::Object(_) => {}
            // Another version may lack what it contains.
            Change::Wrap(_) => self.wrapped.extend(path.names().last().map(str::to_owned)),
            Change::List(inner) | Change::Map(inner) => self.change(path, inner),
            Change::Unwrap(_, empty) => {
                self.constants.insert(empty.to_string());
            }
            Change::Words(words) => words.iter().for_each(|(_, word)| self.string(word)),
            Change::ToItems { key, value: inner, .. } | Change::ToEntries(key, inner) => {
                self.computed.insert(key.to_string());
                self.change(path, inner);
            }
            Change::ToText(_) | Change::ToNumber(..) => {
                self.computed.extend(path.names().last().map(str::to_owned));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hubgen_machinery::convert::STASH;
    use hubgen_machinery::reflect::{Held, Text};
    use hubgen_machinery::tree::Edits;

    /// Moves `a` to `b`, and translates the words of `c`.
    fn edits() -> VersionEdits {
        const WORDS: &[(Text, Text)] = &[(Text::Static("x"), Text::Static("X"))];
        const EDITS: &[Edit] = &[
            Edit::Move { from: Path::of(&["a"]), to: Path::of(&["b"]), change: Change::Same },
            Edit::Change { path: Path::of(&["c"]), change: Change::Words(Held::Static(WORDS)) },
        ];
        let pair = Edits {
            name: Text::Static("T"),
            strangers: Held::Static(&[]),
            refuses: false,
            drops: Held::Static(&[]),
            edits: Held::Static(EDITS),
        };
        VersionEdits { to_hub: vec![pair].into(), ..VersionEdits::HUB }
    }

    #[test]
    fn what_appeared_is_found() {
        let edits = edits();
        let stashed = json!({"annotations": {STASH: r#"{"delta":{"d":{"is":"s"}}}"#}});
        let list = r#"{"delta":{"fields":{"d":{"shown":[],"items":[{"is":{"f":1}}]}}}}"#;
        let list = json!({"annotations": {STASH: list}});
        let key = json!({"annotations": {STASH: r#"{"delta":{"fields":{"x.y/z":{"is":{}}}}}"#}});
        let raw = json!({"annotations": {STASH: r#"{"delta":{"d":{"is":"{\"f\":1}"}}}"#}});
        let lost = r#"{"delta":{"fields":{"o":{"fields":{"f":{"is":1}}}}}}"#;
        let lost = json!({"annotations": {STASH: lost}});
        let cases = [
            // Without the object, what the version lacks of it would not come back.
            (json!({"a": "x"}), json!({"b": "x", "o": {}, "metadata": lost}), None),
            (json!({"a": "x"}), json!({"b": "x", "p": {}, "metadata": lost}), Some("appeared: .p: {}")),
            // The stash leaves out what is empty.
            (json!({"metadata": list}), json!({"d": [{"f": 1, "e": ""}]}), None),
            (json!({"metadata": list}), json!({"d": [{"f": 1, "e": "x"}]}), Some(r#"appeared: .d[].e: "x""#)),
            (json!({"metadata": list}), json!({"d": [{"f": 1}], "e": ""}), Some(r#"appeared: .e: """#)),
            // A key with a dot.
            (json!({"metadata": key}), json!({"x.y/z": {"e": null}}), None),
            (json!({"metadata": key}), json!({"x.y": {"e": null}}), Some("appeared: .x.y.e: null")),
            // JSON of any form is stashed as a text.
            (json!({"metadata": raw}), json!({"d": {"f": 1}}), None),
            (json!({"metadata": raw}), json!({"d": {"f": 2}}), Some("appeared: .d.f: 2")),
            (json!({"metadata": stashed}), json!({"d": "s", "e": ""}), Some(r#"appeared: .e: """#)),
            (json!({"a": 1, "e": ""}), json!({"b": 1, "e": ""}), None),
            (json!({"c": "x"}), json!({"c": "X"}), None),
            (json!({"metadata": stashed.clone()}), json!({"d": "s"}), None),
            (json!({"a": {"l": 1}}), json!({"a": {}}), None),
            (json!({"a": 1}), json!({"b": 1, "e": ""}), Some(r#"appeared: .e: """#)),
            (json!({"a": ""}), json!({"b": "", "e": ""}), Some(r#"appeared: .e: """#)),
            (json!({"a": 1}), json!({"b": 1, "e": {}}), Some("appeared: .e: {}")),
            (json!({"a": 1}), json!({"b": 2}), Some("appeared: .b: 2")),
            (json!({"metadata": {"name": "a"}}), json!({}), Some("metadata differs")),
        ];
        for (object, found, expected) in cases {
            let error = compare(&object, &found, &[(&edits, true)]).err();
            assert_eq!(error.map(|error| error.to_string()).as_deref(), expected, "{object} → {found}");
        }
    }
}
