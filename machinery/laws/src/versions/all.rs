//! All laws, for every version of a kind.

use hubgen_machinery::json;
use serde_json::Value;

use super::undecoded::{self, Undecoded};
use super::{
    AnyObject, Convertible, a_bad_annotation_changes_nothing, a_former_stash_is_read, an_edit_wins,
    canonicalizes_once, forged, hub_survives, json_survives,
};
use crate::Violations;
use crate::objects::{Source, bytes, shrink};

/// A law of conversions. It generates its objects from bytes.
pub struct Law {
    /// A short statement of the law.
    pub name: &'static str,
    holds: fn(Case<'_>) -> Result<(), Violations>,
}

/// The laws of every conversion.
pub const LAWS: &[Law] = &[
    Law { name: "hub → version → hub", holds: a_hub_survives },
    Law { name: "hub → A → B → hub", holds: a_hub_survives_two },
    Law { name: "version → hub → version", holds: a_version_canonicalizes_once },
    Law { name: "an edit at the version wins", holds: an_edit_of_it_wins },
    Law { name: "bad annotations change nothing", holds: bad_annotations_change_nothing },
    Law { name: "a stash in the terms of each version is read", holds: former_stashes_are_read },
];

/// The laws of conversions between types that distinguish all that JSON does, with objects in JSON as
/// clients write them.
pub const JSON_LAWS: &[Law] = &[
    Law { name: "JSON at the version → hub → version", holds: json_comes_back },
    Law { name: "JSON at the version → hub → each version → hub", holds: the_hub_of_json_survives },
    Law {
        name: "JSON at the version → hub, and an edit at each version wins", holds: an_edit_of_json_wins
    },
];

/// The laws of conversions of JSON that is not decoded.
pub const UNDECODED_LAWS: &[Law] = &[
    Law { name: "undecoded JSON at the version → hub → version", holds: undecoded_json_comes_back },
    Law {
        name: "undecoded JSON at the version → hub → each version → hub",
        holds: the_hub_of_undecoded_json_survives,
    },
    Law {
        name: "undecoded JSON at the version → hub, and an edit at each version wins",
        holds: an_edit_of_undecoded_json_wins,
    },
    Law { name: "undecoded JSON converts as typed objects do", holds: undecoded_json_agrees },
    Law { name: "bad annotations of undecoded JSON change nothing", holds: bad_annotations_of_json },
    Law {
        name: "a part of undecoded JSON at the version → each version adds nothing",
        holds: partial_objects_gain_nothing,
    },
];

/// The input of a check.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// All versions of the kind; they convert through one hub.
    pub versions: &'a [&'a dyn Convertible],
    /// The index of the version to check.
    pub index: usize,
    /// String values that the conversions look for or write, each with the name of its field.
    /// Random generation would not produce them.
    pub words: &'a [(&'a str, &'a str)],
    /// The bytes to generate objects from.
    pub bytes: &'a [u8],
}

impl Law {
    /// Checks the law.
    ///
    /// # Errors
    /// The objects that violate it.
    pub fn check(&self, case: Case<'_>) -> Result<(), Violations> {
        (self.holds)(case)
    }
}

/// Checks all [`LAWS`] on `count` generated objects for each version of a kind; see [`Case`] for
/// `words`.
///
/// # Errors
/// The first violated law, with the version and the smallest objects found that violate
/// it.
pub fn check(versions: &[&dyn Convertible], words: &[(&str, &str)], count: u64) -> Result<(), Violations> {
    check_laws(LAWS, versions, words, count)
}

/// Checks all [`JSON_LAWS`] on `count` generated objects for each version of a kind; see [`Case`] for
/// `words`.
///
/// # Errors
/// The first violated law, with the version, the smallest object found that violates it, and the paths
/// of the fields.
pub fn check_json(
    versions: &[&dyn Convertible],
    words: &[(&str, &str)],
    count: u64,
) -> Result<(), Violations> {
    check_laws(JSON_LAWS, versions, words, count)
}

/// Checks all [`UNDECODED_LAWS`] on `count` generated objects for each version of a kind; see [`Case`] for `words`.
/// Returns whether there was anything to check: the JSON of the version converts without being decoded only if no rule
/// needs typed objects.
///
/// # Errors
/// The first violated law, with the version, the smallest object found that violates it, and the paths of the fields.
pub fn check_undecoded(
    versions: &[&dyn Convertible],
    words: &[(&str, &str)],
    count: u64,
) -> Result<bool, Violations> {
    let Some(undecoded) = all_undecoded(versions) else { return Ok(false) };
    let versions: Vec<&dyn Convertible> =
        undecoded.iter().map(|version| version as &dyn Convertible).collect();
    check_laws(UNDECODED_LAWS, &versions, words, count).map(|()| true)
}

/// Checks what [`check`], [`check_json`] and [`check_undecoded`] do, and returns the first violation as it is found:
/// nobody makes its object smaller, which takes hundreds of times as long as finding it. Returns what
/// [`check_undecoded`] does.
///
/// # Errors
/// The first violated law, with the version, and an object that violates it.
pub fn check_all(
    versions: &[&dyn Convertible],
    words: &[(&str, &str)],
    count: u64,
) -> Result<bool, Violations> {
    let first = |laws: &[Law], versions: &[&dyn Convertible]| {
        (0..versions.len()).try_for_each(|index| {
            laws.iter().try_for_each(|law| {
                (0..count).try_for_each(|seed| {
                    let checked = law.check(Case { versions, index, words, bytes: &bytes(seed) });
                    checked.map_err(|error| violation(index, law, &error))
                })
            })
        })
    };
    first(LAWS, versions)?;
    first(JSON_LAWS, versions)?;
    let Some(undecoded) = all_undecoded(versions) else { return Ok(false) };
    let versions: Vec<&dyn Convertible> =
        undecoded.iter().map(|version| version as &dyn Convertible).collect();
    first(UNDECODED_LAWS, &versions).map(|()| true)
}

fn violation(index: usize, law: &Law, error: &Violations) -> Violations {
    format!("version {index}, {}: {error}", law.name).into()
}

fn check_laws(
    laws: &[Law],
    versions: &[&dyn Convertible],
    words: &[(&str, &str)],
    count: u64,
) -> Result<(), Violations> {
    for index in 0..versions.len() {
        for law in laws {
            let holds = |bytes: &[u8]| law.check(Case { versions, index, words, bytes });
            if let Some(bytes) = (0..count).map(bytes).find(|bytes| holds(bytes).is_err()) {
                let small = shrink(&bytes, |bytes| holds(bytes).is_err());
                let error = holds(&small).expect_err("what is made smaller still violates the law");
                return Err(violation(index, law, &error));
            }
        }
    }
    Ok(())
}

impl<'a> Case<'a> {
    fn version(&self) -> &'a dyn Convertible {
        self.versions[self.index]
    }

    fn source(&self, bytes: &'a [u8]) -> Source<'a> {
        Source::new(bytes, self.words)
    }
}

fn a_hub_survives(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    hub_survives(&[version], &*version.generate_hub(&mut case.source(case.bytes)))
}

fn a_hub_survives_two(case: Case<'_>) -> Result<(), Violations> {
    let (choice, rest) = case.bytes.split_at(case.bytes.len().min(1));
    let other = choice.first().map_or(0, |choice| usize::from(*choice) % case.versions.len());
    let versions = [case.version(), case.versions[other]];
    hub_survives(&versions, &*versions[0].generate_hub(&mut case.source(rest)))
}

fn a_version_canonicalizes_once(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    canonicalizes_once(version, &*version.generate(&mut case.source(case.bytes))).map(drop)
}

fn an_edit_of_it_wins(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    // The edit is generated first, so that it also exists when few bytes are left.
    let (choices, rest) = case.bytes.split_at(case.bytes.len().min(16));
    let hub = version.generate_hub(&mut case.source(rest));
    an_edit_wins(version, &*hub, &mut case.source(choices))
}

fn bad_annotations_change_nothing(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    let (one, other) = case.bytes.split_at(case.bytes.len() / 2);
    let object = version.generate(&mut case.source(one));
    let annotation = forged(version, &*object, &mut case.source(other))?;
    a_bad_annotation_changes_nothing(version, &*object, &annotation)
}

fn former_stashes_are_read(case: Case<'_>) -> Result<(), Violations> {
    case.versions.iter().try_for_each(|former| {
        a_former_stash_is_read(case.version(), *former, &*former.generate(&mut case.source(case.bytes)))
    })
}

fn json_comes_back(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    json_survives(version, &version.generate_json(&mut case.source(case.bytes)))
}

fn the_hub_of_json_survives(case: Case<'_>) -> Result<(), Violations> {
    let json = case.version().generate_json(&mut case.source(case.bytes));
    let Some(hub) = hub_of(case.version(), &json)? else { return Ok(()) };
    for version in case.versions {
        hub_survives(&[*version], &*hub).map_err(|error| format!("{error}\n     of: {json}"))?;
    }
    Ok(())
}

fn an_edit_of_json_wins(case: Case<'_>) -> Result<(), Violations> {
    // The edit is generated first, so that it also exists when few bytes are left.
    let (choices, rest) = case.bytes.split_at(case.bytes.len().min(16));
    let json = case.version().generate_json(&mut case.source(rest));
    let Some(hub) = hub_of(case.version(), &json)? else { return Ok(()) };
    for version in case.versions {
        let edit = an_edit_wins(*version, &*hub, &mut case.source(choices));
        edit.map_err(|error| format!("{error}\n     of: {json}"))?;
    }
    Ok(())
}

fn bad_annotations_of_json(case: Case<'_>) -> Result<(), Violations> {
    let version = case.version();
    let (one, other) = case.bytes.split_at(case.bytes.len() / 2);
    let object = decoded(version, &version.generate_json(&mut case.source(one)))?;
    let annotation = forged(version, &*object, &mut case.source(other))?;
    a_bad_annotation_changes_nothing(version, &*object, &annotation)
}

fn undecoded_json_comes_back(case: Case<'_>) -> Result<(), Violations> {
    let Some(versions) = all_undecoded(case.versions) else { return Ok(()) };
    let version = &versions[case.index];
    undecoded::comes_back(version, &version.generate_json(&mut case.source(case.bytes)))
}

fn undecoded_json_agrees(case: Case<'_>) -> Result<(), Violations> {
    let Some(versions) = all_undecoded(case.versions) else { return Ok(()) };
    let version = &versions[case.index];
    undecoded::agrees(version, &version.generate_json(&mut case.source(case.bytes)))
}

fn the_hub_of_undecoded_json_survives(case: Case<'_>) -> Result<(), Violations> {
    let Some(versions) = all_undecoded(case.versions) else { return Ok(()) };
    let json = versions[case.index].generate_json(&mut case.source(case.bytes));
    undecoded::hub_survives(&versions, case.index, &json)
}

fn an_edit_of_undecoded_json_wins(case: Case<'_>) -> Result<(), Violations> {
    let Some(versions) = all_undecoded(case.versions) else { return Ok(()) };
    // The edit is generated first, so that it also exists when few bytes are left.
    let (choices, rest) = case.bytes.split_at(case.bytes.len().min(16));
    let json = versions[case.index].generate_json(&mut case.source(rest));
    undecoded::an_edit_wins(&versions, case.index, &json, &mut case.source(choices))
}

fn partial_objects_gain_nothing(case: Case<'_>) -> Result<(), Violations> {
    let Some(versions) = all_undecoded(case.versions) else { return Ok(()) };
    undecoded::gains_nothing(&versions, case.index, &mut case.source(case.bytes))
}

/// The versions, if the JSON of all of them converts without being decoded.
fn all_undecoded<'a>(versions: &[&'a dyn Convertible]) -> Option<Vec<Undecoded<'a>>> {
    versions.iter().map(|version| Undecoded::new(*version)).collect()
}

fn decoded(version: &dyn Convertible, json: &Value) -> Result<AnyObject, Violations> {
    let mut object = version.empty();
    json::decode_into(json.to_string().as_bytes(), &mut *object)
        .map_err(|error| format!("{error}\n     of: {json}"))?;
    Ok(object)
}

/// The hub of an object in JSON; `None` if the conversion refuses it, which no law forbids.
fn hub_of(version: &dyn Convertible, json: &Value) -> Result<Option<AnyObject>, Violations> {
    let object = decoded(version, json)?;
    match version.try_to_hub(&*object) {
        Ok(hub) => Ok(Some(hub)),
        Err(error) if error.is_refusal() => Ok(None),
        Err(error) => Err(format!("{error}\n     of: {json}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Version;
    use super::{check, check_json};
    use hubgen_machinery::ApiType;
    use hubgen_machinery::convert::{Convert, ConvertError};

    #[derive(ApiType)]
    struct Old {
        size: i32,
    }

    /// The old version loses its height.
    #[derive(ApiType)]
    struct New {
        width: i32,
        height: i32,
    }

    impl Convert for New {
        type Hub = Self;

        fn to_hub(self) -> Self {
            self
        }

        fn from_hub(hub: Self) -> Result<Self, ConvertError> {
            Ok(hub)
        }
    }

    impl Convert for Old {
        type Hub = New;

        fn to_hub(self) -> New {
            New { width: self.size, height: 0 }
        }

        fn from_hub(hub: New) -> Result<Self, ConvertError> {
            Ok(Self { size: hub.width })
        }
    }

    #[test]
    fn a_version_that_loses_a_field_is_reported() {
        let [old, new] = [Version::of::<Old>(), Version::of::<New>()];
        let error = check(&[&new, &old], &[], 100).unwrap_err();
        assert!(error.to_string().starts_with("version 0, hub → A → B → hub: "), "{error}");
        let error = check(&[&old, &new], &[], 100).unwrap_err();
        assert!(error.to_string().starts_with("version 0, hub → version → hub: "), "{error}");
        assert_eq!(check(&[&new], &[], 100), Ok(()));
        let error = check_json(&[&old, &new], &[], 100).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("version 1, JSON at the version → hub → each version → hub: height differs\n"),
            "{error}"
        );
    }
}
