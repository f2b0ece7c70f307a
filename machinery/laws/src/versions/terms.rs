//! Stashes that were written by a program with another hub.

use hubgen_machinery::convert::inside::Stash;
use hubgen_machinery::convert::{STASH, with_annotations};
use hubgen_machinery::reflect::{Reflect, SlotMut};

use super::{AnyObject, Convertible, Stop, same, text, unless_refused, without_ours};
use crate::Violations;

/// Nothing of an object is lost that a program had stashed whose hub was another version: an object of `former` is
/// written as that program would have written it at `version`, and read. What is not restored is still in the
/// annotation.
///
/// # Errors
/// What `former` shows instead.
pub fn a_former_stash_is_read(
    version: &dyn Convertible,
    former: &dyn Convertible,
    object: &dyn Reflect,
) -> Result<(), Violations> {
    unless_refused(|| {
        // As both versions show it, so that what rules canonicalize is out of the way.
        let meant = without_ours(&*former.try_from_hub(&*former.try_to_hub(object)?)?);
        let Some(name) = former.empty().descriptor().type_meta().map(|meta| meta.api_version.to_owned())
        else {
            return Ok(());
        };
        let written = without_ours(&*version.try_from_hub(&*former.try_to_hub(&*meant)?)?);
        let shown = without_ours(&*former.try_from_hub(&*version.try_to_hub(&*written)?)?);
        let [shown, meant] = [shown, meant].map(|object| without_metadata(&*object));
        let Some(stash) = Stash::difference(Some(&name), &*shown, &*meant, None)? else { return Ok(()) };
        let stored = with_stash(&*written, &stash.write());
        let hub = version.try_to_hub(&*stored)?;
        let left = super::stash_of(&*hub).and_then(|left| Stash::read(&left));
        if left.is_some_and(|left| left.keeps_the_same(&stash)) {
            return Ok(());
        }
        let found = without_metadata(&*former.try_from_hub(&*hub)?);
        same(&*found, &*meant).map_err(|error| Stop::from(format!("{error}\n stored: {}", text(&*stored))))
    })
}

/// Metadata is not stashed. Annotations of upstream's that a version shows depend on the version before it.
fn without_metadata(object: &dyn Reflect) -> AnyObject {
    let mut object = object.boxed_copy();
    object.field_mut("metadata").into_iter().for_each(SlotMut::clear);
    object
}

fn with_stash(object: &dyn Reflect, stash: &str) -> AnyObject {
    let mut object = object.boxed_copy();
    with_annotations(&mut *object, &mut |annotations| {
        annotations.insert(STASH, stash.into());
    });
    object
}
