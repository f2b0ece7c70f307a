//! Choices that come from bytes, so that fewer and smaller bytes make a smaller table.

/// A source of choices. When the bytes end, every choice is the first one.
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % end.max(1)
    }

    /// True once in `count` times, and never when the bytes have ended.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }

    /// One of several; `None` if there are none.
    pub fn one<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        of.get(self.below(of.len()))
    }
}
