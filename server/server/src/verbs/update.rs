//! `update`: PUT of an object, or of its status.

use super::{Call, object_or_error};
use crate::answer::Answer;
use crate::objects::{Error, Objects, unrecognized};
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, call: Call, name: &str) -> Result<Answer, Failure> {
    let Call { request: ObjectRequest { collection, part, query, shown, format, .. }, body, write } = call;
    let entry = &collection.entry;
    let validation = query.field_validation("UpdateOptions")?;
    let body = format?.body(body).map_err(|why| Error::Malformed(unrecognized(entry, why)))?;
    let received = objects.receive(entry, part, body)?;
    let warnings = validation.check(entry, &received)?;
    let updated = objects.update(&collection, name, part, received, &write).await;
    Ok(object_or_error(200, shown, updated).with(warnings))
}
