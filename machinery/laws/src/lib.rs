//! Tests the conversions of all kinds of a Scheme with generated objects that their CustomResourceDefinitions allow.
//!
//! One line in a test of your own checks that conversions lose nothing:
//!
//! ```no_run
//! # mod api { pub fn scheme() -> hubgen_machinery::scheme::Scheme { hubgen_machinery::scheme::Scheme::new() } }
//! // In tests/laws.rs; `crds` is the folder that `hubgen crds` writes.
//! # /*
//! #[test]
//! # */
//! fn conversions_lose_nothing() {
//!     hubgen_laws::check(&api::scheme(), "crds", 1000).unwrap();
//! }
//! # conversions_lose_nothing();
//! ```
//!
//! For each version of each kind it generates objects in JSON, and checks the
//! [laws for JSON](crate::versions::JSON_LAWS):
//!
//! - A version returns the JSON as it came: absent, `null`, `[]`, `{}`, `""` and zero stay what they were, except for
//!   what the conversion declares in `CANONICAL`.
//! - The hub survives every version of the kind.
//! - An edit at any version wins, and changes nothing else.
//!
//! - The same is true of JSON that is [converted without being
//!   decoded](hubgen_machinery::scheme::Scheme::convert_json), and a part of an object gains nothing by it: each value
//!   of the result is in the object or in its annotation.
//!
//! What the schema of one version allows, those of the other versions must allow after conversion: a client that reads
//! an object at another version must be able to write it back. [`refused`] lists the paths where this is not true.
//! Rules accept a path by its name, with `may-be-invalid`; one that they accept without a reason is an error, too.
//!
//! Then it generates objects of the types, with what no schema allows, and checks the
//! [laws of every conversion](crate::versions::LAWS). Of a kind with a single version, it only checks
//! that JSON comes back.
//!
//! The error contains the smallest object that was found, and the paths of the fields that differ.
//!
//! An object that a function of your own code refuses violates no law. [`Checked::refused`] counts them.
//!
//! Rules in CEL are not evaluated, so some objects violate them.

mod definitions;
pub mod objects;
mod sibling;
mod valid;
pub mod versions;
mod violations;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use hubgen_machinery::convert::{Canonical, ViaHub};
use hubgen_machinery::scheme::{Conversion, KindEntry, Scheme};

pub use self::definitions::{Definitions, InvalidDefinitions};
use self::sibling::Listed;
pub use self::sibling::Refused;
use self::valid::Valid;
pub use self::violations::Violations;
use crate::versions::{Convertible, Version};

/// What was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of kinds.
    pub kinds: usize,
    /// The number of their versions.
    pub versions: usize,
    /// The number of generated objects, each of which was converted several times.
    pub objects: u64,
    /// The number of fields that rules drop: their values are lost in conversions.
    pub dropped: usize,
    /// The versions that do not convert, each with its kind. Of these only JSON is checked.
    pub unconverted: Vec<String>,
    /// The number of paths at which rules accept that an object may be invalid after a conversion.
    pub accepted: usize,
    /// How many conversions of these objects functions of your own code refused. No law says anything about them, so if
    /// these are most of `objects`, little was checked.
    pub refused: u64,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kinds, versions, objects, dropped, unconverted, accepted, refused } = self;
        write!(f, "{kinds} kinds, {versions} versions, {objects} objects: no law is violated")?;
        if *dropped > 0 {
            write!(f, "; rules drop {dropped} fields")?;
        }
        if !unconverted.is_empty() {
            write!(f, "; not converted: {}", unconverted.join(", "))?;
        }
        if *accepted > 0 {
            write!(f, "; rules accept that converted objects may be invalid at {accepted} paths")?;
        }
        if *refused > 0 {
            write!(f, "; functions refused {refused} conversions, which no law forbids")?;
        }
        Ok(())
    }
}

/// Checks the laws of conversions for all kinds of a Scheme that a CustomResourceDefinition in a folder defines, with
/// `count` objects for each law and version.
///
/// `folder` may also be a single file. Relative paths begin at the folder of the package that is tested.
///
/// # Errors
/// If a law is violated: its name, the version, the smallest object found, and the paths that differ; for each kind
/// that violates one, the first. If the definitions cannot be read, if they lack a version that the Scheme has, or if
/// they define no kind of the Scheme. If a schema allows so little that most attempts to generate an object fail.
pub fn check(scheme: &Scheme, folder: impl AsRef<Path>, count: u64) -> Result<Checked, Violations> {
    check_with(scheme, &Definitions::read(folder.as_ref())?, count)
}

/// Checks the laws like [`check`], for the kinds with these names only.
///
/// ```no_run
/// # mod api { pub fn scheme() -> hubgen_machinery::scheme::Scheme { hubgen_machinery::scheme::Scheme::new() } }
/// hubgen_laws::check_kinds(&api::scheme(), "crds", &["Certificate"], 10_000)?;
/// # Ok::<(), hubgen_laws::Violations>(())
/// ```
///
/// # Errors
/// As [`check`], and for a name that no kind with a definition has.
pub fn check_kinds(
    scheme: &Scheme,
    folder: impl AsRef<Path>,
    kinds: &[&str],
    count: u64,
) -> Result<Checked, Violations> {
    check_kinds_with(scheme, &Definitions::read(folder.as_ref())?, kinds, count)
}

/// Checks the laws like [`check_kinds`], with definitions that are in memory.
///
/// # Errors
/// As [`check_kinds`].
pub fn check_kinds_with(
    scheme: &Scheme,
    definitions: &Definitions,
    kinds: &[&str],
    count: u64,
) -> Result<Checked, Violations> {
    let families = families(scheme, definitions);
    let unknown = |kind: &&&str| !families.iter().any(|family| *family[0].kind == ***kind);
    if let Some(kind) = kinds.iter().find(unknown) {
        let known: Vec<&str> = families.iter().map(|family| &*family[0].kind).collect();
        return Err(format!(
            "no kind with a definition is named {kind:?}; expected one of {}",
            known.join(", ")
        )
        .into());
    }
    let chosen = families.into_iter().filter(|family| kinds.contains(&&*family[0].kind)).collect();
    check_families(scheme, definitions, chosen, count)
}

/// Checks the laws like [`check`], with definitions that are in memory.
///
/// # Errors
/// As [`check`].
pub fn check_with(scheme: &Scheme, definitions: &Definitions, count: u64) -> Result<Checked, Violations> {
    check_families(scheme, definitions, families(scheme, definitions), count)
}

fn check_families(
    scheme: &Scheme,
    definitions: &Definitions,
    families: Vec<Vec<&Arc<KindEntry>>>,
    count: u64,
) -> Result<Checked, Violations> {
    if families.is_empty() {
        return Err("no kind of the Scheme has a definition".to_owned().into());
    }
    let mut checked = Checked::default();
    // What is wrong with each kind, and all paths of all kinds, at once: one run shows what there is to do.
    let (mut wrong, mut invalid, mut stale) = (Vec::new(), Vec::new(), Vec::new());
    for family in families {
        match check_family(scheme, definitions, &family, count, &mut checked) {
            Ok(Listed { refused, stale: unused }) => {
                checked.accepted += refused.iter().filter(|path| path.is_accepted).count();
                invalid.extend(refused.into_iter().filter(|path| !path.is_accepted));
                stale.extend(unused);
            }
            Err(error) => wrong.push(error.to_string()),
        }
    }
    wrong.extend(valid_at_siblings(&invalid, &stale).err().map(|error| error.to_string()));
    if wrong.is_empty() { Ok(checked) } else { Err(wrong.join("\n\n").into()) }
}

/// Checks the laws for the versions of one kind. Returns where its versions refuse what another allows.
fn check_family(
    scheme: &Scheme,
    definitions: &Definitions,
    family: &[&Arc<KindEntry>],
    count: u64,
    checked: &mut Checked,
) -> Result<Listed, Violations> {
    let versions = versions(family, definitions)?;
    let words = words(family);
    let all: Vec<&dyn Convertible> = versions.iter().map(|version| version as &dyn Convertible).collect();
    let mut laws = versions::JSON_LAWS.len();
    let mut result = versions::check_json(&all, &words, count);
    if converts(family[0]) {
        laws += versions::LAWS.len();
        result = result.and_then(|()| versions::check(&all, &words, count));
        result = result.and_then(|()| {
            let is_checked = versions::check_undecoded(&all, &words, count)?;
            laws += if is_checked { versions::UNDECODED_LAWS.len() } else { 0 };
            Ok(())
        });
    }
    result.map_err(|error| format!("{}: {error}", title(family)))?;
    let listed = sibling::list(scheme, family, &versions, &words, count);
    versions.iter().zip(family).try_for_each(|(version, entry)| version.suffices(entry))?;
    laws += usize::from(versions.len() > 1);
    let is_unconverted = |entry: &&&Arc<KindEntry>| matches!(entry.conversion, Conversion::NotConvertible(_));
    checked.unconverted.extend(family.iter().filter(is_unconverted).map(ToString::to_string));
    checked.kinds += 1;
    checked.versions += versions.len();
    let declared = versions.iter().flat_map(|version| version.canonical());
    checked.dropped += declared.filter(|form| matches!(form, Canonical::Dropped(_))).count();
    checked.objects += count * (laws * versions.len()) as u64;
    checked.refused += versions.iter().map(Valid::refused).sum::<u64>();
    Ok(listed)
}

/// Lists the paths at which a version refuses what another version allows, after conversion; those that rules accept
/// included. For all kinds as in [`check`], with `count` objects of each version.
///
/// # Errors
/// If the definitions cannot be read, or do not fit the Scheme.
pub fn refused(scheme: &Scheme, folder: impl AsRef<Path>, count: u64) -> Result<Vec<Refused>, Violations> {
    let definitions = Definitions::read(folder.as_ref())?;
    let mut all = Vec::new();
    for family in families(scheme, &definitions) {
        let versions = versions(&family, &definitions)?;
        all.extend(sibling::list(scheme, &family, &versions, &words(&family), count).refused);
    }
    Ok(all)
}

/// Fails if a path is not accepted, or an acceptance is stale.
fn valid_at_siblings(invalid: &[Refused], stale: &[(String, String)]) -> Result<(), Violations> {
    let mut lines: Vec<String> = invalid.iter().map(ToString::to_string).collect();
    if !lines.is_empty() {
        lines.insert(
            0,
            format!("what one version allows, another refuses after conversion, at {} paths", lines.len()),
        );
        lines.push(
            "help: let the versions allow the same, or accept a path by name: in rules with `may-be-invalid = [\"…\"]` in \
             the table of the version that refuses it, in Rust with `#[kind(may_be_invalid(\"…\"))]` at that version; \
             where the value is empty, `empty-is-absent` of the version that allows it leaves it out; where the versions have \
             other words for the same, `words` translates them"
                .to_owned(),
        );
    }
    for (version, path) in stale {
        lines.push(format!(
            "{version}: {path}: no object was found that is invalid here after a conversion; remove it from \
             `may-be-invalid` of this version"
        ));
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n").into()) }
}

/// The versions of a family, each with its schema.
fn versions<'d>(
    family: &[&Arc<KindEntry>],
    definitions: &'d Definitions,
) -> Result<Vec<Valid<'d>>, Violations> {
    let version = |entry: &&Arc<KindEntry>| {
        let conversion = match &entry.conversion {
            Conversion::Hub(conversion) => conversion.clone(),
            Conversion::Single | Conversion::NotConvertible(_) => UNCHANGED,
        };
        let schema = definitions.schema(&entry.group, &entry.version, &entry.kind).ok_or_else(|| {
            format!("{entry}: its definition has no such version; write it anew with `hubgen crds`")
        })?;
        Valid::new(Version { new: entry.new.clone(), conversion }, entry, schema)
    };
    family.iter().map(version).collect()
}

/// The words that the rules of a family look for.
fn words<'s>(family: &[&'s Arc<KindEntry>]) -> Vec<(&'s str, &'s str)> {
    family[0].family.as_ref().map_or_else(Vec::new, |family| family.words())
}

/// A version that does not convert. JSON comes back from its type all the same.
const UNCHANGED: ViaHub = ViaHub::Compiled {
    empty_hub: None,
    to_hub: Ok,
    from_hub: Ok,
    canonical: &[],
    may_be_invalid: &[],
    json: None,
};

fn converts(entry: &KindEntry) -> bool {
    matches!(entry.conversion, Conversion::Hub(_))
}

/// The kinds that a definition defines, each with all its versions. A version that does not convert is by itself.
fn families<'s>(scheme: &'s Scheme, definitions: &Definitions) -> Vec<Vec<&'s Arc<KindEntry>>> {
    let mut families: Vec<Vec<&Arc<KindEntry>>> = Vec::new();
    for entry in scheme.kinds().filter(|entry| definitions.has(&entry.group, &entry.kind)) {
        let is_family = |family: &Vec<&Arc<KindEntry>>| converts(family[0]) && family[0].is_family_of(entry);
        match families.iter_mut().find(|family| converts(entry) && is_family(family)) {
            Some(family) => family.push(entry),
            None => families.push(vec![entry]),
        }
    }
    families
}

/// `Certificate (version 0 is cert-manager.io/v1, version 1 is …)`.
fn title(family: &[&Arc<KindEntry>]) -> String {
    let versions: Vec<String> = family
        .iter()
        .enumerate()
        .map(|(at, entry)| format!("version {at} is {}", entry.api_version()))
        .collect();
    format!("{} ({})", family[0].kind, versions.join(", "))
}
