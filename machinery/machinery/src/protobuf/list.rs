//! Lists whose items are encoded already, written part by part: a list of many objects need not be one buffer.

use super::{Envelope, Writer};
use crate::reflect::{Reflect, TypeMeta};

/// The tag of the field of a list that contains its items: the number 2, and a length that follows.
const ITEM: u8 = 0x12;

/// What a list in an envelope has around its items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFrame {
    /// What is before them.
    pub begin: Vec<u8>,
    /// What is after them.
    pub end: Vec<u8>,
}

impl ListFrame {
    /// The frame of a list of items of these lengths. Items are [encoded](super::encode) already, and have no envelopes:
    /// their kind is determined by the list's.
    ///
    /// ```
    /// use hubgen_machinery::ApiType;
    /// use hubgen_machinery::protobuf::{Envelope, ListFrame};
    /// use hubgen_machinery::reflect::TypeMeta;
    ///
    /// #[derive(ApiType)]
    /// struct ListMeta {}
    ///
    /// let items = [&b"one"[..], b"two"];
    /// let type_meta = TypeMeta { api_version: "v1", kind: "PodList" };
    /// let ListFrame { begin: mut list, end } = ListFrame::new(&ListMeta::default(), items.iter().map(|item| item.len()), type_meta);
    /// items.iter().for_each(|item| ListFrame::push(item, &mut list));
    /// list.extend(end);
    /// assert_eq!(Envelope::decode(&list)?.raw, b"\x0a\x00\x12\x03one\x12\x03two");
    /// # Ok::<_, hubgen_machinery::protobuf::Error>(())
    /// ```
    pub fn new(metadata: &dyn Reflect, items: impl Iterator<Item = usize>, type_meta: TypeMeta<'_>) -> Self {
        let items: usize = items.map(|length| head(length).count() + length).sum();
        let TypeMeta { api_version, kind } = type_meta;
        let envelope = Envelope { api_version, kind, ..Envelope::default() };
        let metadata =
            Writer::scratch(|writer| writer.field(1, |writer| super::encode_into(metadata, writer)));
        let begin = Writer::scratch(|writer| {
            writer.raw(&metadata);
            envelope.write_begin(writer, metadata.len() + items);
        });
        Self { begin, end: Writer::scratch(|writer| envelope.write_end(writer)) }
    }

    /// Appends an item.
    pub fn push(item: &[u8], out: &mut Vec<u8>) {
        out.extend(head(item.len()));
        out.extend_from_slice(item);
    }
}

/// The tag of an item and its length, in groups of seven bits, the lowest first.
fn head(length: usize) -> impl Iterator<Item = u8> {
    let groups = std::iter::successors(Some(length), |rest| (*rest >= 0x80).then_some(rest >> 7));
    let group = |rest| (rest & 0x7F) as u8 | if rest >= 0x80 { 0x80 } else { 0 };
    std::iter::once(ITEM).chain(groups.map(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_the_writer_does() {
        for length in [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 1 << 21, (1 << 28) - 1] {
            let written = Writer::scratch(|writer| writer.head(2, length));
            assert_eq!(head(length).collect::<Vec<_>>(), written, "{length}");
        }
    }
}
