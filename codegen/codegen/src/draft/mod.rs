//! Drafts rules for kinds whose versions differ, for people to complete.
//!
//! What only the hub has is kept in an annotation, and what only a version has is added to the hub.
//! Versions for which that suffices convert at once, and lose nothing. It is only a draft, because a field of
//! another name is both: people replace such a pair by `move` or another operator. Versions of which a field has
//! another type do not convert until somebody has written a rule for it.

mod hub;
mod moves;
mod proposals;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hubgen_documents::folder::Files;
use hubgen_documents::rules::{self, RuleSet};
use hubgen_documents::schema::Carried;
use hubgen_documents::{Diagnostic, Source};
use hubgen_model::rules::Rules;
use hubgen_model::{Api, Field, GroupVersion};
use hubgen_plan::family::{Family, families};
use hubgen_plan::{Difference, What, differences};

use self::hub::with_hub;
use self::moves::moves;
use self::proposals::proposals;
use self::words::{Words, words};
use crate::generate::{Inputs, read};
use crate::target::Target;

/// The drafts for a folder of schemas.
#[derive(Debug, Default)]
pub struct Drafts {
    /// The files, by their paths below the folder of schemas.
    pub files: Files,
    /// What only people can decide: group version, kind, path, and what differs.
    pub open: Vec<String>,
    /// The number of versions in the drafts that are not their kind's hub.
    pub versions: usize,
    /// How many of these convert with the drafts as they are.
    pub converting: usize,
}

/// Drafts a rules file for each kind whose versions differ, and that has no rules yet. The hub is the newest version,
/// or `hub`, a version with or without its group, for kinds that have it.
///
/// # Errors
/// All errors in schemas, rules and defaults; and a hub that no such kind has.
pub fn draft(
    schemas: &Path,
    carried: &Carried<'_>,
    target: &Target,
    hub: Option<&str>,
) -> Result<Drafts, Vec<Diagnostic>> {
    let Inputs { api, rules: known, .. } = read(schemas, carried, target)?;
    let has_rules = |family: &Family| {
        let is_it =
            |rules: &Rules| rules.kind.value == family.kind && rules.hub.value.group == family.hub.group;
        known.rules.iter().any(is_it)
    };
    let declared: Vec<_> = known.rules.iter().map(Rules::declared).collect();
    let undrafted = || {
        let families = families(&api, &declared).into_iter();
        families.filter(|family| !has_rules(family) && family.has_versions())
    };
    let mut drafts: BTreeMap<String, Draft> = BTreeMap::new();
    if let Some(hub) = hub {
        let families = with_hub(hub, undrafted().collect()).map_err(|error| vec![error])?;
        drafts.extend(families.iter().map(|family| (family.title(), Draft::of(family))));
    }
    // A field that is added to the hub for one version is missing in the others. Each round drafts
    // more lines, until there are no new ones.
    loop {
        let rules = with_drafts(schemas, &api, &drafts)?;
        let mut found = differences(&api, &rules.rules);
        found.retain(|(family, _)| !has_rules(family));
        let mut note = |is_noted: fn(&What) -> bool| {
            let mut is_changed = false;
            for (family, found) in &found {
                let found = found.iter().filter(|difference| is_noted(&difference.what)).cloned().collect();
                let draft = drafts.entry(family.title()).or_insert_with(|| Draft::of(family));
                is_changed |= draft.note(&api, found);
            }
            is_changed
        };
        // What is two types in the hub may be one when all fields are added.
        if !note(|what| !matches!(what, What::TwoTypes(_))) && !note(|what| matches!(what, What::TwoTypes(_)))
        {
            break;
        }
    }
    for mut family in undrafted() {
        if let Some(draft) = drafts.get(&family.title()) {
            family.hub = draft.hub.clone();
        }
        note_words(&api, &family, &mut drafts);
    }
    // Versions that do not differ need no rules, whichever of them is the hub.
    drafts.retain(|_, draft| !draft.versions.is_empty());
    let open = drafts.values().flat_map(Draft::open).collect();
    let files = drafts.values().map(|draft| (draft.path(), draft.text(&api))).collect();
    let versions = drafts.values().map(|draft| draft.others.len()).sum();
    let converting = drafts.values().map(|draft| draft.converting().count()).sum();
    Ok(Drafts { files, open, versions, converting })
}

/// The rules of the folder, and those of the drafts.
fn with_drafts(
    schemas: &Path,
    api: &Api,
    drafts: &BTreeMap<String, Draft>,
) -> Result<RuleSet, Vec<Diagnostic>> {
    let mut documents = rules::documents(&schemas.join("rules"))?;
    documents.extend(drafts.values().map(|draft| Source::new(schemas.join(draft.path()), draft.text(api))));
    rules::read_documents(&schemas.join("rules"), documents)
}

/// Adds the fields whose words differ. A family without other differences has a draft only if some words are likely the
/// same.
fn note_words(api: &Api, family: &Family, drafts: &mut BTreeMap<String, Draft>) {
    let others = family.members.iter().filter(|version| **version != family.hub);
    let found: Vec<(&GroupVersion, Vec<Words>)> = others
        .map(|version| (version, words(api, &family.kind, version, &family.hub)))
        .filter(|(_, words)| !words.is_empty())
        .collect();
    let are_likely = found.iter().flat_map(|(_, words)| words).any(|words| !words.pairs.is_empty());
    if !are_likely && !drafts.contains_key(&family.title()) {
        return;
    }
    let draft = drafts.entry(family.title()).or_insert_with(|| Draft::of(family));
    for (version, words) in found {
        draft.versions.entry(version.clone()).or_default().words = words;
    }
}

/// The rules of one family so far.
#[derive(Debug, Default)]
struct Draft {
    kind: String,
    hub: GroupVersion,
    /// The versions that are not the hub.
    others: Vec<GroupVersion>,
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
    /// Fields that may be the same, but lie elsewhere: in the version, and in the hub.
    likely: BTreeSet<(String, String)>,
    /// Operators that names and types suggest, as comments.
    proposals: BTreeSet<String>,
    /// Fields whose schemas do not allow the same words.
    words: Vec<Words>,
    /// Paths, and what differs there.
    open: BTreeMap<String, String>,
}

impl Draft {
    /// That of a family, without lines.
    fn of(family: &Family) -> Self {
        Self {
            kind: family.kind.clone(),
            hub: family.hub.clone(),
            others: family.members.iter().filter(|version| **version != family.hub).cloned().collect(),
            ..Self::default()
        }
    }

    /// Adds lines for differences. Returns whether there are new ones.
    fn note(&mut self, api: &Api, found: Vec<Difference>) -> bool {
        let (before, mut is_changed) = (self.lines(), false);
        let (moves, likely) = moves(api, &self.kind, &self.hub, &found);
        for (version, own, hub) in likely {
            self.versions.entry(version).or_default().likely.insert((own, hub));
        }
        for (version, comment) in proposals(api, &self.kind, &self.hub, &found) {
            self.versions.entry(version).or_default().proposals.insert(comment);
        }
        for Difference { version, path, what } in found {
            let is_addable = field(api, &version, &self.kind, &path).is_some();
            let lines = self.versions.entry(version.clone()).or_default();
            let moved = moves.iter().find(|(of, own, hub)| *of == version && (*own == path || *hub == path));
            match what {
                What::OnlyInHub | What::OnlyInVersion if moved.is_some() => {
                    lines.moves.extend(moved.map(|(_, own, hub)| (own.clone(), hub.clone())));
                }
                What::OnlyInHub => drop(lines.keep.insert(path)),
                What::OnlyInVersion if is_addable => is_changed |= self.add(path, version),
                What::OnlyInVersion => {
                    let text = format!("`{path}` is a field that the hub lacks");
                    lines.open.insert(path, text);
                }
                What::Types(message) => drop(lines.open.insert(path.clone(), format!("`{path}` {message}"))),
                What::TwoTypes(message) => {
                    let text = format!(
                        "the type `{path}` {message}: leave all but one of these fields out of `add`, and `drop` them"
                    );
                    lines.open.insert(path, text);
                }
            }
        }
        is_changed || self.lines() > before
    }

    /// Adds a field of a version to the hub. A version that does not convert adds nothing, so another one replaces it.
    /// Returns whether it does.
    fn add(&mut self, path: String, version: GroupVersion) -> bool {
        let is_idle = self.add.get(&path).is_some_and(|from| *from != version && !self.converts(from));
        if is_idle || !self.add.contains_key(&path) {
            self.add.insert(path, version);
        }
        is_idle
    }

    /// Whether the hub has a field only once a version converts that does not convert yet.
    fn is_of_later(&self, path: &str) -> bool {
        let is_in = |added: &str| {
            path.strip_prefix(added).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.add.iter().any(|(added, from)| is_in(added) && !self.converts(from))
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

    /// Whether a version converts with the draft as it is.
    fn converts(&self, version: &GroupVersion) -> bool {
        self.versions.get(version).is_none_or(|lines| lines.open.is_empty())
    }

    /// The versions that convert with the draft as it is, without the hub.
    fn converting(&self) -> impl Iterator<Item = &GroupVersion> {
        self.others.iter().filter(|version| self.converts(version))
    }

    /// What the draft is, and what it is not.
    fn heading(&self) -> String {
        let (converting, all) = (self.converting().count(), self.others.len());
        let standing = if converting == all {
            "All versions convert, and lose nothing.".to_owned()
        } else {
            let waiting: Vec<&str> = self
                .others
                .iter()
                .filter(|version| !self.converts(version))
                .map(|version| version.version.as_str())
                .collect();
            format!(
                "Of {all} versions besides the hub, {converting} convert.\n\
                 # These do not, until somebody has written rules for what is \"to do\": {}.",
                waiting.join(", ")
            )
        };
        format!(
            "# A draft by `hubgen draft-rules`. {standing}\n\
             # A field that only has another name or another form should be mapped: replace its line in `add` and its line\n\
             # in `keep` by `move`, `words` or another operator. Remove this comment when you have read all lines.\n"
        )
    }

    fn text(&self, api: &Api) -> String {
        let mut out = self.heading();
        let _ = writeln!(out, "hub = {}", quoted(&self.hub.to_string()));
        // A version that does not convert adds nothing yet.
        let adding = |(path, from): (&String, &GroupVersion)| {
            format!("{{ path = {}, from = {} }}", quoted(path), quoted(&from.to_string()))
        };
        let add = self.add.iter().filter(|(_, from)| self.converts(from)).map(adding);
        list(&mut out, "", "add", add);
        for (version, Lines { moves, keep, likely, proposals, words, open }) in &self.versions {
            let _ = writeln!(out, "\n[{}]", quoted(&version.to_string()));
            if let Some(first) = open.values().next() {
                // Until somebody has written the rule, the version can be read, but not converted.
                let reason = format!("its rules are not written yet: {first}");
                let _ = writeln!(out, "not-convertible = {}", quoted(&reason));
                open.values().for_each(|text| out.push_str(&format!("# To do: {text}.\n")));
                out.push_str("# Then without the lines above:\n");
            }
            for (own, hub) in likely {
                let _ = writeln!(
                    out,
                    "# Perhaps the same field: move = [[{}, {}]], without their lines in `add` and `keep`.",
                    quoted(own),
                    quoted(hub)
                );
            }
            proposals.iter().for_each(|comment| out.push_str(&format!("# {comment}\n")));
            words.iter().for_each(|words| words.write(&mut out));
            let comment = if open.is_empty() { "" } else { "# " };
            let pairs = moves.iter().map(|(own, hub)| format!("[{}, {}]", quoted(own), quoted(hub)));
            list(&mut out, comment, "move", pairs);
            let keep = keep.iter().filter(|path| !open.is_empty() || !self.is_of_later(path));
            list(&mut out, comment, "keep", keep.map(|path| quoted(path)));
            let add = self.add.iter().filter(|(_, from)| !open.is_empty() && *from == version).map(adding);
            list(&mut out, "# At the top: ", "add", add);
            if !open.is_empty() {
                self.keeps_of_added(api, version, &mut out);
            }
        }
        out
    }

    /// Writes which other versions lack the fields that the hub gets once a version converts.
    fn keeps_of_added(&self, api: &Api, adding: &GroupVersion, out: &mut String) {
        let added = || self.add.iter().filter(|(_, from)| *from == adding).map(|(path, _)| path);
        for version in self.others.iter().chain([&self.hub]).filter(|version| *version != adding) {
            let lacks = |path: &&String| field(api, version, &self.kind, path).is_none();
            let comment = format!("# In the table of {}: ", quoted(&version.to_string()));
            list(out, &comment, "keep", added().filter(lacks).map(|path| quoted(path)));
        }
    }
}

/// Writes a list, unless it is empty. Each line begins with `comment`.
fn list(out: &mut String, comment: &str, name: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let below = if comment.is_empty() { "" } else { "# " };
    let _ = writeln!(out, "{comment}{name} = [");
    items.iter().for_each(|item| out.push_str(&format!("{below}    {item},\n")));
    let _ = writeln!(out, "{below}]");
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
