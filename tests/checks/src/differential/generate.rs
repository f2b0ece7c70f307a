//! Generates requests from types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hubgen_kubernetes::machinery::protobuf;
use hubgen_kubernetes::machinery::reflect::{Field, Reflect, SlotMut};
use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Object, Scheme};
use hubgen_kubernetes::machinery::yaml;
use hubgen_laws::objects::{Source, fill};
use serde_json::{Value, json};

use super::compare::show;
use super::{encoded, record, words};
use crate::{generating, single, title};

/// Arguments of `generate`.
#[derive(clap::Args)]
pub struct Args {
    /// What the requests ask for
    #[arg(value_enum)]
    what: What,
    /// Only objects of this kind, such as `apps/Deployment`; `core` is the group with the empty name
    #[arg(long, value_name = "GROUP/KIND")]
    kind: Option<String>,
    /// The number of objects of each kind at each version; the first is empty
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Generate only fields of this release, such as `1.20` [default: the reference release]
    #[arg(long, value_parser = release)]
    release: Option<u32>,
    /// Generate only fields of `--release` that the reference release has dropped, one per object
    #[arg(long, requires = "release", conflicts_with_all = ["count", "seed"])]
    removed: bool,
    /// Use the objects in these files and folders, YAML or JSON, instead of generated ones
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["count", "seed", "release"])]
    objects: Vec<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
    /// Convert objects of every kind to every version; every other object is defaulted first
    Convert,
    /// Set the defaults of objects of every kind
    Defaults,
    /// Encode objects of every kind with protobuf as protobuf
    Protobuf,
    /// Show objects of every kind that servers offer in tables
    Tables,
}

/// Writes requests to standard output.
///
/// # Errors
/// If the kind does not exist, or a file cannot be read.
pub fn run(args: &Args) -> Result<ExitCode, String> {
    let scheme = hubgen_kubernetes::scheme();
    match write(args, &scheme) {
        Ok(0) => {
            let kind = args.kind.as_deref().unwrap_or("none");
            Err(format!("expected a kind such as `apps/Deployment`, found {kind}"))
        }
        Ok(_) => Ok(ExitCode::SUCCESS),
        // The reader may close the pipe early.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(error) => Err(error.to_string()),
    }
}

fn write(args: &Args, scheme: &Scheme) -> io::Result<usize> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut given = BTreeMap::<String, Vec<Value>>::new();
    for path in &args.objects {
        read_objects(path, &mut given)?;
    }
    let (mut kinds, mut known) = (0, BTreeSet::new());
    for entry in scheme.kinds() {
        if args.kind.as_ref().is_some_and(|wanted| *wanted != title(entry)) {
            continue;
        }
        let to = match args.what {
            What::Convert if matches!(entry.conversion, Conversion::Hub(_)) => versions(scheme, entry),
            // The hub brings some kinds back in another form.
            What::Convert if entry.resource.is_some() => vec![entry.api_version()],
            What::Convert => continue,
            What::Protobuf if !protobuf::covers(&entry.descriptor()) => continue,
            What::Tables if !is_read(entry) => continue,
            What::Defaults | What::Protobuf | What::Tables => Vec::new(),
        };
        kinds += 1;
        let request = |object: &Value, default| match args.what {
            What::Protobuf => encoded::request(object),
            What::Tables => json!({"object": object}),
            _ => record::request(object, default, &to),
        };
        let defaults: &[bool] = match args.what {
            What::Convert => &[false, true],
            What::Defaults => &[true],
            What::Protobuf | What::Tables => &[false],
        };
        if let (true, Some(release)) = (args.removed, args.release) {
            for object in removed(entry, release, &mut known) {
                writeln!(out, "{}", request(&object, false))?;
            }
        } else if args.objects.is_empty() {
            for index in 0..args.count {
                let default = defaults[usize::from(index % 2 == 1) % defaults.len()];
                let object = generated(entry, args, index);
                writeln!(out, "{}", request(&object, default))?;
            }
        }
        for object in given.get(&entry.to_string()).into_iter().flatten() {
            for default in defaults {
                writeln!(out, "{}", request(object, *default))?;
            }
        }
    }
    out.flush()?;
    Ok(kinds)
}

/// The objects of a file, or of all files in a folder, by version and kind.
fn read_objects(path: &Path, out: &mut BTreeMap<String, Vec<Value>>) -> io::Result<()> {
    let at = |error: &dyn Display| io::Error::other(format!("{}: {error}", path.display()));
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|error| at(&error))?;
        let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort();
        let is_wanted = |path: &PathBuf| {
            path.is_dir()
                || path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json")
        };
        return paths.iter().filter(|path| is_wanted(path)).try_for_each(|path| read_objects(path, out));
    }
    let text = std::fs::read_to_string(path).map_err(|error| at(&error))?;
    for document in yaml::documents(&text) {
        let document = document.map_err(|error| at(&error))?;
        let object: Value = serde_json::from_slice(&document.json).map_err(|error| at(&error))?;
        let name = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        out.entry(format!("{} {}", name("apiVersion"), name("kind"))).or_default().push(object);
    }
    Ok(())
}

/// Whether servers show objects of a kind.
fn is_read(entry: &KindEntry) -> bool {
    entry.resource.as_ref().is_some_and(|resource| resource.verbs.contains("get"))
}

/// A generated object of a kind; the first one is empty.
fn generated(entry: &Arc<KindEntry>, args: &Args, index: u64) -> Value {
    let words = match args.what {
        What::Tables => words::for_tables(&entry.kind),
        _ => words::for_kind(&entry.kind),
    };
    let mut object = generate(entry, &words, args.seed + index, index == 0);
    only_of(args.release, &mut *object.value);
    named(entry, &object)
}

/// An object as JSON, with its own kind: some types have fields of their own for it.
fn named(entry: &KindEntry, object: &Object) -> Value {
    let mut object = Value::Object(show(object));
    object["kind"] = (&*entry.kind).into();
    object["apiVersion"] = entry.api_version().into();
    object
}

/// Objects of a kind with one field each that a release has but the reference release does not.
fn removed(entry: &Arc<KindEntry>, release: u32, known: &mut BTreeSet<String>) -> Vec<Value> {
    let is_removed = |field: &'static Field| field.facts.until().is_some() && has(Some(release), field);
    let objects = single::behind(&|| entry.object(), &is_removed, known).into_iter().map(|mut value| {
        only_of(Some(release), &mut *value);
        named(entry, &Object { entry: Arc::clone(entry), value })
    });
    // A release that has the field may lack fields inside it.
    let empty = named(entry, &Object::new(entry));
    objects.filter(|object| *object != empty).collect()
}

/// The versions that an object can be converted to, including its own.
fn versions(scheme: &Scheme, entry: &KindEntry) -> Vec<String> {
    let family = entry.family.iter().flat_map(|family| scheme.family(family));
    let converts =
        family.filter(|other| other.kind == entry.kind && matches!(other.conversion, Conversion::Hub(_)));
    converts.map(|other| other.api_version()).collect()
}

/// A generated object: every other one is generated at its version, the others at the hub and then
/// converted to the version. They range from almost empty to almost full.
fn generate(entry: &Arc<KindEntry>, words: &[(&str, &str)], seed: u64, empty: bool) -> Object {
    let bytes = if empty { Vec::new() } else { generating::bytes(seed) };
    let mut source = Source::new(&bytes, words);
    if let Conversion::Hub(conversion) = &entry.conversion
        && seed / 2 % 2 == 1
    {
        let mut hub = conversion.to_hub(entry.object()).expect("an empty object converts");
        fill(&mut *hub, &mut source);
        if let Ok(value) = conversion.from_hub(hub) {
            return Object { entry: Arc::clone(entry), value };
        }
    }
    let mut object = Object::new(entry);
    fill(&mut *object.value, &mut source);
    object
}

/// Parses `1.20` as 20.
fn release(text: &str) -> Result<u32, String> {
    let minor = text.strip_prefix("1.").and_then(|minor| minor.parse().ok());
    minor.ok_or_else(|| "expected a release such as 1.20".to_owned())
}

/// Whether a release has a field; `None` is the reference release.
fn has(release: Option<u32>, field: &Field) -> bool {
    let number = |text: Option<&str>| text.and_then(|text| self::release(text).ok());
    match (release, number(field.facts.since()), number(field.facts.until())) {
        (None, _, until) => until.is_none(),
        (Some(release), since, until) => {
            since.is_none_or(|since| since <= release) && until.is_none_or(|until| until >= release)
        }
    }
}

/// Clears the fields that a release does not have.
fn only_of(release: Option<u32>, object: &mut dyn Reflect) {
    let described = object.descriptor().share();
    for (index, field) in described.fields.iter().enumerate() {
        if has(release, field) {
            only_of_in(release, object.write(index));
        } else {
            object.write(index).clear();
        }
    }
}

fn only_of_in(release: Option<u32>, slot: SlotMut<'_>) {
    match slot {
        SlotMut::Optional(value) if value.is_present() => only_of_in(release, value.insert()),
        SlotMut::Struct(value) => only_of(release, value),
        SlotMut::List(list) => (0..list.len()).for_each(|index| only_of_in(release, list.get_mut(index))),
        SlotMut::Map(map) => map.visit_mut(&mut |_, value| only_of_in(release, value)),
        _ => {}
    }
}
