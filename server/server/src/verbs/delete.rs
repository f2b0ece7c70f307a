//! `delete`: DELETE of an object.

use super::Call;
use crate::answer::Answer;
use crate::objects::{Deleted, Objects, ignores_unreadable};
use crate::request::{ObjectRequest, read_delete_options};
use crate::status::{self, Failure};

pub(super) async fn answer(objects: &Objects, call: Call, name: &str) -> Result<Answer, Failure> {
    let Call { request: ObjectRequest { collection, query, shown, format, .. }, body, write } = call;
    let options = read_delete_options(&objects.catalog.scheme, format, body, &query)?;
    let deleted = if ignores_unreadable(&options) {
        objects.delete_unreadable(&collection, name, &write.turn).await?
    } else {
        objects.delete(&collection, name, &options, &write.or_as_options_say(&options)).await?
    };
    let entry = &collection.entry;
    Ok(match deleted {
        Deleted::Gone { uid } => Answer::machinery(200, shown.media, &status::deleted(entry, name, &uid)),
        Deleted::GoneUnread => Answer::machinery(200, shown.media, &status::deleted_unread(entry, name)),
        Deleted::Waiting(object) => Answer::object(200, shown, &object),
    })
}
