//! What an answer shows of an object, and in which media type.

use hubgen_machinery::json;
use hubgen_machinery::meta;
use hubgen_machinery::protobuf::{self, Envelope, ListFrame, Writer};
use hubgen_machinery::reflect::{Reflect, TypeMeta};
use hubgen_machinery::scheme::{KindEntry, Object};
use hubgen_meta::v1::ListMeta;

use super::Media;
use super::table::{self, Row, TABLE, TableShape};
use super::unshown::Unshown;
use super::version::{MetaVersion, PARTIAL, named, partial_json};

/// How objects are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Representation {
    pub(crate) media: Media,
    pub(crate) shape: Shape,
}

/// What is shown of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Whole,
    /// Only the metadata, as a `PartialObjectMetadata` of this version.
    Metadata(MetaVersion),
    /// A row of a table.
    Table(TableShape),
}

impl Representation {
    /// Whole objects in a media type.
    pub(crate) const fn whole(media: Media) -> Self {
        Self { media, shape: Shape::Whole }
    }

    /// Encodes an object.
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent, or its cells cannot be made.
    pub(crate) fn encode(self, object: &Object) -> Result<Vec<u8>, Unshown> {
        match (self.shape, self.media) {
            (Shape::Whole, media) => Ok(media.encode(object)?),
            // There are no tables in protobuf.
            (Shape::Table(shape), _) => table::of_object(object, shape),
            (Shape::Metadata(version), Media::Json) => {
                let mut out = Vec::new();
                partial_json(&*object.value, version, &mut out)?;
                Ok(out)
            }
            (Shape::Metadata(version), Media::Protobuf) => {
                let raw = Writer::scratch(|writer| partial_protobuf(&*object.value, writer));
                let api_version = version.api_version();
                Ok(Envelope { api_version, kind: PARTIAL, raw: &raw, ..Envelope::default() }.encode())
            }
        }
    }

    /// Encodes an object as an item of a list. It has no kind and version of its own, as in upstream, unless only its
    /// metadata is shown, in JSON.
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent, or its cells cannot be made.
    pub(crate) fn encode_item(self, object: &Object) -> Result<Item, Unshown> {
        let mut out = Vec::new();
        match (self.shape, self.media) {
            (Shape::Table(shape), _) => {
                let row = Row::new(object, shape)?;
                if object.entry.columns.depend_on_list() {
                    return Ok(Item::Row(Box::new(row)));
                }
                out = row.json;
            }
            (Shape::Whole, Media::Json) => {
                // As upstream, an object that no type describes names its own kind.
                let name = object.entry.untyped.as_ref().and_then(|_| object.entry.type_meta());
                json::encode_into(&*object.value, name, &mut out)?;
            }
            (Shape::Metadata(version), Media::Json) => partial_json(&*object.value, version, &mut out)?,
            (Shape::Whole, Media::Protobuf) => out = protobuf::encode(&*object.value),
            (Shape::Metadata(_), Media::Protobuf) => {
                out = Writer::scratch(|writer| partial_protobuf(&*object.value, writer));
            }
        }
        Ok(Item::Encoded(out))
    }

    /// Whether a list can begin before its last item is known.
    pub(crate) fn may_begin(self, entry: &KindEntry) -> bool {
        let depends = matches!(self.shape, Shape::Table(_)) && entry.columns.depend_on_list();
        self.media == Media::Json && !depends
    }

    /// A list of objects of a kind that are [encoded as its items](Self::encode_item).
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent, or its cells cannot be made.
    pub(crate) fn encode_list(
        self,
        entry: &KindEntry,
        meta: &ListMeta,
        items: Vec<Item>,
    ) -> Result<Vec<u8>, Unshown> {
        let items = Item::arranged(items);
        if self.media == Media::Protobuf {
            let ListFrame { begin: mut out, end } = self.frame(entry, meta, &items);
            out.reserve(items.iter().map(|item| item.len() + ITEM_HEAD).sum::<usize>() + end.len());
            items.iter().for_each(|item| ListFrame::push(item, &mut out));
            out.extend(end);
            return Ok(out);
        }
        let mut out = Vec::new();
        self.begin_list(entry, meta, &mut out)?;
        json_items(&items, true, &mut out);
        out.extend_from_slice(LIST_END);
        Ok(out)
    }

    /// What a list in protobuf has around its items.
    pub(crate) fn frame(self, entry: &KindEntry, meta: &ListMeta, items: &[Vec<u8>]) -> ListFrame {
        let (api_version, kind) = self.list_type(entry);
        let type_meta = TypeMeta { api_version: &api_version, kind: &kind };
        ListFrame::new(meta, items.iter().map(Vec::len), type_meta)
    }

    /// What a list in JSON has before its items.
    ///
    /// # Errors
    /// If it contains a value that JSON cannot represent, or its cells cannot be made.
    pub(crate) fn begin_list(
        self,
        entry: &KindEntry,
        meta: &ListMeta,
        out: &mut Vec<u8>,
    ) -> Result<(), Unshown> {
        if let Shape::Table(shape) = self.shape {
            return table::begin(entry, shape, meta, out);
        }
        let (api_version, kind) = self.list_type(entry);
        named(&kind, &api_version, out);
        json::encode_into(meta, None, out)?;
        out.extend_from_slice(b",\"items\":[");
        Ok(())
    }

    /// The version and the kind of a list.
    fn list_type(self, entry: &KindEntry) -> (String, String) {
        match self.shape {
            Shape::Whole => (entry.api_version(), format!("{}List", entry.kind)),
            Shape::Metadata(version) => (version.api_version().to_owned(), format!("{PARTIAL}List")),
            Shape::Table(shape) => (shape.version.api_version().to_owned(), TABLE.to_owned()),
        }
    }
}

/// An item of a list.
pub(crate) enum Item {
    Encoded(Vec<u8>),
    /// A row of a table whose rows depend on each other.
    Row(Box<Row>),
}

impl Item {
    /// The items of a list, or of a part of one, as they are sent.
    pub(crate) fn arranged(items: Vec<Self>) -> Vec<Vec<u8>> {
        let mut rows = Vec::new();
        let mut encoded = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Self::Encoded(item) => encoded.push(item),
                Self::Row(row) => rows.push(*row),
            }
        }
        table::arrange(&mut rows);
        encoded.extend(rows.into_iter().map(|row| row.json));
        encoded
    }
}

/// The size of the tag and length of most items, in bytes.
const ITEM_HEAD: usize = 4;

/// What a list in JSON has after its items.
pub(crate) const LIST_END: &[u8] = b"]}";

/// Adds items of a list in JSON. `is_first` says whether the list has none before them.
pub(crate) fn json_items(items: &[Vec<u8>], is_first: bool, out: &mut Vec<u8>) {
    out.reserve(items.iter().map(|item| item.len() + 1).sum::<usize>() + LIST_END.len() + 1);
    for (index, item) in items.iter().enumerate() {
        if index > 0 || !is_first {
            out.push(b',');
        }
        out.extend_from_slice(item);
    }
}

/// The message, without an envelope.
fn partial_protobuf<'a>(object: &'a dyn Reflect, writer: &mut Writer<'a>) {
    if let Some(metadata) = meta::metadata(object) {
        writer.field(1, |writer| protobuf::encode_into(metadata, writer));
    }
}
