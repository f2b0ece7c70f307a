//! Finds the two versions of a kind that arguments name.

use std::sync::Arc;

use hubgen_kubernetes::machinery::scheme::{Conversion, KindEntry, Scheme};
use hubgen_terminal::Diagnostic;

use crate::find::{Versions, kinds};

/// A kind at the version that it converts from, and at the one that it converts to.
pub type Both<'a> = [&'a Arc<KindEntry>; 2];

/// The two versions of a kind: each as `v1beta1` or as `apps/v1beta1`.
///
/// # Errors
/// If the kind or a version is not known, if a name means several, or if the versions do not convert.
pub fn both<'a>(scheme: &'a Scheme, kind: &str, from: &str, to: &str) -> Result<Both<'a>, Diagnostic> {
    let found = kinds(scheme, kind)?;
    let has = |versions: &&Versions<'_>, text| !named(versions, text).is_empty();
    let with_both: Vec<&Versions<'_>> =
        found.iter().filter(|versions| has(versions, from) && has(versions, to)).collect();
    let versions = match &*with_both {
        [versions] => (*versions).clone(),
        // One of the versions is the mistake.
        [] => found.concat(),
        several => {
            let names: Vec<String> = several.iter().map(|versions| with_group(versions)).collect();
            let message = format!("several kinds are called `{kind}`");
            return Err(Diagnostic::message(message, format!("write one of {}", names.join(", "))));
        }
    };
    let both = [one(&versions, kind, from)?, one(&versions, kind, to)?];
    if both[0] == both[1] {
        let message = format!("both versions are {}", both[0].api_version());
        return Err(Diagnostic::message(message, format!("name two of {}", list(&versions))));
    }
    for entry in both {
        if let Conversion::NotConvertible(reason) = &entry.conversion {
            let message = format!("{entry} does not convert: {}", &**reason);
            let convert =
                |other: &&Arc<KindEntry>| !matches!(other.conversion, Conversion::NotConvertible(_));
            let others: Versions<'_> = versions.iter().copied().filter(convert).collect();
            let help = match &*others {
                [] => String::new(),
                _ => format!("the versions that convert are {}", list(&others)),
            };
            return Err(Diagnostic::message(message, help));
        }
    }
    Ok(both)
}

/// The version that a text means.
fn one<'a>(
    versions: &[&'a Arc<KindEntry>],
    kind: &str,
    text: &str,
) -> Result<&'a Arc<KindEntry>, Diagnostic> {
    match &*named(versions, text) {
        [entry] => Ok(entry),
        [] => {
            let message = format!("{kind} has no version `{text}`");
            Err(Diagnostic::message(message, format!("its versions are {}", list(versions))))
        }
        several => {
            let message = format!("{kind} has several versions `{text}`");
            Err(Diagnostic::message(message, format!("write one of {}", list(several))))
        }
    }
}

/// The versions that a text may mean: a whole name means only one.
fn named<'a>(versions: &[&'a Arc<KindEntry>], text: &str) -> Versions<'a> {
    let whole: Versions<'a> = versions.iter().copied().filter(|entry| entry.api_version() == text).collect();
    if !whole.is_empty() {
        return whole;
    }
    versions.iter().copied().filter(|entry| entry.version == text).collect()
}

fn list(versions: &[&Arc<KindEntry>]) -> String {
    versions.iter().map(|entry| entry.api_version()).collect::<Vec<_>>().join(", ")
}

/// The name of a kind with its group.
fn with_group(versions: &Versions<'_>) -> String {
    let (group, _, kind) = versions[0].storage();
    format!("{kind}.{}", if group.is_empty() { "core" } else { group })
}
