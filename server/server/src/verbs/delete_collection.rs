//! `deletecollection`: DELETE of a collection.

use super::Call;
use crate::answer::Answer;
use crate::objects::{List, Objects};
use crate::request::{ObjectRequest, check_for_collection, read_delete_options};
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, call: Call) -> Result<Answer, Failure> {
    let Call { request: ObjectRequest { collection, query, shown, format, .. }, body, write } = call;
    let list = query.list(&collection.entry)?;
    let options = read_delete_options(&objects.catalog.scheme, format, body, &query)?;
    check_for_collection(&options)?;
    let write = write.or_as_options_say(&options);
    let encode = |object| Ok(shown.encode_item(&object)?);
    let List { meta, items, warnings } =
        objects.delete_collection(&collection, &list, &options, &write, encode).await?;
    Ok(Answer::list(shown, &collection.entry, &meta, items).with(warnings))
}
