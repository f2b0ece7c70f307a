//! `get`: GET of an object.

use hubgen_serve::queue::Turn;

use crate::answer::Answer;
use crate::objects::Objects;
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(
    objects: &Objects,
    request: &ObjectRequest,
    name: &str,
    turn: &Turn,
) -> Result<Answer, Failure> {
    let object = objects.get(&request.collection, name, request.query.revision()?, turn).await?;
    Ok(Answer::object(200, request.shown, &object))
}
