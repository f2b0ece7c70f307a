//! `list`: GET of a collection.

use crate::answer::Answer;
use crate::objects::{List, Objects};
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, request: &ObjectRequest) -> Result<Answer, Failure> {
    let (collection, shown) = (&request.collection, request.shown);
    let query = request.query.list(&collection.entry)?;
    let List { meta, items, warnings } =
        objects.list(collection, &query, |object| Ok(shown.encode_item(&object)?)).await?;
    Ok(Answer::list(shown, &collection.entry, &meta, &items).with(warnings))
}
