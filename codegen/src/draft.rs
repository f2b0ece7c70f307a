//! Drafts rules for kinds whose versions differ, for people to complete.
//!
//! What only the hub has is kept in an annotation, and what only a version has is added to the hub.
//! That loses nothing, so code can be generated at once. It is only a draft, because a field of
//! another name is both: people replace such a pair by `move` or another operator.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hubgen_documents::folder::Files;
use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, Source};
use hubgen_model::{Api, Field, GroupVersion, TypeExpr};
use hubgen_plan::{Difference, What, differences};

use crate::generate::{Inputs, read};
use crate::target::Target;

/// The drafts for a folder of schemas.
#[derive(Debug, Default)]
pub struct Drafts {
    /// The files, by their paths below the folder of schemas.
    pub files: Files,
    /// What only people can decide: group version, kind, path, and what differs.
    pub open: Vec<String>,
}

/// Drafts a rules file for each kind whose versions differ, and that has no rules yet.
///
/// # Errors
/// All errors in schemas, rules and defaults.
pub fn draft(schemas: &Path, carried: &Carried<'_>, target: &Target) -> Result<Drafts, Vec<Diagnostic>> {
    let Inputs { api, rules: known, .. } = read(schemas, carried, target)?;
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    // A field that is added to the hub for one version is missing in the others. Each round drafts
    // more lines, until there are no new ones.
    loop {
        let rules = with_drafts(schemas, &drafts)?;
        let mut is_changed = false;
        for (family, found) in differences(&api, &rules.rules) {
            let has_rules = known
                .rules
                .iter()
                .any(|rules| rules.kind.value == family.kind && rules.hub.value.group == family.hub.group);
            if has_rules {
                continue;
            }
            let draft = drafts.entry(family.title()).or_insert_with(|| Draft {
                kind: family.kind.clone(),
                hub: family.hub.clone(),
                ..Draft::default()
            });
            is_changed |= draft.note(&api, found);
        }
        if !is_changed {
            break;
        }
    }
    let open = drafts.values().flat_map(Draft::open).collect();
    let files = drafts.values().map(|draft| (draft.path(), draft.text())).collect();
    Ok(Drafts { files, open })
}

/// The rules of the folder, and those of the drafts.
fn with_drafts(schemas: &Path, drafts: &BTreeMap<String, Draft>) -> Result<RuleSet, Vec<Diagnostic>> {
    let mut documents = rules::documents(&schemas.join("rules"))?;
    documents.extend(drafts.values().map(|draft| Source::new(schemas.join(draft.path()), draft.text())));
    rules::read_documents(&schemas.join("rules"), documents)
}

/// The rules of one family so far.
#[derive(Debug, Default)]
struct Draft {
    kind: String,
    hub: GroupVersion,
    /// Fields that are added to the hub, and the version that has them.
    add: BTreeMap<String, GroupVersion>,
    versions: BTreeMap<GroupVersion, Lines>,
}

/// The rules of one version so far.
#[derive(Debug, Default)]
struct Lines {
    /// Fields whose names differ in case and punctuation only: in the version, and in the hub.
    moves: BTreeSet<(String, String)>,
    keep: BTreeSet<String>,
    /// Paths, and what differs there.
    open: BTreeMap<String, String>,
}

impl Draft {
    /// Adds lines for differences. Returns whether there are new ones.
    fn note(&mut self, api: &Api, found: Vec<Difference>) -> bool {
        let before = self.lines();
        let moves = moves(api, &self.kind, &self.hub, &found);
        for Difference { version, path, what } in found {
            let is_addable = field(api, &version, &self.kind, &path).is_some();
            let lines = self.versions.entry(version.clone()).or_default();
            let moved = moves.iter().find(|(of, own, hub)| *of == version && (*own == path || *hub == path));
            match what {
                What::OnlyInHub | What::OnlyInVersion if moved.is_some() => {
                    lines.moves.extend(moved.map(|(_, own, hub)| (own.clone(), hub.clone())));
                }
                What::OnlyInHub => drop(lines.keep.insert(path)),
                What::OnlyInVersion if is_addable => drop(self.add.entry(path).or_insert(version)),
                What::OnlyInVersion => {
                    let text = format!("`{path}` is a field that the hub lacks");
                    lines.open.insert(path, text);
                }
                What::Types(message) => drop(lines.open.insert(path.clone(), format!("`{path}` {message}"))),
            }
        }
        self.lines() > before
    }

    /// The number of lines.
    fn lines(&self) -> usize {
        let of = |lines: &Lines| lines.moves.len() + lines.keep.len() + lines.open.len();
        self.add.len() + self.versions.values().map(of).sum::<usize>()
    }

    fn path(&self) -> PathBuf {
        Path::new("rules").join(format!("{}.{}.toml", self.hub.group_or_core(), self.kind))
    }

    fn open(&self) -> Vec<String> {
        let of = |(version, lines): (&GroupVersion, &Lines)| {
            let kind = &self.kind;
            lines.open.values().map(|text| format!("{version} {kind}: {text}")).collect::<Vec<_>>()
        };
        self.versions.iter().flat_map(of).collect()
    }

    fn text(&self) -> String {
        let mut out = String::from(
            "# A draft by `hubgen draft-rules`. It loses nothing, but a field that only has another name or another\n\
             # form should be mapped: replace its line in `add` and its line in `keep` by `move`, `words` or another\n\
             # operator. Remove this comment when you have read all lines.\n",
        );
        let _ = writeln!(out, "hub = {}", quoted(&self.hub.to_string()));
        // A version that does not convert adds nothing.
        let converts =
            |version: &GroupVersion| self.versions.get(version).is_none_or(|lines| lines.open.is_empty());
        let add: Vec<_> = self.add.iter().filter(|(_, from)| converts(from)).collect();
        if !add.is_empty() {
            out.push_str("add = [\n");
            for (path, from) in add {
                let (path, from) = (quoted(path), quoted(&from.to_string()));
                let _ = writeln!(out, "    {{ path = {path}, from = {from} }},");
            }
            out.push_str("]\n");
        }
        for (version, Lines { moves, keep, open }) in &self.versions {
            let _ = writeln!(out, "\n[{}]", quoted(&version.to_string()));
            if let Some(first) = open.values().next() {
                // Until somebody has written the rule, the version can be read, but not converted.
                let reason = format!("its rules are not written yet: {first}");
                let _ = writeln!(out, "not-convertible = {}", quoted(&reason));
                open.values().for_each(|text| out.push_str(&format!("# To do: {text}.\n")));
                out.push_str("# Then without the lines above:\n");
            }
            let comment = if open.is_empty() { "" } else { "# " };
            if !moves.is_empty() {
                let _ = writeln!(out, "{comment}move = [");
                for (own, hub) in moves {
                    let _ = writeln!(out, "{comment}    [{}, {}],", quoted(own), quoted(hub));
                }
                let _ = writeln!(out, "{comment}]");
            }
            if !keep.is_empty() {
                let _ = writeln!(out, "{comment}keep = [");
                for path in keep {
                    let _ = writeln!(out, "{comment}    {},", quoted(path));
                }
                let _ = writeln!(out, "{comment}]");
            }
        }
        out
    }
}

/// Fields of a version and of the hub whose names differ in case and punctuation only, and whose types
/// are equal: the version, and both paths.
fn moves(
    api: &Api,
    kind: &str,
    hub: &GroupVersion,
    found: &[Difference],
) -> Vec<(GroupVersion, String, String)> {
    let of = |what: What| found.iter().filter(move |difference| difference.what == what);
    let mut moves = Vec::new();
    for own in of(What::OnlyInVersion) {
        let mut others = of(What::OnlyInHub).filter(|other| {
            other.version == own.version
                && letters(&other.path) == letters(&own.path)
                && field(api, hub, kind, &other.path)
                    .zip(field(api, &own.version, kind, &own.path))
                    .is_some_and(|(a, b)| same(&a.ty, &b.ty))
        });
        if let (Some(other), None) = (others.next(), others.next()) {
            moves.push((own.version.clone(), own.path.clone(), other.path.clone()));
        }
    }
    moves
}

/// A path without case and punctuation.
fn letters(path: &str) -> String {
    let plain = |c: &char| c.is_alphanumeric() || *c == '.';
    path.chars().filter(plain).flat_map(char::to_lowercase).collect()
}

/// Whether two types are equal, or are types of two versions whose names differ in case only.
fn same(a: &TypeExpr, b: &TypeExpr) -> bool {
    match (a, b) {
        (TypeExpr::Ref(a), TypeExpr::Ref(b)) => {
            letters(&a.name) == letters(&b.name) && a.group_version.group == b.group_version.group
        }
        (TypeExpr::List(a), TypeExpr::List(b)) | (TypeExpr::Map(a), TypeExpr::Map(b)) => same(a, b),
        _ => a == b,
    }
}

/// The field at a path, which goes through lists and maps.
fn field<'a>(api: &'a Api, version: &GroupVersion, kind: &str, path: &str) -> Option<&'a Field> {
    let mut at = api.root(version, kind);
    let mut found = None;
    for name in path.split('.') {
        let field = at?.field(name)?;
        at = field.ty.named().and_then(|id| api.find(id));
        found = Some(field);
    }
    found
}

/// A string as TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
