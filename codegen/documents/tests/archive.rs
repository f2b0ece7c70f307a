//! Compares the committed schemas with published objects and descriptors. Both are data beside the
//! repository, not in it. Without them the tests skip the comparison and print so.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hubgen_documents::archive::{Archive, Fact};
use hubgen_documents::node::{Node, Value};
use hubgen_documents::upstream::TypeFacts;
use hubgen_documents::{Source, archive, schema, upstream};
use hubgen_model::{Api, GroupVersion, Release, Type, TypeExpr, TypeId};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn shared(path: &str) -> Option<PathBuf> {
    let path = root().parent()?.join("shared").join(path);
    if path.exists() {
        return Some(path);
    }
    // Writes to the terminal directly, since the test harness captures `println!`.
    let _ = writeln!(std::io::stderr(), "left out: {} is missing", path.display());
    None
}

fn api() -> Api {
    schema::read_dir(&root().join("schemas/kubernetes")).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Group, version and kind in the name of a golden file.
fn named(file: &Path) -> Option<(String, String, String)> {
    let stem = file.file_name()?.to_str()?.strip_suffix(".json")?;
    let (rest, kind) = stem.rsplit_once('.')?;
    let (group, version) = rest.rsplit_once('.')?;
    Some((if group == "core" { "" } else { group }.to_owned(), version.to_owned(), kind.to_owned()))
}

struct Walk<'a> {
    api: &'a Api,
    ordered: bool,
    errors: Vec<String>,
}

impl Walk<'_> {
    fn object(&mut self, ty: &Type, node: &Node, path: &str, root: bool) {
        let Some(members) = node.object() else {
            return self.errors.push(format!("{path}: {} where {} is expected", node.kind(), ty.id));
        };
        let mut last = 0;
        for (name, member) in members {
            let bare = ty.kind.as_ref().is_none_or(|kind| kind.bare);
            if root && !bare && (name == "kind" || name == "apiVersion") {
                continue;
            }
            let path = format!("{path}.{name}");
            let Some(at) = ty.fields().iter().position(|field| field.name == *name) else {
                self.errors.push(format!("{path}: not a field of {}", ty.id));
                continue;
            };
            if self.ordered && at < last {
                self.errors.push(format!("{path}: out of order in {}", ty.id));
            }
            last = at;
            self.value(&ty.fields()[at].ty, member, &path);
        }
    }

    fn value(&mut self, expr: &TypeExpr, node: &Node, path: &str) {
        let fits = match (expr, &node.value) {
            (_, Value::Null) => true,
            (TypeExpr::Bool, Value::Bool(_)) => true,
            (TypeExpr::Int32, Value::Number(number)) => {
                number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
            }
            (TypeExpr::Int64, Value::Number(number)) => number.is_i64(),
            (TypeExpr::Double, Value::Number(_)) => true,
            (TypeExpr::IntOrString, Value::Number(number)) => number.is_i64(),
            (
                TypeExpr::String
                | TypeExpr::Bytes
                | TypeExpr::Time
                | TypeExpr::MicroTime
                | TypeExpr::Duration
                | TypeExpr::Quantity
                | TypeExpr::IntOrString,
                Value::String(_),
            ) => true,
            (TypeExpr::Raw(_), _) => true,
            (TypeExpr::Strings, Value::Array(elements)) => {
                elements.iter().all(|element| element.str().is_some())
            }
            (TypeExpr::List(inner), Value::Array(elements)) => {
                for (at, element) in elements.iter().enumerate() {
                    self.value(inner, element, &format!("{path}[{at}]"));
                }
                true
            }
            (TypeExpr::Map(inner), Value::Object(members)) => {
                for (key, member) in members {
                    self.value(inner, member, &format!("{path}.{key}"));
                }
                true
            }
            (TypeExpr::Ref(id), _) => {
                let ty = self.api.find(id).unwrap();
                self.object(ty, node, path, false);
                true
            }
            (TypeExpr::OrBool(_), Value::Bool(_)) => true,
            (TypeExpr::OrArray(inner), Value::Array(elements)) => {
                for element in elements {
                    self.value(inner, element, path);
                }
                true
            }
            (TypeExpr::OrStrings(_), Value::Array(elements)) => {
                elements.iter().all(|element| element.str().is_some())
            }
            (TypeExpr::OrBool(inner) | TypeExpr::OrArray(inner) | TypeExpr::OrStrings(inner), _) => {
                self.value(inner, node, path);
                true
            }
            _ => false,
        };
        if !fits {
            self.errors.push(format!("{path}: {} where {expr:?} is expected", node.kind()));
        }
    }
}

/// The schemas contain every field of every golden object, with a matching type. Objects of the newest
/// release there list their fields in the order of the schemas.
#[test]
fn golden_objects_fit() {
    let Some(golden) = shared("golden/kubernetes") else { return };
    let api = api();
    for (release, count) in [("v1.16", 125), ("v1.22", 144), ("v1.28", 158), ("v1.35", 183)] {
        let mut walk = Walk { api: &api, ordered: release == "v1.35", errors: Vec::new() };
        let mut objects = 0;
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(golden.join(release)).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let Some((group, version, kind)) = named(&file) else { continue };
            objects += 1;
            let registered = api.types().find(|ty| {
                ty.kind.iter().flat_map(|kind| &kind.registered).any(|name| {
                    name.group_version.group == group
                        && name.group_version.version == version
                        && name.kind == kind
                })
            });
            let Some(ty) = registered else {
                walk.errors.push(format!("{group}/{version} {kind}: not registered"));
                continue;
            };
            let node = Node::parse(&Source::new(&file, std::fs::read_to_string(&file).unwrap())).unwrap();
            walk.object(ty, &node, &format!("{group}/{version} {kind}"), true);
        }
        assert!(walk.errors.is_empty(), "{release}: {}\n{}", walk.errors.len(), walk.errors.join("\n"));
        assert_eq!(objects, count, "{release}");
    }
}

/// The schemas contain every field of the newest descriptors there under its number, and every number in
/// the schemas that a field had in that release belongs to a field of that name.
#[test]
fn numbers_are_those_of_the_descriptors() {
    let Some(file) = shared("upstream/kubernetes/protobuf/v1.35.binpb") else { return };
    let api = api();
    let document = upstream::read(&file, std::fs::read(&file).unwrap()).unwrap();
    let release = document.release;
    assert!(release.is_some(), "{}", file.display());
    let came_later = |since: Option<Release>| since > release;
    let plain = |name: &str| name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let mut errors = Vec::new();
    let mut checked = 0;
    for ty in api.types().filter(|ty| ty.until.is_none() && !came_later(ty.since)) {
        let Some(message) = document.types.get(&ty.id) else { continue };
        for field in ty.fields().iter().filter(|field| field.until.is_none() && !field.number.is_empty()) {
            if came_later(field.since) {
                continue;
            }
            let mut at = message;
            for (depth, number) in field.number.iter().enumerate() {
                let Some((name, facts)) = at.fields.iter().find(|(_, facts)| facts.number == [*number])
                else {
                    errors.push(format!(
                        "{}.{}: {:?} is not in the descriptors",
                        ty.id, field.name, field.number
                    ));
                    break;
                };
                if depth + 1 == field.number.len() {
                    checked += 1;
                    if plain(name) != plain(&field.name) {
                        errors.push(format!("{}.{}: {:?} is {name}", ty.id, field.name, field.number));
                    }
                } else if let Some(TypeExpr::Ref(inner)) = &facts.ty {
                    at = &document.types[inner];
                }
            }
        }
        for (name, facts) in &message.fields {
            if !ty.fields().iter().any(|field| field.number.first() == facts.number.first()) {
                errors.push(format!("{}: {name} ({:?}) is missing", ty.id, facts.number));
            }
        }
    }
    assert!(errors.is_empty(), "{}\n{}", errors.len(), errors.join("\n"));
    assert!(checked > 3000, "{checked}");
}

/// The resource that a path is about: its group version, its plural, and its subresource.
fn resource_at(path: &str) -> Option<(GroupVersion, &str, Option<&str>)> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (group, version, rest) = match parts[..] {
        ["api", version, ref rest @ ..] => ("", version, rest),
        ["apis", group, version, ref rest @ ..] => (group, version, rest),
        _ => return None,
    };
    let rest = match rest {
        ["proxy", ..] => return None,
        ["watch", "namespaces", "{namespace}", rest @ ..] if !rest.is_empty() => rest,
        ["namespaces", "{namespace}", rest @ ..] if !rest.is_empty() => rest,
        ["watch", rest @ ..] => rest,
        rest => rest,
    };
    let group_version = GroupVersion::new(group, version);
    match rest {
        [] => None,
        [plural, "{name}", part, ..] => Some((group_version, plural, Some(part))),
        [plural, ..] => Some((group_version, plural, None)),
    }
}

/// Whether a path is one that no kind of the schemas has: scheduled jobs were a kind of their own in one release, and
/// are another name of CronJob since 1.8; old releases offered the scale of replication controllers in another group.
fn is_renamed(path: &str) -> bool {
    path.starts_with("batch/v2alpha1 scheduledjobs")
        || path.starts_with("extensions/v1beta1 replicationcontrollers")
}

/// The schemas contain whatever the paths of a document offer, in that document's release.
#[test]
fn every_path_is_offered_in_its_release() {
    let Some(folder) = shared("upstream/kubernetes/openapi") else { return };
    let api = api();
    let mut errors = BTreeSet::new();
    let mut checked = 0;
    let mut open = vec![folder];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let document = upstream::read(&path, std::fs::read(&path).unwrap()).unwrap();
        let Some(release) = document.release else { continue };
        let covers = |since: Option<Release>, until: Option<Release>| {
            since.is_none_or(|since| since <= release) && until.is_none_or(|until| release <= until)
        };
        for operation in &document.operations {
            let Some((group_version, plural, part)) = resource_at(&operation.path) else { continue };
            let path = format!("{group_version} {plural}");
            if is_renamed(&path) {
                continue;
            }
            checked += 1;
            let types =
                api.versions.get(&group_version).into_iter().flat_map(|version| version.types.values());
            let resource = types.filter_map(|ty| ty.kind.as_ref()).find_map(|kind| {
                let resource = kind.resource.as_ref().filter(|resource| resource.plural == plural)?;
                Some((kind, resource))
            });
            let Some((kind, resource)) = resource else {
                errors.insert(format!("{path} of {release} is missing"));
                continue;
            };
            if !covers(kind.since, kind.until) {
                errors.insert(format!("{path} was there in {release}"));
            }
            let Some(part) = part else { continue };
            match resource.subresources.get(part) {
                Some(part) if covers(part.since, part.until) => {}
                Some(_) => drop(errors.insert(format!("{path}/{part} was there in {release}"))),
                None => drop(errors.insert(format!("{path}/{part} of {release} is missing"))),
            }
        }
    }
    let errors: Vec<String> = errors.into_iter().collect();
    assert!(errors.is_empty(), "{}\n{}", errors.len(), errors.join("\n"));
    assert!(checked > 10_000, "{checked}");
}

/// The published documents of all releases up to this one, or of this one alone.
fn documents(folder: &Path, release: Release, alone: bool) -> Vec<upstream::Document> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let read = |path: &PathBuf| {
        let of = upstream::release_of(path);
        let is_wanted = if alone { of == Some(release) } else { of <= Some(release) };
        is_wanted.then(|| {
            let mut document = upstream::read(path, std::fs::read(path).unwrap()).unwrap();
            document.drop_prose();
            document
        })
    };
    files.iter().filter_map(read).collect()
}

/// Release by release, the archive becomes what all documents together make.
#[test]
fn releases_are_added_one_at_a_time() {
    let Some(folder) = shared("upstream/kubernetes") else { return };
    let at = |minor| Release::new(1, minor);
    let mut known = archive::build(documents(&folder, at(24), false), &Api::default()).unwrap();
    for minor in 25..=35 {
        // As the files keep it.
        let [record, history] = [known.report.record(), known.history.text()];
        known = Archive::new(known.api, &record, &history).unwrap();
        assert_eq!(known.report.record(), record);
        assert_eq!(known.history.text(), history);
        known = archive::advance(documents(&folder, at(minor), true), known)
            .unwrap_or_else(|errors| panic!("1.{minor}: {}", errors.join("\n")));
    }
    let all = archive::build(documents(&folder, at(35), false), &Api::default()).unwrap();
    for ty in all.api.types() {
        let found = known.api.find(&ty.id);
        assert!(found == Some(ty), "expected {ty:?}\n found {found:?}");
    }
    assert!(all.api == known.api, "other types, or in another order");
    for ((name, all), (_, found)) in all.files().into_iter().zip(known.files()) {
        let differ = all.lines().zip(found.lines()).find(|(all, found)| all != found);
        assert_eq!(differ, None, "{}", name.display());
        assert_eq!(all.lines().count(), found.lines().count(), "{}", name.display());
    }
}

/// Types that another one has replaced: the archive has its fields, also for the releases before.
const REPLACED: [(&str, &[&str]); 3] = [
    ("core/v1 Handler", &["core/v1 LifecycleHandler"]),
    (
        "admissionregistration.k8s.io/v1beta1 Webhook",
        &[
            "admissionregistration.k8s.io/v1beta1 MutatingWebhook",
            "admissionregistration.k8s.io/v1beta1 ValidatingWebhook",
        ],
    ),
    (
        "admissionregistration.k8s.io/v1beta1 RuleWithOperations",
        &["admissionregistration.k8s.io/v1 RuleWithOperations"],
    ),
];

/// The archive gives back what each release published: the types of its resources, their fields, and the facts about
/// them.
#[test]
fn each_release_is_as_it_was_published() {
    let Some(folder) = shared("upstream/kubernetes") else { return };
    let archive = archive::build(documents(&folder, Release::new(1, 35), false), &Api::default()).unwrap();
    let mut compare = Compare::default();
    for minor in 7..=35 {
        let release = Release::new(1, minor);
        let documents = documents(&folder.join("openapi"), release, true);
        let mut published = BTreeMap::new();
        for document in &documents {
            published.extend(&document.types);
        }
        let then = archive.at(release);
        compare.release(release, &then, &published);
        compare.operations(release, &then, &documents);
    }
    compare.finish(100_000);
}

/// A change of one fact in one release is noticed.
#[test]
fn a_wrong_history_is_noticed() {
    let Some(folder) = shared("upstream/kubernetes") else { return };
    let archive = archive::build(documents(&folder, Release::new(1, 35), false), &Api::default()).unwrap();
    let text = archive.history.text();
    let release = Release::new(1, 29);
    let documents = documents(&folder.join("openapi"), release, true);
    let published: BTreeMap<_, _> = documents.iter().flat_map(|document| &document.types).collect();
    // The lists of core/v1 have types since 1.30.
    let wrong = text.replacen("list-type = { \"1.29\" = \"\" }", "list-type = { \"1.29\" = \"set\" }", 1);
    let earlier = text.replacen("list-type = { \"1.29\" = \"\" }", "list-type = { \"1.28\" = \"\" }", 1);
    for (text, expected) in [(&text, 0), (&wrong, 1), (&earlier, 1)] {
        let history = archive::History::of_text(text).unwrap();
        let mut compare = Compare::default();
        let then = archive::at(&archive.api, &history, release);
        compare.release(release, &then, &published);
        assert_eq!(compare.errors.len(), expected, "{:?}", compare.errors);
    }
}

#[derive(Default)]
struct Compare {
    errors: BTreeMap<String, BTreeSet<Release>>,
    checked: usize,
}

impl Compare {
    fn wrong(&mut self, release: Release, what: String) {
        self.errors.entry(what).or_default().insert(release);
    }

    fn release(&mut self, release: Release, then: &Api, published: &BTreeMap<&TypeId, &TypeFacts>) {
        for id in of_resources(then) {
            let is_new = |(_, by): &(&str, &[&str])| by.contains(&&*id.to_string());
            let is_replacement = REPLACED.iter().any(is_new);
            if !published.contains_key(&id) && !is_replacement {
                self.wrong(release, format!("{id}: not published"));
            }
        }
        for (id, facts) in published {
            match (then.find(id), REPLACED.iter().find(|(replaced, _)| *replaced == id.to_string())) {
                (Some(ty), None) => self.fields(release, ty, facts),
                (None, Some((_, by))) => {
                    for by in by.iter().filter_map(|by| then.types().find(|ty| ty.id.to_string() == **by)) {
                        self.fields(release, by, facts);
                    }
                }
                (None, None) => self.wrong(release, format!("{id}: missing")),
                (Some(_), Some(_)) => self.wrong(release, format!("{id}: not replaced")),
            }
        }
    }

    fn fields(&mut self, release: Release, ty: &Type, facts: &TypeFacts) {
        let id = &ty.id;
        for (name, facts) in &facts.fields {
            let is_embedded = ty.field(name).is_some();
            if !is_embedded && (name == "kind" || name == "apiVersion") {
                continue;
            }
            let Some(field) = ty.field(name) else {
                self.wrong(release, format!("{id}.{name}: missing"));
                continue;
            };
            let Some(published) = &facts.published else { continue };
            for fact in Fact::OF_FIELDS.into_iter().filter(|fact| *fact != Fact::Type) {
                self.checked += 1;
                let told = |field| fact.shown(&fact.of_field(field).unwrap());
                let [published, found] = [told(published), told(field)];
                // OpenAPI publishes an empty default for what is no pointer in Go.
                let is_empty = ["{}", "\"\"", "0", "false"].contains(&&*published);
                if published != found && !(fact == Fact::Default && is_empty && found == "none") {
                    self.wrong(release, format!("{id}.{name}: {} {published}, found {found}", fact.name()));
                }
            }
        }
        for field in ty.named().filter(|field| !facts.fields.contains_key(&field.name)) {
            self.wrong(release, format!("{id}.{}: not published", field.name));
        }
    }

    /// The operations of each resource and subresource. The documents of 1.14 to 1.23 there have no paths.
    fn operations(&mut self, release: Release, then: &Api, documents: &[upstream::Document]) {
        let mut published: BTreeMap<(GroupVersion, &str, Option<&str>), BTreeSet<&str>> = BTreeMap::new();
        for operation in documents.iter().flat_map(|document| &document.operations) {
            let Some((group_version, plural, part)) = resource_at(&operation.path) else { continue };
            let verb = match &*operation.action {
                "post" => "create",
                "put" => "update",
                "watchlist" => "watch",
                other => other,
            };
            published.entry((group_version, plural, part)).or_default().insert(verb);
        }
        if published.len() < 100 {
            return;
        }
        let mut found: BTreeMap<(GroupVersion, &str, Option<&str>), BTreeSet<&str>> = BTreeMap::new();
        for ty in then.types() {
            let Some(resource) = ty.kind.as_ref().and_then(|kind| kind.resource.as_ref()) else { continue };
            let key = |part| (ty.id.group_version.clone(), &*resource.plural, part);
            found.insert(key(None), resource.verbs.iter().map(|verb| verb.as_str()).collect());
            // Of some it is not known which of those releases had them first.
            for (name, part) in resource.subresources.iter().filter(|(_, part)| part.since.is_some()) {
                found.insert(key(Some(name)), part.verbs.iter().map(|verb| verb.as_str()).collect());
            }
        }
        for (at @ (group_version, plural, part), verbs) in &published {
            self.checked += 1;
            let path = format!("{group_version} {plural}/{}", part.unwrap_or_default());
            let is_known = found.contains_key(at) || part.is_none();
            if is_known && found.get(at) != Some(verbs) && !is_renamed(&path) {
                self.wrong(release, format!("{path}: {verbs:?}, found {:?}", found.get(at)));
            }
        }
        for at in found.keys().filter(|at| !published.contains_key(*at)) {
            self.wrong(release, format!("{at:?}: not published"));
        }
    }

    fn finish(&self, at_least: usize) {
        let errors: Vec<String> =
            self.errors.iter().map(|(what, releases)| format!("{what}: {releases:?}")).collect();
        assert!(errors.is_empty(), "{}\n{}", errors.len(), errors.join("\n"));
        assert!(self.checked > at_least, "{}", self.checked);
    }
}

/// The types of the resources that a server offers.
fn of_resources(api: &Api) -> BTreeSet<TypeId> {
    let is_resource = |ty: &&Type| ty.kind.as_ref().is_some_and(|kind| kind.resource.is_some());
    let mut open: Vec<TypeId> = api.types().filter(is_resource).map(|ty| ty.id.clone()).collect();
    let mut out = BTreeSet::new();
    while let Some(id) = open.pop() {
        let ty = api.find(&id).unwrap_or_else(|| panic!("a field has the type {id}, which is missing"));
        if out.insert(id) {
            open.extend(ty.fields().iter().filter_map(|field| field.ty.named().cloned()));
        }
    }
    out
}
