//! `cargo xtask check golden`: compares objects that the reference implementation wrote with what
//! we write.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::json::writer;
use hubgen_kubernetes::machinery::protobuf::Envelope;
use hubgen_kubernetes::machinery::scheme::{KindEntry, Object, Scheme};
use hubgen_kubernetes::machinery::yaml;
use hubgen_model::Release;
use hubgen_terminal::Progress;
use serde_json::Value;

use super::compare::difference;
use super::go_module;
use super::wire;
use super::{Failure, Report};

/// Arguments of the check.
#[derive(clap::Args)]
pub struct Args {
    /// A folder of files named `<group>.<version>.<Kind>.json`
    ///
    /// Files with the same name and `.yaml` or `.pb` are checked too. Other files are ignored.
    #[arg(required_unless_present = "release")]
    dir: Option<PathBuf>,
    /// Check the objects of this release of Kubernetes, such as 1.37, which the `go` command downloads
    ///
    /// They are in the Go module k8s.io/api of the release.
    #[arg(long, value_name = "RELEASE", conflicts_with = "dir")]
    release: Option<Release>,
    /// Require the same bytes
    ///
    /// Without it, a file of an older release may write `null`, or omit a zero, where the reference
    /// release writes a zero.
    #[arg(long)]
    exact: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks every golden object of a folder, and prints the result.
///
/// # Errors
/// The same as those of [`check`], and if the objects of the release cannot be downloaded.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let dir = match (&args.dir, args.release) {
        (_, Some(release)) => {
            go_module::find(&format!("k8s.io/api@v0.{}", release.minor))?.join("testdata/HEAD")
        }
        (dir, None) => dir.clone().unwrap_or_default(),
    };
    Ok(check(&dir, args.exact)?.print(args.json))
}

/// Checks every golden object of a folder; with `exact`, the bytes must be equal.
///
/// # Errors
/// If the folder cannot be read.
pub fn check(dir: &Path, exact: bool) -> Result<Report, String> {
    let files = golden_files(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let scheme = hubgen_kubernetes::scheme();
    let mut failures = Vec::new();
    let mut added: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut byte_for_byte, mut by_value) = (0, 0);
    let (mut protobuf_exact, mut protobuf_by_value) = (0, 0);
    // Fields that are always written today, with the number of files without them.
    let mut values: BTreeMap<String, usize> = BTreeMap::new();
    let bar = Progress::new(!crate::wants_json()).bar(files.len(), "files");
    for (name, path) in &files {
        bar.step();
        match check_object(&scheme, name, path, exact) {
            Ok(Held { is_exact, protobuf, zeros }) => {
                match protobuf {
                    Some(fields) if fields.is_empty() => protobuf_exact += 1,
                    Some(fields) => {
                        protobuf_by_value += 1;
                        fields.into_iter().for_each(|field| *values.entry(field).or_default() += 1);
                    }
                    None => {}
                }
                if is_exact {
                    byte_for_byte += 1;
                } else {
                    by_value += 1;
                }
                if !zeros.is_empty() {
                    added.insert(name.to_string(), zeros);
                }
            }
            Err(failure) => failures.push(failure),
        }
    }
    let mut notes: Vec<String> = added
        .iter()
        .flat_map(|(name, zeros)| {
            zeros.iter().map(move |zero| format!("{name}: {zero}: absent in the file, zero in our output"))
        })
        .collect();
    notes.extend(
        values
            .iter()
            .map(|(field, count)| format!("protobuf {field}: absent in {count}, always written since")),
    );
    Ok(Report {
        what: "golden objects",
        passed: byte_for_byte + by_value,
        total: files.len(),
        details: vec![
            ("byte for byte", byte_for_byte),
            ("by value", by_value),
            ("protobuf byte for byte", protobuf_exact),
            ("protobuf by value", protobuf_by_value),
            ("failed", failures.len()),
        ],
        failures,
        notes,
    })
}

/// Group, version and kind in the name of a file.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    group: String,
    version: String,
    kind: String,
}

impl Name {
    /// Parses `rbac.authorization.k8s.io.v1.ClusterRole`; `core` is the empty group.
    fn parse(stem: &str) -> Option<Self> {
        let (rest, kind) = stem.rsplit_once('.')?;
        let (group, version) = rest.rsplit_once('.')?;
        let is_version =
            version.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase());
        let group = if group == "core" { "" } else { group };
        (is_version && is_kind).then(|| Self {
            group: group.into(),
            version: version.into(),
            kind: kind.into(),
        })
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let group = if self.group.is_empty() { "core" } else { &self.group };
        write!(f, "{group}.{}.{}", self.version, self.kind)
    }
}

fn golden_files(dir: &Path) -> std::io::Result<BTreeMap<Name, PathBuf>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        let stem =
            path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".json"));
        if let Some(name) = stem.and_then(Name::parse) {
            files.insert(name, path);
        }
    }
    Ok(files)
}

/// The result for a golden object that passed.
struct Held {
    is_exact: bool,
    /// Fields that its protobuf lacks and we write, if there is a protobuf file.
    protobuf: Option<BTreeSet<String>>,
    /// Fields that the file lacks and we write as zero.
    zeros: BTreeSet<String>,
}

fn check_object(scheme: &Scheme, name: &Name, path: &Path, exact: bool) -> Result<Held, Failure> {
    let fail = |file: &Path, path: &str, message: String| Failure {
        file: file.display().to_string(),
        path: path.to_owned(),
        message,
    };
    let read = |file: &Path| std::fs::read(file).map_err(|error| fail(file, "", error.to_string()));
    let entry = scheme
        .kind(&name.group, &name.version, &name.kind)
        .ok_or_else(|| fail(path, "", format!("no type is registered for {name}")))?;
    let text = read(path)?;
    let golden: Value = serde_json::from_slice(&text)
        .map_err(|error| fail(path, "", format!("the file is not valid JSON: {error}")))?;
    let ours = again(entry, &text).map_err(|message| fail(path, "", message))?;
    let is_exact = writer::pretty(&ours) == text;
    let mut zeros = BTreeSet::new();
    let found = value(&ours).map_err(|message| fail(path, "", message))?;
    if let Some(difference) = difference(&golden, &found, &mut zeros) {
        return Err(fail(path, &difference.path, difference.message));
    }
    if exact && !is_exact {
        return Err(fail(path, "", "equal by value, but not byte for byte".to_owned()));
    }
    let twin = path.with_extension("yaml");
    if twin.exists() {
        let text = read(&twin)?;
        let text = std::str::from_utf8(&text).map_err(|error| fail(&twin, "", error.to_string()))?;
        let bytes = yaml::to_json(text).map_err(|error| fail(&twin, "", error.to_string()))?;
        let ours = again(entry, &bytes).map_err(|message| fail(&twin, "", message))?;
        let found = value(&ours).map_err(|message| fail(&twin, "", message))?;
        if let Some(difference) = difference(&golden, &found, &mut zeros) {
            return Err(fail(&twin, &difference.path, difference.message));
        }
    }
    let twin = path.with_extension("pb");
    let mut protobuf = None;
    if twin.exists() {
        let bytes = read(&twin)?;
        let checked = check_protobuf(scheme, &bytes, &golden, &mut zeros);
        protobuf = Some(checked.map_err(|(path, message)| fail(&twin, &path, message))?);
        if exact && protobuf.as_ref().is_some_and(|fields| !fields.is_empty()) {
            return Err(fail(&twin, "", "equal by value, but not byte for byte".to_owned()));
        }
    }
    Ok(Held { is_exact, protobuf, zeros })
}

/// The fields that the file lacks because its release did not write them yet. If there are none,
/// the bytes are equal. An error is a path and a message.
fn check_protobuf(
    scheme: &Scheme,
    bytes: &[u8],
    golden: &Value,
    zeros: &mut BTreeSet<String>,
) -> Result<BTreeSet<String>, (String, String)> {
    let plain = |message: String| (String::new(), message);
    let object = scheme.decode_protobuf(bytes).map_err(|error| plain(error.to_string()))?;
    let found = value(&object.encode().unwrap()).map_err(plain)?;
    if let Some(difference) = difference(golden, &found, zeros) {
        return Err((difference.path, difference.message));
    }
    let again = object.encode_protobuf();
    if again == bytes {
        return Ok(BTreeSet::new());
    }
    let message = |bytes| Envelope::decode(bytes).map(|envelope| envelope.raw);
    let (file, ours) = (message(bytes), message(&again));
    let (Ok(file), Ok(ours)) = (file, ours) else { return Err(plain("the envelope differs".to_owned())) };
    let mut added = BTreeSet::new();
    let descriptor = object.value.descriptor().compiled().expect("kinds with golden files are compiled");
    if let Some(difference) = wire::difference(file, ours, descriptor, &mut added) {
        return Err(plain(difference));
    }
    if added.is_empty() {
        return Err(plain("the same fields, but not the same bytes".to_owned()));
    }
    Ok(added)
}

/// The object, decoded and encoded again.
fn again(entry: &Arc<KindEntry>, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let (object, decoded) = Object::decode(entry, bytes).map_err(|error| error.to_string())?;
    if !decoded.unknown.is_empty() {
        return Err(format!("unknown fields: {}", decoded.unknown.join(", ")));
    }
    Ok(object.encode().unwrap())
}

fn value(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("our output is not valid JSON: {error}"))
}
