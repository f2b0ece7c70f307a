//! What each verb does with objects, and how it answers.

mod create;
mod delete;
mod delete_collection;
mod get;
mod list;
mod own_kind;
mod patch;
mod update;
mod watch;

use std::sync::Arc;

use hubgen_machinery::scheme::Object;
use hubgen_serve::body::Received;
use hubgen_serve::queue::Turn;

pub(crate) use self::watch::{Running, answer as watch};
use crate::access::User;
use crate::answer::Answer;
use crate::media::Representation;
use crate::objects::{Error, Objects, Warnings, Write};
use crate::request::{ObjectRequest, Verb};
use crate::status::Failure;

/// A request whose turn has come, without its verb.
struct Call {
    request: ObjectRequest,
    body: Vec<u8>,
    write: Write,
}

/// Answers a request for objects.
pub(crate) async fn answer(
    objects: &Objects,
    request: ObjectRequest,
    body: Received,
    user: Arc<User>,
    turn: Turn,
) -> Result<Answer, Failure> {
    // The memory of the body is returned only when the work is done.
    let Received { bytes, share: _share } = body;
    let (manager, dry_run) = (request.manager.clone(), request.query.is_dry_run());
    let warnings = Warnings::default();
    let write = Write { user, manager, dry_run, turn, warnings: warnings.clone() };
    let verb = request.verb.clone();
    let call = Call { request, body: bytes, write };
    if let Some(kind) = call.request.kind.clone() {
        return own_kind::answer(objects, call, &kind).await;
    }
    let answer = match verb {
        Verb::CreateFor(_) => unreachable!("what is created for an object has a kind of its own"),
        Verb::Create => create::answer(objects, call).await,
        Verb::Update(name) => update::answer(objects, call, &name).await,
        Verb::Patch(name) => patch::answer(objects, call, &name).await,
        Verb::Get(name) => get::answer(objects, &call.request, &name, &call.write.turn).await,
        Verb::List => list::answer(objects, &call.request).await,
        Verb::Delete(name) => delete::answer(objects, call, &name).await,
        Verb::DeleteCollection => delete_collection::answer(objects, call).await,
        Verb::Watch => unreachable!("a watch is answered with a stream"),
    };
    Ok(answer?.with(warnings.take()))
}

/// The object or the error. Both can have warnings.
fn object_or_error(code: u16, shown: Representation, result: Result<Object, Error>) -> Answer {
    match result {
        Ok(object) => Answer::object(code, shown, &object),
        Err(error) => Answer::failure(shown.media, &error.into()),
    }
}
