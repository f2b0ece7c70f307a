//! A minimal DER reader, for the subject of a certificate request.

/// An element: a tag and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
}

pub const OBJECT_ID: u8 = 0x06;
pub const OCTETS: u8 = 0x04;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;

/// Reads elements one after another.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The next element; `None` at the end or if the bytes are not DER.
    pub fn next(&mut self) -> Option<Element<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        // Tags of several bytes do not occur here.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let length = bytes.iter().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
                // DER allows only the shortest form.
                let is_shortest = length > 0x7f && bytes[0] != 0;
                (is_shortest.then_some(length)?, rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Element { tag, content })
    }

    /// The content of the next element, if it has the given tag.
    pub fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|element| element.tag == tag).map(|element| element.content)
    }

    /// The contents of all elements of a sequence or set whose elements have the given tag.
    pub fn all(content: &'a [u8], tag: u8) -> Option<Vec<&'a [u8]>> {
        let mut reader = Reader(content);
        let mut out = Vec::new();
        while !reader.is_at_end() {
            out.push(reader.expect(tag)?);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_one_by_one() {
        let mut reader = Reader(&[0x30, 3, 0x02, 1, 5, 0x04, 0]);
        assert_eq!(reader.expect(SEQUENCE), Some(&[2u8, 1, 5][..]));
        assert_eq!(reader.next(), Some(Element { tag: OCTETS, content: &[] }));
        assert!(reader.is_at_end());
        assert_eq!(reader.next(), None);
    }

    #[test]
    fn truncated_or_longer_forms_are_refused() {
        for bytes in [&[0x30][..], &[0x30, 5, 1], &[0x30, 0x81, 1, 0], &[0x30, 0x80, 0, 0], &[0x1f, 1, 0]] {
            assert_eq!(Reader(bytes).next(), None, "{bytes:?}");
        }
    }
}
