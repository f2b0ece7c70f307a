//! Performs requests on the registry.

use hubgen_machinery::scheme::{Object, Scheme};
use hubgen_serve::body::Received;
use hubgen_serve::queue::Turn;

use super::action::Action;
use super::call::ObjectCall;
use super::delete_options;
use super::query::Query;
use super::reply::Reply;
use crate::media::{Format, Media};
use crate::registry::{Deleted, List, Registry, Write};
use crate::wire::{DeleteOptions, Status};

/// Performs a request for objects.
pub(super) async fn perform(
    registry: &Registry,
    call: ObjectCall,
    body: Received,
    turn: Turn,
) -> Result<Reply, Status> {
    let ObjectCall { collection, part, action, query, media, format } = call;
    let entry = &collection.entry;
    // The memory of the body is returned only when the work is done.
    let Received { bytes, share: _share } = body;
    let write = Write { dry_run: query.is_dry_run(), turn };
    match action {
        Action::Create => {
            let validation = query.field_validation("CreateOptions")?;
            let body = format?.body(bytes).map_err(|why| Status::unrecognized(entry, why))?;
            let received = registry.receive(entry, part, body)?;
            let warnings = validation.check(entry, &received)?;
            let is_stored = entry.resource.as_ref().is_some_and(|resource| resource.verbs.contains("get"));
            // A resource that can be created but not read is a review, which is not stored.
            let created = if is_stored {
                registry.create(&collection, received, &write).await
            } else {
                registry.review(&collection, received, &write).await
            };
            Ok(outcome(201, media, created).with(warnings))
        }
        Action::Update(name) => {
            let validation = query.field_validation("UpdateOptions")?;
            let body = format?.body(bytes).map_err(|why| Status::unrecognized(entry, why))?;
            let received = registry.receive(entry, part, body)?;
            let warnings = validation.check(entry, &received)?;
            let updated = registry.update(&collection, &name, part, received, &write).await;
            Ok(outcome(200, media, updated).with(warnings))
        }
        Action::Get(name) => {
            Ok(Reply::of(200, media, &registry.get(&collection, &name, query.revision()?).await?))
        }
        Action::List => {
            let List { meta, items, warnings } = registry.list(&collection, &query.list()?).await?;
            Ok(Reply::list(media, entry, &meta, &items).with(warnings))
        }
        Action::Delete(name) => {
            let options = delete_options(registry.scheme(), format, bytes, &query)?;
            let deleted = if options.ignores_unreadable() {
                registry.delete_unreadable(&collection, &name).await?
            } else {
                registry.delete(&collection, &name, &options, &write.or_of(&options)).await?
            };
            Ok(match deleted {
                Deleted::Gone(status) => Reply::object(200, media, &status),
                Deleted::Waiting(object) => Reply::of(200, media, &object),
            })
        }
        Action::DeleteCollection => {
            let list = query.list()?;
            let options = delete_options(registry.scheme(), format, bytes, &query)?;
            delete_options::check_for_collection(&options)?;
            let List { meta, items, warnings } =
                registry.delete_collection(&collection, &list, &options, &write.or_of(&options)).await?;
            Ok(Reply::list(media, entry, &meta, &items).with(warnings))
        }
        Action::Watch => Err(Status::method_not_allowed()),
    }
}

/// The object or the error. Both can have warnings.
fn outcome(code: u16, media: Media, result: Result<Object, Status>) -> Reply {
    match result {
        Ok(object) => Reply::of(code, media, &object),
        Err(status) => Reply::failure(media, &status),
    }
}

fn delete_options(
    scheme: &Scheme,
    format: Result<Format, Status>,
    bytes: Vec<u8>,
    query: &Query,
) -> Result<DeleteOptions, Status> {
    if bytes.is_empty() {
        return delete_options::read(scheme, None, query);
    }
    let body = format?.body(bytes).map_err(delete_options::unreadable)?;
    delete_options::read(scheme, Some(&body), query)
}
