//! Choices from bytes.

/// A source of choices. No bytes at all choose the first of everything, and fewer bytes give smaller objects. A tool that
/// shrinks the bytes therefore shrinks the object.
pub(super) struct Source<'b> {
    bytes: &'b [u8],
    /// Where choices come from once the bytes are used up; zero chooses the first.
    state: u64,
}

impl<'b> Source<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, state: 0 }
    }

    /// Begins another attempt, whose choices are others even if there are no bytes left. The first attempt has number 0.
    pub(super) fn begin(&mut self, attempt: usize) {
        self.state = attempt as u64;
    }

    fn next(&mut self) -> usize {
        if let Some((first, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            return (*first).into();
        }
        if self.state == 0 {
            return 0;
        }
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
