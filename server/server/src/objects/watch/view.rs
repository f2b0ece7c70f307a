//! What is shown of a change. It is made once for all watches that show the same.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use hubgen_machinery::scheme::{KindEntry, Object};
use tokio::sync::Mutex;

use super::super::stored::at_revision;
use super::super::unreadable::Unreadable;
use super::super::{Objects, Unfit};
use super::found_once::FoundOnce;
use super::{Error, EventType};
use crate::media::{Representation, Shape};
use crate::selector::Selector;
use crate::store::KeyValue;

/// What is shown of both sides of a change.
#[derive(Default)]
pub(crate) struct Views {
    pub(super) current: Side,
    pub(super) previous: Side,
    /// Whoever makes what has to be waited for, so that all others who need it wait without a thread.
    pub(super) making: Mutex<()>,
}

/// What is shown of an object as it was before or after a change, at each version that somebody watches.
#[derive(Default)]
pub(super) struct Side(FoundOnce<View>);

/// An object at one version.
pub(super) struct View {
    entry: Arc<KindEntry>,
    shown: Shown,
    encoded: FoundOnce<Encoded>,
}

enum Shown {
    Fit(Object),
    /// The object as it is stored, and why it does not convert.
    Unfit(Object, Unfit),
    /// The same, where that is not the fault of the object.
    Unconverted(Object, String),
    Unreadable(Unreadable),
}

/// An object in one representation, with the frames of the events that tell of it.
struct Encoded {
    shown: Representation,
    /// The text is the error.
    object: Result<Vec<u8>, String>,
    /// Of an object that comes, stays or goes.
    frames: [OnceLock<Bytes>; 3],
}

impl Side {
    /// The object at a version, if it is made.
    pub(super) fn known(&self, entry: &Arc<KindEntry>) -> Option<&View> {
        self.0.known(|view: &View| Arc::ptr_eq(&view.entry, entry))
    }

    /// The object at a version.
    pub(super) fn view(
        &self,
        objects: &Objects,
        entry: &Arc<KindEntry>,
        stored: &KeyValue,
        revision: u64,
    ) -> &View {
        let fits = |view: &View| Arc::ptr_eq(&view.entry, entry);
        self.0.find(fits, || View::new(objects, entry, stored, revision))
    }
}

impl View {
    /// A stored object at a version, with the revision at which it is told.
    pub(super) fn new(objects: &Objects, entry: &Arc<KindEntry>, stored: &KeyValue, revision: u64) -> Self {
        let found = objects.decode_stored(stored).map(|object| objects.at_version(object, entry));
        Self::of(objects, entry, stored, revision, found)
    }

    /// Stored objects at a version, as [`new`](Self::new) makes them, each with the revision of its last change. Whoever
    /// converts them is asked once.
    pub(super) fn all(objects: &Objects, entry: &Arc<KindEntry>, page: &[KeyValue]) -> Vec<Self> {
        let mut found = Vec::with_capacity(page.len());
        let mut place = |stored| objects.decode_stored(stored).map(|object| found.push(object));
        let places: Vec<_> = page.iter().map(&mut place).collect();
        let mut shown = objects.all_at_version(found, entry).into_iter();
        let mut next = || shown.next().expect("each object has a result");
        let each = places.into_iter().zip(page);
        each.map(|(place, stored)| {
            Self::of(objects, entry, stored, stored.mod_revision, place.map(|()| next()))
        })
        .collect()
    }

    /// What a stored object is that was found to be this.
    fn of(
        objects: &Objects,
        entry: &Arc<KindEntry>,
        stored: &KeyValue,
        revision: u64,
        found: Result<Result<Object, Unfit>, Unreadable>,
    ) -> Self {
        let shown = match found {
            Ok(Ok(object)) => Shown::Fit(at_revision(object, revision)),
            Ok(Err(unfit)) => match (objects.decode_stored(stored), unfit.failure()) {
                (Ok(object), Some(why)) => Shown::Unconverted(object, why.to_string()),
                (Ok(object), None) => Shown::Unfit(object, unfit),
                (Err(unreadable), _) => Shown::Unreadable(unreadable),
            },
            Err(unreadable) => Shown::Unreadable(unreadable),
        };
        Self { entry: Arc::clone(entry), shown, encoded: FoundOnce::default() }
    }

    /// Whether a selector selects the object.
    ///
    /// # Errors
    /// If it may be selected, but cannot be shown.
    pub(super) fn is_selected(&self, selector: &Selector) -> Result<bool, Error> {
        match &self.shown {
            Shown::Fit(object) => Ok(selector.may_match(&*object.value) && selector.matches(&*object.value)),
            Shown::Unfit(stored, _) | Shown::Unconverted(stored, _)
                if !selector.may_match(&*stored.value) =>
            {
                Ok(false)
            }
            Shown::Unfit(_, unfit) => Err(unfit.clone().into()),
            Shown::Unconverted(_, why) => Err(Error::Internal(why.clone())),
            Shown::Unreadable(unreadable) => Err(unreadable.clone().into()),
        }
    }

    /// The frame of an event that tells of this object.
    ///
    /// # Errors
    /// If the object cannot be shown.
    pub(super) fn frame(&self, event_type: EventType, shown: Representation) -> Result<Bytes, Error> {
        let object = match &self.shown {
            Shown::Fit(object) => object,
            Shown::Unfit(_, unfit) => return Err(unfit.clone().into()),
            Shown::Unconverted(_, why) => return Err(Error::Internal(why.clone())),
            Shown::Unreadable(unreadable) => return Err(unreadable.clone().into()),
        };
        // The ages in the cells of a table are those of its time, and the first one has headers.
        if let Shape::Table(_) = shown.shape {
            let object = shown.encode(object)?;
            return event_type.frame(shown.media, &object);
        }
        let fits = |encoded: &Encoded| encoded.shown == shown;
        let encoded = self.encoded.find(fits, || Encoded {
            shown,
            object: shown.encode(object).map_err(|error| error.to_string()),
            frames: Default::default(),
        });
        let object = encoded.object.as_ref().map_err(|error| Error::Internal(error.clone()))?;
        let known = match event_type {
            EventType::Added => &encoded.frames[0],
            EventType::Modified => &encoded.frames[1],
            EventType::Deleted => &encoded.frames[2],
            // These tell of no change.
            EventType::Bookmark | EventType::Error => return event_type.frame(shown.media, object),
        };
        if let Some(frame) = known.get() {
            return Ok(frame.clone());
        }
        // Two may make it at the same time: it is only a copy.
        let frame = event_type.frame(shown.media, object)?;
        Ok(known.get_or_init(|| frame).clone())
    }
}
