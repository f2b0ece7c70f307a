//! `get`: GET of an object.

use crate::answer::Answer;
use crate::objects::Objects;
use crate::request::{ObjectRequest, Verb};
use crate::status::Failure;

pub(super) async fn answer(
    objects: &Objects,
    request: &ObjectRequest,
    name: &str,
) -> Result<Answer, Failure> {
    let object = objects.get(&request.collection, name, request.query.revision()?).await?;
    Ok(Answer::object(200, request.shown, &object))
}

/// The same where the request is served, unless it is more work than that.
pub(crate) async fn small(objects: &Objects, request: &ObjectRequest) -> Result<Option<Answer>, Failure> {
    let Verb::Get(name) = &request.verb else { return Ok(None) };
    let object = objects.get_small(&request.collection, name, request.query.revision()?).await?;
    Ok(object.map(|object| Answer::object(200, request.shown, &object)))
}
