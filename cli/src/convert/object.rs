//! Objects and lists, converted as JSON values.

use std::fmt;
use std::sync::Arc;

use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::meta;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme, SchemeError};
use serde_json::{Map, Value};

use super::format::value;
use super::merge::{carry, restrict};
use super::target::{Choice, Target};

/// Converts objects to the version that is wanted.
pub struct Converter<'a> {
    /// What is known.
    pub scheme: &'a Scheme,
    /// What is wanted.
    pub target: &'a Target,
    /// Whether fields that a version does not have are dropped, instead of an error.
    pub drops_unknown: bool,
}

/// What was found in a document.
#[derive(Default)]
pub struct Found {
    /// What it becomes; `None` where it stays as it is.
    pub value: Option<Value>,
    /// What to say.
    pub notes: Vec<Note>,
    /// The objects that were converted.
    pub changes: Vec<Change>,
}

/// How the items of a list are converted.
pub enum Items {
    /// Not at all.
    Stay,
    /// Each as it says.
    Any,
    /// All of them are of one version, and so is the list.
    Of {
        /// What they are.
        from: Arc<KindEntry>,
        /// What they become.
        to: Arc<KindEntry>,
    },
}

impl Items {
    /// What the list itself says from then on, by the member that says it.
    pub fn names(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Stay | Self::Any => Vec::new(),
            Self::Of { to, .. } => {
                vec![("apiVersion", to.api_version()), ("kind", format!("{}List", to.kind))]
            }
        }
    }
}

/// Something to say about a place in a document.
pub struct Note {
    /// The path of the field; empty for the whole document.
    pub path: String,
    /// What there is to say.
    pub message: String,
    /// Whether it is an error.
    pub fails: bool,
}

/// An object that was converted.
pub struct Change {
    /// Where in the document; empty for the whole.
    pub path: String,
    from: Arc<KindEntry>,
    to: Arc<KindEntry>,
    /// `namespace/name`, as far as there is one.
    name: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        write!(f, " → {}", self.to)
    }
}

impl Found {
    /// Whether there are errors.
    pub fn fails(&self) -> bool {
        self.notes.iter().any(|note| note.fails)
    }

    fn warn(&mut self, path: &str, message: impl Into<String>) {
        self.notes.push(Note { path: path.to_owned(), message: message.into(), fails: false });
    }

    fn fail(&mut self, path: &str, message: impl Into<String>) {
        self.notes.push(Note { path: path.to_owned(), message: message.into(), fails: true });
    }
}

impl Converter<'_> {
    /// Converts what a document holds.
    pub fn document(&self, document: &Value) -> Found {
        let mut found = Found::default();
        if !document.is_null() {
            found.value = self.any(document, "", &mut found);
        }
        found
    }

    /// Converts an object, or what a list holds; `None` where it stays as it is.
    fn any(&self, value: &Value, path: &str, found: &mut Found) -> Option<Value> {
        let members = value.as_object();
        let text = |name| members.and_then(|members| members.get(name)?.as_str()).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let (Some(members), false, false) = (members, api_version.is_empty(), kind.is_empty()) else {
            let message = "passes through untouched: expected an object with `apiVersion` and `kind`";
            found.warn(path, message);
            return None;
        };
        if let Some(Value::Array(items)) = members.get("items")
            && let Some(of) = self.list_of(api_version, kind, path, found)
        {
            return self.items(members, items, &of, path, found);
        }
        let Some(entry) = self.scheme.named(api_version, kind) else {
            found
                .warn(path, format!("{api_version} {kind} passes through untouched: this kind is not known"));
            return None;
        };
        match self.choose(entry, path, found) {
            Some(to) => self.object(value, entry, &to, path, found),
            None => None,
        }
    }

    fn choose(&self, entry: &Arc<KindEntry>, path: &str, found: &mut Found) -> Option<Arc<KindEntry>> {
        match self.target.choose(self.scheme, entry) {
            Choice::Stay => None,
            Choice::To(to) => Some(to),
            Choice::Gone(message) => {
                found.warn(path, message);
                None
            }
        }
    }

    /// Whether a document is a list whose items are known.
    pub fn is_list(&self, document: &Value) -> bool {
        let text = |name| document.get(name).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let named = |kind| self.scheme.named(api_version, kind).is_some();
        (api_version, kind) == ("v1", "List") || kind.strip_suffix("List").is_some_and(named)
    }

    /// How the items of a list are converted; `None` where it is no list that is known.
    pub fn list_of(&self, api_version: &str, kind: &str, path: &str, found: &mut Found) -> Option<Items> {
        if (api_version, kind) == ("v1", "List") {
            return Some(Items::Any);
        }
        let from = self.scheme.named(api_version, kind.strip_suffix("List")?)?;
        let Some(to) = self.choose(from, path, found) else { return Some(Items::Stay) };
        let list = format!("{}List", to.kind);
        let api_version = to.api_version();
        if self.scheme.named(&api_version, &list).is_none() {
            found.fail(path, format!("cannot be converted: {api_version} has no {list}; use a List of v1"));
            return Some(Items::Stay);
        }
        Some(Items::Of { from: Arc::clone(from), to })
    }

    /// Converts an item of a list; `None` where it stays as it is.
    pub fn item(&self, item: &Value, of: &Items, path: &str, found: &mut Found) -> Option<Value> {
        let (from, to) = match of {
            Items::Stay => return None,
            Items::Any => return self.any(item, path, found),
            Items::Of { from, to } => (from, to),
        };
        // Items of a list of one kind need not say what they are.
        let Value::Object(members) = item else {
            found.fail(path, format!("expected an object, as items of a {}List are", from.kind));
            return None;
        };
        let says = |name: &str, expected: &str| {
            members.get(name).is_none_or(|found| found.is_null() || found == expected)
        };
        if !says("apiVersion", &from.api_version()) || !says("kind", &from.kind) {
            found.fail(path, format!("expected a {from}, as the list says; use a List of v1 for others"));
            return None;
        }
        let mut named = Map::new();
        named.insert("apiVersion".to_owned(), from.api_version().into());
        named.insert("kind".to_owned(), (&*from.kind).into());
        let said = members.iter().filter(|(_, value)| !value.is_null());
        named.extend(said.map(|(key, value)| (key.clone(), value.clone())));
        let mut new = self.object(&Value::Object(named), from, to, path, found)?;
        if let Value::Object(new) = &mut new {
            for name in ["apiVersion", "kind"].into_iter().filter(|name| !members.contains_key(*name)) {
                new.shift_remove(name);
            }
        }
        Some(new)
    }

    /// A list with its items converted; `None` where nothing changes.
    fn items(
        &self,
        members: &Map<String, Value>,
        items: &[Value],
        of: &Items,
        path: &str,
        found: &mut Found,
    ) -> Option<Value> {
        let mut changed = false;
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let new = self.item(item, of, &element(path, index), found);
            changed |= new.is_some();
            out.push(new.unwrap_or_else(|| item.clone()));
        }
        let mut members = members.clone();
        members.insert("items".to_owned(), Value::Array(out));
        for (name, word) in of.names() {
            changed = true;
            members.insert(name.to_owned(), word.into());
        }
        changed.then_some(Value::Object(members))
    }

    fn object(
        &self,
        written: &Value,
        from: &Arc<KindEntry>,
        to: &Arc<KindEntry>,
        path: &str,
        found: &mut Found,
    ) -> Option<Value> {
        let bytes = written.to_string();
        let (object, decoded) = match Object::decode(from, bytes.as_bytes()) {
            Ok(read) => read,
            Err(SchemeError::Json(error)) => {
                let message = error.message();
                let scalar =
                    ["found a boolean", "found a number"].iter().any(|found| message.ends_with(found));
                let advice = if scalar && message.contains("a string") { ": put it in quotes" } else { "" };
                found.fail(&join(path, error.path()), format!("{message}{advice} (in {from})"));
                return None;
            }
            Err(error) => {
                found.fail(path, error.to_string());
                return None;
            }
        };
        for unknown in &decoded.unknown {
            let path = join(path, unknown);
            if self.drops_unknown {
                found.warn(&path, format!("dropped: {from} has no such field"));
            } else {
                let message = format!(
                    "{from} has no such field, and it would be lost: mend it, or drop it with --drop-unknown"
                );
                found.fail(&path, message);
            }
        }
        match (decoded.more_unknown, self.drops_unknown) {
            (0, _) => {}
            (more, true) => {
                found.warn(path, format!("dropped: {more} more fields that {from} does not have"))
            }
            (more, false) => found.fail(path, format!("{more} more fields that {from} does not have")),
        }
        if !self.drops_unknown && !decoded.unknown.is_empty() {
            return None;
        }
        let name = [meta::text(&*object.value, "namespace"), meta::text(&*object.value, "name")];
        let name = name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        match self.rewritten(written, object, !decoded.unknown.is_empty(), to) {
            Ok(value) => {
                let (from, to) = (Arc::clone(from), Arc::clone(to));
                found.changes.push(Change { path: path.to_owned(), from, to, name });
                Some(value)
            }
            Err(error) => {
                found.fail(path, advice(&error, from));
                None
            }
        }
    }

    /// What an object becomes, as its author would have written it.
    fn rewritten(
        &self,
        written: &Value,
        object: Object,
        has_unknown: bool,
        to: &Arc<KindEntry>,
    ) -> Result<Value, SchemeError> {
        let before = value(&object.encode())?;
        let meant = self.scheme.convert(defaulted(object.clone()), to)?;
        let full = value(&meant.encode())?;
        let meant = defaulted(meant);
        let plain = self.scheme.convert(object, to)?;
        // Where the versions have other defaults, those of the old one are written down.
        let new = same_meaning(&plain, &meant)?.unwrap_or(full);
        let written = if has_unknown { restrict(written, &before) } else { written.clone() };
        let short = carry(&written, &before, &new);
        let is_same = read(to, &short).is_some_and(|found| Some(found) == read(to, &new));
        Ok(if is_same { short } else { new })
    }
}

/// The converted object, with only those defaults of the old version that the new one does not
/// have as well; `None` where that cannot be told apart.
fn same_meaning(plain: &Object, meant: &Object) -> Result<Option<Value>, SchemeError> {
    let written = value(&plain.encode())?;
    let means = defaulted(plain.clone());
    if means == *meant {
        return Ok(Some(written));
    }
    let short = carry(&written, &value(&means.encode())?, &value(&meant.encode())?);
    let is_same = read(&plain.entry, &short).map(defaulted).as_ref() == Some(meant);
    Ok(is_same.then_some(short))
}

/// An object with the defaults of its version. It is only compared with others of the same time, so
/// that any time will do.
fn defaulted(mut object: Object) -> Object {
    object.set_defaults(&Context { now: Time::default() });
    object
}

/// An object, if all of it is known.
fn read(entry: &Arc<KindEntry>, value: &Value) -> Option<Object> {
    let (object, decoded) = Object::decode(entry, json::Raw::from(value).as_str().as_bytes()).ok()?;
    decoded.unknown.is_empty().then_some(object)
}

fn advice(error: &SchemeError, from: &KindEntry) -> String {
    match error {
        // What does not fit says nothing of the kind itself.
        SchemeError::Convert(error) => format!("{from}: {error}"),
        SchemeError::NotConvertible { .. } => format!("{error}; write it anew at that version"),
        _ => error.to_string(),
    }
}

/// The path of an item.
pub fn element(path: &str, index: usize) -> String {
    join(path, &format!("items[{index}]"))
}

/// A path below another one.
pub fn join(path: &str, rest: &str) -> String {
    match (path.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{rest}"),
    }
}
