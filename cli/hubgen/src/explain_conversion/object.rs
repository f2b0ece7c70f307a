//! What a conversion does to an object.

use hubgen_kubernetes::machinery::convert::{Keeping, STASH, Stashed, stashed};
use hubgen_migrate::{Converter, Known, Note, Target};
use hubgen_plan::report::Canonical;
use serde_json::Value;

use super::conversion::Explained;
use super::difference::{all, at, has, new_in};
use super::path::Path;
use super::side::{Crossed, RuleAt, Side};

/// What a conversion does to an object.
pub struct Effects<'a> {
    /// The fields of the result that differ from the object.
    pub written: Vec<Written<'a>>,
    /// What annotations of the result keep.
    pub kept: Vec<Kept>,
    /// The fields of the object that nothing keeps.
    pub lost: Vec<(Path, Value)>,
    /// What differs once the result is converted back.
    pub changed_back: Vec<ChangedBack<'a>>,
    /// What clients that write the result may lose.
    pub risks: Vec<&'a str>,
    /// Warnings.
    pub notes: Vec<Note>,
}

/// A field of the result, and where it comes from.
pub struct Written<'a> {
    /// The field.
    pub path: Path,
    /// Its value.
    pub value: Value,
    /// The fields of the object that it comes from.
    pub sources: Vec<Path>,
    /// The annotation that kept it.
    pub annotation: Option<String>,
    /// The rules that convert it, each with the version whose rule it is.
    pub rules: Vec<(&'a Side, &'a RuleAt)>,
}

/// What an annotation keeps.
pub struct Kept {
    /// The annotation.
    pub annotation: String,
    /// The field of the hub.
    pub hub: Path,
    /// The field of the object, if it is one.
    pub source: Option<Path>,
    /// What is kept.
    pub kept: Keeping,
}

/// A field of the object that is different after the way to the new version and back.
pub struct ChangedBack<'a> {
    /// The field.
    pub path: Path,
    /// Its value in the object.
    pub was: Option<Value>,
    /// Its value afterwards.
    pub is: Option<Value>,
    /// Why, if a rule says so.
    pub why: Option<&'a str>,
}

/// Converts objects, and finds out what becomes of their fields.
pub struct Work<'a> {
    /// The known kinds.
    pub known: &'a Known,
    /// The conversion.
    pub explained: &'a Explained,
}

impl<'a> Work<'a> {
    /// What becomes of an object.
    ///
    /// # Errors
    /// What was found, if the object does not convert.
    pub fn effects(&self, object: &Value) -> Result<Effects<'a>, Vec<Note>> {
        let Explained { from, to, .. } = self.explained;
        let (result, notes) = self.converted(object, &to.version)?;
        let (back, _) = self.converted(&result, &from.version)?;
        Ok(Effects {
            written: self.written(object, &result),
            kept: self.kept(object, &result),
            lost: self.lost(object),
            changed_back: self.changed_back(object, &back),
            risks: self.risks(&result),
            notes,
        })
    }

    /// An object at another version, as `hubgen convert` writes it, with warnings.
    fn converted(&self, object: &Value, version: &str) -> Result<(Value, Vec<Note>), Vec<Note>> {
        let target = Target::versions(&self.known.scheme, [version]);
        let target = target.unwrap_or(Target::Versions(Vec::new()));
        let converter = Converter {
            known: self.known,
            target: &target,
            drops_unknown: false,
            help_for_unknown: "correct its name, or remove it",
        };
        let found = converter.document(object);
        let fails = found.fails();
        match found.value.filter(|_| !fails) {
            Some(value) => Ok((value, found.notes)),
            None => Err(found.notes),
        }
    }

    /// The fields of the result that differ, each once for all that its rules are about.
    fn written(&self, object: &Value, result: &Value) -> Vec<Written<'a>> {
        let Explained { from, to, .. } = self.explained;
        let mut out: Vec<Written<'a>> = Vec::new();
        for (path, _) in new_in(result, object).into_iter().filter(|(path, _)| !is_frame(path, [from, to])) {
            let in_hub = to.to_hub(&path);
            // Of the parts of the path, so many are what the rules are about.
            let mut parts = in_hub.rule.map(|(_, parts)| parts);
            let mut rules: Vec<(&'a Side, &'a RuleAt)> =
                in_hub.rule.map(|(rule, _)| (to, rule)).into_iter().collect();
            let (mut sources, mut annotation) = (Vec::new(), None);
            for hub in &in_hub.paths {
                let Crossed { paths, rule } = from.to_version(hub);
                if let Some((rule, about)) = rule {
                    let below = hub.0.len() - about;
                    parts = parts.max(Some(path.0.len().saturating_sub(below)));
                    if !rules.iter().any(|(_, known)| std::ptr::eq(*known, rule)) {
                        rules.push((from, rule));
                    }
                }
                annotation = annotation.or_else(|| keeper(from, object, hub));
                sources.extend(paths);
            }
            let about = path.first(parts.unwrap_or(path.0.len()));
            if out.iter().any(|known| known.path == about) {
                continue;
            }
            let below = path.0.len() - about.0.len();
            let sources =
                sources.into_iter().map(|source| source.first(source.0.len().saturating_sub(below)));
            let sources = sources.filter(|source| at(object, source).is_some()).collect();
            let value = at(result, &about).cloned().unwrap_or_default();
            out.push(Written { path: about, value, sources, annotation, rules });
        }
        out
    }

    /// What annotations of the result have that those of the object do not.
    fn kept(&self, object: &Value, result: &Value) -> Vec<Kept> {
        let Explained { from, to, .. } = self.explained;
        let mut out = Vec::new();
        for (key, text) in annotations(result).filter(|(key, text)| annotation(object, key) != Some(*text)) {
            let found = match to.annotations.iter().find(|(_, own)| own == key) {
                Some((path, _)) => vec![(path.clone(), Keeping::Value(text.into()))],
                None if key == STASH => stashed(text).unwrap_or_default().into_iter().map(of_stash).collect(),
                None => continue,
            };
            for (hub, kept) in found {
                let sources = from.to_version(&hub).paths;
                let source = sources.into_iter().find(|source| at(object, source).is_some());
                out.push(Kept { annotation: key.to_owned(), hub, source, kept });
            }
        }
        out
    }

    fn lost(&self, object: &Value) -> Vec<(Path, Value)> {
        let mut out: Vec<(Path, Value)> = Vec::new();
        for (path, _) in all(object) {
            if let Some((rule, parts)) = self.explained.from.to_hub(&path).rule
                && rule.operator == "drop"
            {
                let path = path.first(parts);
                let value = at(object, &path).cloned().unwrap_or_default();
                if !out.iter().any(|(known, _)| *known == path) {
                    out.push((path, value));
                }
            }
        }
        out
    }

    fn changed_back(&self, object: &Value, back: &Value) -> Vec<ChangedBack<'a>> {
        let Explained { from, to, .. } = self.explained;
        let gone = new_in(object, back).into_iter().map(|(path, _)| path);
        let mut paths: Vec<Path> =
            gone.chain(new_in(back, object).into_iter().map(|(path, _)| path)).collect();
        paths.retain(|path| !is_frame(path, [from, to]));
        paths.sort();
        paths.dedup();
        let changed = |path: Path| {
            let [was, is] = [object, back].map(|value| at(value, &path).cloned());
            let own = std::iter::once(path.clone());
            let there: Vec<Path> =
                from.to_hub(&path).paths.iter().flat_map(|hub| to.to_version(hub).paths).collect();
            let why = own.map(|path| (from, path)).chain(there.into_iter().map(|path| (to, path)));
            let why = why.filter_map(|(side, path)| why_form(side, &path)).next();
            ChangedBack { path, was, is, why }
        };
        paths.into_iter().map(changed).collect()
    }

    /// What the rules say that is lost, or comes back in another form, of fields that the result has; and of those that
    /// only the new version has.
    fn risks(&self, result: &Value) -> Vec<&'a str> {
        let to = &self.explained.to;
        let forms = to.canonical.iter().filter(|(form, _)| has(result, &path_of(form)));
        let mut out: Vec<&str> = to.account.dropped.iter().map(String::as_str).collect();
        for (_, line) in forms {
            if !out.contains(&&**line) {
                out.push(line);
            }
        }
        out
    }
}

fn of_stash(Stashed { path, kept }: Stashed) -> (Path, Keeping) {
    (Path::of_rule(&path), kept)
}

/// The annotation of an object that keeps a field of the hub.
fn keeper(side: &Side, object: &Value, hub: &Path) -> Option<String> {
    let is_in_stash = |text| {
        let found = stashed(text).unwrap_or_default();
        found.into_iter().any(|stashed| of_stash(stashed).0.covers(hub))
    };
    if annotation(object, STASH).is_some_and(is_in_stash) {
        return Some(STASH.to_owned());
    }
    let own = side.annotations.iter().filter(|(path, _)| path.covers(hub));
    own.map(|(_, key)| key).find(|key| annotation(object, key).is_some()).cloned()
}

/// Whether a field says which version an object has, or is an annotation that keeps fields.
fn is_frame(path: &Path, sides: [&Side; 2]) -> bool {
    match &*path.0 {
        [name] => name == "apiVersion" || name == "kind",
        [metadata, annotations, key] if metadata == "metadata" && annotations == "annotations" => {
            key == STASH || sides.iter().any(|side| side.annotations.iter().any(|(_, own)| own == key))
        }
        _ => false,
    }
}

fn annotations(object: &Value) -> impl Iterator<Item = (&str, &str)> {
    let members = object.pointer("/metadata/annotations").and_then(Value::as_object);
    members.into_iter().flatten().filter_map(|(key, text)| Some((&**key, text.as_str()?)))
}

fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    annotations(object).find(|(own, _)| *own == key).map(|(_, text)| text)
}

/// The line of the report about a field that comes back in another form.
fn why_form<'s>(side: &'s Side, path: &Path) -> Option<&'s str> {
    let is_it = |form: &Canonical| {
        let own = path_of(form);
        // What is in an empty value is not it.
        own.covers(path) && (own.0.len() == path.0.len() || !matches!(form, Canonical::Empty(_)))
    };
    let found = side.canonical.iter().filter(|(form, _)| is_it(form));
    found.max_by_key(|(form, _)| path_of(form).0.len()).map(|(_, line)| &**line)
}

fn path_of(form: &Canonical) -> Path {
    match form {
        Canonical::Empty(path)
        | Canonical::Determined(path)
        | Canonical::Created(path)
        | Canonical::Any(path)
        | Canonical::Dropped(path) => Path::of_rule(path),
    }
}
