//! Replaces objects.

use hubgen_machinery::meta;
use hubgen_machinery::scheme::Object;

use super::error::Error;
use super::receive::Received;
use super::target::{Target, Write};
use super::transform::{Replacement, Transform};
use super::{Collection, Objects, check_namespace};
use crate::part::Part;
use crate::validation::{Violation, definitions};

impl Objects {
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
    ) -> Result<Object, Error> {
        let expected = check_identity(collection, name, &received)?;
        if expected.is_none() && definitions::are(&collection.entry) {
            let violation = Violation::invalid_json(
                "metadata.resourceVersion",
                &0.into(),
                "must be specified for an update",
            );
            return Err(Error::invalid(&collection.entry, name, vec![violation]));
        }
        let Received { mut hub, checked, .. } = received;
        // Whether there is such an object or not.
        check_namespace(collection, &mut *hub.value)?;
        let replacement = Replacement { hub: Some(hub), checked, expected, owners: None };
        let target = Target { collection, name, part };
        let written = self.write(target, write, Transform::Replace(replacement)).await?;
        self.shown(written, collection, name)
    }
}

/// Checks that the name in the object equals the one in the path. Returns the resourceVersion of
/// the object.
pub(super) fn check_identity(
    collection: &Collection,
    name: &str,
    received: &Received,
) -> Result<Option<u64>, Error> {
    let object = &*received.hub.value;
    let found = meta::text(object, "name");
    if found.is_empty() {
        return Err(Error::Malformed(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        )));
    }
    if found != name {
        return Err(Error::Malformed(format!(
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
            Error::invalid(&collection.entry, name, vec![violation])
        }),
    }
}
