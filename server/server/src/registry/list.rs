//! Lists objects.

use hubgen_machinery::scheme::Object;

use super::token::Token;
use super::{Collection, Registry};
use crate::selector::Selector;
use crate::store::{self, KeyValue, ListRequest};
use crate::unreadable::{Found, Omitted, Unreadable};
use crate::wire::{ListMeta, Status};

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

impl Registry {
    /// Lists the selected objects of a collection, all from one revision.
    pub(crate) async fn list(&self, collection: &Collection, query: &ListQuery) -> Result<List, Status> {
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
        let (mut unreadable, mut warnings) = (Found::default(), Vec::new());
        loop {
            // If the client has disconnected, the work ends here, as in the deletion of a
            // collection.
            tokio::task::yield_now().await;
            let page = match self.store.list(request.clone()).await {
                Ok(page) => page,
                Err(store::Error::Compacted { .. }) => return Err(expired(&request, &prefix)),
                Err(error) => return Err(Status::store(&error)),
            };
            // The rest of the list must be from the same revision.
            request.revision = Some(page.revision);
            if let Some(known) = query.revision.filter(|known| *known > page.revision) {
                return Err(Status::too_large_resource_version(known, page.revision, 1));
            }
            let mut meta = ListMeta { resource_version: page.revision.to_string(), ..ListMeta::default() };
            if let Some(remaining) = page.remaining {
                left = Some(page.items.len() as u64 + remaining);
                request.count = false;
            }
            for (index, stored) in page.items.iter().enumerate() {
                seen += 1;
                match self.select(collection, query, stored) {
                    Ok(Some(object)) => items.push(object),
                    Ok(None) => continue,
                    Err(error) if self.omit_unreadable => {
                        warnings.push(format!("omitted from the list: {error}"));
                        continue;
                    }
                    Err(error) => {
                        if unreadable.add(error) {
                            continue;
                        }
                        return Err(unreadable.into_status(&collection.entry));
                    }
                }
                let next = page.items.get(index + 1).map(|stored| &stored.key).or(page.next.as_ref());
                if let Some(next) = next
                    && Some(items.len()) == query.limit
                {
                    let left = left.filter(|_| query.selector.is_empty());
                    let left = left.and_then(|left| left.checked_sub(seen));
                    let token = Token { revision: Some(page.revision), start: next.clone(), left };
                    meta.continue_ = token.write(&prefix);
                    meta.remaining_item_count = left.and_then(|left| i64::try_from(left).ok());
                    return unreadable.or(&collection.entry, List { meta, items, warnings });
                }
            }
            match page.next {
                Some(next) => request.start = Some(next),
                None => return unreadable.or(&collection.entry, List { meta, items, warnings }),
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
        let object = self.path.decode_stored(stored)?;
        if !query.selector.matches(&*object.value) {
            return Ok(None);
        }
        match self.path.answer(object, &collection.entry, stored.mod_revision) {
            Ok(object) => Ok(Some(object)),
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

/// The error if the revision of a list is compacted. A list in parts can continue at the newest
/// revision, if the client accepts that the parts are not consistent.
fn expired(request: &ListRequest, prefix: &str) -> Status {
    let Some(start) = &request.start else {
        return Status::failure(410, "Expired", "The resourceVersion for the provided list is too old.");
    };
    let mut status = Status::failure(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can start a new list \
         without the continue parameter, or use the continue token in this response to retrieve the remainder of \
         the results. Continuing with the provided token results in an inconsistent list - objects that were \
         created, modified, or deleted between the time the first chunk was returned and now may show up in the \
         list.",
    );
    status.metadata.get_or_insert_default().continue_ =
        Token { revision: None, start: start.clone(), left: None }.write(prefix);
    status
}
