//! Just enough of DER to read what a certificate request says of its subject.

/// An element: its tag and its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    pub tag: u8,
    pub content: &'a [u8],
}

pub const OBJECT_ID: u8 = 0x06;
pub const OCTETS: u8 = 0x04;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;

/// Takes elements off, one after another.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The next element; `None` where there is none, or what comes is no DER.
    pub fn next(&mut self) -> Option<Element<'a>> {
        let (&tag, rest) = self.0.split_first()?;
        // No tag of many bytes occurs here.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let length = bytes.iter().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
                // The shortest form is the only one.
                let is_shortest = length > 0x7f && bytes[0] != 0;
                (is_shortest.then_some(length)?, rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Element { tag, content })
    }

    /// The next element, where it has that tag.
    pub fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|element| element.tag == tag).map(|element| element.content)
    }

    /// The elements of a sequence or set of such elements.
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
    fn elements_are_taken_off_one_by_one() {
        let mut reader = Reader(&[0x30, 3, 0x02, 1, 5, 0x04, 0]);
        assert_eq!(reader.expect(SEQUENCE), Some(&[2u8, 1, 5][..]));
        assert_eq!(reader.next(), Some(Element { tag: OCTETS, content: &[] }));
        assert!(reader.is_at_end());
        assert_eq!(reader.next(), None);
    }

    #[test]
    fn what_is_cut_or_not_in_the_shortest_form_is_none() {
        for bytes in [&[0x30][..], &[0x30, 5, 1], &[0x30, 0x81, 1, 0], &[0x30, 0x80, 0, 0], &[0x1f, 1, 0]] {
            assert_eq!(Reader(bytes).next(), None, "{bytes:?}");
        }
    }
}
