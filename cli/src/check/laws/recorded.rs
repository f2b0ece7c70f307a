//! What another implementation answered, where we answer the same: it has to
//! stay so.

use std::collections::BTreeMap;
use std::path::Path;

use hubgen_kubernetes::machinery::convert::KEPT;
use hubgen_kubernetes::machinery::convert::laws::{AnyObject, Convertible, with_annotations};
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::reflect::Reflect;
use serde_json::Value;

use super::family::{Family, Member};

/// Annotations of ours, which nobody else writes.
const OURS: &str = "conversion.hubgen.dev/";

/// What an object calls itself.
const NAMES: [&str; 2] = ["apiVersion", "kind"];

/// An object at one version, and what it is at another.
pub struct Recorded {
    from: String,
    to: String,
    object: Vec<u8>,
    /// As we write it, without what only our annotation keeps.
    answer: Value,
}

impl Recorded {
    fn is_kept_by(&self, from: &dyn Convertible, to: &dyn Convertible) -> Result<(), String> {
        let found = convert(&self.object, from, to)?;
        if found == self.answer {
            return Ok(());
        }
        Err(format!("{} → {}: expected {}, found {found}", self.from, self.to, self.answer))
    }
}

fn convert(object: &[u8], from: &dyn Convertible, to: &dyn Convertible) -> Result<Value, String> {
    let mut read = from.empty();
    json::decode_into(object, &mut *read).map_err(|error| error.to_string())?;
    text(to.show(&*from.lift(&*read))?)
}

fn text(mut object: AnyObject) -> Result<Value, String> {
    let object: &mut dyn Reflect = &mut *object;
    with_annotations(object, &mut |annotations| {
        annotations.remove(KEPT);
    });
    let mut value: Value =
        serde_json::from_slice(&json::encode(object)).map_err(|error| error.to_string())?;
    // A type may be registered under several versions, and says one of them.
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, _| !NAMES.contains(&&**name));
    }
    Ok(value)
}

/// Answers by the title of the family.
pub type Answers = BTreeMap<String, Vec<Recorded>>;

/// Reads every file of answers in a folder, `*.jsonl`, a line each; keeps those
/// that the compiled conversions give too.
///
/// # Errors
/// What cannot be read, or is none.
pub fn read(folder: &Path, families: &BTreeMap<String, Family<'_>>) -> Result<Answers, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    let mut out = Answers::new();
    for entry in std::fs::read_dir(folder).map_err(|error| told(&error))? {
        let path = entry.map_err(|error| told(&error))?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| told(&error))?;
        for (number, line) in text.lines().enumerate() {
            let line: Value = serde_json::from_str(line)
                .map_err(|error| format!("{}:{}: {error}", path.display(), number + 1))?;
            for (title, recorded) in answers(&line, families) {
                out.entry(title).or_default().push(recorded);
            }
        }
    }
    Ok(out)
}

fn answers(line: &Value, families: &BTreeMap<String, Family<'_>>) -> Vec<(String, Recorded)> {
    let object = &line["object"];
    let is_kind = |member: &&Member<'_>| {
        object["apiVersion"] == member.entry.api_version() && object["kind"] == member.entry.kind
    };
    let mut all = families.values();
    let found = all.find_map(|family| Some((family, family.versions.iter().find(is_kind)?)));
    // What is defaulted says more than the rules.
    let (Some((family, from)), Some(versions), Value::Bool(false)) =
        (found, line["versions"].as_object(), &line["default"])
    else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for to in &family.versions {
        let Some(theirs) = versions.get(&to.entry.api_version()) else { continue };
        let object = object.to_string().into_bytes();
        let Ok(answer) = convert(&object, &*from.version, &*to.version) else { continue };
        if is_same(&answer, theirs) {
            let (from, to) = (from.entry.api_version(), to.entry.api_version());
            out.push((family.title.clone(), Recorded { from, to, object, answer }));
        }
    }
    out
}

/// Whether both say the same, what only we keep apart.
fn is_same(ours: &Value, theirs: &Value) -> bool {
    let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
    if let Some(members) = theirs.as_object_mut() {
        members.retain(|name, _| !NAMES.contains(&&**name));
    }
    // Answers may have been recorded with ours.
    let has_ours = annotations(&mut theirs).is_some_and(|all| all.keys().any(|key| key.starts_with(OURS)));
    if !has_ours && let Some(all) = annotations(&mut ours) {
        all.retain(|key, _| !key.starts_with(OURS));
        if all.is_empty() {
            ours["metadata"].as_object_mut().map(|metadata| metadata.shift_remove("annotations"));
        }
    }
    ours == theirs
}

fn annotations(object: &mut Value) -> Option<&mut serde_json::Map<String, Value>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}

/// Whether a family still gives the answers that one of some versions is in.
///
/// # Errors
/// The first that it does not.
pub fn are_kept(answers: &[Recorded], family: &Family<'_>, changed: &[String]) -> Result<(), String> {
    let version = |name: &str| {
        let found = family.versions.iter().find(|member| member.entry.api_version() == name);
        found.map(|member| &*member.version).ok_or_else(|| format!("{name} does not convert"))
    };
    for recorded in answers {
        if changed.contains(&recorded.from) || changed.contains(&recorded.to) {
            recorded.is_kept_by(version(&recorded.from)?, version(&recorded.to)?)?;
        }
    }
    Ok(())
}
