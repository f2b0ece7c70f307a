//! Which pages a walk has reached.

/// A bit for each page.
pub struct Seen(Vec<u64>);

impl Seen {
    /// None of so many pages.
    pub fn none(pages: u64) -> Self {
        Self(vec![0; usize::try_from(pages.div_ceil(64)).unwrap_or(usize::MAX)])
    }

    /// Adds a page; returns whether it is new.
    pub fn add(&mut self, page: u64) -> bool {
        let word = &mut self.0[usize::try_from(page / 64).expect("a word of the pages")];
        let bit = 1 << (page % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
