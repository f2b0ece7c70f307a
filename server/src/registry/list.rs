//! Lists.

use hubgen_machinery::scheme::Object;

use super::token::Token;
use super::{Collection, Registry};
use crate::selector::Selector;
use crate::store::{self, KeyValue, ListRequest};
use crate::unreadable::{Found, Unreadable};
use crate::wire::{ListMeta, Status};

/// What a client wants listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListQuery {
    /// Which objects; all of them where it is empty.
    pub(crate) selector: Selector,
    /// At most so many; all of them without.
    pub(crate) limit: Option<usize>,
    /// Where an earlier part of the list ended.
    pub(crate) continue_token: Option<String>,
    /// The revision that the client knows.
    pub(crate) revision: Option<u64>,
    /// Whether the list is to be as of that revision, not of a later one.
    pub(crate) exact: bool,
}

/// A list, or a part of one.
pub(crate) struct List {
    pub(crate) meta: ListMeta,
    pub(crate) items: Vec<Object>,
    /// What the client should know beside.
    pub(crate) warnings: Vec<String>,
}

/// How many values are read from the store at once where not all of them may be wanted.
const CHUNK: usize = 500;

impl Registry {
    /// The objects of a place that a query selects, all as of one revision.
    pub(crate) async fn list(&self, place: &Collection, query: &ListQuery) -> Result<List, Status> {
        let mut prefix = self.prefix(place);
        if !place.namespace.is_empty() {
            prefix.push_str(&place.namespace);
            prefix.push('/');
        }
        let token = query.continue_token.as_deref().map(|text| Token::read(text, &prefix)).transpose()?;
        let at_revision = match &token {
            Some(token) => token.revision,
            None => query.revision.filter(|_| query.exact),
        };
        // How many keys there are from the start on, if the client gets to know how many are left, and
        // how many were seen since.
        let (mut left, mut seen) = (token.as_ref().and_then(|token| token.left), 0);
        let start = token.map(|token| token.start);
        let in_parts = query.limit.is_some();
        let mut request = ListRequest {
            prefix: prefix.clone().into_bytes(),
            start,
            revision: at_revision,
            limit: query.limit,
            // How many of the rest are selected is not known.
            count: in_parts && query.selector.is_empty() && left.is_none(),
        };
        if in_parts && !query.selector.is_empty() {
            request.limit = Some(CHUNK);
        }
        let mut items: Vec<Object> = Vec::new();
        let (mut unreadable, mut warnings) = (Found::default(), Vec::new());
        loop {
            // As in a deletion of a collection: work for a client that has gone ends here.
            tokio::task::yield_now().await;
            let page = match self.store.list(request.clone()).await {
                Ok(page) => page,
                Err(store::Error::Compacted { .. }) => return Err(expired(&request, &prefix)),
                Err(error) => return Err(Status::store(&error)),
            };
            // The rest of the list is to be of the same moment.
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
                match self.shown(place, query, stored) {
                    Ok(Some(object)) => items.push(object),
                    Ok(None) => continue,
                    Err(error) if self.omit_unreadable => {
                        warnings.push(format!("left out of the list: {error}"));
                        continue;
                    }
                    Err(error) => {
                        if unreadable.add(error) {
                            continue;
                        }
                        return Err(unreadable.into_status(&place.entry));
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
                    return unreadable.or(&place.entry, List { meta, items, warnings });
                }
            }
            match page.next {
                Some(next) => request.start = Some(next),
                None => return unreadable.or(&place.entry, List { meta, items, warnings }),
            }
        }
    }

    /// A stored object as a list of the place shows it; nothing if the query does not select it.
    fn shown(
        &self,
        place: &Collection,
        query: &ListQuery,
        stored: &KeyValue,
    ) -> Result<Option<Object>, Unreadable> {
        let object = self.path.decode_stored(stored)?;
        if !query.selector.matches(&*object.value) {
            return Ok(None);
        }
        let object = self.path.answer(object, &place.entry, stored.mod_revision);
        object.map(Some).map_err(|status| {
            let why = status.message.strip_prefix("Internal error occurred: ").unwrap_or(&status.message);
            Unreadable::new(stored, why)
        })
    }
}

/// The revision of a list is forgotten. A list in parts can go on at the newest revision, if the
/// client accepts that the parts do not fit together.
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
    status.metadata.continue_ = Token { revision: None, start: start.clone(), left: None }.write(prefix);
    status
}
