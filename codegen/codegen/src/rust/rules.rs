//! Lowers attributes to rules: the very file that somebody with schemas would write, a line for each attribute.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hubgen_derive_core::{
    ApiType, Cell, Field as ParsedField, Function, KeyedList, KindAttributes, NumberInText, ValueTable,
    WordMap,
};
use hubgen_documents::{Diagnostic, Source};
use hubgen_model::{Api, Field, GroupVersion, TypeExpr, TypeId};
use proc_macro2::Span;
use syn::LitStr;

use super::found::Found;

/// The rules of one kind.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The file below the folder of schemas that would contain them: `rules/example.com.Cert.toml`.
    pub file: PathBuf,
    /// The rules.
    pub text: String,
    /// The attribute of each line, from the first.
    lines: Vec<Option<Place>>,
}

type Place = (Source, Range<usize>);

impl Lowered {
    /// Turns an error in a line of the rules into one at its attribute.
    pub fn locate(&self, folder: &Path, error: Diagnostic) -> Diagnostic {
        let is_here = error.file == folder.join(&self.file);
        let line = (error.line as usize).checked_sub(1).filter(|_| is_here);
        match line.and_then(|line| self.lines.get(line)?.as_ref()) {
            Some((source, span)) => source.error(span.clone(), error.path, error.message, error.help),
            None => error,
        }
    }
}

/// Fields, by their types and names in JSON, and what became of their attributes.
#[derive(Default)]
pub(super) struct Used {
    /// Those whose attributes had an effect.
    fields: BTreeSet<(TypeId, String)>,
    /// Those that are renamed in an object that the older version does not have: the version, and the path of the
    /// object.
    without_object: BTreeMap<(TypeId, String), (String, String)>,
}

impl Used {
    /// The attribute of a field had an effect.
    fn insert(&mut self, field: (TypeId, String)) {
        self.fields.insert(field);
    }
}

/// A version of a kind: its type, and how it is written.
pub(super) type KindAt<'a> = (&'a TypeId, &'a Found<'a>, &'a KindAttributes);

/// The rules of a kind whose versions are sorted by age. `None` if no attribute specifies any.
pub(super) fn lower(
    api: &Api,
    written: &BTreeMap<&TypeId, &Found<'_>>,
    versions: &[KindAt<'_>],
    used: &mut Used,
    errors: &mut Vec<Diagnostic>,
) -> Option<Lowered> {
    let ((root, found, attributes), older) = versions.split_last()?;
    let mut lowering = Lowering {
        api,
        written,
        errors,
        rules: BTreeMap::new(),
        add: BTreeMap::new(),
        dropped: BTreeMap::new(),
        older: BTreeMap::new(),
        used,
    };
    for (id, ..) in older {
        let version = &id.group_version;
        lowering.rules.entry(version.clone()).or_default();
        let mut walk = Walk { version, seen: BTreeSet::new(), lacking: BTreeSet::new() };
        lowering.pair(&mut walk, root, id, &[]);
    }
    lowering.of_kind(found, attributes, older);
    for (id, found, kind) in older {
        for from in &kind.from {
            let message = format!("rules are written at the newest version, {}", root.group_version);
            lowering.error(found, from.version.span(), &id.name, message, "move the attribute there");
        }
    }
    lowering.accept_invalid(versions);
    lowering.keep_removed(versions);
    lowering.refuse_kept();
    let Lowering { rules, add, .. } = lowering;
    if add.is_empty() && rules.values().all(Rules::is_empty) {
        return None;
    }
    let file = format!("{}.{}.toml", root.group_version.group_or_core(), attributes.kind);
    let mut text = Text::default();
    text.line(&format!("hub = {}", quoted(&root.group_version.to_string())), None);
    let add = add.into_iter().map(|(path, (version, place))| {
        (format!("{{ path = {}, from = {} }}", quoted(&path), quoted(&version.to_string())), place)
    });
    text.list("add", &add.collect::<Vec<_>>());
    for (version, rules) in &rules {
        rules.write(&mut text, version);
    }
    Some(Lowered { file: Path::new("rules").join(file), text: text.text, lines: text.lines })
}

/// A line of rules, and its attribute.
type Line = (String, Place);

/// The rules of one version.
#[derive(Default)]
struct Rules {
    not_convertible: Vec<Line>,
    may_be_invalid: Vec<Line>,
    moved: Vec<Line>,
    words: Vec<Line>,
    numbers: Vec<Line>,
    keyed: Vec<Line>,
    tables: Vec<Line>,
    functions: Vec<Line>,
    keep: Vec<Line>,
    types: BTreeMap<String, OfType>,
}

/// The rules of one type of a version.
#[derive(Default)]
struct OfType {
    moved: Vec<Line>,
    keep: Vec<Line>,
    drop: Vec<Line>,
    empty_is_absent: Vec<Line>,
}

impl Rules {
    fn is_empty(&self) -> bool {
        self.not_convertible.is_empty()
            && self.may_be_invalid.is_empty()
            && self.moved.is_empty()
            && self.words.is_empty()
            && self.numbers.is_empty()
            && self.keyed.is_empty()
            && self.tables.is_empty()
            && self.functions.is_empty()
            && self.keep.is_empty()
            && self.types.is_empty()
    }

    fn write(&self, text: &mut Text, version: &GroupVersion) {
        if self.is_empty() {
            return;
        }
        let version = quoted(&version.to_string());
        text.line("", None);
        text.line(&format!("[{version}]"), None);
        for (line, place) in &self.not_convertible {
            text.line(line, Some(place.clone()));
        }
        text.list("may-be-invalid", &self.may_be_invalid);
        text.list("move", &self.moved);
        text.list("words", &self.words);
        text.list("number", &self.numbers);
        text.list("keyed", &self.keyed);
        text.list("table", &self.tables);
        text.list("function", &self.functions);
        text.list("keep", &self.keep);
        for (name, OfType { moved, keep, drop, empty_is_absent }) in &self.types {
            text.line("", None);
            text.line(&format!("[{version}.{name}]"), None);
            text.list("move", moved);
            text.list("keep", keep);
            text.list("drop", drop);
            text.list("empty-is-absent", empty_is_absent);
        }
    }
}

#[derive(Default)]
struct Text {
    text: String,
    lines: Vec<Option<Place>>,
}

impl Text {
    fn line(&mut self, line: &str, place: Option<Place>) {
        let _ = writeln!(self.text, "{line}");
        self.lines.push(place);
    }

    fn list(&mut self, name: &str, lines: &[Line]) {
        if lines.is_empty() {
            return;
        }
        self.line(&format!("{name} = ["), None);
        for (line, place) in lines {
            self.line(&format!("    {line},"), Some(place.clone()));
        }
        self.line("]", None);
    }
}

/// The way through the types of one older version.
struct Walk<'a> {
    version: &'a GroupVersion,
    seen: BTreeSet<(TypeId, TypeId)>,
    /// The objects on the path that the version does not have.
    lacking: BTreeSet<TypeId>,
}

struct Lowering<'a, 'e> {
    api: &'a Api,
    written: &'a BTreeMap<&'a TypeId, &'a Found<'a>>,
    errors: &'e mut Vec<Diagnostic>,
    rules: BTreeMap<GroupVersion, Rules>,
    /// Fields that are added to the hub: the version that defines each, and the attribute.
    add: BTreeMap<String, (GroupVersion, Place)>,
    /// Fields that are dropped, by path and version, each with the attribute.
    dropped: BTreeMap<(String, GroupVersion), Place>,
    /// The versions that have a field that the newest one does not have, by its path.
    older: BTreeMap<String, BTreeSet<GroupVersion>>,
    /// The fields whose attributes had an effect.
    used: &'e mut Used,
}

impl Lowering<'_, '_> {
    fn error(&mut self, found: &Found<'_>, span: Span, path: &str, message: impl Into<String>, help: &str) {
        self.errors.push(found.source.error(span.byte_range(), path, message, help));
    }

    /// Compares a type of the newest version with that of an older version. `path` leads to them in the newest
    /// version.
    fn pair(&mut self, walk: &mut Walk<'_>, hub: &TypeId, own: &TypeId, path: &[String]) {
        if hub == own || !walk.seen.insert((hub.clone(), own.clone())) {
            return;
        }
        let api = self.api;
        let (Some(hub_type), Some(own_type)) = (api.find(hub), api.find(own)) else { return };
        let written: BTreeMap<&TypeId, &Found<'_>> = self.written.clone();
        let mut matched: BTreeSet<String> = BTreeSet::new();
        for field in hub_type.fields() {
            let parsed = parsed(&written, hub, field);
            let renamed = parsed.and_then(|(at, found, parsed)| {
                let mut names = parsed.attributes.renamed.iter();
                let (_, name) = names.find(|(version, _)| *version == walk.version.version)?;
                Some((at, found, name))
            });
            let name = renamed.map_or_else(|| field.name.clone(), |(.., name)| name.value());
            let other = own_type.field(&name);
            match (renamed, other) {
                (Some((at, found, name)), None) => {
                    let known: Vec<&str> =
                        own_type.fields().iter().map(|field| field.name.as_str()).collect();
                    let message = format!("{own} has no field `{}`", name.value());
                    let help = format!("its fields are {}", known.join(", "));
                    self.error(found, name.span(), &format!("{}.{}", hub.name, field.name), message, &help);
                    self.used.insert((at.clone(), field.name.clone()));
                }
                (Some((at, found, written)), Some(_)) => {
                    let line = format!("[{}, {}]", quoted(&name), quoted(&field.name));
                    let place = (found.source.clone(), written.span().byte_range());
                    self.of_type(walk, own).moved.push((line, place));
                    self.used.insert((at.clone(), field.name.clone()));
                }
                (None, None) => {
                    if let Some(id) = field.ty.named() {
                        let names: Vec<&str> =
                            path.iter().map(String::as_str).chain([field.name.as_str()]).collect();
                        self.renamed_without(
                            walk.version,
                            &written,
                            id,
                            &names.join("."),
                            &mut BTreeSet::new(),
                        );
                    }
                    if let Some((at, found, parsed)) = parsed
                        && let Some(span) = parsed.attributes.added
                    {
                        let place = (found.source.clone(), span.byte_range());
                        self.of_type(walk, own).keep.push((quoted(&field.name), place));
                        self.used.insert((at.clone(), field.name.clone()));
                    } else if let TypeExpr::Ref(id) = &field.ty {
                        let path: Vec<String> = path.iter().cloned().chain([field.name.clone()]).collect();
                        self.lacking(walk, &written, id, &path);
                    }
                }
                (None, Some(_)) => {}
            }
            let Some(other) = other else { continue };
            matched.insert(other.name.clone());
            if let (Some(hub), Some(own)) = (field.ty.named(), other.ty.named()) {
                let path: Vec<String> = path.iter().cloned().chain([field.name.clone()]).collect();
                self.pair(walk, hub, own, &path);
            }
        }
        for field in own_type.fields() {
            let Some((at, found, parsed)) = parsed(&written, own, field) else { continue };
            let Some(span) = parsed.attributes.empty_is_absent else { continue };
            let place = (found.source.clone(), span.byte_range());
            self.of_type(walk, own).empty_is_absent.push((quoted(&field.name), place));
            self.used.insert((at.clone(), field.name.clone()));
        }
        for field in own_type.fields().iter().filter(|field| !matched.contains(&field.name)) {
            self.removed(walk, &written, own, field, path);
        }
    }

    /// Keeps the added fields of an object that an older version does not have. Other rules move fields to it.
    fn lacking(
        &mut self,
        walk: &mut Walk<'_>,
        written: &BTreeMap<&TypeId, &Found<'_>>,
        hub: &TypeId,
        path: &[String],
    ) {
        let Some(ty) = self.api.find(hub).filter(|_| walk.lacking.insert(hub.clone())) else { return };
        for field in ty.fields() {
            let path: Vec<String> = path.iter().cloned().chain([field.name.clone()]).collect();
            let parsed = parsed(written, hub, field);
            match parsed.and_then(|(at, found, parsed)| Some((at, found, parsed.attributes.added?))) {
                Some((at, found, span)) => {
                    let place = (found.source.clone(), span.byte_range());
                    let rules = self.rules.entry(walk.version.clone()).or_default();
                    rules.keep.push((quoted(&path.join(".")), place));
                    self.used.insert((at.clone(), field.name.clone()));
                }
                None => {
                    if let TypeExpr::Ref(id) = &field.ty {
                        self.lacking(walk, written, id, &path);
                    }
                }
            }
        }
        walk.lacking.remove(hub);
    }

    /// Notes the fields that are renamed in an object, at a path, that an older version does not have.
    fn renamed_without(
        &mut self,
        version: &GroupVersion,
        written: &BTreeMap<&TypeId, &Found<'_>>,
        object: &TypeId,
        path: &str,
        seen: &mut BTreeSet<TypeId>,
    ) {
        let Some(ty) = self.api.find(object).filter(|_| seen.insert(object.clone())) else { return };
        for field in ty.fields() {
            if let Some((at, _, parsed)) = parsed(written, object, field)
                && parsed.attributes.renamed.iter().any(|(renamed, _)| *renamed == version.version)
            {
                let place = (version.version.clone(), path.to_owned());
                self.used.without_object.entry((at.clone(), field.name.clone())).or_insert(place);
            }
            if let Some(id) = field.ty.named() {
                self.renamed_without(version, written, id, path, seen);
            }
        }
    }

    /// Adds a field to the hub that only an older version has, or drops it.
    fn removed(
        &mut self,
        walk: &Walk<'_>,
        written: &BTreeMap<&TypeId, &Found<'_>>,
        own: &TypeId,
        field: &Field,
        path: &[String],
    ) {
        let names: Vec<&str> = path.iter().map(String::as_str).chain([field.name.as_str()]).collect();
        let path = names.join(".");
        self.older.entry(path.clone()).or_default().insert(walk.version.clone());
        let Some((at, found, parsed)) = parsed(written, own, field) else { return };
        if let Some(span) = parsed.attributes.dropped {
            self.used.insert((at.clone(), field.name.clone()));
            let place = (found.source.clone(), span.byte_range());
            self.of_type(walk, own).drop.push((quoted(&field.name), place.clone()));
            self.dropped.insert((path, walk.version.clone()), place);
            return;
        }
        let Some(span) = parsed.attributes.removed else { return };
        self.used.insert((at.clone(), field.name.clone()));
        // Several versions may have it; the newest of them, which comes last, defines it.
        self.add.insert(path, (walk.version.clone(), (found.source.clone(), span.byte_range())));
    }

    /// Accepts that objects may be invalid at a version after a conversion.
    fn accept_invalid(&mut self, versions: &[KindAt<'_>]) {
        for (id, found, kind) in versions {
            for path in &kind.may_be_invalid {
                if versions.len() == 1 {
                    let message = "there is no other version from which objects are converted to this one";
                    self.error(found, path.span(), &id.name, message, "remove the path");
                    continue;
                }
                let rules = self.rules.entry(id.group_version.clone()).or_default();
                rules.may_be_invalid.push((text(path), (found.source.clone(), path.span().byte_range())));
            }
        }
    }

    /// Keeps what was added to the hub in all versions that do not have it.
    fn keep_removed(&mut self, versions: &[KindAt<'_>]) {
        for (path, (_, place)) in &self.add {
            let lacks = versions.iter().filter(|(id, ..)| !self.older[path].contains(&id.group_version));
            for (id, ..) in lacks {
                let rules = self.rules.entry(id.group_version.clone()).or_default();
                rules.keep.push((quoted(path), place.clone()));
            }
        }
    }

    /// Refuses to drop a field that another version adds to the hub.
    fn refuse_kept(&mut self) {
        for ((path, version), (source, span)) in &self.dropped {
            if let Some((from, _)) = self.add.get(path) {
                let message = format!("the hub has the field, because it is `removed` at {from}");
                let help = format!("remove `dropped` here: {version} then keeps the field, too");
                self.errors.push(source.error(span.clone(), path, message, help));
            }
        }
    }

    fn of_type(&mut self, walk: &Walk<'_>, own: &TypeId) -> &mut OfType {
        let rules = self.rules.entry(walk.version.clone()).or_default();
        rules.types.entry(own.name.clone()).or_default()
    }

    /// Lowers `#[from(…)]` of the newest version.
    fn of_kind(&mut self, found: &Found<'_>, attributes: &KindAttributes, older: &[KindAt<'_>]) {
        let place = |span: Span| (found.source.clone(), span.byte_range());
        for from in &attributes.from {
            let version = from.version.to_string();
            let Some((id, ..)) = older.iter().find(|(id, ..)| id.group_version.version == version) else {
                let known: Vec<&str> =
                    older.iter().map(|(id, ..)| id.group_version.version.as_str()).collect();
                let message = format!("`{version}` is not an older version of {}", attributes.kind);
                let help = match known[..] {
                    [] => "there is no other version; remove the attribute".to_owned(),
                    _ => format!("expected one of {}", known.join(", ")),
                };
                self.error(found, from.version.span(), "", message, &help);
                continue;
            };
            let rules = self.rules.entry(id.group_version.clone()).or_default();
            for (own, hub) in &from.moved {
                rules.moved.push((format!("[{}, {}]", text(own), text(hub)), place(own.span())));
            }
            for WordMap { from, to, words } in &from.words {
                let pairs: Vec<String> =
                    words.iter().map(|(word, other)| format!("{} = {}", text(word), text(other))).collect();
                let line = format!(
                    "{{ from = {}, to = {}, words = {{ {} }} }}",
                    text(from),
                    text(to),
                    pairs.join(", ")
                );
                rules.words.push((line, place(from.span())));
            }
            for NumberInText { from, to, form, unit } in &from.numbers {
                let unit = unit.as_ref().map(|unit| format!(", unit = {}", text(unit))).unwrap_or_default();
                let line = format!("{{ from = {}, to = {}, as = \"{form}\"{unit} }}", text(from), text(to));
                rules.numbers.push((line, place(from.span())));
            }
            for KeyedList { from, to, key, value } in &from.keyed {
                let value =
                    value.as_ref().map(|value| format!(", value = {}", text(value))).unwrap_or_default();
                let line =
                    format!("{{ from = {}, to = {}, key = {}{value} }}", text(from), text(to), text(key));
                rules.keyed.push((line, place(from.span())));
            }
            for ValueTable { from, to, rows } in &from.tables {
                let list = |fields: &[LitStr]| fields.iter().map(text).collect::<Vec<_>>().join(", ");
                let rows: Vec<String> =
                    rows.iter().map(|(from, to)| format!("[{}, {}]", cells(from), cells(to))).collect();
                let line = format!(
                    "{{ version = [{}], hub = [{}], rows = [{}] }}",
                    list(from),
                    list(to),
                    rows.join(", ")
                );
                rules.tables.push((line, place(from[0].span())));
            }
            for Function { module, from, to, reads } in &from.functions {
                let list = |fields: &[LitStr]| fields.iter().map(text).collect::<Vec<_>>().join(", ");
                let reads =
                    if reads.is_empty() { String::new() } else { format!(", reads = [{}]", list(reads)) };
                let line = format!(
                    "{{ module = {}, version = [{}], hub = [{}]{reads} }}",
                    text(module),
                    list(from),
                    list(to)
                );
                rules.functions.push((line, place(module.span())));
            }
            if let Some(reason) = &from.not_convertible {
                rules
                    .not_convertible
                    .push((format!("not-convertible = {}", text(reason)), place(reason.span())));
            }
        }
    }
}

/// The cells of one side of a row, in TOML.
fn cells(cells: &[Cell]) -> String {
    let cell = |cell: &Cell| match cell {
        Cell::Text(value) => text(value),
        Cell::Bool(value) => value.to_string(),
        Cell::Integer(value) => value.to_string(),
        Cell::List(items) => self::cells(items),
    };
    format!("[{}]", cells.iter().map(cell).collect::<Vec<_>>().join(", "))
}

/// Reports attributes of fields that have no effect on any kind.
pub(super) fn unused(known: &[(TypeId, &Found<'_>)], used: &Used, errors: &mut Vec<Diagnostic>) {
    for (id, found) in known {
        let mut error = |span: Span, path: &str, message: &str, help: &str| {
            errors.push(found.source.error(span.byte_range(), path, message, help));
        };
        let versions = known.iter().map(|(other, _)| &other.group_version);
        let others: BTreeSet<&str> = versions
            .filter(|other| other.group == id.group_version.group && **other != id.group_version)
            .map(|other| other.version.as_str())
            .collect();
        for field in fields(&found.parsed) {
            let path = format!("{}.{}", id.name, field.name);
            let attributes = &field.attributes;
            if let Some((version, _)) =
                attributes.renamed.iter().find(|(version, _)| !others.iter().any(|other| *version == other))
            {
                let known: Vec<&str> = others.iter().copied().collect();
                let help = match known[..] {
                    [] => "the group has no other version; remove the attribute".to_owned(),
                    _ => format!("expected one of {}", known.join(", ")),
                };
                error(
                    version.span(),
                    &path,
                    &format!("`{version}` is not another version of the group"),
                    &help,
                );
                continue;
            }
            let key = (id.clone(), field.name.clone());
            if used.fields.contains(&key) {
                continue;
            }
            let without_object = used.without_object.get(&key);
            if let Some((version, object)) = without_object
                && let Some((written, _)) = attributes.renamed.iter().find(|(written, _)| written == version)
            {
                let message =
                    format!("`renamed` has no effect: {version} has no `{object}` to rename a field in");
                let help = format!(
                    "remove it; if `{object}` has another name at {version}, write `renamed` on that field, and if it is \
                     elsewhere, `#[from({version}, …)]` at the kind"
                );
                error(written.span(), &path, &message, &help);
            } else if let Some((version, _)) = attributes.renamed.first() {
                let message = "`renamed` has no effect: no kind of this version contains the type";
                error(version.span(), &path, message, "write it at the newest version of a kind");
            } else if let Some(span) = attributes.added {
                let message = "`added` has no effect: every older version has the field, or there is none";
                let help = "write it at the newest version, on a field that an older version does not have";
                error(span, &path, message, help);
            } else if let Some(span) = attributes.removed {
                let message = "`removed` has no effect: the newest version has the field, too";
                let help = "write it at an older version, on a field that the newest version does not have";
                error(span, &path, message, help);
            } else if let Some(span) = attributes.empty_is_absent {
                let message = "`empty_is_absent` has no effect: no conversion to the newest version meets the field here";
                let help =
                    "write it at an older version, in a type that the newest version has with the same path";
                error(span, &path, message, help);
            } else if let Some(span) = attributes.dropped {
                let message = "`dropped` has no effect: the newest version has the field, too";
                let help = "write it at an older version, on a field that the newest version does not have";
                error(span, &path, message, help);
            }
        }
    }
}

/// A field of a type as it is written, and the type in which it is: the type itself, or a flattened one.
fn parsed<'w>(
    written: &BTreeMap<&TypeId, &'w Found<'w>>,
    ty: &'w TypeId,
    field: &'w Field,
) -> Option<(&'w TypeId, &'w Found<'w>, &'w ParsedField)> {
    let id = field.rust_name.around().last().map_or(ty, |(_, inner)| inner);
    let found: &'w Found<'w> = written.get(id)?;
    Some((
        id,
        found,
        fields(&found.parsed).iter().find(|other| other.name == field.name && other.is_named())?,
    ))
}

/// The fields of a struct, or the variants of an enum of objects.
fn fields(parsed: &ApiType) -> &[ParsedField] {
    match parsed {
        ApiType::Struct(item) => &item.fields,
        ApiType::OneOf(item) => &item.members,
        ApiType::Words(_) | ApiType::Leaf(_) | ApiType::View(_) => &[],
    }
}

fn text(written: &LitStr) -> String {
    quoted(&written.value())
}

/// A string as TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
