//! Replaces objects.

use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::target::{Target, Write};
use super::transform::{Replacement, Transform};
use super::write::Written;
use super::{Collection, Registry};
use crate::storage_path::{Part, Received};
use crate::validation::Violation;
use crate::wire::Status;

impl Registry {
    /// Replaces an object or only its status. Returns the new object, at the version of the
    /// collection.
    ///
    /// If the object specifies a resourceVersion, the update succeeds only if the stored object is
    /// still at that revision. Otherwise it replaces any revision.
    pub(crate) async fn update(
        &self,
        collection: &Collection,
        name: &str,
        part: Part,
        received: Received,
        write: &Write,
    ) -> Result<Object, Status> {
        let expected = check_identity(collection, name, &received)?;
        let Received { hub, checked, .. } = received;
        let replacement = Replacement { hub: Some(hub), checked, expected };
        let target = Target { collection, name, part };
        match self.write(target, write, Transform::Replace(replacement)).await? {
            Written::Stored(object) => Ok(object),
            Written::Removed(hub, revision) => {
                Ok(self.path.answer(self.path.to_stored(hub, name)?, &collection.entry, revision)?)
            }
        }
    }
}

/// Checks that the name in the object equals the one in the path. Returns the resourceVersion of
/// the object.
fn check_identity(collection: &Collection, name: &str, received: &Received) -> Result<Option<u64>, Status> {
    let object = &*received.hub.value;
    let found = meta::text(object, "name");
    if found.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if found != name {
        return Err(Status::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({name})"
        )));
    }
    match meta::text(object, "resourceVersion") {
        "" | "0" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let violation = Violation::invalid(
                "metadata.resourceVersion",
                text,
                "must be a number, as the server returns it",
            );
            Status::invalid(&collection.entry, name, &[violation])
        }),
    }
}
