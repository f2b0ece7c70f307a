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
//! [laws for JSON](hubgen_machinery::convert::laws::JSON_LAWS):
//!
//! - A version returns the JSON as it came: absent, `null`, `[]`, `{}`, `""` and zero stay what they were, except for
//!   what the conversion declares in `CANONICAL`.
//! - The hub survives every version of the kind.
//! - An edit at any version wins, and changes nothing else.
//!
//! - The same is true of JSON that is [converted without being decoded](hubgen_machinery::scheme::Scheme::convert_json),
//!   and a part of an object gains nothing by it: each value of the result is in the object or in its annotation.
//!
//! Then it generates objects of the types, with what no schema allows, and checks the
//! [laws of every conversion](hubgen_machinery::convert::laws::LAWS). Of a kind with a single version, it only checks
//! that JSON comes back.
//!
//! The error contains the smallest object that was found, and the paths of the fields that differ.
//!
//! Rules in CEL are not evaluated, so some objects violate them.

mod definitions;
mod valid;

use std::fmt;
use std::path::Path;

use hubgen_machinery::convert::laws::{self, Convertible, Version};
use hubgen_machinery::convert::{Canonical, ViaHub};
use hubgen_machinery::scheme::{Conversion, KindEntry, Scheme};

pub use self::definitions::Definitions;
use self::valid::Valid;

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The number of kinds.
    pub kinds: usize,
    /// The number of their versions.
    pub versions: usize,
    /// The number of generated objects, each of which was converted several times.
    pub objects: u64,
    /// The number of fields that rules drop: their values are lost in conversions.
    pub dropped: usize,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kinds, versions, objects, dropped } = self;
        write!(f, "{kinds} kinds, {versions} versions, {objects} objects: no law is violated")?;
        if *dropped > 0 {
            write!(f, "; rules drop {dropped} fields")?;
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
/// If a law is violated: its name, the version, the smallest object found, and the paths that differ. If the definitions
/// cannot be read, if they lack a version that the Scheme has, or if they define no kind of the Scheme. If a schema allows
/// so little that most attempts to generate an object fail.
pub fn check(scheme: &Scheme, folder: impl AsRef<Path>, count: u64) -> Result<Checked, String> {
    check_with(scheme, &Definitions::read(folder.as_ref())?, count)
}

/// Checks the laws like [`check`], with definitions that are in memory.
///
/// # Errors
/// As [`check`].
pub fn check_with(scheme: &Scheme, definitions: &Definitions, count: u64) -> Result<Checked, String> {
    let mut checked = Checked::default();
    for family in families(scheme, definitions) {
        let mut versions = Vec::new();
        for entry in &family {
            let conversion = match &entry.conversion {
                Conversion::Hub(conversion) => conversion.clone(),
                Conversion::Single | Conversion::NotConvertible(_) => UNCHANGED,
            };
            let schema = definitions.schema(&entry.group, &entry.version, &entry.kind).ok_or_else(|| {
                format!("{entry}: its definition has no such version; write it anew with `hubgen crds`")
            })?;
            versions.push(Valid::new(Version { new: entry.new.clone(), conversion }, entry, schema)?);
        }
        let words = family[0].family.as_ref().map_or_else(Vec::new, |family| family.words());
        let all: Vec<&dyn Convertible> = versions.iter().map(|version| version as &dyn Convertible).collect();
        let mut laws = laws::JSON_LAWS.len();
        let mut result = laws::check_json(&all, &words, count);
        if converts(family[0]) {
            laws += laws::LAWS.len();
            result = result.and_then(|()| laws::check(&all, &words, count));
            result = result.and_then(|()| {
                let is_checked = laws::check_undecoded(&all, &words, count)?;
                laws += if is_checked { laws::UNDECODED_LAWS.len() } else { 0 };
                Ok(())
            });
        }
        result.map_err(|error| format!("{}: {error}", title(&family)))?;
        versions.iter().zip(&family).try_for_each(|(version, entry)| version.suffices(entry))?;
        checked.kinds += 1;
        checked.versions += versions.len();
        let declared = versions.iter().flat_map(|version| version.canonical());
        checked.dropped += declared.filter(|form| matches!(form, Canonical::Dropped(_))).count();
        checked.objects += count * (laws * versions.len()) as u64;
    }
    if checked.kinds == 0 {
        return Err("no kind of the Scheme has a definition".to_owned());
    }
    Ok(checked)
}

/// A version that does not convert. JSON comes back from its type all the same.
const UNCHANGED: ViaHub = ViaHub::Compiled { to_hub: Ok, from_hub: Ok, canonical: &[], json: None };

fn converts(entry: &KindEntry) -> bool {
    matches!(entry.conversion, Conversion::Hub(_))
}

/// The kinds that a definition defines, each with all its versions. A version that does not convert is by itself.
fn families<'s>(scheme: &'s Scheme, definitions: &Definitions) -> Vec<Vec<&'s KindEntry>> {
    let mut families: Vec<Vec<&KindEntry>> = Vec::new();
    for entry in scheme.kinds().filter(|entry| definitions.has(&entry.group, &entry.kind)) {
        let is_family = |family: &Vec<&KindEntry>| converts(family[0]) && family[0].is_family_of(entry);
        match families.iter_mut().find(|family| converts(entry) && is_family(family)) {
            Some(family) => family.push(entry),
            None => families.push(vec![entry]),
        }
    }
    families
}

/// `Certificate (version 0 is cert-manager.io/v1, version 1 is …)`.
fn title(family: &[&KindEntry]) -> String {
    let versions: Vec<String> = family
        .iter()
        .enumerate()
        .map(|(at, entry)| format!("version {at} is {}", entry.api_version()))
        .collect();
    format!("{} ({})", family[0].kind, versions.join(", "))
}
