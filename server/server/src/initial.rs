//! Objects that exist before the first request.

use std::sync::Arc;
use std::time::Duration;

use hubgen_serve::queue::Turn;
use serde_json::Value;
use tokio::time::timeout;

use crate::access::{PRIVILEGED, User};
use crate::catalog::Served;
use crate::media::{Body, Media};
use crate::objects::{Apply, Collection, Error, FieldValidation, Objects, Warnings, Write};
use crate::part::Part;
use crate::status::Failure;
use crate::validation::definitions::KIND;

/// Who owns the fields of objects that are created: upstream's name for what the server itself writes.
const MANAGER: &str = "kube-apiserver";
/// Who owns those of objects that are applied.
const APPLIER: &str = "hubgen-serve";
/// How long it may take until the kinds of applied definitions are served.
const PATIENCE: Duration = Duration::from_secs(30);

/// How objects come to exist.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// They are stored as they are, unless one of the name exists.
    AsTheyAre,
    /// They are created, as a client does, unless one of the name exists.
    Created,
    /// They are applied, as a client does that takes fields from others. One that is as it should be is not written.
    Applied,
}

/// Makes objects exist.
///
/// # Errors
/// That of the first one that is of a kind that the server does not know, or is not valid.
pub(crate) async fn make(objects: &Objects, made: &[Value], how: How, turn: &Turn) -> Result<(), Failure> {
    if let How::AsTheyAre = how {
        let made = made.iter().map(|object| Ok((collection(objects, object)?, object.to_string())));
        let made = made.collect::<Result<Vec<_>, Failure>>()?;
        return Ok(objects.store_as_they_are(made).await?);
    }
    for object in made {
        match how {
            How::Applied => apply(objects, object, turn.clone()).await?,
            _ => create(objects, object, turn.clone()).await?,
        }
    }
    Ok(())
}

async fn create(objects: &Objects, object: &Value, turn: Turn) -> Result<(), Failure> {
    let collection = collection(objects, object)?;
    let body = Body::new(Media::Json, object.to_string().into_bytes());
    let received = objects.receive(&collection.entry, Part::Main, body)?;
    match objects.create(&collection, received, &write(MANAGER, turn)).await {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

async fn apply(objects: &Objects, object: &Value, turn: Turn) -> Result<(), Failure> {
    let collection = collection(objects, object)?;
    let text = object.to_string();
    let mut apply = Apply::read(&collection.entry, text.as_bytes(), FieldValidation::Strict, true)?;
    let name = text_of(&object["metadata"]["name"]);
    objects.apply(&collection, &name, Part::Main, &mut apply, &write(APPLIER, turn)).await?;
    Ok(())
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn collection(objects: &Objects, object: &Value) -> Result<Collection, Failure> {
    let [version, kind] = ["apiVersion", "kind"].map(|key| text_of(&object[key]));
    let Some(entry) = objects.catalog.scheme.named(&version, &kind) else {
        return Err(Failure::internal(format_args!("there is no kind {kind} of {version}")));
    };
    Ok(Collection { entry: Arc::clone(entry), namespace: text_of(&object["metadata"]["namespace"]) })
}

fn write(manager: &str, turn: Turn) -> Write {
    let user = Arc::new(User {
        name: "system:apiserver".to_owned(),
        groups: vec![PRIVILEGED.to_owned()],
        ..User::default()
    });
    Write { user, manager: manager.to_owned(), dry_run: false, turn, warnings: Warnings::default() }
}

/// Group, version and kind.
type Name = [String; 3];

/// Whether an object is a definition of a kind.
pub(crate) fn is_definition(object: &Value) -> bool {
    object["kind"] == KIND
}

/// What a definition lets a server serve.
pub(crate) fn served_by(definition: &Value) -> Vec<Name> {
    let spec = &definition["spec"];
    let versions = spec["versions"].as_array();
    let served = versions.into_iter().flatten().filter(|version| version["served"] == true);
    let [group, kind] = [&spec["group"], &spec["names"]["kind"]].map(text_of);
    served.map(|version| [group.clone(), text_of(&version["name"]), kind.clone()]).collect()
}

/// Waits until kinds are served.
///
/// # Errors
/// The first one that is not served after a while.
pub(crate) async fn wait(served: &Served, kinds: Vec<Name>) -> Result<(), String> {
    for [group, version, kind] in kinds {
        if timeout(PATIENCE, served.has(&group, &version, &kind)).await.is_err() {
            return Err(format!(
                "{group}/{version} {kind} is not served: see the conditions of its CustomResourceDefinition"
            ));
        }
    }
    Ok(())
}
