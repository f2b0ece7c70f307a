//! Making objects.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot, SlotMut};
use hubgen_machinery::scheme::Object;

use super::{Collection, Registry, check_namespace};
use crate::admission::{Operation, Subject};
use crate::hub::Hub;
use crate::objectmeta;
use crate::storage_path::{Checked, Part, Received};
use crate::store::{self, KeyValue};
use crate::validation::{self, Violation};
use crate::wire::Status;

/// How often a name is made of `generateName` before the server gives up.
const NAME_ATTEMPTS: u32 = 8;
/// The longest prefix of a generated name, so that what comes after it still fits into a label.
const MAX_NAME_PREFIX: usize = 58;

/// What came of storing a new object.
enum Created {
    /// The object as stored, at the version of the place.
    Stored(Object),
    /// There is one of that name; what is stored there, if it could be read.
    NameIsTaken { name: String, by: Option<Box<KeyValue>> },
}

impl Registry {
    /// Stores a new object; answers it as stored, at the version of the place.
    pub(crate) async fn create(&self, place: &Collection, received: Received) -> Result<Object, Status> {
        let Received { hub, checked, .. } = received;
        if !meta::text(&*hub.value, "name").is_empty() {
            return match self.create_once(place, &checked, hub).await? {
                Created::Stored(object) => Ok(object),
                Created::NameIsTaken { name, by } => {
                    let there = by.and_then(|stored| self.path.decode_stored(&stored).ok());
                    let is_going = there.is_some_and(|there| objectmeta::is_being_deleted(&*there.value));
                    Err(Status::already_exists(&place.entry, &name, is_going))
                }
            };
        }
        let mut attempt = 1;
        loop {
            match self.create_once(place, &checked, hub.clone()).await? {
                Created::Stored(object) => return Ok(object),
                Created::NameIsTaken { name, .. } if attempt == NAME_ATTEMPTS => {
                    return Err(Status::no_name_generated(&place.entry, &name));
                }
                Created::NameIsTaken { .. } => attempt += 1,
            }
        }
    }

    /// Stores a new object under its name, or under one that is generated.
    async fn create_once(
        &self,
        place: &Collection,
        checked: &Checked,
        mut hub: Hub,
    ) -> Result<Created, Status> {
        self.prepare(place, &mut hub)?;
        let name = meta::text(&*hub.value, "name").to_owned();
        let subject = creation(place, &name);
        self.path.admit(checked, &mut hub, subject, Part::Main, None)?;
        let object = self.path.to_stored(hub, &name)?;
        match self.store.create(self.key(place, &name), self.path.encode(&object)).await {
            Ok(revision) => self.path.answer(object, &place.entry, revision).map(Created::Stored),
            Err(store::Error::Conflict { current: by }) => Ok(Created::NameIsTaken { name, by }),
            Err(error) => Err(Status::store(&error)),
        }
    }

    /// Answers a review: an object that asks something and is never stored.
    ///
    /// Nobody is asked for a name or a token here, so there is nothing to evaluate: the status stays
    /// empty, which grants nothing, and says why where it has a place for that.
    pub(crate) fn review(&self, place: &Collection, received: Received) -> Result<Object, Status> {
        let entry = &place.entry;
        let Received { mut hub, checked, .. } = received;
        check_namespace(place, &mut *hub.value)?;
        let Some(status) = hub.value.field_mut("status") else {
            let kind = &entry.kind;
            return Err(Status::failure(
                501,
                "NotImplemented",
                format!("a {kind} asks for an action, and this server has nobody who would act on it"),
            ));
        };
        status.clear();
        let subject = creation(place, "");
        self.path.admit(&checked, &mut hub, subject, Part::Main, None)?;
        if let Some(SlotMut::Struct(status)) = hub.value.field_mut("status").map(SlotMut::present) {
            for field in ["evaluationError", "error"] {
                if let Some(SlotMut::String(text)) = status.field_mut(field).map(SlotMut::present) {
                    "not evaluated: this server has neither authentication nor authorization"
                        .clone_into(text);
                }
            }
        }
        hub.at(entry, self.scheme()).map_err(|error| Status::conversion(entry, "", &error))
    }

    /// Sets what the server decides: name, identity, times.
    fn prepare(&self, place: &Collection, hub: &mut Hub) -> Result<(), Status> {
        let object = &mut *hub.value;
        check_namespace(place, object)?;
        if !meta::text(object, "resourceVersion").is_empty() {
            return Err(Status::bad_request("resourceVersion should not be set on objects to be created"));
        }
        for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "generation"] {
            objectmeta::clear(object, field);
        }
        self.generate_name(place, object)?;
        objectmeta::set_text(object, "uid", &self.environment.uid());
        meta::set_time(object, "creationTimestamp", Some(self.environment.now()));
        if has_spec(object) {
            meta::set_generation(object, 1);
        }
        Ok(())
    }

    /// Names an object that has no name.
    fn generate_name(&self, place: &Collection, object: &mut dyn Reflect) -> Result<(), Status> {
        if !meta::text(object, "name").is_empty() {
            return Ok(());
        }
        let prefix = meta::text(object, "generateName").to_owned();
        let violations = if prefix.is_empty() {
            vec![Violation::required("metadata.name", "name or generateName is required")]
        } else {
            validation::name::check_name(&place.entry, "metadata.generateName", &prefix, true)
        };
        if !violations.is_empty() {
            return Err(Status::invalid(&place.entry, "", &violations));
        }
        let prefix = &prefix[..prefix.floor_char_boundary(MAX_NAME_PREFIX)];
        objectmeta::set_text(object, "name", &format!("{prefix}{}", self.environment.name_suffix()));
        Ok(())
    }
}

/// What admission is told of a new object.
fn creation<'a>(place: &'a Collection, name: &'a str) -> Subject<'a> {
    let Collection { entry, namespace } = place;
    Subject { operation: Operation::Create, entry, subresource: "", namespace, name }
}

/// Whether the object says what it is to be, so that changes of it are counted.
fn has_spec(object: &dyn Reflect) -> bool {
    matches!(object.field("spec"), Some(Slot::Struct(_) | Slot::Absent))
}
