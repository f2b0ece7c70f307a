//! `list`: GET of a collection.

use std::vec;

use hubgen_machinery::protobuf::ListFrame;
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;

use crate::answer::{Answer, NextPart, Rest};
use crate::media::{Item, LIST_END, Media, Representation, json_items};
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
        return Ok(Answer::begun(Media::Json, body, Some(Box::new(rest))));
    }
    let List { meta, items, warnings } = listing.rest(items, encode).await?;
    let answer = match shown.media {
        Media::Protobuf if request.takes_parts => in_parts(shown, entry, &meta, items),
        _ => Answer::list(shown, entry, &meta, items),
    };
    Ok(answer.with(warnings))
}

/// How many bytes of a list in protobuf are sent at once.
const PART: usize = 256 << 10;

/// A list in protobuf, part by part if it is long: to copy all of it into one body takes time and memory.
fn in_parts(shown: Representation, entry: &KindEntry, meta: &ListMeta, items: Vec<Item>) -> Answer {
    let items = Item::arranged(items);
    let ListFrame { begin, end } = shown.frame(entry, meta, &items);
    let mut parts =
        Encoded { held: items.iter().map(Vec::len).sum(), items: items.into_iter(), end: Some(end) };
    let mut body = begin;
    parts.fill(&mut body);
    let rest = parts.end.is_some().then(|| Box::new(parts) as Box<dyn Rest>);
    Answer::begun(Media::Protobuf, body, rest)
}

/// The items of a list in protobuf that are not sent yet.
struct Encoded {
    items: vec::IntoIter<Vec<u8>>,
    held: usize,
    /// What is after them; `None` once it is sent.
    end: Option<Vec<u8>>,
}

impl Encoded {
    /// Adds what comes next to a part, until it is full.
    fn fill(&mut self, part: &mut Vec<u8>) {
        part.reserve(PART.min(self.held));
        while part.len() < PART {
            let Some(item) = self.items.next() else {
                part.extend(self.end.take().unwrap_or_default());
                return;
            };
            self.held -= item.len();
            ListFrame::push(&item, part);
        }
    }
}

impl Rest for Encoded {
    fn next(&mut self) -> NextPart<'_> {
        Box::pin(async move {
            if self.end.is_none() {
                return Ok(None);
            }
            let mut part = Vec::new();
            self.fill(&mut part);
            Ok(Some(part))
        })
    }

    fn held(&self) -> usize {
        self.held
    }
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
