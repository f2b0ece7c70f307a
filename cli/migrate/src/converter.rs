//! Converts objects and lists as JSON values.

use std::fmt;
use std::sync::Arc;

use hubgen_diagnostic::Severity;
use hubgen_kubernetes::machinery::convert::{self, ConvertError};
use hubgen_kubernetes::machinery::defaults::Context;
use hubgen_kubernetes::machinery::json::Raw;
use hubgen_kubernetes::machinery::meta;
use hubgen_kubernetes::machinery::scalar::Time;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme, SchemeError};
use hubgen_manifest::value;
use serde_json::{Map, Value};

use crate::known::{Known, is_of_repository};
use crate::merge::{amended, carry, lacks, restrict};
use crate::path::{element, join};
use crate::target::{Choice, Gone, Target};

/// Converts objects to the version that is wanted, as their authors would have written them.
///
/// ```
/// use hubgen_migrate::{Converter, Known, Target};
/// use serde_json::json;
///
/// let converter = Converter {
///     known: &Known::kubernetes(),
///     target: &Target::Newest,
///     drops_unknown: false,
///     help_for_unknown: "correct its name",
/// };
/// let old = json!({
///     "apiVersion": "autoscaling/v2beta2",
///     "kind": "HorizontalPodAutoscaler",
///     "metadata": {"name": "web"},
///     "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "web"}, "maxReplicas": 3},
/// });
/// let found = converter.document(&old);
/// assert_eq!(found.value.unwrap()["apiVersion"], "autoscaling/v2");
/// assert_eq!(
///     found.changes[0].to_string(),
///     "autoscaling/v2beta2 HorizontalPodAutoscaler web → autoscaling/v2 HorizontalPodAutoscaler"
/// );
/// ```
pub struct Converter<'a> {
    /// The known kinds.
    pub known: &'a Known,
    /// The wanted version.
    pub target: &'a Target,
    /// Whether fields that a version does not have are dropped, instead of an error.
    pub drops_unknown: bool,
    /// How to fix such an error, which names the program's own way of asking for that.
    pub help_for_unknown: &'a str,
}

/// The result for a document.
#[derive(Default)]
pub struct Found {
    /// What it becomes; `None` where it stays as it is.
    pub value: Option<Value>,
    /// Errors and warnings.
    pub notes: Vec<Note>,
    /// The objects that were converted.
    pub changes: Vec<Change>,
}

/// How the items of a list are converted.
pub(crate) enum Items {
    /// Not at all.
    Stay,
    /// Each by its own `apiVersion` and `kind`.
    Any,
    /// All of them have the version of the list.
    Of {
        /// What they are.
        from: Arc<KindEntry>,
        /// What they become.
        to: Arc<KindEntry>,
    },
}

impl Items {
    /// The new values of members of the list itself, by their names.
    pub fn names(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Stay | Self::Any => Vec::new(),
            Self::Of { to, .. } => {
                vec![("apiVersion", to.api_version()), ("kind", format!("{}List", to.kind))]
            }
        }
    }
}

/// A finding at a place in a document.
pub struct Note {
    /// Whether the object could not be converted.
    pub severity: Severity,
    /// The path of the field; empty for the whole document.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: String,
}

/// An object that was converted.
pub struct Change {
    /// Where in the document; empty for the whole.
    pub path: String,
    /// What it was.
    pub from: Arc<KindEntry>,
    /// What it is now.
    pub to: Arc<KindEntry>,
    /// Its namespace; empty where it has none.
    pub namespace: String,
    /// Its name; empty where it has none.
    pub name: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", named(&self.from, &self.namespace, &self.name), self.to)
    }
}

/// An object as messages name it: `apps/v1 Deployment default/web`.
pub fn named(kind: impl fmt::Display, namespace: &str, name: &str) -> String {
    match (namespace, name) {
        (_, "") => kind.to_string(),
        ("", name) => format!("{kind} {name}"),
        (namespace, name) => format!("{kind} {namespace}/{name}"),
    }
}

impl Found {
    /// Whether there are errors.
    pub fn fails(&self) -> bool {
        self.notes.iter().any(|note| note.severity == Severity::Error)
    }

    pub(crate) fn warn(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.note(Severity::Warning, path, message.into(), help.into());
    }

    fn fail(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.note(Severity::Error, path, message.into(), help.into());
    }

    /// An object that cannot be converted.
    fn refuse(&mut self, path: &str, error: &SchemeError, from: &KindEntry) {
        match error {
            SchemeError::Convert(ConvertError::UnknownWord { path: field, word, known }) => self.fail(
                &join(path, field),
                format!("{word:?} has no counterpart in the other version (in {from})"),
                format!("use one of {}", known.join(", ")),
            ),
            // The other two do not name the kind.
            SchemeError::Convert(error) => self.fail(path, format!("{from}: {error}"), ""),
            SchemeError::NotConvertible { from, .. } => {
                let help = if is_of_repository(from) { "" } else { "write the object anew at that version" };
                self.fail(path, error.to_string(), help);
            }
            _ => self.fail(path, error.to_string(), ""),
        }
    }

    /// An object that needs a function of the repository's own code. `is_written` tells whether the fields are in the
    /// document, or their defaults need it.
    fn need(&mut self, path: &str, fields: &[String], function: &str, object: &str, is_written: bool) {
        let (fields, default) = (fields.join(", "), if is_written { "" } else { ", which has a default" });
        let message = format!(
            "{object} needs the function `{function}` for {fields}{default}, but this command does not contain the code \
             of the repository"
        );
        self.fail(path, message, CONVERT_WITH_CODE);
    }

    fn note(&mut self, severity: Severity, path: &str, message: String, help: String) {
        self.notes.push(Note { severity, path: path.to_owned(), message, help });
    }
}

impl Converter<'_> {
    /// Converts a document.
    pub fn document(&self, document: &Value) -> Found {
        let mut found = Found::default();
        if !document.is_null() {
            found.value = self.any(document, "", &mut found);
        }
        found
    }

    /// Converts an object, or the items of a list; `None` where it stays as it is.
    pub(crate) fn any(&self, value: &Value, path: &str, found: &mut Found) -> Option<Value> {
        let members = value.as_object();
        let text = |name| members.and_then(|members| members.get(name)?.as_str()).unwrap_or_default();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let (Some(members), false, false) = (members, api_version.is_empty(), kind.is_empty()) else {
            let new = self.inside_of(value, path, found);
            if new.is_none() {
                let message = "expected an object with `apiVersion` and `kind`; this document stays as it is";
                found.warn(path, message, "");
            }
            return new;
        };
        if let Some(Value::Array(items)) = members.get("items")
            && let Some(of) = self.list_of(api_version, kind, path, found)
        {
            return self.items(members, items, &of, path, found);
        }
        let Some(entry) = self.known.scheme.named(api_version, kind) else {
            let new = self.inside_of(value, path, found);
            if new.is_none() {
                found.warn(path, format!("{api_version} {kind} is not a known kind; it stays as it is"), "");
            }
            return new;
        };
        self.tell_of_references(value, path, found);
        match self.choose(entry, path, found) {
            Some(to) => self.object(value, entry, &to, path, found),
            None => None,
        }
    }

    fn choose(&self, entry: &Arc<KindEntry>, path: &str, found: &mut Found) -> Option<Arc<KindEntry>> {
        match self.target.choose(self.known, entry) {
            Choice::Stay => None,
            Choice::To(to) => Some(to),
            Choice::Gone(Gone { message, help }) => {
                found.warn(path, message, help);
                None
            }
        }
    }

    /// Whether a document is a list whose items are known.
    pub fn is_list(&self, document: &Value) -> bool {
        self.known.is_list(document)
    }

    /// How the items of a list are converted; `None` where it is no list that is known.
    pub(crate) fn list_of(
        &self,
        api_version: &str,
        kind: &str,
        path: &str,
        found: &mut Found,
    ) -> Option<Items> {
        if (api_version, kind) == ("v1", "List") {
            return Some(Items::Any);
        }
        let from = self.known.scheme.named(api_version, kind.strip_suffix("List")?)?;
        let Some(to) = self.choose(from, path, found) else { return Some(Items::Stay) };
        let list = format!("{}List", to.kind);
        let api_version = to.api_version();
        if self.known.scheme.named(&api_version, &list).is_none() {
            let message = format!("this list cannot be converted: {api_version} has no {list}");
            found.fail(path, message, "use a `List` of v1");
            return Some(Items::Stay);
        }
        Some(Items::Of { from: Arc::clone(from), to })
    }

    /// Converts an item of a list; `None` where it stays as it is.
    pub(crate) fn item(&self, item: &Value, of: &Items, path: &str, found: &mut Found) -> Option<Value> {
        let (from, to) = match of {
            Items::Stay => return None,
            Items::Any => return self.any(item, path, found),
            Items::Of { from, to } => (from, to),
        };
        // Items of a list of one kind may leave out `apiVersion` and `kind`.
        let Value::Object(members) = item else {
            found.fail(path, format!("expected an object, as in every item of a {}List", from.kind), "");
            return None;
        };
        let agrees = |name: &str, expected: &str| {
            members.get(name).is_none_or(|found| found.is_null() || found == expected)
        };
        if !agrees("apiVersion", &from.api_version()) || !agrees("kind", &from.kind) {
            let message = format!("expected {from}, as the kind of the list requires");
            found.fail(path, message, "use a `List` of v1 for objects of several kinds");
            return None;
        }
        self.tell_of_references(item, path, found);
        let mut named = Map::new();
        named.insert("apiVersion".to_owned(), from.api_version().into());
        named.insert("kind".to_owned(), (&*from.kind).into());
        let present = members.iter().filter(|(_, value)| !value.is_null());
        named.extend(present.map(|(key, value)| (key.clone(), value.clone())));
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
                let help =
                    if scalar && message.contains("a string") { "put the value in quotes" } else { "" };
                found.fail(&join(path, error.path()), format!("{message} (in {from})"), help);
                return None;
            }
            Err(error) => {
                found.fail(path, error.to_string(), "");
                return None;
            }
        };
        for unknown in &decoded.unknown {
            let path = join(path, unknown);
            if self.drops_unknown {
                found.warn(&path, format!("dropped this field: {from} has no such field"), "");
            } else {
                found.fail(&path, format!("{from} has no such field"), self.help_for_unknown);
            }
        }
        match (decoded.more_unknown, self.drops_unknown) {
            (0, _) => {}
            (more, true) => {
                found.warn(path, format!("dropped {more} more fields that {from} does not have"), "")
            }
            (more, false) => found.fail(
                path,
                format!("{more} more fields that {from} does not have"),
                self.help_for_unknown,
            ),
        }
        if !self.drops_unknown && !decoded.unknown.is_empty() {
            return None;
        }
        if let Ok(Some(unread)) = self.known.scheme.unread(&object) {
            found.warn(&join(path, "metadata.annotations"), unread.to_string(), CONVERT_THERE);
        }
        let [namespace, name] = ["namespace", "name"].map(|name| meta::text(&*object.value, name).to_owned());
        match self.rewritten(written, object, !decoded.unknown.is_empty(), to) {
            Ok(value) => {
                let (from, to) = (Arc::clone(from), Arc::clone(to));
                found.changes.push(Change { path: path.to_owned(), from, to, namespace, name });
                Some(value)
            }
            Err(SchemeError::Convert(ConvertError::NoFunction { paths, function })) => {
                let is_written = self.known.scheme.convert_json(bytes.as_bytes(), to).is_err();
                let at = paths.first().filter(|_| is_written).map_or("", String::as_str);
                let object = named(from, &namespace, &name);
                found.need(&join(path, at), &paths, &function, &object, is_written);
                None
            }
            Err(error) => {
                found.refuse(path, &error, from);
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
        let scheme = &self.known.scheme;
        let before = value(&object.encode()?)?;
        let written = if has_unknown { restrict(written, &before) } else { written.clone() };
        // First, because an object that needs a function of the repository's own code is known by its JSON.
        let undecoded = if scheme.is_undecoded(&object.entry, to) {
            Some(value(&scheme.convert_json(written.to_string().as_bytes(), to)?)?)
        } else {
            None
        };
        // What is stashed of JSON is more than what is stashed of a typed object.
        let bare = |value: &Value| read(to, value).map(without_stash);
        let plain = scheme.convert(object.clone(), to)?;
        let Some(defaults) = Defaults::between(scheme, &object, to)? else {
            let plain = value(&plain.encode()?)?;
            // A typed object has what its version requires, even if the document does not.
            return match undecoded.filter(|short| lacks(&written, &before) || bare(short) == bare(&plain)) {
                Some(short) => Ok(short),
                None => Ok(carried(&written, &before, plain, to)),
            };
        };
        // Where the versions have different defaults, those of the old one are written out.
        let new = match defaults.written_out(&plain)? {
            Some(short) => short,
            None => value(&scheme.convert(defaulted(object), to)?.encode()?)?,
        };
        match undecoded.filter(|short| bare(short) == bare(&new)) {
            Some(short) => Ok(short),
            None => Ok(carried(&written, &before, new, to)),
        }
    }
}

/// The new object in the words of the document, where they mean the same.
fn carried(written: &Value, before: &Value, new: Value, to: &Arc<KindEntry>) -> Value {
    let short = carry(written, before, &new);
    let is_same = read(to, &short).is_some_and(|found| Some(found) == read(to, &new));
    if is_same { short } else { new }
}

/// The defaults of an object at its own version that it would not have at the new one.
///
/// They are those of the object without a stash: one that names an element of a list would not find it again where a
/// default is in it.
struct Defaults {
    /// The object at the new version.
    plain: Object,
    /// What that means.
    means: Object,
    /// What it ought to mean.
    meant: Object,
}

impl Defaults {
    /// `None` if both versions have the same.
    fn between(scheme: &Scheme, object: &Object, to: &Arc<KindEntry>) -> Result<Option<Self>, SchemeError> {
        let object = without_stash(object.clone());
        let converted = |object| scheme.convert(object, to).map(without_stash);
        let plain = converted(object.clone())?;
        let means = defaulted(plain.clone());
        let meant = defaulted(converted(defaulted(object))?);
        Ok((means != meant).then_some(Self { plain, means, meant }))
    }

    /// The converted object, with only those defaults of the old version that the new one does not have as well; `None`
    /// where that cannot be told apart.
    fn written_out(&self, converted: &Object) -> Result<Option<Value>, SchemeError> {
        let [means, meant] = [value(&self.means.encode()?)?, value(&self.meant.encode()?)?];
        let with_defaults = |object: &Object| -> Result<Value, SchemeError> {
            Ok(amended(&value(&object.encode()?)?, &means, &meant))
        };
        let short = with_defaults(&self.plain)?;
        let is_same = read(&self.plain.entry, &short).map(defaulted).as_ref() == Some(&self.meant);
        if is_same { with_defaults(converted).map(Some) } else { Ok(None) }
    }
}

/// An object with the defaults of its version. It is only compared with others of the same time, so
/// that any time will do.
fn defaulted(mut object: Object) -> Object {
    object.set_defaults(&Context { now: Time::default() });
    object
}

fn without_stash(mut object: Object) -> Object {
    convert::with_annotations(&mut *object.value, &mut |annotations| drop(convert::take_stash(annotations)));
    object
}

/// An object, if all of it is known.
fn read(entry: &Arc<KindEntry>, value: &Value) -> Option<Object> {
    let (object, decoded) = Object::decode(entry, Raw::from(value).as_str().as_bytes()).ok()?;
    decoded.unknown.is_empty().then_some(object)
}

/// How to read a stash of a kind, or of a version of it, that this program does not have.
const CONVERT_THERE: &str = "convert the object with a program that has this version and its fields";

/// How to convert an object that needs a function.
const CONVERT_WITH_CODE: &str = "convert it in a program of the repository, with `Scheme::convert_json`; objects without these fields convert here";
