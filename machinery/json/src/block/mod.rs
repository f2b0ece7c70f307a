//! Searches text sixteen bytes at a time.

#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(any(not(target_arch = "x86_64"), test))]
mod words;

#[cfg(target_arch = "x86_64")]
use self::sse2::Lanes;
#[cfg(not(target_arch = "x86_64"))]
use self::words::Lanes;

/// How many bytes a [`Block`] has.
pub(crate) const SIZE: usize = 16;

/// Sixteen bytes of text.
///
/// Searches return a mask with one bit for each byte, the lowest for the first.
#[derive(Clone, Copy)]
pub(crate) struct Block(Lanes);

impl Block {
    #[inline(always)]
    pub fn new(bytes: &[u8; SIZE]) -> Self {
        let word = |half: &[u8]| half.first_chunk().map_or(0, |half| u64::from_le_bytes(*half));
        let (low, high) = bytes.split_at(SIZE / 2);
        Self::of_words(word(low), word(high))
    }

    /// The bytes of two words, the first one lowest in `low`.
    #[inline(always)]
    pub fn of_words(low: u64, high: u64) -> Self {
        Self(Lanes::new(low, high))
    }

    /// The bytes that [`load`] returns.
    #[inline(always)]
    pub fn loaded(bytes: u128) -> Self {
        Self::of_words(bytes as u64, (bytes >> 64) as u64)
    }

    /// The bytes that do not represent themselves in a JSON string: `"`, `\` and
    /// control characters.
    #[inline(always)]
    pub fn ends(self) -> u32 {
        let Self(lanes) = self;
        lanes.equal(b'"').or(lanes.equal(b'\\')).or(lanes.at_most(0x1F)).mask()
    }

    /// The bytes with which strings, objects and arrays begin and end, and `\`.
    #[inline(always)]
    pub fn structure(self) -> u32 {
        let Self(lanes) = self;
        // A bracket and a brace differ in one bit, which is ignored.
        let brackets = lanes.without(b'[' ^ b'{');
        let ends = brackets.equal(b'[').or(brackets.equal(b']'));
        ends.or(lanes.equal(b'\\')).or(lanes.equal(b'"')).mask()
    }

    /// The bytes that Go may escape: those of [`Block::ends`], `&`, `<`, `>`,
    /// and 0xE2, with which the encodings of U+2028 and U+2029 begin.
    #[inline(always)]
    pub fn escapes(self) -> u32 {
        self.special().or(self.0.equal(0xE2)).mask()
    }

    /// The bytes of [`Block::ends`], `&`, `<`, `>`, and those outside ASCII.
    #[inline(always)]
    pub fn unusual(self) -> u32 {
        // A mask contains the highest bit of each byte.
        self.special().or(self.0).mask()
    }

    #[inline(always)]
    fn special(self) -> Lanes {
        let Self(lanes) = self;
        // Each pair differs in one bit, which is ignored.
        let quote_and = lanes.without(b'"' ^ b'&').equal(b'"');
        let angles = lanes.without(b'<' ^ b'>').equal(b'<');
        quote_and.or(angles).or(lanes.equal(b'\\')).or(lanes.at_most(0x1F))
    }
}

/// Less than [`SIZE`] bytes, the first one lowest, and zeros.
#[inline(always)]
pub(crate) fn load(bytes: &[u8]) -> u128 {
    // Two parts that may overlap are read quicker than bytes one by one.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << (8 * (bytes.len() % SIZE - 8))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        (u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4))).into()
    } else if let [first, .., last] = bytes {
        let half = bytes.len() / 2;
        let word = u32::from(*first) | u32::from(bytes[half]) << (8 * half);
        (word | u32::from(*last) << (8 * (bytes.len() - 1))).into()
    } else {
        bytes.first().map_or(0, |byte| u128::from(*byte))
    }
}

/// The offset, from `at` on, of the first byte for which `marks` sets a bit; the
/// length of `bytes` if there is none.
#[inline(always)]
pub(crate) fn find(bytes: &[u8], mut at: usize, marks: impl Fn(Block) -> u32) -> usize {
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let found = marks(Block::new(block));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += SIZE;
    }
    at + find_in_short(bytes.get(at..).unwrap_or_default(), marks)
}

#[inline(never)]
fn find_in_short(bytes: &[u8], marks: impl Fn(Block) -> u32) -> usize {
    // The search marks no spaces.
    let mut block = [b' '; SIZE];
    block[..bytes.len()].copy_from_slice(bytes);
    bytes.len().min(marks(Block::new(&block)).trailing_zeros() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte, at every offset of a block.
    fn blocks() -> impl Iterator<Item = [u8; SIZE]> {
        (0..=u8::MAX).flat_map(|byte| {
            (0..SIZE).map(move |at| {
                let mut block = *b"plain text, 0x7f";
                block[at] = byte;
                block
            })
        })
    }

    fn mask(block: &[u8; SIZE], marked: impl Fn(u8) -> bool) -> u32 {
        block.iter().enumerate().fold(0, |mask, (at, byte)| mask | u32::from(marked(*byte)) << at)
    }

    #[test]
    fn masks_are_those_of_a_byte_at_a_time() {
        let ends = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1F);
        let special = |byte| ends(byte) || matches!(byte, b'&' | b'<' | b'>');
        for bytes in blocks() {
            let block = Block::new(&bytes);
            assert_eq!(block.ends(), mask(&bytes, ends), "{bytes:?}");
            let structure = |byte| matches!(byte, b'"' | b'{' | b'}' | b'[' | b']' | b'\\');
            assert_eq!(block.structure(), mask(&bytes, structure), "{bytes:?}");
            assert_eq!(block.escapes(), mask(&bytes, |byte| special(byte) || byte == 0xE2), "{bytes:?}");
            assert_eq!(block.unusual(), mask(&bytes, |byte| special(byte) || byte >= 0x80), "{bytes:?}");
        }
    }

    #[test]
    fn words_are_as_lanes_of_the_processor() {
        for bytes in blocks() {
            let bytes = u128::from_le_bytes(bytes);
            let (low, high) = (bytes as u64, (bytes >> 64) as u64);
            let (ours, theirs) = (words::Lanes::new(low, high), Lanes::new(low, high));
            assert_eq!(ours.mask(), theirs.mask());
            for byte in [b'"', b'<', 0xE2] {
                assert_eq!(ours.equal(byte).mask(), theirs.equal(byte).mask(), "{bytes:x} {byte:x}");
                assert_eq!(ours.without(4).equal(byte).mask(), theirs.without(4).equal(byte).mask());
            }
            assert_eq!(ours.at_most(0x1F).mask(), theirs.at_most(0x1F).mask(), "{bytes:x}");
            let both = |mask: u32| ours.at_most(0x1F).or(ours.equal(b'a')).mask() == mask;
            assert!(both(theirs.at_most(0x1F).or(theirs.equal(b'a')).mask()), "{bytes:x}");
        }
    }

    #[test]
    fn short_texts_are_loaded_whole() {
        for length in 0..SIZE {
            let text = &b"0123456789abcdef"[..length];
            let mut padded = [0; SIZE];
            padded[..length].copy_from_slice(text);
            assert_eq!(load(text).to_le_bytes(), padded);
        }
    }

    #[test]
    fn finds_the_first_one_at_all_offsets_and_lengths() {
        for length in 0..3 * SIZE {
            let plain = vec![b'a'; length];
            for from in 0..=length {
                assert_eq!(find(&plain, from, Block::ends), length);
                for at in 0..length {
                    let mut text = plain.clone();
                    text[at] = b'"';
                    let expected = if at < from { length } else { at };
                    assert_eq!(find(&text, from, Block::ends), expected, "{length} {from} {at}");
                }
            }
        }
    }
}
