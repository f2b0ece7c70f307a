//! `patch`: PATCH of an object, or of its status, with a patch or with a configuration that is applied.

use super::{Call, object_or_error};
use crate::answer::Answer;
use crate::objects::{Apply, Objects, Patch, PatchFormat};
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, call: Call, name: &str) -> Result<Answer, Failure> {
    let Call { request, body, write } = call;
    let ObjectRequest { collection, part, query, shown, patch_format, .. } = request;
    let format = patch_format?;
    if format == PatchFormat::Apply {
        let (validation, force) = query.apply_options()?;
        let mut apply = Apply::read(&collection.entry, &body, validation, force)?;
        let (code, applied) = match objects.apply(&collection, name, part, &mut apply, &write).await {
            Ok((true, object)) => (201, Ok(object)),
            Ok((false, object)) => (200, Ok(object)),
            Err(error) => (200, Err(error)),
        };
        return Ok(object_or_error(code, shown, applied).with(apply.warnings));
    }
    Patch::check_is_json(&body)?;
    let mut patch = match Patch::read(format, &body, query.patch_options()?) {
        Ok(patch) => patch,
        Err(error) => {
            // As upstream: what is wrong with a patch is told of an object that exists.
            objects.get(&collection, name, None, &write.turn).await?;
            return Err(error.into());
        }
    };
    let patched = objects.patch(&collection, name, part, &mut patch, &write).await;
    Ok(object_or_error(200, shown, patched).with(patch.warnings))
}
