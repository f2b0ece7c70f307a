//! The fields of one message.
//!
//! JSON inlines some messages that protobuf nests: their fields carry several
//! numbers, from the outermost message inwards. Sorted by number, the fields
//! of each message are neighbours, so a message is a stretch of them.

use crate::reflect::{Descriptor, Field};

/// A message, or one that JSON inlines into it.
#[derive(Clone, Copy)]
pub(super) struct Level {
    descriptor: &'static Descriptor,
    /// Positions of the fields, sorted by their numbers.
    order: &'static [u16],
    /// How many messages around it are inlined as well.
    depth: usize,
}

/// What a number stands for.
pub(super) enum Entry {
    /// The field at this position.
    Field(usize, &'static Field),
    /// A message that JSON inlines.
    Inlined(Level),
}

impl Level {
    pub fn of(descriptor: &'static Descriptor) -> Self {
        Self { descriptor, order: descriptor.by_number, depth: 0 }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The number at `index` of the order.
    #[inline]
    pub fn number(&self, index: usize) -> u32 {
        self.field(index).1.number[self.depth]
    }

    #[inline]
    fn field(&self, index: usize) -> (usize, &'static Field) {
        let position = usize::from(self.order[index]);
        (position, &self.descriptor.fields[position])
    }

    /// What is at `index` of the order, the first of its number, and the index
    /// after it.
    #[inline]
    pub fn entry(&self, index: usize) -> (Entry, usize) {
        let (position, field) = self.field(index);
        if field.number.len() == self.depth + 1 {
            return (Entry::Field(position, field), index + 1);
        }
        let number = field.number[self.depth];
        let same = self.order[index..].iter();
        let end = index
            + same
                .take_while(|&&other| self.descriptor.fields[usize::from(other)].number[self.depth] == number)
                .count();
        (Entry::Inlined(Self { order: &self.order[index..end], depth: self.depth + 1, ..*self }), end)
    }

    /// As [`Level::entry`], of what ends before `end`; gives where it begins.
    #[inline]
    pub fn entry_before(&self, end: usize) -> (Entry, usize) {
        let (position, field) = self.field(end - 1);
        if field.number.len() == self.depth + 1 {
            return (Entry::Field(position, field), end - 1);
        }
        let number = field.number[self.depth];
        let start = self.order[..end]
            .iter()
            .rposition(|&other| self.descriptor.fields[usize::from(other)].number[self.depth] != number)
            .map_or(0, |before| before + 1);
        (self.entry(start).0, start)
    }

    /// The index of the first field of that number. Writers keep the order of
    /// numbers, so it is mostly at `next`, the last one found, or soon after.
    #[inline]
    pub fn find(&self, number: u32, next: usize) -> Option<usize> {
        match (next..self.len()).find(|&index| self.number(index) >= number) {
            Some(index) if self.number(index) == number => Some(index),
            _ => (0..next).find(|&index| self.number(index) == number),
        }
    }
}
