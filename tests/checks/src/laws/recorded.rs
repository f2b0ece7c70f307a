//! Recorded answers of another implementation, or answers that were checked by hand against its
//! source. Our conversions must give the same.
//!
//! A file has one line for each object. `release` names the release of Kubernetes whose Scheme
//! answered. If no Scheme knows a version, `functions` names for each version the upstream function
//! that the answer was checked against.

use std::collections::BTreeMap;
use std::path::Path;

use hubgen_kubernetes::machinery::convert::STASH;
use hubgen_kubernetes::machinery::convert::with_annotations;
use hubgen_kubernetes::machinery::json;
use hubgen_kubernetes::machinery::reflect::Reflect;
use hubgen_laws::versions::{AnyObject, Convertible};
use serde_json::Value;

use crate::differential;
use crate::family::{Family, Member};
use crate::single::{self, Leaves};

/// The members that identify an object's type.
const NAMES: [&str; 2] = ["apiVersion", "kind"];

/// An object at one version, and the same object at another.
pub struct Recorded {
    from: String,
    to: String,
    source: Source,
    object: Vec<u8>,
    /// The leaves of the object.
    leaves: Leaves,
    /// As we write it, without hubgen's annotations.
    answer: Value,
}

/// The source of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Another implementation answered.
    Implementation,
    /// Checked by hand against the source of the other implementation.
    Hand,
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
    text(to.from_hub(&*from.to_hub(&*read)?)?)
}

fn text(mut object: AnyObject) -> Result<Value, String> {
    let object: &mut dyn Reflect = &mut *object;
    with_annotations(object, &mut |annotations| {
        annotations.remove(STASH);
    });
    let mut value: Value =
        serde_json::from_slice(&json::encode(object).unwrap()).map_err(|error| error.to_string())?;
    // A type may be registered under several versions, and writes only one of them.
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, _| !NAMES.contains(&&**name));
    }
    Ok(value)
}

/// Answers by title of the family.
pub type Answers = BTreeMap<String, Vec<Recorded>>;

/// Reads every file of answers in a folder (`*.jsonl`, one answer per line).
///
/// # Errors
/// All lines that cannot be read, do not name their source, or differ from the compiled
/// conversions; one error per line.
pub fn read(folder: &Path, families: &BTreeMap<String, Family<'_>>) -> Result<Answers, String> {
    let context = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    let (mut out, mut errors) = (Answers::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(|error| context(&error))? {
        let path = entry.map_err(|error| context(&error))?.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| context(&error))?;
        let lines: Vec<&str> = text.lines().collect();
        let all = crate::on_all_processors(lines.len(), |at| answers(lines[at], families));
        for (number, found) in all.into_iter().enumerate() {
            match found {
                Ok((title, recorded)) => out.entry(title).or_default().extend(recorded),
                Err(error) => errors.push(format!("{}:{}: {error}", path.display(), number + 1)),
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors.join("\n")) }
}

fn answers(line: &str, families: &BTreeMap<String, Family<'_>>) -> Result<(String, Vec<Recorded>), String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let source = source_of(&value)?;
    // If defaults are requested, the object to convert is the one in the answer.
    let is_defaulted = value["default"] == true;
    let object = if is_defaulted { &value["answer"] } else { &value["object"] };
    let is_kind = |member: &&Member<'_>| {
        object["apiVersion"] == member.entry.api_version() && object["kind"] == *member.entry.kind
    };
    let mut all = families.values();
    let found = all.find_map(|family| Some((family, family.versions.iter().find(is_kind)?)));
    let Some((family, from)) = found else {
        return Err(format!("no kind {} {} has conversions", object["apiVersion"], object["kind"]));
    };
    let Some(versions) = value["versions"].as_object().filter(|versions| !versions.is_empty()) else {
        return Err("expected `versions` with an answer, found none".to_owned());
    };
    differential::compare_line(line)?;
    let text = object.to_string().into_bytes();
    let mut out = Vec::new();
    for version in versions.keys() {
        let member = family.versions.iter().find(|member| member.entry.api_version() == *version);
        let to = member.ok_or_else(|| format!("{} has no version {version}", family.title))?;
        out.push(Recorded {
            from: from.entry.api_version(),
            to: version.clone(),
            source,
            answer: convert(&text, &*from.version, &*to.version)?,
            leaves: single::leaves_in(object),
            object: text.clone(),
        });
    }
    Ok((family.title.clone(), out))
}

/// The source of an answer. An answer that was checked by hand names upstream's function for every
/// version.
fn source_of(line: &Value) -> Result<Source, String> {
    let Some(functions) = line["functions"].as_object() else {
        return match line["release"].as_str() {
            Some(_) => Ok(Source::Implementation),
            None => {
                Err("expected the source of the answer, `release` or `functions`, found neither".to_owned())
            }
        };
    };
    let versions = line["versions"].as_object();
    let mut names = versions.into_iter().flatten().map(|(version, _)| version);
    match names.find(|version| !functions.get(*version).is_some_and(is_function)) {
        None => Ok(Source::Hand),
        Some(version) => Err(format!(
            "functions.{version}: expected upstream's function that the answer was checked against, as \
             `k8s.io/kubernetes@v1.7.5/pkg/apis/…: Convert_…`"
        )),
    }
}

fn is_function(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains("@v1.") && text.contains(": Convert_"))
}

/// The source of the answer for an object with these leaves, if there is one.
pub fn source(answers: &[Recorded], from: &str, to: &str, leaves: &Leaves) -> Option<Source> {
    let has_leaves = |recorded: &&Recorded| {
        recorded.from == from && recorded.to == to && leaves.is_subset(&recorded.leaves)
    };
    let found: Vec<Source> = answers.iter().filter(has_leaves).map(|recorded| recorded.source).collect();
    if found.contains(&Source::Implementation) {
        Some(Source::Implementation)
    } else {
        found.first().copied()
    }
}

/// Checks that a family still gives the answers that involve one of some versions.
///
/// # Errors
/// The first answer that differs.
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
