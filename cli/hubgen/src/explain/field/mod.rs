//! A kind at one version, or a field of it: its type, the releases that had it, what they changed about it, its defaults,
//! and where it is at other versions.

mod defaults;
mod elsewhere;
mod in_json;
mod in_text;
mod walk;

use hubgen_codegen::Conversions;
use hubgen_documents::archive::{Archive, Fact, Place, Told};
use hubgen_model::{GroupVersion, Release, Type};
use hubgen_terminal::Diagnostic;

use self::defaults::Default;
use self::elsewhere::Elsewhere;
use self::walk::{Range, Walk};
use crate::explain_conversion::path::Path;

pub use in_json::show as json;
pub use in_text::show as text;

/// A kind at one version, or a field of it, in one release.
pub struct Element {
    /// The version: `apps/v1`.
    pub api_version: String,
    /// The kind.
    pub kind: String,
    /// The field; empty for the kind itself.
    pub path: Path,
    /// The release.
    pub release: Release,
    /// The newest release that the archive has.
    pub newest: Release,
    /// The releases that had it.
    pub range: Range,
    /// Its type.
    pub ty: String,
    /// What else is known about it, as it was in the release.
    pub facts: Vec<FactThen>,
    /// The preferred version of the group, for the kind itself and releases of which discovery is known.
    pub preferred: Option<String>,
    /// The defaults that servers of the newest release set for it, and for what is in it.
    pub defaults: Vec<Default>,
    /// The fields of its objects, each with the releases that had it, and whether `release` did.
    pub fields: Vec<(String, Range, bool)>,
    /// Where it is at other versions; `None` if the kind does not convert.
    pub elsewhere: Option<Elsewhere>,
}

/// A fact in a release.
pub struct FactThen {
    /// The subresource that it is about: `scale`.
    pub part: Option<String>,
    /// The fact.
    pub fact: Fact,
    /// Its value.
    pub told: Told,
    /// The values of earlier releases, each with the last one that had it. The last of these may be `told`.
    pub past: Vec<(Release, Told)>,
    /// The value that followed them.
    pub last: Told,
}

/// What is known about `name` at a version: `Deployment`, `Deployment.spec.strategy`.
///
/// # Errors
/// If there is no such version, kind or field, or if the release did not have it; the help lists what there is.
pub fn explain(version: &str, name: &str, release: Option<Release>) -> Result<Element, Vec<Diagnostic>> {
    let archive = hubgen_releases::archive()?;
    let (kind, path) = name.split_once('.').unwrap_or((name, ""));
    let root = root(&archive, version, kind).map_err(|error| vec![error])?;
    let api = &archive.api;
    let walk =
        Walk::new(|id| api.find(id), root, path).map_err(|wrong| vec![wrong.diagnostic(version, kind)])?;
    let range = walk.range(&api.versions[&root.id.group_version], root);
    let newest = archive.report.releases.last().copied().unwrap_or(Release::new(1, 0));
    let shown = if walk.path.0.is_empty() {
        format!("{version} {kind}")
    } else {
        format!("{version} {kind}.{}", walk.path)
    };
    let release = match release {
        Some(release) if !range.has(release) => {
            return Err(vec![not_there(&shown, range, release, &archive)]);
        }
        Some(release) => release,
        None => range.until.unwrap_or(newest),
    };
    let conversions =
        Conversions::of_files(std::path::Path::new("schemas/kubernetes"), hubgen_schemas::kubernetes())?;
    let then = archive.at(release);
    let named = |ty: &Type| {
        let is_there = |name: &str| then.find(&ty.id).is_some_and(|ty| ty.field(name).is_some());
        ty.named().map(|field| (field.name.clone(), Range::of(field), is_there(&field.name))).collect()
    };
    Ok(Element {
        api_version: version.to_owned(),
        kind: kind.to_owned(),
        facts: facts(&archive, &walk, root, range, release),
        ty: match walk.field() {
            None => root.id.to_string(),
            Some((ty, field)) => {
                then.find(&ty.id).and_then(|ty| ty.field(&field.name)).unwrap_or(field).ty.to_string()
            }
        },
        preferred: archive
            .report
            .preferred
            .get(&root.id.group_version.group)
            .filter(|_| walk.path.0.is_empty())
            .and_then(|known| {
                let (_, version) = known.range(..=release).next_back()?;
                Some(GroupVersion::new(root.id.group_version.group.clone(), version.clone()).api_version())
            }),
        defaults: defaults::of(api, &walk, root)?,
        fields: walk.inner(root).map(named).unwrap_or_default(),
        elsewhere: elsewhere::of(&conversions, api, root, &walk.path),
        path: walk.path,
        release,
        newest,
        range,
    })
}

/// The type of a kind at a version.
fn root<'a>(archive: &'a Archive, version: &str, kind: &str) -> Result<&'a Type, Diagnostic> {
    let api = &archive.api;
    let named = |ty: &&Type| ty.id.name == kind && ty.kind.is_some();
    let found = GroupVersion::parse(version).and_then(|version| api.versions.get(&version));
    if let Some(ty) = found.and_then(|version| version.types.get(kind)).filter(|ty| named(ty)) {
        return Ok(ty);
    }
    let versions: Vec<String> =
        api.types().filter(named).map(|ty| ty.id.group_version.api_version()).collect();
    let (message, help) = match (found, &*versions) {
        (None, []) => (
            format!("no release had the version {version}"),
            "`hubgen explain KIND` lists the versions of a kind".to_owned(),
        ),
        (Some(_), []) => (
            format!("{version} has no kind {kind}"),
            "write its name, such as Deployment; `hubgen explain KIND` finds it by other names, too"
                .to_owned(),
        ),
        (_, versions) => {
            (format!("{version} has no kind {kind}"), format!("its versions are {}", versions.join(", ")))
        }
    };
    Err(Diagnostic::message(message, help))
}

/// The error about a release that did not have something.
fn not_there(shown: &str, range: Range, release: Release, archive: &Archive) -> Diagnostic {
    if archive.report.releases.contains(&release) {
        return Diagnostic::message(
            format!("{release} did not have {shown}"),
            format!("it is there {range}"),
        );
    }
    let known = archive.report.releases.iter().filter(|release| **release >= Release::new(1, 7));
    let known: Vec<Release> = known.copied().collect();
    let help = match (known.first(), known.last()) {
        (Some(first), Some(last)) => format!("the archive has {first} to {last}"),
        _ => String::new(),
    };
    Diagnostic::message(format!("the archive has no documents of Kubernetes {release}"), help)
}

/// The facts about a field, or about the resource of a kind.
fn facts(archive: &Archive, walk: &Walk<'_>, root: &Type, range: Range, release: Release) -> Vec<FactThen> {
    let then = |part: Option<&str>, place: Place, fact: Fact, newest: Option<Told>| -> Option<FactThen> {
        let last = newest?;
        let past = archive.history.past(&place, fact).filter(|(until, _)| range.since <= Some(*until));
        Some(FactThen {
            part: part.map(str::to_owned),
            fact,
            told: archive.history.told(&place, fact, release).unwrap_or(&last).clone(),
            past: past.map(|(until, told)| (until, told.clone())).collect(),
            last,
        })
    };
    if let Some((ty, field)) = walk.field() {
        let of = |fact: Fact| then(None, Place::field(&ty.id, &field.name), fact, fact.of_field(field));
        return Fact::OF_FIELDS.into_iter().filter_map(of).collect();
    }
    let Some(resource) = root.kind.as_ref().and_then(|kind| kind.resource.as_ref()) else {
        return Vec::new();
    };
    let mut out: Vec<FactThen> = Vec::new();
    for fact in Fact::OF_RESOURCES {
        out.extend(then(None, Place::resource(&root.id), fact, fact.of_resource(resource)));
    }
    let had = |part: &hubgen_model::Subresource| Range { since: part.since, until: part.until }.has(release);
    for (name, part) in resource.subresources.iter().filter(|(_, part)| had(part)) {
        for fact in Fact::OF_SUBRESOURCES {
            out.extend(then(Some(name), Place::subresource(&root.id, name), fact, fact.of_subresource(part)));
        }
    }
    out
}
