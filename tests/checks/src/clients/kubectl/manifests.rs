//! Real manifests: each file is applied twice, and the second time nothing changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Args;
use crate::clients::files;
use crate::clients::serving::Serving;
use crate::clients::session::Session;

/// The releases at which manifests are tried, from the newest on; the empty one is the default.
const RELEASES: [&str; 8] = ["", "1.30", "1.25", "1.24", "1.21", "1.18", "1.15", "1.8"];

/// Manifests that a kube-apiserver 1.37.1 refuses, too, and what is wrong with them.
const WRONG: [(&str, &str); 3] = [
    ("_archived__volumes__fibre_channel__fc.yaml", "lun"),
    ("_archived__volumes__rbd__rbd.yaml", "unknown field \"spec.volumes[0].rbd.imagefeatures\""),
    ("_archived__volumes__scaleio__pod.yaml", "unknown field \"spec.volumes[0].scaleIO.protectionDoamin\""),
];

/// Version and kind of an object.
type Kind = (String, String);

/// A server that serves a release, and what it serves.
struct Served {
    session: Session,
    kinds: BTreeSet<Kind>,
    _serving: Serving,
}

/// Applies all manifests of a folder, each to the newest release that has all of its kinds.
///
/// # Errors
/// If the folder cannot be read, or a server does not start.
pub fn apply_all(
    args: &Args,
    kubectl: &Path,
    scratch: &Path,
    folder: &Path,
    mut take: impl FnMut(&str, Result<(), String>),
) -> Result<(), String> {
    let mut servers: BTreeMap<&str, Served> = BTreeMap::new();
    let mut left_out = Vec::new();
    for path in files(folder, &["yaml", "json"])? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let text = fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let kinds = kinds(&text);
        if kinds.is_empty() {
            left_out.push(format!("{name}: no objects"));
            continue;
        }
        let mut found = None;
        for release in RELEASES {
            if !servers.contains_key(release) {
                servers.insert(release, serve(args, kubectl, &scratch.join(release), release)?);
            }
            if kinds.is_subset(&servers[release].kinds) {
                found = Some(release);
                break;
            }
        }
        match found {
            Some(release) => {
                let at = if release.is_empty() { name.clone() } else { format!("{name} ({release})") };
                take(&at, apply_twice(&servers[release].session, &path));
            }
            None => {
                left_out.push(format!("{name}: kinds of definitions, or not all of one release: {kinds:?}"))
            }
        }
    }
    for why in left_out {
        eprintln!("left out: {why}");
    }
    Ok(())
}

/// Applies a manifest twice. The second time, nothing may be written. kubectl itself prints "configured" also where a manifest
/// and the object only write a value differently, such as 0.5 and 500m, so the revisions count.
fn apply_twice(session: &Session, path: &Path) -> Result<(), String> {
    let line = format!("apply -o json -f '{}'", path.display());
    let first = session.run(&line)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if let Some((_, why)) = WRONG.iter().find(|(file, _)| *file == name) {
        let is_refused = first.code != 0 && first.err.contains(why);
        return if is_refused { Ok(()) } else { Err(first.wrong(&format!("to be refused with `{why}`"))) };
    }
    let (first, second) = (revisions(&first.success()?)?, revisions(&session.ok(&line)?)?);
    if first == second { Ok(()) } else { Err(format!("{first:?} became {second:?} the second time")) }
}

/// The objects that were applied, with their revisions.
fn revisions(printed: &str) -> Result<Vec<[String; 3]>, String> {
    let value: Value = serde_json::from_str(printed).map_err(|error| format!("{error}: {printed}"))?;
    let objects = value["items"].as_array().map_or_else(|| vec![&value], |items| items.iter().collect());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |object: &&Value| {
        let metadata = &object["metadata"];
        [text(&object["kind"]), text(&metadata["name"]), text(&metadata["resourceVersion"])]
    };
    let revisions: Vec<_> = objects.iter().map(of).collect();
    match revisions.iter().all(|[.., revision]| !revision.is_empty()) {
        true => Ok(revisions),
        false => Err(format!("expected objects with a resourceVersion, found {printed}")),
    }
}

fn serve(args: &Args, kubectl: &Path, folder: &Path, release: &str) -> Result<Served, String> {
    let options = ["--emulated-version", release, "--runtime-config", "api/all=true"];
    let serving = Serving::start(&args.hubgen, folder, if release.is_empty() { &[] } else { &options })?;
    let session = Session::new("kubectl", kubectl, folder, &serving)?;
    let resources = session.ok("api-resources --no-headers")?;
    let kinds = resources.lines().filter_map(|line| {
        // NAME [SHORTNAMES] APIVERSION NAMESPACED KIND
        let mut words = line.split_whitespace().rev();
        let (kind, _, version) = (words.next()?, words.next()?, words.next()?);
        Some((version.to_owned(), kind.to_owned()))
    });
    let mut kinds: BTreeSet<Kind> = kinds.collect();
    // kubectl lists resources at the preferred versions only.
    for version in session.ok("api-versions")?.lines() {
        let path = if version.contains('/') { format!("/apis/{version}") } else { format!("/api/{version}") };
        let list = session.ok(&format!("get --raw {path}"))?;
        let list: Value = serde_json::from_str(&list).map_err(|error| format!("{path}: {error}"))?;
        let of_version = list["resources"].as_array().into_iter().flatten();
        kinds.extend(of_version.filter_map(|of| Some((version.to_owned(), of["kind"].as_str()?.to_owned()))));
    }
    Ok(Served { session, kinds, _serving: serving })
}

/// The kinds of the objects in a manifest.
fn kinds(text: &str) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    for document in text.split("\n---") {
        let value = |key: &str| {
            let line = document.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
            line.map(|line| {
                line.split('#').next().unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
            })
        };
        if let (Some(version), Some(kind)) = (value("apiVersion"), value("kind"))
            && kind != "List"
        {
            kinds.insert((version, kind));
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_all_documents() {
        let text = "apiVersion: v1 # here\nkind: Pod\nspec:\n  kind: not\n---\nkind: \"Job\"\napiVersion: batch/v1\n---\n# nothing\n";
        let kind = |version: &str, kind: &str| (version.to_owned(), kind.to_owned());
        assert_eq!(kinds(text), [kind("batch/v1", "Job"), kind("v1", "Pod")].into());
    }
}
