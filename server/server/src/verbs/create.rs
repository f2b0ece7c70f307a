//! `create`: POST to a collection.

use super::{Call, object_or_error};
use crate::answer::Answer;
use crate::objects::{Error, Objects, unrecognized};
use crate::request::ObjectRequest;
use crate::status::{self, Failure};

pub(super) async fn answer(objects: &Objects, call: Call) -> Result<Answer, Failure> {
    let Call { request: ObjectRequest { collection, part, query, shown, format, .. }, body, write } = call;
    let entry = &collection.entry;
    let validation = query.field_validation("CreateOptions")?;
    let body = format?.body(body).map_err(|why| Error::Malformed(unrecognized(entry, why)))?;
    let received = objects.receive(entry, part, body)?;
    let warnings = validation.check(entry, &received)?;
    let is_stored = entry.resource.as_ref().is_some_and(|resource| resource.verbs.contains("get"));
    // A resource that can be created but not read is not stored: a binding, or a review.
    let created = if is_stored {
        objects.create(&collection, received, &write).await
    } else if let Some(bound) = objects.bound_by(&collection) {
        let name = received.name().to_owned();
        objects.bind(&bound, entry, &name, received, &write).await?;
        return Ok(Answer::machinery(201, shown.media, &status::done()).with(warnings));
    } else {
        objects.review(&collection, received, &write).await
    };
    Ok(object_or_error(201, shown, created).with(warnings))
}
