//! Lists objects.
//!
//! A list is of one revision, however many pages of the store it takes. The first page decides the revision, and all
//! others are read at it, also those of later requests: the token that a part ends with names the revision and the key
//! with which the next part starts. A selector is applied after reading, so with one the store is read in pages of its
//! own size until enough objects match, and nobody knows how many remain.
//!
//! An object that cannot be shown fails the list, as upstream's does, unless the server is told to omit such objects: a
//! controller that does not see an object would take it for deleted. The list is read on, so that one answer names many
//! of the unreadable ones.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hubgen_machinery::scheme::Object;
use hubgen_meta::v1::ListMeta;

use super::error::Error;
use super::token::Token;
use super::unreadable::{Omitted, Unlisted, Unreadable};
use super::{Collection, Objects, parallel};
use crate::selector::Selector;
use crate::store::{self, KeyValue, ListRequest, Page};

/// The parameters of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListQuery {
    /// Selects objects; an empty selector selects all.
    pub(crate) selector: Selector,
    /// The maximum number of objects; `None` for all.
    pub(crate) limit: Option<usize>,
    /// The token of the previous part of the list, which specifies where this part starts.
    pub(crate) continue_token: Option<String>,
    /// The `resourceVersion` of the request.
    pub(crate) revision: Option<u64>,
    /// Whether the list must be from exactly that revision, not from a later one.
    pub(crate) exact: bool,
}

/// A list, or a part of one, with what was made of each object.
pub(crate) struct List<T> {
    pub(crate) meta: ListMeta,
    pub(crate) items: Vec<T>,
    /// Messages for `Warning` headers.
    pub(crate) warnings: Vec<String>,
}

/// The number of values that are read from the store at a time, unless the list itself is shorter.
const CHUNK: usize = 2_000;

/// With how many bytes of values such a page ends before. Two of them are in memory at a time.
const CHUNK_BYTES: usize = 4 << 20;

impl Objects {
    /// Lists the selected objects of a collection, all from one revision. Only what `make` makes of an object is kept, so
    /// that memory need not hold all objects at a time.
    pub(crate) async fn list<T: Send>(
        &self,
        collection: &Collection,
        query: &ListQuery,
        make: impl Fn(Object) -> Result<T, Error> + Sync,
    ) -> Result<List<T>, Error> {
        let prefix = self.collection_prefix(collection);
        let token = query.continue_token.as_deref().map(|text| Token::read(text, &prefix)).transpose()?;
        let mut part =
            Part::new(self, collection, query, &prefix, token.as_ref().and_then(|token| token.left));
        let mut request = part.request(token);
        let mut reading = self.read(&request);
        loop {
            // If the client has disconnected, the work ends here, as in the deletion of a
            // collection.
            tokio::task::yield_now().await;
            let page = match reading.await {
                Ok(page) => page,
                Err(store::Error::Compacted { .. }) => return Err(expired(&request, &prefix)),
                Err(error) => return Err(error.into()),
            };
            if let Some(known) = query.revision.filter(|known| *known > page.revision) {
                let current = page.revision;
                return Err(Error::FutureRevision { requested: known, current, may_come: true });
            }
            request = ListRequest {
                start: page.next.clone(),
                // The rest of the list must be from the same revision.
                revision: Some(page.revision),
                count: request.count && page.remaining.is_none(),
                ..request
            };
            // The next page is read while this one is encoded, if all of it will be needed.
            let is_needed = page.next.is_some() && query.limit.is_none();
            let ahead = is_needed.then(|| self.read(&request));
            let next = part.take(&page, &make)?;
            match next.or(page.next) {
                Some(start) if !part.is_full() => {
                    request.start = Some(start);
                    reading = ahead.unwrap_or_else(|| self.read(&request));
                }
                next => return part.end(page.revision, next),
            }
        }
    }

    /// Begins to read a page, at once and not when somebody waits for it.
    fn read(&self, request: &ListRequest) -> store::Answer<'_, Page> {
        let mut reading = self.backing.store.list(request.clone());
        let mut context = Context::from_waker(Waker::noop());
        match reading.as_mut().poll(&mut context) {
            Poll::Ready(page) => Box::pin(std::future::ready(page)),
            Poll::Pending => reading,
        }
    }

    /// Converts a stored object for a list of the collection. Returns `None` if the query does not
    /// select it.
    fn select(
        &self,
        collection: &Collection,
        query: &ListQuery,
        stored: &KeyValue,
    ) -> Result<Option<Object>, Omitted> {
        let object = self.decode_stored(stored)?;
        if !query.selector.may_match(&*object.value) {
            return Ok(None);
        }
        match self.answer(object, &collection.entry, stored.mod_revision) {
            Ok(object) => Ok(Some(object).filter(|object| query.selector.matches(&*object.value))),
            Err(unfit) => {
                let violations = unfit.violations();
                if violations.is_empty() {
                    return Err(Unreadable::new(stored, unfit).into());
                }
                Err(Omitted::Unknown(violations))
            }
        }
    }
}

/// A part of a list, as far as it is read.
struct Part<'a, T> {
    objects: &'a Objects,
    collection: &'a Collection,
    query: &'a ListQuery,
    prefix: &'a str,
    items: Vec<T>,
    unreadable: Unlisted,
    warnings: Vec<String>,
    /// The number of keys from the start of this part, if the response reports the remaining count.
    left: Option<u64>,
    /// The number of keys read.
    seen: u64,
}

impl<'a, T: Send> Part<'a, T> {
    fn new(
        objects: &'a Objects,
        collection: &'a Collection,
        query: &'a ListQuery,
        prefix: &'a str,
        left: Option<u64>,
    ) -> Self {
        let (items, unreadable, warnings) = (Vec::new(), Unlisted::default(), Vec::new());
        Self { objects, collection, query, prefix, items, unreadable, warnings, left, seen: 0 }
    }

    /// The request for the first page.
    fn request(&self, token: Option<Token>) -> ListRequest {
        let Self { query, .. } = self;
        let selects_all = query.selector.is_empty();
        ListRequest {
            prefix: self.prefix.as_bytes().to_vec(),
            revision: match &token {
                Some(token) => token.revision,
                None => query.revision.filter(|_| query.exact),
            },
            limit: Some(query.limit.filter(|_| selects_all).unwrap_or(CHUNK)),
            bytes: Some(CHUNK_BYTES),
            // With a selector, the number of remaining matches is unknown.
            count: query.limit.is_some() && selects_all && self.left.is_none(),
            start: token.map(|token| token.start),
        }
    }

    fn is_full(&self) -> bool {
        Some(self.items.len()) == self.query.limit
    }

    /// Adds the selected objects of a page, until the part is full. Returns the key after the last object, if it is in
    /// this page.
    ///
    /// # Errors
    /// If so many values are unreadable that no more can be named.
    fn take(
        &mut self,
        page: &Page,
        make: &(impl Fn(Object) -> Result<T, Error> + Sync),
    ) -> Result<Option<Vec<u8>>, Error> {
        if let Some(remaining) = page.remaining {
            self.left = Some(page.items.len() as u64 + remaining);
        }
        let selected = parallel::map(&page.items, |stored| {
            let object = self.objects.select(self.collection, self.query, stored)?;
            Ok(object.map(make).transpose())
        });
        for (index, made) in selected.into_iter().enumerate() {
            self.seen += 1;
            match made.map(Result::transpose) {
                Ok(Some(made)) => self.items.push(made?),
                Ok(None) => {}
                Err(error) if self.objects.backing.omit_unreadable => {
                    self.warnings.push(format!("omitted from the list: {error}"));
                }
                Err(error) => {
                    if !self.unreadable.add(error) {
                        return Err(self.unlisted());
                    }
                }
            }
            if self.is_full() {
                return Ok(page.items.get(index + 1).map(|stored| stored.key.clone()));
            }
        }
        Ok(None)
    }

    /// The part, if it lacks no value. The next one starts at `next`.
    fn end(mut self, revision: u64, next: Option<Vec<u8>>) -> Result<List<T>, Error> {
        if !self.unreadable.is_empty() {
            return Err(self.unlisted());
        }
        let mut meta = ListMeta { resource_version: revision.to_string().into(), ..ListMeta::default() };
        if let Some(start) = next {
            let left = self.left.filter(|_| self.query.selector.is_empty());
            let left = left.and_then(|left| left.checked_sub(self.seen));
            let token = Token { revision: Some(revision), start, left };
            meta.continue_ = token.write(self.prefix).into();
            meta.remaining_item_count = left.and_then(|left| i64::try_from(left).ok());
        }
        Ok(List { meta, items: self.items, warnings: self.warnings })
    }

    fn unlisted(&mut self) -> Error {
        Error::Unlisted {
            entry: Arc::clone(&self.collection.entry),
            values: std::mem::take(&mut self.unreadable),
        }
    }
}

/// The error if the revision of a list is compacted. A list in parts can continue at the newest
/// revision, if the client accepts that the parts are not consistent.
fn expired(request: &ListRequest, prefix: &str) -> Error {
    let token = |start: &Vec<u8>| Token { revision: None, start: start.clone(), left: None }.write(prefix);
    Error::ListExpired { continue_token: request.start.as_ref().map(token) }
}
