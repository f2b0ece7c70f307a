//! Carries out what a request asks for.

use hubgen_machinery::scheme::{Object, Scheme};

use super::action::Action;
use super::body::Bytes;
use super::call::ObjectCall;
use super::delete_options;
use super::query::Query;
use super::reply::Reply;
use crate::media::{Format, Media};
use crate::registry::{Deleted, List, Registry};
use crate::wire::{DeleteOptions, Status};

/// Does what a request wants done with objects.
pub(super) async fn perform(registry: &Registry, call: ObjectCall, body: Bytes) -> Result<Reply, Status> {
    let ObjectCall { place, part, action, query, media, format } = call;
    let entry = &place.entry;
    // The room for the body is given back only when the work is done.
    let Bytes { bytes, room: _room } = body;
    match action {
        Action::Create => {
            let validation = query.field_validation("CreateOptions")?;
            let body = format?.body(bytes).map_err(|why| Status::unrecognized(entry, why))?;
            let received = registry.receive(entry, part, body)?;
            let warnings = validation.check(entry, &received)?;
            let is_kept = entry.resource.as_ref().is_some_and(|resource| resource.verbs.contains("get"));
            // What can be created and never read is asked, not kept.
            let created = if is_kept {
                query.refuse_dry_run(&[])?;
                registry.create(&place, received).await
            } else {
                registry.review(&place, received)
            };
            Ok(outcome(201, media, created).with(warnings))
        }
        Action::Update(name) => {
            let validation = query.field_validation("UpdateOptions")?;
            query.refuse_dry_run(&[])?;
            let body = format?.body(bytes).map_err(|why| Status::unrecognized(entry, why))?;
            let received = registry.receive(entry, part, body)?;
            let warnings = validation.check(entry, &received)?;
            let updated = registry.update(&place, &name, part, received).await;
            Ok(outcome(200, media, updated).with(warnings))
        }
        Action::Get(name) => {
            Ok(Reply::of(200, media, &registry.get(&place, &name, query.revision()?).await?))
        }
        Action::List => {
            let List { meta, items, warnings } = registry.list(&place, &query.list()?).await?;
            Ok(Reply::list(media, entry, &meta, &items).with(warnings))
        }
        Action::Delete(name) => {
            let options = delete_options(registry.scheme(), format, bytes, &query)?;
            let deleted = if options.ignores_unreadable() {
                registry.delete_unreadable(&place, &name).await?
            } else {
                registry.delete(&place, &name, &options).await?
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
            let List { meta, items, warnings } = registry.delete_collection(&place, &list, &options).await?;
            Ok(Reply::list(media, entry, &meta, &items).with(warnings))
        }
        Action::Watch => Err(Status::method_not_allowed()),
    }
}

/// The object, or the error: warnings go with either.
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
