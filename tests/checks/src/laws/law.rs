//! The laws, each checked for one version of a family and bytes to generate from.

use hubgen_kubernetes::machinery::convert::ConvertError;
use hubgen_laws::versions::{AnyObject, Case, Convertible};
use hubgen_laws::{objects, versions};

use crate::caught;
use crate::family::Family;

/// A law. Its errors contain the objects.
#[derive(Clone, Copy)]
pub enum Law {
    /// A law for every conversion.
    Of(&'static versions::Law),
    /// JSON comes back as it was, except for what the conversion declares.
    Json,
    /// The compiled conversion equals the interpreted rules, which must be given.
    AsWritten,
}

impl Law {
    /// The laws for every conversion.
    pub fn all() -> impl Iterator<Item = Self> {
        versions::LAWS.iter().map(Self::Of)
    }

    /// The name of the law.
    pub fn name(self) -> &'static str {
        match self {
            Self::Of(law) => law.name,
            Self::Json => "JSON → version → hub → version → JSON",
            Self::AsWritten => "compiled as the rules are written",
        }
    }

    /// Checks the law for the version at an index. A panic is a failure.
    pub fn check(self, family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
        caught(|| self.check_uncaught(family, index, bytes)).and_then(|found| found)
    }

    /// Checks the law; panics if a conversion does.
    pub fn check_uncaught(self, family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
        let law = match self {
            Self::Of(law) => law,
            Self::Json => {
                let version = &*family.versions[index].version;
                let json = version.generate_json(&mut family.source(bytes));
                return Ok(versions::json_survives(version, &json)?);
            }
            Self::AsWritten => return as_written(family, index, bytes),
        };
        let versions: Vec<&dyn Convertible> =
            family.versions.iter().map(|member| &*member.version as &dyn Convertible).collect();
        Ok(law.check(Case { versions: &versions, index, words: &family.words, bytes })?)
    }
}

/// Checks that both convert to the same object, or refuse the same word.
fn agree(
    written: Result<AnyObject, ConvertError>,
    compiled: Result<AnyObject, ConvertError>,
) -> Result<Option<AnyObject>, String> {
    match (written, compiled) {
        (Ok(written), Ok(compiled)) => {
            versions::same(&*written, &*compiled)?;
            Ok(Some(compiled))
        }
        (Err(written), Err(compiled)) if written.is_refusal() && written == compiled => Ok(None),
        (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
    }
}

fn as_written(family: &Family<'_>, index: usize, bytes: &[u8]) -> Result<(), String> {
    let member = &family.versions[index];
    let written = family.written.iter().find(|written| written.entry == member.entry);
    let (compiled, written) = (&*member.version, &*written.ok_or("there are no rules")?.version);
    let (choices, rest) = bytes.split_at(bytes.len().min(16));
    let object = compiled.generate(&mut family.source(rest));
    agree(written.try_to_hub(&*object), compiled.try_to_hub(&*object))?;
    let hub = compiled.generate_hub(&mut family.source(rest));
    let Some(mut shown) = agree(written.try_from_hub(&*hub), compiled.try_from_hub(&*hub))? else {
        return Ok(());
    };
    objects::edit(&mut *shown, &mut family.source(choices));
    agree(written.try_to_hub(&*shown), compiled.try_to_hub(&*shown)).map(drop)
}
