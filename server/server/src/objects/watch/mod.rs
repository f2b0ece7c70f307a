//! Watches: what happens to the selected objects of a collection, as it happens.
//!
//! A watch passes up to three phases. In the first it shows the objects that exist, each as if it were created now; then
//! it reads the store's history up to the changes that its [feed](crate::feed) has; from then on it follows the feed,
//! with all other watches of the family. Each phase ends at a revision at which the next one begins, so nothing is lost
//! or told twice.

mod alarm;
mod found_once;
mod frame;
mod transition;
mod view;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use hubgen_machinery::meta;
use hubgen_machinery::reflect::SlotMut;
use hubgen_machinery::scheme::Object;
use hubgen_serve::queue::Lane;
use tokio::time::Instant;

pub(crate) use self::alarm::Until;
use self::alarm::{Alarm, Waited};
use self::frame::Batch;
pub(crate) use self::frame::EventType;
use self::transition::Transition;
use self::view::View;
pub(crate) use self::view::Views;
use super::error::Error;
use super::{Collection, Objects};
use crate::conversion::{self, Room};
use crate::feed::{self, Joined, Reader};
use crate::media::{Representation, Shape};
use crate::objectmeta;
use crate::selector::Selector;
use crate::store::{self, KeyValue, ListRequest};

/// The parameters of a watch.
#[derive(Clone, Debug)]
pub(crate) struct WatchQuery {
    pub(crate) selector: Selector,
    pub(crate) start: Start,
    /// Whether the client wants bookmarks, which tell it how far it has seen.
    pub(crate) bookmarks: bool,
    /// When the watch ends; `None` leaves it to the server.
    pub(crate) timeout: Option<Duration>,
}

/// Where a watch starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At the changes that come.
    Now,
    /// After a revision.
    After(u64),
    /// With all objects that exist, at this revision or a later one.
    Existing {
        at_least: Option<u64>,
        /// Whether a bookmark with an annotation tells the end of these objects.
        tells_end: bool,
    },
}

/// The annotation of the bookmark after all objects that exist.
const END_OF_EXISTING: &str = "k8s.io/initial-events-end";
/// How often a watch has a bookmark, as upstream.
const BOOKMARK: Duration = Duration::from_secs(60);
/// How long before the deadline the last bookmark comes, so that the next watch can begin there; as upstream.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// The number of objects that the first phase reads at a time.
const CHUNK: usize = 250;
/// How long the first phase waits for a revision that is not there yet, as upstream.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two questions for that revision.
const PAUSE: Duration = Duration::from_millis(50);
/// Frames that are ready are sent together, up to about this many bytes.
const TOGETHER: usize = 64 << 10;

/// A running watch.
pub(crate) struct Watch {
    alarm: Alarm,
    progress: Progress,
}

/// How far a watch is.
struct Progress {
    asked: Arc<Asked>,
    phase: Phase,
    /// When the next bookmark is due.
    bookmark: Option<Instant>,
}

/// What a watch shows, which does not change.
struct Asked {
    objects: Objects,
    collection: Collection,
    selector: Selector,
    shown: Representation,
    /// Whether a table has told its columns.
    has_told_headers: AtomicBool,
    /// Where the first phase reads and encodes its objects.
    lane: Lane,
    /// Where that is done, and what changes are shown is made, if a webhook has to be waited for.
    room: Option<Room>,
    /// The prefix of the keys of the family.
    family: String,
    /// The prefix of the keys of the collection.
    prefix: String,
}

enum Phase {
    /// Nothing is done yet.
    Start(Start),
    /// Shows the objects that exist.
    Existing { request: ListRequest, tells_end: bool },
    /// Reads the history of the store after a revision, until the feed goes on.
    History { history: Box<dyn store::Watch>, joined: Joined<Views> },
    /// Follows the feed. Changes up to a revision are told, or were in the future when the watch began.
    Feed { reader: Reader<Views>, after: u64 },
    /// Nothing comes any more.
    End,
}

impl Objects {
    /// Watches the selected objects of a collection.
    pub(crate) fn watch(
        &self,
        collection: &Collection,
        query: WatchQuery,
        shown: Representation,
        lane: Lane,
        until: Until,
    ) -> Watch {
        let family = self.prefix(collection);
        let prefix = self.collection_prefix(collection);
        let bookmark = query.bookmarks.then(|| next_bookmark(until.deadline));
        let asked = Asked {
            objects: self.clone(),
            collection: collection.clone(),
            selector: query.selector,
            shown,
            has_told_headers: AtomicBool::new(false),
            lane,
            room: conversion::room(&collection.entry).cloned(),
            family,
            prefix,
        };
        let progress = Progress { asked: Arc::new(asked), phase: Phase::Start(query.start), bookmark };
        Watch { alarm: Alarm::new(until), progress }
    }
}

impl Watch {
    /// The next frames, at least one; `None` at the end.
    ///
    /// # Errors
    /// If the watch cannot go on. It has ended then.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Self { alarm, progress } = self;
        let next = loop {
            if alarm.is_over() {
                break Ok(None);
            }
            if let Phase::Feed { .. } = progress.phase {
                break progress.feed(alarm).await;
            }
            // In a box, since it is large, and gone when the watch follows the feed.
            let mut advanced = Box::pin(progress.advance());
            let waited = alarm.wait(None, advanced.as_mut()).await;
            drop(advanced);
            match waited {
                Waited::Done(Ok(None)) if !matches!(progress.phase, Phase::End) => {}
                Waited::Done(next) => break next,
                Waited::Due | Waited::Over => break Ok(None),
            }
        };
        if !matches!(next, Ok(Some(_))) {
            progress.phase = Phase::End;
        }
        next
    }
}

impl Progress {
    /// Goes on in a phase before the feed. There may be no frames.
    async fn advance(&mut self) -> Result<Option<Bytes>, Error> {
        match &mut self.phase {
            Phase::Start(start) => {
                let start = *start;
                self.phase = self.asked.start(start).await?;
                Ok(None)
            }
            Phase::Existing { request, tells_end } => {
                let (request, tells_end) = (request.clone(), *tells_end);
                self.existing(request, tells_end).await
            }
            Phase::History { .. } => self.history().await,
            Phase::Feed { .. } | Phase::End => Ok(None),
        }
    }

    /// Shows a chunk of the objects that exist.
    async fn existing(&mut self, request: ListRequest, tells_end: bool) -> Result<Option<Bytes>, Error> {
        let asked = Arc::clone(&self.asked);
        let work = move |_| async move {
            let page = asked.objects.backing.store.list(request.clone()).await?;
            let mut batch = Batch::default();
            for view in asked.views(&page.items) {
                if let Some(shown) = asked.show(&view)? {
                    batch.push(shown);
                }
            }
            Ok::<_, Error>((request, page, batch))
        };
        let worked = match &self.asked.room {
            Some(room) => room.work(work).await,
            None => self.asked.lane.work(work).await,
        };
        let ((request, page, mut batch), _) = match worked {
            Ok((worked, turn)) => (worked?, turn),
            Err(error) => return Err(Error::NoTurn(error)),
        };
        self.phase = match page.next {
            Some(start) => {
                let request = ListRequest { start: Some(start), revision: Some(page.revision), ..request };
                Phase::Existing { request, tells_end }
            }
            None => {
                if tells_end {
                    batch.push(self.asked.bookmark(page.revision, true)?);
                }
                self.asked.after(page.revision).await?
            }
        };
        Ok(batch.bytes())
    }

    /// Tells a batch of the store's history, and goes on to the feed as soon as that has what follows.
    async fn history(&mut self) -> Result<Option<Bytes>, Error> {
        let Phase::History { history, joined } = &mut self.phase else { return Ok(None) };
        if let Some(reader) = joined.reader(history.revision()) {
            let after = history.revision();
            self.phase = Phase::Feed { reader, after };
            return Ok(None);
        }
        let events = match history.next().await {
            Ok(events) => events,
            Err(store::Error::Compacted { requested, oldest }) => {
                return Err(Error::WatchExpired { requested, oldest });
            }
            Err(store::Error::Closed) => {
                self.phase = Phase::End;
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let mut batch = Batch::default();
        for event in events {
            if let Some(told) = self.asked.told(&feed::Change::new(event)).await? {
                batch.push(told);
            }
        }
        Ok(batch.bytes())
    }

    /// Waits for the next change in the feed, or for the time of a bookmark.
    async fn feed(&mut self, alarm: &mut Alarm) -> Result<Option<Bytes>, Error> {
        let Phase::Feed { reader, after } = &mut self.phase else { return Ok(None) };
        let mut batch = Batch::default();
        loop {
            let due = self.bookmark.filter(|due| *due <= Instant::now());
            // What this is before the changes are read holds when they are read.
            let seen = self.asked.objects.backing.feeds.seen();
            while batch.len() < TOGETHER {
                match reader.now() {
                    Ok(Some(change)) if change.event.revision <= *after => {}
                    Ok(Some(change)) => {
                        *after = change.event.revision;
                        let told = if self.asked.is_made(&change) {
                            self.asked.tell(&change)
                        } else {
                            match alarm.wait(None, pin!(self.asked.told(&change))).await {
                                Waited::Done(told) => told,
                                Waited::Due | Waited::Over => return Ok(None),
                            }
                        };
                        if let Some(told) = told? {
                            batch.push(told);
                        }
                    }
                    Ok(None) => break,
                    // The client asks again from where it was.
                    Err(feed::End::TooSlow | feed::End::Closed) => return Ok(None),
                }
            }
            if batch.len() < TOGETHER && due.is_some() {
                batch.push(self.asked.bookmark(seen.max(*after), false)?);
                self.bookmark = Some(next_bookmark(alarm.deadline()));
            }
            if let Some(frame) = std::mem::take(&mut batch).bytes() {
                return Ok(Some(frame));
            }
            match alarm.wait(self.bookmark, pin!(reader.wait())).await {
                Waited::Done(Ok(())) | Waited::Due => {}
                Waited::Done(Err(_)) | Waited::Over => return Ok(None),
            }
        }
    }
}

/// When the next bookmark is due: in a while, or shortly before the end.
fn next_bookmark(deadline: Instant) -> Instant {
    let now = Instant::now();
    let last = deadline.checked_sub(LAST_BOOKMARK).filter(|last| *last > now);
    // After the last one there is none: the watch has ended before this.
    last.map_or(now + BOOKMARK, |last| last.min(now + BOOKMARK))
}

impl Asked {
    /// How the next event shows its object: only the first table of a watch describes its columns.
    fn shown(&self) -> Representation {
        let mut shown = self.shown;
        if let Shape::Table(shape) = &mut shown.shape {
            shape.has_headers = !self.has_told_headers.swap(true, Ordering::Relaxed);
        }
        shown
    }

    /// The first phase.
    async fn start(&self, start: Start) -> Result<Phase, Error> {
        match start {
            Start::Now => self.after(self.objects.backing.feeds.revision().await?).await,
            Start::After(revision) => self.after(revision).await,
            Start::Existing { at_least, tells_end } => {
                if let Some(at_least) = at_least {
                    self.reach(at_least).await?;
                }
                let prefix = self.prefix.clone().into_bytes();
                let request = ListRequest { prefix, limit: Some(CHUNK), ..ListRequest::default() };
                Ok(Phase::Existing { request, tells_end })
            }
        }
    }

    /// The phase that tells the changes after a revision.
    async fn after(&self, revision: u64) -> Result<Phase, Error> {
        let joined = self.objects.backing.feeds.join(&self.family).await?;
        if let Some(reader) = joined.reader(revision) {
            return Ok(Phase::Feed { reader, after: revision });
        }
        let history = self.objects.backing.store.watch(self.prefix.clone().into_bytes(), revision);
        match history.await {
            Ok(history) => Ok(Phase::History { history, joined }),
            Err(store::Error::Compacted { requested, oldest }) => {
                Err(Error::WatchExpired { requested, oldest })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until the store has reached a revision.
    async fn reach(&self, revision: u64) -> Result<(), Error> {
        let end = Instant::now() + PATIENCE;
        loop {
            let current = self.objects.backing.feeds.revision().await?;
            if current >= revision {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(Error::FutureRevision { requested: revision, current, may_come: true });
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// The objects of a page, which are made one after the other, unless a webhook makes all of them.
    fn views<'p>(&'p self, page: &'p [KeyValue]) -> Box<dyn Iterator<Item = View> + Send + 'p> {
        let entry = &self.collection.entry;
        if self.room.is_some() {
            return Box::new(View::all(&self.objects, entry, page).into_iter());
        }
        Box::new(page.iter().map(move |stored| View::new(&self.objects, entry, stored, stored.mod_revision)))
    }

    /// The frame of an object that exists, if the watch selects it.
    fn show(&self, view: &View) -> Result<Option<Bytes>, Error> {
        if !self.selects(view)? {
            return Ok(None);
        }
        view.frame(EventType::Added, self.shown()).map(Some)
    }

    /// Whether nothing has to be waited for to tell a change.
    fn is_made(&self, change: &feed::Change<Views>) -> bool {
        let entry = &self.collection.entry;
        let is_known =
            |value: &Option<KeyValue>, side: &view::Side| value.is_none() || side.known(entry).is_some();
        self.room.is_none()
            || !change.event.key.starts_with(self.prefix.as_bytes())
            || is_known(&change.event.current, &change.views.current)
                && (self.shows_all() && change.event.current.is_some()
                    || is_known(&change.event.previous, &change.views.previous))
    }

    /// The frame of a change, if it concerns what the watch selects, once that is made. One of all who tell it makes it.
    async fn told(self: &Arc<Self>, change: &Arc<feed::Change<Views>>) -> Result<Option<Bytes>, Error> {
        let Some(room) = self.room.as_ref().filter(|_| !self.is_made(change)) else {
            return self.tell(change);
        };
        let _making = change.views.making.lock().await;
        if self.is_made(change) {
            return self.tell(change);
        }
        let (asked, change) = (Arc::clone(self), Arc::clone(change));
        match room.work(|_| async move { asked.tell(&change) }).await {
            Ok((told, _)) => told,
            Err(error) => Err(Error::NoTurn(error)),
        }
    }

    /// Whether every object is told that can be shown.
    fn shows_all(&self) -> bool {
        self.selector.is_empty() && !self.objects.backing.omit_unreadable
    }

    /// The frame of a change, if it concerns what the watch selects.
    fn tell(&self, change: &feed::Change<Views>) -> Result<Option<Bytes>, Error> {
        let event = &change.event;
        if !event.key.starts_with(self.prefix.as_bytes()) {
            return Ok(None);
        }
        let current = self.side(&event.current, &change.views.current, event.revision);
        let is_selected = |view: &Option<&View>| view.map_or(Ok(false), |view| self.selects(view));
        let is_now = is_selected(&current)?;
        // A watch of everything need not look at what was before, unless that may have been omitted.
        let shows_all = self.shows_all();
        let previous = if shows_all && is_now { &None } else { &event.previous };
        let previous = self.side(previous, &change.views.previous, event.revision);
        let was = if shows_all && is_now { event.previous.is_some() } else { is_selected(&previous)? };
        let told = match Transition::of(was, is_now) {
            Transition::None => return Ok(None),
            Transition::Comes => current.map(|view| view.frame(EventType::Added, self.shown())),
            Transition::Stays => current.map(|view| view.frame(EventType::Modified, self.shown())),
            Transition::Goes => previous.map(|view| view.frame(EventType::Deleted, self.shown())),
        };
        told.transpose()
    }

    /// A side of a change, at the version that is watched.
    fn side<'v>(&self, value: &Option<KeyValue>, side: &'v view::Side, revision: u64) -> Option<&'v View> {
        let value = value.as_ref()?;
        Some(side.view(&self.objects, &self.collection.entry, value, revision))
    }

    /// Whether the watch selects an object.
    ///
    /// # Errors
    /// If the object cannot be shown, unless the server is told to omit such objects.
    fn selects(&self, view: &View) -> Result<bool, Error> {
        match view.is_selected(&self.selector) {
            Err(_) if self.objects.backing.omit_unreadable => Ok(false),
            selected => selected,
        }
    }

    /// The frame of a bookmark: an object that has nothing but a revision, up to which everything is told.
    fn bookmark(&self, revision: u64, ends_existing: bool) -> Result<Bytes, Error> {
        let mut object = Object::new(&self.collection.entry);
        objectmeta::set_text(&mut *object.value, "resourceVersion", &revision.to_string());
        if ends_existing
            && let Some(annotations) = meta::strings_mut(&mut *object.value, "annotations")
            && let SlotMut::String(value) = annotations.entry(END_OF_EXISTING)
        {
            value.set("true");
        }
        EventType::Bookmark.frame(self.shown.media, &self.shown().encode(&object)?)
    }
}
