//! `get`: GET of an object.

use crate::answer::Answer;
use crate::objects::Objects;
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(
    objects: &Objects,
    request: &ObjectRequest,
    name: &str,
) -> Result<Answer, Failure> {
    let object = objects.get(&request.collection, name, request.query.revision()?).await?;
    Ok(Answer::object(200, request.shown, &object))
}
