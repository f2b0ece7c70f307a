//! What is shown of a change. It is made once for all watches that show the same.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use hubgen_machinery::scheme::{KindEntry, Object};

use super::super::stored::at_revision;
use super::super::unreadable::Unreadable;
use super::super::{Objects, Unfit};
use super::{Error, EventType};
use crate::media::Representation;
use crate::selector::Selector;
use crate::store::KeyValue;

/// What is shown of both sides of a change.
#[derive(Default)]
pub(crate) struct Views {
    pub(super) current: Side,
    pub(super) previous: Side,
}

/// What is shown of an object as it was before or after a change, at each version that somebody watches.
#[derive(Default)]
pub(super) struct Side(Mutex<Vec<Arc<View>>>);

/// An object at one version.
pub(super) struct View {
    entry: Arc<KindEntry>,
    shown: Shown,
    encoded: Mutex<Vec<Encoded>>,
}

enum Shown {
    Fit(Object),
    /// The object as it is stored, and why it does not convert.
    Unfit(Object, Unfit),
    Unreadable(Unreadable),
}

/// An object in one representation, with the frames of the events that tell of it.
struct Encoded {
    shown: Representation,
    object: Vec<u8>,
    frames: Vec<(EventType, Bytes)>,
}

impl Side {
    /// The object at a version.
    pub(super) fn view(
        &self,
        objects: &Objects,
        entry: &Arc<KindEntry>,
        stored: &KeyValue,
        revision: u64,
    ) -> Arc<View> {
        let mut views = lock(&self.0);
        if let Some(view) = views.iter().find(|view| Arc::ptr_eq(&view.entry, entry)) {
            return Arc::clone(view);
        }
        let view = Arc::new(View::new(objects, entry, stored, revision));
        views.push(Arc::clone(&view));
        view
    }
}

impl View {
    /// A stored object at a version, with the revision at which it is told.
    pub(super) fn new(objects: &Objects, entry: &Arc<KindEntry>, stored: &KeyValue, revision: u64) -> Self {
        let shown = match objects.decode_stored(stored) {
            Ok(object) => match objects.at_version(object, entry) {
                Ok(object) => Shown::Fit(at_revision(object, revision)),
                Err(unfit) => match objects.decode_stored(stored) {
                    Ok(object) => Shown::Unfit(object, unfit),
                    Err(unreadable) => Shown::Unreadable(unreadable),
                },
            },
            Err(unreadable) => Shown::Unreadable(unreadable),
        };
        Self { entry: Arc::clone(entry), shown, encoded: Mutex::default() }
    }

    /// Whether a selector selects the object.
    ///
    /// # Errors
    /// If it may be selected, but cannot be shown.
    pub(super) fn is_selected(&self, selector: &Selector) -> Result<bool, Error> {
        match &self.shown {
            Shown::Fit(object) => Ok(selector.may_match(&*object.value) && selector.matches(&*object.value)),
            Shown::Unfit(stored, _) if !selector.may_match(&*stored.value) => Ok(false),
            Shown::Unfit(_, unfit) => Err(unfit.clone().into()),
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
            Shown::Unreadable(unreadable) => return Err(unreadable.clone().into()),
        };
        let mut all = lock(&self.encoded);
        let index = match all.iter().position(|encoded| encoded.shown == shown) {
            Some(index) => index,
            None => {
                all.push(Encoded { shown, object: shown.encode(object)?, frames: Vec::new() });
                all.len() - 1
            }
        };
        let Encoded { object, frames, .. } = &mut all[index];
        if let Some((_, frame)) = frames.iter().find(|(of, _)| *of == event_type) {
            return Ok(frame.clone());
        }
        let frame = event_type.frame(shown.media, object)?;
        frames.push((event_type, frame.clone()));
        Ok(frame)
    }
}

/// Nothing is half done in these when anything could panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
