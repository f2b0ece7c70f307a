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

use hubgen_machinery::scheme::Object;
use hubgen_meta::v1::ListMeta;
use tokio::task::JoinHandle;

use super::error::Error;
use super::stored::at_revision;
use super::token::Token;
use super::unfit::Unfit;
use super::unreadable::{Omitted, Unlisted, Unreadable};
use super::{Backing, Collection, Objects, parallel};
use crate::conversion;
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
    /// Begins to list the selected objects of a collection.
    ///
    /// # Errors
    /// If the token of the previous part is none of this collection.
    pub(crate) fn listing(&self, collection: &Collection, query: &ListQuery) -> Result<Listing, Error> {
        let prefix = self.collection_prefix(collection);
        let token = query.continue_token.as_deref().map(|text| Token::read(text, &prefix)).transpose()?;
        let left = token.as_ref().and_then(|token| token.left);
        let selects_all = query.selector.is_empty();
        let next = ListRequest {
            prefix: prefix.clone().into_bytes(),
            revision: match &token {
                Some(token) => token.revision,
                None => query.revision.filter(|_| query.exact),
            },
            limit: Some(query.limit.filter(|_| selects_all).unwrap_or(CHUNK)),
            bytes: Some(CHUNK_BYTES),
            // With a selector, the number of remaining matches is unknown.
            count: query.limit.is_some() && selects_all && left.is_none(),
            start: token.map(|token| token.start),
        };
        Ok(Listing {
            objects: self.clone(),
            collection: collection.clone(),
            query: query.clone(),
            prefix,
            next,
            reads_ahead: false,
            ahead: None,
            revision: 0,
            is_done: false,
            found: 0,
            unreadable: Unlisted::default(),
            warnings: Vec::new(),
            left,
            seen: 0,
        })
    }

    /// Lists the selected objects of a collection, all from one revision. Only what `make` makes of an object is kept, so
    /// that memory need not hold all objects at a time.
    pub(crate) async fn list<T: Send>(
        &self,
        collection: &Collection,
        query: &ListQuery,
        make: impl Fn(Object) -> Result<T, Error> + Sync,
    ) -> Result<List<T>, Error> {
        let mut listing = self.listing(collection, query)?.read_ahead();
        let first = listing.next(&make).await?;
        listing.rest(first, make).await
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
        selected(query, stored, self.at_version(object, &collection.entry))
    }

    /// As [`select`](Self::select), for all objects of a page. Whoever converts them is asked once.
    fn select_together(
        &self,
        collection: &Collection,
        query: &ListQuery,
        page: &[KeyValue],
    ) -> Vec<Result<Option<Object>, Omitted>> {
        let decoded = parallel::map(page, |stored| {
            let object = self.decode_stored(stored)?;
            Ok(Some(object).filter(|object| query.selector.may_match(&*object.value)))
        });
        let mut found = Vec::with_capacity(page.len());
        let mut place = |decoded: Result<Option<Object>, Omitted>| {
            decoded.map(|object| object.map(|object| found.push(object)))
        };
        let places: Vec<_> = decoded.into_iter().map(&mut place).collect();
        let mut shown = self.all_at_version(found, &collection.entry).into_iter();
        let mut next = || shown.next().expect("each object has a result");
        let each = places.into_iter().zip(page);
        each.map(|(place, stored)| place?.map_or(Ok(None), |()| selected(query, stored, next()))).collect()
    }
}

/// A stored object as a list shows it, at the version of the list. `None` if the query does not select it.
fn selected(
    query: &ListQuery,
    stored: &KeyValue,
    shown: Result<Object, Unfit>,
) -> Result<Option<Object>, Omitted> {
    let unfit = match shown {
        Ok(object) if query.selector.matches(&*object.value) => {
            return Ok(Some(at_revision(object, stored.mod_revision)));
        }
        Ok(_) => return Ok(None),
        Err(unfit) => unfit,
    };
    if let Some(why) = unfit.failure() {
        return Err(Unreadable::new(stored, why).into());
    }
    let violations = unfit.violations();
    if violations.is_empty() {
        return Err(Unreadable::new(stored, unfit).into());
    }
    Err(Omitted::Unknown(violations))
}

/// A list, or a part of one, that is being read.
pub(crate) struct Listing {
    objects: Objects,
    collection: Collection,
    query: ListQuery,
    prefix: String,
    /// The request for the next page.
    next: ListRequest,
    /// Whether the next page is read while one is worked on.
    reads_ahead: bool,
    /// The next page, if it is being read already.
    ahead: Option<JoinHandle<Result<Page, store::Error>>>,
    /// The revision that the first page decided.
    revision: u64,
    is_done: bool,
    /// The number of selected objects.
    found: usize,
    unreadable: Unlisted,
    warnings: Vec<String>,
    /// The number of keys from the start of this part, if the response reports the remaining count.
    left: Option<u64>,
    /// The number of keys read.
    seen: u64,
}

impl Listing {
    /// Reads the next page while one is worked on: for a list that is kept in memory in any case.
    pub(crate) fn read_ahead(self) -> Self {
        Self { reads_ahead: true, ..self }
    }

    /// Reads the next page, and returns what `make` makes of its selected objects.
    ///
    /// # Errors
    /// If the store has no such page, or if so many values are unreadable that no more can be named.
    pub(crate) async fn next<T: Send>(
        &mut self,
        make: &(impl Fn(Object) -> Result<T, Error> + Sync),
    ) -> Result<Vec<T>, Error> {
        // If the client has disconnected, the work ends here, as in the deletion of a
        // collection.
        tokio::task::yield_now().await;
        let page = match self.ahead.take() {
            Some(ahead) => ahead.await.unwrap_or(Err(store::Error::Closed)),
            None => self.objects.backing.store.list(self.next.clone()).await,
        };
        let page = match page {
            Ok(page) => page,
            Err(store::Error::Compacted { .. }) => return Err(expired(&self.next, &self.prefix)),
            Err(error) => return Err(error.into()),
        };
        if let Some(known) = self.query.revision.filter(|known| *known > page.revision) {
            let current = page.revision;
            return Err(Error::FutureRevision { requested: known, current, may_come: true });
        }
        self.revision = page.revision;
        // The rest of the list must be from the same revision.
        self.next.revision = Some(page.revision);
        self.next.start.clone_from(&page.next);
        self.next.count &= page.remaining.is_none();
        self.begin_next();
        let (items, next) = self.take(&page, make)?;
        if next.is_some() {
            self.next.start = next;
        }
        self.is_done = self.is_full() || self.next.start.is_none();
        Ok(items)
    }

    /// Whether the last page is read.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// The revision that the list is of, after its first page.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether an answer can begin with what is read: what follows changes nothing that is before it.
    pub(crate) fn may_begin(&self) -> bool {
        let Backing { omit_unreadable, whole, .. } = &*self.objects.backing;
        // The token of a part and the warnings are known at the end.
        let is_told_at_the_end = self.query.limit.is_some() || *omit_unreadable;
        !self.is_done
            && !is_told_at_the_end
            && self.unreadable.is_empty()
            && !whole.contains(&self.prefix, &self.collection.entry.api_version())
    }

    /// As [`next`](Self::next), for an answer that has begun.
    ///
    /// # Errors
    /// The same, and if a value is unreadable. The next answers begin when all is read, and tell that.
    pub(crate) async fn next_of_begun<T: Send>(
        &mut self,
        make: &(impl Fn(Object) -> Result<T, Error> + Sync),
    ) -> Result<Vec<T>, Error> {
        let mut made = self.next(make).await;
        if made.is_ok() && !self.unreadable.is_empty() {
            made = Err(self.unlisted());
        }
        if made.is_err() {
            self.objects.backing.whole.insert(&self.prefix, &self.collection.entry.api_version());
        }
        made
    }

    /// Reads all pages after those whose objects are given.
    pub(crate) async fn rest<T: Send>(
        mut self,
        mut items: Vec<T>,
        make: impl Fn(Object) -> Result<T, Error> + Sync,
    ) -> Result<List<T>, Error> {
        if !self.reads_ahead {
            self = self.read_ahead();
            self.begin_next();
        }
        while !self.is_done {
            items.extend(self.next(&make).await?);
        }
        let (meta, warnings) = self.end()?;
        Ok(List { meta, items, warnings })
    }

    /// Begins to read the next page, if all of it will be needed.
    fn begin_next(&mut self) {
        if self.reads_ahead && self.next.start.is_some() && self.query.limit.is_none() {
            let (backing, request) = (Arc::clone(&self.objects.backing), self.next.clone());
            self.ahead = Some(tokio::spawn(async move { backing.store.list(request).await }));
        }
    }

    fn is_full(&self) -> bool {
        Some(self.found) == self.query.limit
    }

    /// Makes something of the selected objects of a page, until the part is full. Returns it, with the key after the last
    /// object, if it is in this page.
    fn take<T: Send>(
        &mut self,
        page: &Page,
        make: &(impl Fn(Object) -> Result<T, Error> + Sync),
    ) -> Result<(Vec<T>, Option<Vec<u8>>), Error> {
        if let Some(remaining) = page.remaining {
            self.left = Some(page.items.len() as u64 + remaining);
        }
        let (objects, collection, query) = (&self.objects, &self.collection, &self.query);
        let made = |object: Option<Object>| object.map(make).transpose();
        let selected: Vec<Result<_, Omitted>> = if conversion::room(&collection.entry).is_some() {
            let selected = objects.select_together(collection, query, &page.items);
            selected.into_iter().map(|object| object.map(made)).collect()
        } else {
            parallel::map(&page.items, |stored| objects.select(collection, query, stored).map(made))
        };
        let mut items = Vec::with_capacity(selected.len());
        for (index, made) in selected.into_iter().enumerate() {
            self.seen += 1;
            match made.map(Result::transpose) {
                Ok(Some(made)) => {
                    items.push(made?);
                    self.found += 1;
                }
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
                let next = page.items.get(index + 1).map(|stored| stored.key.clone());
                return Ok((items, next));
            }
        }
        Ok((items, None))
    }

    /// What is told of the part beside its objects, with its warnings.
    ///
    /// # Errors
    /// If it lacks a value.
    pub(crate) fn end(mut self) -> Result<(ListMeta, Vec<String>), Error> {
        if !self.unreadable.is_empty() {
            return Err(self.unlisted());
        }
        if self.query.selector.is_empty() && self.query.limit.is_none() {
            let whole = &self.objects.backing.whole;
            whole.remove(&self.prefix, &self.collection.entry.api_version());
        }
        let mut meta = list_meta(self.revision);
        if let Some(start) = self.next.start {
            let left = self.left.filter(|_| self.query.selector.is_empty());
            let left = left.and_then(|left| left.checked_sub(self.seen));
            let token = Token { revision: Some(self.revision), start, left };
            meta.continue_ = token.write(&self.prefix).into();
            meta.remaining_item_count = left.and_then(|left| i64::try_from(left).ok());
        }
        Ok((meta, self.warnings))
    }

    fn unlisted(&mut self) -> Error {
        Error::Unlisted {
            entry: Arc::clone(&self.collection.entry),
            values: std::mem::take(&mut self.unreadable),
        }
    }
}

/// What a list of a revision tells of itself.
pub(crate) fn list_meta(revision: u64) -> ListMeta {
    ListMeta { resource_version: revision.to_string().into(), ..ListMeta::default() }
}

/// The error if the revision of a list is compacted. A list in parts can continue at the newest
/// revision, if the client accepts that the parts are not consistent.
fn expired(request: &ListRequest, prefix: &str) -> Error {
    let token = |start: &Vec<u8>| Token { revision: None, start: start.clone(), left: None }.write(prefix);
    Error::ListExpired { continue_token: request.start.as_ref().map(token) }
}
