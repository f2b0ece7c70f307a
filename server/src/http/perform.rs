//! Carries out what a request asks for.

use hubgen_machinery::scheme::Scheme;

use super::action::Action;
use super::body::{Bytes, Format};
use super::call::ObjectCall;
use super::query::Query;
use super::reply::Reply;
use crate::registry::{Deleted, Registry};
use crate::validation::Violation;
use crate::wire::{DeleteOptions, Status};

/// Does what a request wants done with objects.
pub(super) async fn perform(registry: &Registry, call: ObjectCall, body: Bytes) -> Result<Reply, Status> {
    let ObjectCall { place, part, action, query, media, format } = call;
    let entry = place.entry;
    // The room for the body is given back only when the work is done.
    let Bytes { bytes, room: _room } = body;
    match action {
        Action::Create => {
            let validation = query.field_validation("CreateOptions")?;
            let received = registry.receive(entry, part, format?.body(bytes)?)?;
            let warnings = validation.check(entry, &received.notes)?;
            let is_kept = entry.resource.as_ref().is_some_and(|resource| resource.verbs.contains(&"get"));
            // What can be created and never read is asked, not kept.
            let object = if is_kept {
                query.refuse_dry_run(&[])?;
                registry.create(&place, &received).await?
            } else {
                registry.review(&place, &received)?
            };
            Ok(Reply::of(201, media, &object).with(warnings))
        }
        Action::Update(name) => {
            query.refuse_dry_run(&[])?;
            let validation = query.field_validation("UpdateOptions")?;
            let received = registry.receive(entry, part, format?.body(bytes)?)?;
            let warnings = validation.check(entry, &received.notes)?;
            let object = registry.update(&place, &name, part, &received).await?;
            Ok(Reply::of(200, media, &object).with(warnings))
        }
        Action::Get(name) => Ok(Reply::of(200, media, &registry.get(&place, &name).await?)),
        Action::List => Ok(Reply::list(media, entry, &registry.list(&place, &query.list()?).await?)),
        Action::Delete(name) => {
            let options = delete_options(registry.scheme(), format, bytes, &query)?;
            Ok(match registry.delete(&place, &name, &options).await? {
                Deleted::Gone(status) => Reply::object(200, media, &status),
                Deleted::Waiting(object) => Reply::of(200, media, &object),
            })
        }
        Action::DeleteCollection => {
            let list = query.list()?;
            let options = delete_options(registry.scheme(), format, bytes, &query)?;
            Ok(Reply::list(media, entry, &registry.delete_collection(&place, &list, &options).await?))
        }
        Action::Watch => Err(Status::method_not_allowed()),
    }
}

const PROPAGATION_POLICIES: [&str; 3] = ["Foreground", "Background", "Orphan"];

fn delete_options(
    scheme: &Scheme,
    format: Result<Format, Status>,
    bytes: Vec<u8>,
    query: &Query,
) -> Result<DeleteOptions, Status> {
    let mut options = DeleteOptions::default();
    if !bytes.is_empty() {
        let body = format?.body(bytes)?;
        body.decode_into(scheme, &mut options)
            .map_err(|error| Status::bad_request(format!("the body is no DeleteOptions: {error}")))?;
    }
    query.refuse_dry_run(&options.dry_run)?;
    if let Some(policy) = &options.propagation_policy
        && !PROPAGATION_POLICIES.contains(&policy.as_str())
    {
        // In the reference server's words, of which one is that there may be none.
        let supported = [&PROPAGATION_POLICIES[..], &["nil"]].concat();
        let violation = Violation::not_supported("propagationPolicy", policy, &supported);
        return Err(Status::invalid_options("DeleteOptions", &violation));
    }
    Ok(options)
}
