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

use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;

use super::error::Error;
use super::token::Token;
use super::unreadable::{Omitted, Unlisted, Unreadable};
use super::{Collection, Objects};
use crate::selector::Selector;
use crate::store::{self, KeyValue, ListRequest};

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

/// A list, or a part of one.
pub(crate) struct List {
    pub(crate) meta: ListMeta,
    pub(crate) items: Vec<Object>,
    /// Messages for `Warning` headers.
    pub(crate) warnings: Vec<String>,
}

/// The number of values that are read from the store at a time if a selector may reject some of
/// them.
const CHUNK: usize = 500;

impl Objects {
    /// Lists the selected objects of a collection, all from one revision.
    pub(crate) async fn list(&self, collection: &Collection, query: &ListQuery) -> Result<List, Error> {
        let mut prefix = self.prefix(collection);
        if !collection.namespace.is_empty() {
            prefix.push_str(&collection.namespace);
            prefix.push('/');
        }
        let token = query.continue_token.as_deref().map(|text| Token::read(text, &prefix)).transpose()?;
        let at_revision = match &token {
            Some(token) => token.revision,
            None => query.revision.filter(|_| query.exact),
        };
        // `left` is the number of keys from the start of this part, if the response reports the
        // remaining count; `seen` is the number of keys read since.
        let (mut left, mut seen) = (token.as_ref().and_then(|token| token.left), 0);
        let start = token.map(|token| token.start);
        let in_parts = query.limit.is_some();
        let mut request = ListRequest {
            prefix: prefix.clone().into_bytes(),
            start,
            revision: at_revision,
            limit: query.limit,
            // With a selector, the number of remaining matches is unknown.
            count: in_parts && query.selector.is_empty() && left.is_none(),
        };
        if in_parts && !query.selector.is_empty() {
            request.limit = Some(CHUNK);
        }
        let mut items: Vec<Object> = Vec::new();
        let (mut unreadable, mut warnings) = (Unlisted::default(), Vec::new());
        loop {
            // If the client has disconnected, the work ends here, as in the deletion of a
            // collection.
            tokio::task::yield_now().await;
            let page = match self.backing.store.list(request.clone()).await {
                Ok(page) => page,
                Err(store::Error::Compacted { .. }) => return Err(expired(&request, &prefix)),
                Err(error) => return Err(error.into()),
            };
            // The rest of the list must be from the same revision.
            request.revision = Some(page.revision);
            if let Some(known) = query.revision.filter(|known| *known > page.revision) {
                let current = page.revision;
                return Err(Error::FutureRevision { requested: known, current, may_come: true });
            }
            let mut meta =
                ListMeta { resource_version: page.revision.to_string().into(), ..ListMeta::default() };
            if let Some(remaining) = page.remaining {
                left = Some(page.items.len() as u64 + remaining);
                request.count = false;
            }
            for (index, stored) in page.items.iter().enumerate() {
                seen += 1;
                match self.select(collection, query, stored) {
                    Ok(Some(object)) => items.push(object),
                    Ok(None) => continue,
                    Err(error) if self.backing.omit_unreadable => {
                        warnings.push(format!("omitted from the list: {error}"));
                        continue;
                    }
                    Err(error) => {
                        if unreadable.add(error) {
                            continue;
                        }
                        return Err(Error::Unlisted { entry: collection.entry.clone(), values: unreadable });
                    }
                }
                let next = page.items.get(index + 1).map(|stored| &stored.key).or(page.next.as_ref());
                if let Some(next) = next
                    && Some(items.len()) == query.limit
                {
                    let left = left.filter(|_| query.selector.is_empty());
                    let left = left.and_then(|left| left.checked_sub(seen));
                    let token = Token { revision: Some(page.revision), start: next.clone(), left };
                    meta.continue_ = token.write(&prefix).into();
                    meta.remaining_item_count = left.and_then(|left| i64::try_from(left).ok());
                    return complete(&collection.entry, unreadable, List { meta, items, warnings });
                }
            }
            match page.next {
                Some(next) => request.start = Some(next),
                None => return complete(&collection.entry, unreadable, List { meta, items, warnings }),
            }
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

/// The list, if it lacks no value.
fn complete(entry: &Arc<KindEntry>, lacking: Unlisted, list: List) -> Result<List, Error> {
    if lacking.is_empty() {
        return Ok(list);
    }
    Err(Error::Unlisted { entry: Arc::clone(entry), values: lacking })
}

/// The error if the revision of a list is compacted. A list in parts can continue at the newest
/// revision, if the client accepts that the parts are not consistent.
fn expired(request: &ListRequest, prefix: &str) -> Error {
    let token = |start: &Vec<u8>| Token { revision: None, start: start.clone(), left: None }.write(prefix);
    Error::ListExpired { continue_token: request.start.as_ref().map(token) }
}
