//! `patch`: PATCH of an object, or of its status.

use super::{Call, object_or_error};
use crate::answer::Answer;
use crate::objects::{Objects, Patch};
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, call: Call, name: &str) -> Result<Answer, Failure> {
    let Call { request, body, write } = call;
    let ObjectRequest { collection, part, query, shown, patch_format, .. } = request;
    let validation = query.patch_options()?;
    let mut patch = Patch::read(patch_format?, &body, validation)?;
    let patched = objects.patch(&collection, name, part, &mut patch, &write).await;
    Ok(object_or_error(200, shown, patched).with(patch.warnings))
}
