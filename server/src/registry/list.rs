//! Lists.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hubgen_machinery::scheme::Object;
use hubgen_machinery::{ApiType, json};

use super::{Place, Registry};
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

/// Where the next part of a list starts. Clients hand it back unread.
#[derive(ApiType)]
struct Token {
    /// The version of this format.
    v: String,
    /// The revision of the list; -1: whatever is newest.
    rv: i64,
    /// The key to start from, without the prefix of the resource.
    start: String,
}

/// How many values are read from the store at once where not all of them may be wanted.
const CHUNK: usize = 500;
const TOKEN_VERSION: &str = "meta.k8s.io/v1";

impl Registry {
    /// The objects of a place that a query selects, all as of one revision.
    pub(crate) async fn list(&self, place: &Place, query: &ListQuery) -> Result<List, Status> {
        let resource_prefix = self.prefix(place);
        let mut prefix = resource_prefix.clone();
        if !place.namespace.is_empty() {
            prefix.push_str(&place.namespace);
            prefix.push('/');
        }
        let token = query.continue_token.as_deref().map(Token::parse).transpose()?;
        let at_revision = match &token {
            Some(token) => u64::try_from(token.rv).ok(),
            None => query.revision.filter(|_| query.exact),
        };
        let start = token.map(|token| format!("{resource_prefix}{}", token.start).into_bytes());
        if start.as_ref().is_some_and(|start| !start.starts_with(prefix.as_bytes())) {
            return Err(Status::bad_request("continue key is not valid: it belongs to another list"));
        }
        let mut request =
            ListRequest { prefix: prefix.into_bytes(), start, revision: at_revision, limit: query.limit };
        if query.limit.is_some() && !query.selector.is_empty() {
            request.limit = Some(CHUNK);
        }
        let mut items: Vec<Object> = Vec::new();
        let (mut unreadable, mut warnings) = (Found::default(), Vec::new());
        loop {
            let page = match self.store.list(request.clone()).await {
                Ok(page) => page,
                Err(store::Error::Compacted { .. }) => return Err(expired(&request, &resource_prefix)),
                Err(error) => return Err(Status::store(&error)),
            };
            // The rest of the list is to be of the same moment.
            request.revision = Some(page.revision);
            if let Some(known) = query.revision.filter(|known| *known > page.revision) {
                return Err(Status::too_large_resource_version(known, page.revision));
            }
            let mut meta = ListMeta { resource_version: page.revision.to_string(), ..ListMeta::default() };
            for (index, stored) in page.items.iter().enumerate() {
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
                        return Err(unreadable.into_status(place.entry));
                    }
                }
                let next = page.items.get(index + 1).map(|stored| &stored.key).or(page.next.as_ref());
                if let Some(next) = next
                    && Some(items.len()) == query.limit
                {
                    meta.continue_ = Token::write(page.revision, next, &resource_prefix);
                    // How many of the rest are selected is not known.
                    meta.remaining_item_count = query.selector.is_empty().then_some(page.remaining as i64);
                    return unreadable.or(place.entry, List { meta, items, warnings });
                }
            }
            match page.next {
                Some(next) => request.start = Some(next),
                None => return unreadable.or(place.entry, List { meta, items, warnings }),
            }
        }
    }

    /// A stored object as a list of the place shows it; nothing if the query does not select it.
    fn shown(
        &self,
        place: &Place,
        query: &ListQuery,
        stored: &KeyValue,
    ) -> Result<Option<Object>, Unreadable> {
        let object = self.path.decode_stored(stored)?;
        if !query.selector.matches(&*object.value) {
            return Ok(None);
        }
        let object = self.path.answer(object, place.entry, stored.mod_revision);
        object.map(Some).map_err(|status| {
            let why = status.message.strip_prefix("Internal error occurred: ").unwrap_or(&status.message);
            Unreadable::new(stored, why)
        })
    }
}

/// The revision of a list is forgotten. A list in parts can go on at the newest revision, if the
/// client accepts that the parts do not fit together.
fn expired(request: &ListRequest, resource_prefix: &str) -> Status {
    let Some(start) = &request.start else {
        return Status::failure(410, "Expired", "The resourceVersion for the provided list is too old.");
    };
    let mut status = Status::failure(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can start a new list \
         without the continue parameter, or use the continue token in this response to retrieve the remainder of \
         the results; what was created, changed or deleted since the first part may then be missing or shown twice.",
    );
    status.metadata.continue_ = Token::make(-1, start, resource_prefix);
    status
}

impl Token {
    fn write(revision: u64, next: &[u8], resource_prefix: &str) -> String {
        Self::make(i64::try_from(revision).unwrap_or(i64::MAX), next, resource_prefix)
    }

    fn make(rv: i64, next: &[u8], resource_prefix: &str) -> String {
        let next = String::from_utf8_lossy(next);
        let start = next.strip_prefix(resource_prefix).unwrap_or(&next).to_owned();
        let token = Self { v: TOKEN_VERSION.to_owned(), rv, start };
        BASE64_URL_SAFE_NO_PAD.encode(json::encode(&token))
    }

    fn parse(text: &str) -> Result<Self, Status> {
        let invalid = |why: String| Status::bad_request(format!("continue key is not valid: {why}"));
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|error| invalid(error.to_string()))?;
        let token: Self = json::decode(&bytes).map_err(|error| invalid(error.to_string()))?;
        if token.v != TOKEN_VERSION {
            return Err(invalid(format!("expected version {TOKEN_VERSION}, found {:?}", token.v)));
        }
        if token.start.is_empty() {
            return Err(invalid("it names no key to start from".to_owned()));
        }
        Ok(token)
    }
}
