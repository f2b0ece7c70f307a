//! Objects that exist before the first request.

use std::sync::Arc;

use hubgen_serve::queue::Turn;
use serde_json::Value;

use crate::access::{PRIVILEGED, User};
use crate::media::{Body, Media};
use crate::objects::{Collection, Error, Objects, Warnings, Write};
use crate::part::Part;
use crate::status::Failure;

/// Who owns the fields of these objects: upstream's name for what the server itself writes.
const MANAGER: &str = "kube-apiserver";

/// Creates an object, as a client would, unless one of its name exists.
///
/// # Errors
/// If it is of a kind that the server does not know, or is not valid.
pub(crate) async fn create(objects: &Objects, object: &Value, turn: Turn) -> Result<(), Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let Some(entry) = objects.catalog.scheme.named(&version, &kind) else {
        return Err(Failure::internal(format_args!("there is no kind {kind} of {version}")));
    };
    let collection =
        Collection { entry: Arc::clone(entry), namespace: text(&object["metadata"]["namespace"]) };
    let body = Body::new(Media::Json, object.to_string().into_bytes());
    let received = objects.receive(entry, Part::Main, body)?;
    let user = Arc::new(User {
        name: "system:apiserver".to_owned(),
        groups: vec![PRIVILEGED.to_owned()],
        ..User::default()
    });
    let write =
        Write { user, manager: MANAGER.to_owned(), dry_run: false, turn, warnings: Warnings::default() };
    match objects.create(&collection, received, &write).await {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
