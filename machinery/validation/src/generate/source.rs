//! Choices from bytes.

/// A source of choices. No bytes at all choose the first of everything, and fewer bytes give smaller objects. A tool
/// that shrinks the bytes therefore shrinks the object.
pub(super) struct Source<'b> {
    bytes: &'b [u8],
    /// The state of a generator of numbers, and how many of them may still be taken once the bytes are used up.
    state: u64,
    more: usize,
}

/// How many choices an attempt may make without bytes. There is a limit, because any choice may add another object.
const MORE: usize = 100;

impl<'b> Source<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, state: 0, more: 0 }
    }

    /// Lets the following choices differ from the first ones, even if there are no bytes left.
    pub(super) fn differ(&mut self) {
        self.state = self.state.wrapping_add(1);
        self.more = MORE;
    }

    /// How many choices differ from the first ones without bytes.
    pub(super) fn more(&self) -> usize {
        self.more
    }

    /// Ends what [`differ`](Self::differ) began, unless it was `before` that one.
    pub(super) fn end(&mut self, before: usize) {
        self.more = self.more.min(before);
    }

    fn next(&mut self) -> usize {
        if let Some((first, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return (*first).into();
        }
        if self.more == 0 {
            return 0;
        }
        self.more -= 1;
        // A linear congruential generator (Knuth's MMIX), of which the high bits are good.
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 56) as usize
    }

    /// A number below `end`, which is at most 65,536; zero if `end` is.
    pub(super) fn below(&mut self, end: usize) -> usize {
        match end {
            0 => 0,
            1..=256 => self.next() % end,
            _ => (self.next() << 8 | self.next()) % end,
        }
    }

    /// One of several values; there is at least one.
    pub(super) fn one_of<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}
