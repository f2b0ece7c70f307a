//! Creates objects.

use std::sync::Arc;

use hubgen_definitions::Version;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_patch::owners::Managers;

use super::error::{Error, ObjectName};
use super::hub::Hub;
use super::receive::{Checked, Received};
use super::stored::at_revision;
use super::target::{Target, Write};
use super::{Collection, Objects, check_namespace, generation, pods};
use crate::admission::{About, Operation, Refusal};
use crate::kind_names::{plural, resource};
use crate::managed_fields;
use crate::objectmeta;
use crate::part::{Part, has_status};
use crate::store::{self, Change, KeyValue};
use crate::validation::{self, Violation, quoted};

/// The number of names that the server tries to generate from `generateName`.
const NAME_ATTEMPTS: u32 = 8;
/// The maximum length of the prefix of a generated name: prefix and suffix together fit into a
/// label.
const MAX_NAME_PREFIX: usize = 58;

/// A new object, before it is stored.
struct New {
    name: String,
    key: Vec<u8>,
    /// What will be stored.
    value: Vec<u8>,
    /// The object at the version of the collection, without the revision that it will have.
    answer: Object,
}

/// The result of storing a new object.
enum Created {
    /// The object as stored, at the version of the collection.
    Stored(Object),
    /// An object of that name exists; `by` is the stored value, if it could be read.
    NameIsTaken { name: String, by: Option<Box<KeyValue>> },
}

/// Checks that the definition of a kind is not being deleted.
fn check_lasts(Collection { entry, .. }: &Collection, name: &str) -> Result<(), Error> {
    if !Version::of(entry).is_some_and(Version::is_terminating) {
        return Ok(());
    }
    let why = "create not allowed while custom resource definition is terminating";
    let about =
        About { group: entry.group.to_string(), resource: plural(entry).to_owned(), name: name.to_owned() };
    Err(Error::Refused(Refusal {
        about: Some(Box::new(about)),
        ..Refusal::forbidden(format!("{} {} is forbidden: {why}", resource(entry), quoted(name)))
    }))
}

impl Objects {
    /// Stores a new object. Returns it as stored, at the version of the collection.
    pub(crate) async fn create(
        &self,
        collection: &Collection,
        received: Received,
        write: &Write,
    ) -> Result<Object, Error> {
        self.create_as(collection, received, None, write).await
    }

    /// Stores a new object, whose fields these managers own. Returns it as stored, at the version of the collection.
    pub(super) async fn create_owned(
        &self,
        collection: &Collection,
        received: Received,
        owners: Managers,
        write: &Write,
    ) -> Result<Object, Error> {
        self.create_as(collection, received, Some(owners), write).await
    }

    async fn create_as(
        &self,
        collection: &Collection,
        received: Received,
        owners: Option<Managers>,
        write: &Write,
    ) -> Result<Object, Error> {
        let Received { hub, checked, .. } = received;
        if !meta::text(&*hub.value, "name").is_empty() {
            return match self.create_once(collection, &checked, hub, owners, write).await? {
                Created::Stored(object) => Ok(object),
                Created::NameIsTaken { name, by } => {
                    let existing = by.and_then(|stored| self.decode_stored(&stored).ok());
                    let is_being_deleted =
                        existing.is_some_and(|existing| objectmeta::is_being_deleted(&*existing.value));
                    Err(Error::Exists { object: ObjectName::new(&collection.entry, &name), is_being_deleted })
                }
            };
        }
        let mut attempt = 1;
        loop {
            match self.create_once(collection, &checked, hub.clone(), owners.clone(), write).await? {
                Created::Stored(object) => return Ok(object),
                Created::NameIsTaken { name, .. } if attempt == NAME_ATTEMPTS => {
                    return Err(Error::NoNameGenerated(ObjectName::new(&collection.entry, &name)));
                }
                Created::NameIsTaken { .. } => attempt += 1,
            }
        }
    }

    /// Stores new objects that have names, in as few transactions as the store can. Returns for each whether it is stored:
    /// its name may be taken.
    pub(super) async fn create_together(
        &self,
        objects: Vec<(Collection, Received)>,
        write: &Write,
    ) -> Result<Vec<bool>, Error> {
        let mut changes = Vec::with_capacity(objects.len());
        for (collection, Received { hub, checked, .. }) in objects {
            let New { key, value, .. } = self.new_object(&collection, &checked, hub, None, write).await?;
            changes.push(Change::Create { key, value });
        }
        let created = self.backing.store.write_all(changes).await?;
        let is_stored = |created| match created {
            Ok(_) => Ok(true),
            Err(store::Error::Conflict { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        };
        created.into_iter().map(is_stored).collect()
    }

    /// Stores a new object under its own or a generated name.
    async fn create_once(
        &self,
        collection: &Collection,
        checked: &Checked,
        hub: Hub,
        owners: Option<Managers>,
        write: &Write,
    ) -> Result<Created, Error> {
        let New { name, key, value, answer } =
            self.new_object(collection, checked, hub, owners, write).await?;
        if write.dry_run {
            let taken = self.backing.store.get(&key).await?;
            // An object that is not stored has no revision.
            return Ok(taken.map_or(Created::Stored(answer), |by| Created::NameIsTaken {
                name,
                by: Some(Box::new(by)),
            }));
        }
        match self.backing.store.create(key, value).await {
            Ok(revision) => Ok(Created::Stored(at_revision(answer, revision))),
            Err(store::Error::Conflict { current: by }) => Ok(Created::NameIsTaken { name, by }),
            Err(error) => Err(error.into()),
        }
    }

    /// What is to be stored of a new object.
    async fn new_object(
        &self,
        collection: &Collection,
        checked: &Checked,
        mut hub: Hub,
        owners: Option<Managers>,
        write: &Write,
    ) -> Result<New, Error> {
        let known = |field| meta::text(&*hub.value, field);
        let known = if known("name").is_empty() { known("generateName") } else { known("name") };
        self.check_namespace_lives(collection, known).await?;
        self.prepare(collection, &mut hub, write.dry_run)?;
        self.keep_namespace(&collection.entry, &mut *hub.value);
        pods::begin(&collection.entry, &mut *hub.value, || self.backing.environment.now());
        check_lasts(collection, meta::text(&*hub.value, "name"))?;
        let name = meta::text(&*hub.value, "name").to_owned();
        let target = Target { collection, name: &name, part: Part::Main };
        match owners {
            Some(owners) => managed_fields::write(&mut *hub.value, owners),
            None => self.note_owners(target, write, &checked.body, None, (None, &mut hub)),
        }
        if collection.entry.untyped.is_some()
            && has_status(&collection.entry)
            && let Some(status) = hub.value.field_mut("status")
        {
            status.clear();
        }
        self.admit(
            checked,
            &mut hub,
            target.subject(Operation::Create, write),
            Part::Main,
            None,
            &write.warnings,
        )
        .await?;
        write.warnings.add(validation::warnings(&collection.entry, Part::Main, &*hub.value, None));
        let object = self.to_stored(hub, &name)?;
        let value = self.encode(&object)?;
        // Before it is written: no write is made whose answer cannot be given.
        let answer = self.at_version(self.read_back(object, &value)?, &collection.entry)?;
        let key = self.key(collection, &name);
        Ok(New { name, key, value, answer })
    }

    /// Sets the fields that the server manages: name, uid, times, generation.
    fn prepare(&self, collection: &Collection, hub: &mut Hub, dry_run: bool) -> Result<(), Error> {
        let object = &mut *hub.value;
        check_namespace(collection, object)?;
        // Upstream leaves it to the store, which a dry run does not reach, and clients try to create copies of objects.
        if !dry_run && !meta::text(object, "resourceVersion").is_empty() {
            let why = "resourceVersion should not be set on objects to be created";
            return Err(Error::Malformed(why.to_owned()));
        }
        for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "generation"] {
            objectmeta::clear(object, field);
        }
        generate_name(&collection.entry, object, || self.backing.environment.name_suffix())?;
        objectmeta::set_text(object, "uid", &self.backing.environment.uid());
        meta::set_time(object, "creationTimestamp", Some(self.backing.environment.now()));
        if generation::is_set(&collection.entry, object) {
            meta::set_generation(object, 1);
        }
        Ok(())
    }
}

/// Generates a name for an object without a name: the prefix that it asks for, and what `suffix` gives.
///
/// # Errors
/// If it asks for none, or for one that names cannot have.
pub(super) fn generate_name(
    entry: &Arc<KindEntry>,
    object: &mut dyn Reflect,
    suffix: impl FnOnce() -> String,
) -> Result<(), Error> {
    if !meta::text(object, "name").is_empty() {
        return Ok(());
    }
    let prefix = meta::text(object, "generateName").to_owned();
    let violations = if prefix.is_empty() {
        vec![Violation::required("metadata.name", "name or generateName is required")]
    } else {
        validation::name::check_name(entry, "metadata.generateName", &prefix, true)
    };
    if !violations.is_empty() {
        return Err(Error::invalid(entry, "", violations));
    }
    let prefix = &prefix[..prefix.floor_char_boundary(MAX_NAME_PREFIX)];
    objectmeta::set_text(object, "name", &format!("{prefix}{}", suffix()));
    Ok(())
}
