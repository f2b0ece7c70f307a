//! Requests for a subresource with a kind of its own, such as the scale of an object.

use std::sync::Arc;

use hubgen_machinery::scheme::KindEntry;

use super::{Call, object_or_error};
use crate::answer::Answer;
use crate::objects::{Apply, Error, Objects, Patch, PatchFormat, unrecognized};
use crate::part::Part;
use crate::request::{ObjectRequest, Verb};
use crate::status::{self, Failure};

pub(super) async fn answer(objects: &Objects, call: Call, kind: &Arc<KindEntry>) -> Result<Answer, Failure> {
    let Call { request, body, write } = call;
    let ObjectRequest { collection, part, verb, query, shown, format, patch_format, .. } = request;
    if let Verb::Get(name) = verb {
        let object = objects.get(&collection, &name, query.revision()?, &write.turn).await?;
        return Ok(Answer::object(200, shown, &objects.scale_of(kind, &object)?));
    }
    if let Verb::Patch(name) = verb {
        let format = patch_format?;
        if format == PatchFormat::Apply {
            let (validation, force) = query.apply_options()?;
            let mut apply = Apply::read(kind, &body, validation, force)?;
            let applied = objects.apply_scale(&collection, kind, &name, &mut apply, &write).await;
            return Ok(object_or_error(200, shown, applied).with(apply.warnings));
        }
        let mut patch = Patch::read(format, &body, query.patch_options()?)?;
        let patched = objects.patch_scale(&collection, kind, &name, &mut patch, &write).await;
        return Ok(object_or_error(200, shown, patched).with(patch.warnings));
    }
    let is_creation = matches!(verb, Verb::CreateFor(_));
    let validation = query.field_validation(if is_creation { "CreateOptions" } else { "UpdateOptions" })?;
    let body = format?.body(body).map_err(|why| Error::Malformed(unrecognized(kind, why)))?;
    let sent = if part == Part::Eviction { objects.sent_kind(kind, &body) } else { Arc::clone(kind) };
    let received = objects.receive(&sent, Part::Main, body)?;
    let mut warnings = validation.check(&sent, &received)?;
    let name = verb.object().unwrap_or_default();
    let done = |result: Result<(), Error>| match result {
        Ok(()) => Answer::machinery(201, shown.media, &status::done()),
        Err(error) => Answer::failure(shown.media, &error.into()),
    };
    let answer = match part {
        Part::Eviction => done(objects.evict(&collection, &sent, name, received, &write).await),
        Part::Binding => done(objects.bind(&collection, &sent, name, received, &write).await),
        Part::Token => {
            let token =
                objects.request_token(&collection, &sent, name, received, &write, &mut warnings).await;
            object_or_error(201, shown, token)
        }
        _ => {
            let scaled = objects.update_scale(&collection, &sent, name, received, &write).await;
            object_or_error(200, shown, scaled)
        }
    };
    Ok(answer.with(warnings))
}
