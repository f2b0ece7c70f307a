//! `list`: GET of a collection.

use hubgen_machinery::scheme::Object;

use crate::answer::{Answer, NextPart, Rest};
use crate::media::{Item, LIST_END, Representation, json_items};
use crate::objects::{Error, List, Listing, Objects, list_meta};
use crate::request::ObjectRequest;
use crate::status::Failure;

pub(super) async fn answer(objects: &Objects, request: &ObjectRequest) -> Result<Answer, Failure> {
    let (entry, shown) = (&request.collection.entry, request.shown);
    let mut listing = objects.listing(&request.collection, &request.query.list(entry)?)?;
    if !may_begin(request) {
        listing = listing.read_ahead();
    }
    let encode = |object| encoded(shown, object);
    let items = listing.next(&encode).await?;
    if may_begin(request) && listing.may_begin() {
        let mut body = Vec::new();
        let meta = list_meta(listing.revision());
        shown.begin_list(entry, &meta, &mut body).map_err(Error::from)?;
        let is_first = items.is_empty();
        json_items(&Item::arranged(items), true, &mut body);
        let rest = Following { listing: Some(listing), shown, is_first };
        return Ok(Answer::begun(body, Box::new(rest)));
    }
    let List { meta, items, warnings } = listing.rest(items, encode).await?;
    Ok(Answer::list(shown, entry, &meta, items).with(warnings))
}

fn encoded(shown: Representation, object: Object) -> Result<Item, Error> {
    Ok(shown.encode_item(&object)?)
}

/// Whether the answer may begin before all objects are read. Protobuf tells the length of a list before its items, and
/// some tables are sorted.
fn may_begin(request: &ObjectRequest) -> bool {
    request.takes_parts && request.shown.may_begin(&request.collection.entry) && !request.query.pretty
}

/// The objects after those of the first page.
struct Following {
    /// `None` at the end.
    listing: Option<Listing>,
    shown: Representation,
    /// Whether there is no item before.
    is_first: bool,
}

impl Following {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(listing) = &mut self.listing else { return Ok(None) };
        let shown = self.shown;
        let items = listing.next_of_begun(&|object| encoded(shown, object)).await?;
        let mut part = Vec::new();
        let is_first = self.is_first;
        self.is_first &= items.is_empty();
        json_items(&Item::arranged(items), is_first, &mut part);
        if listing.is_done() {
            self.listing = None;
            part.extend_from_slice(LIST_END);
            part.push(b'\n');
        }
        Ok(Some(part))
    }
}

impl Rest for Following {
    fn next(&mut self) -> NextPart<'_> {
        Box::pin(self.next())
    }
}
