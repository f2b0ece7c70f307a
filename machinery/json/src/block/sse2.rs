//! Sixteen bytes in a register.
//!
//! The functions of `std::arch` are unsafe to call because a processor may lack
//! what they need. These need SSE2, which every x86-64 processor has, and have
//! no other condition: they take and return values, and no pointers.

#![allow(
    unsafe_code,
    reason = "SSE2 is a part of x86-64; a search takes 0.5 to 0.6 of the instructions of `words.rs`"
)]

use std::arch::x86_64::{
    __m128i, _mm_and_si128, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
    _mm_set1_epi8,
};

/// Sixteen bytes, or marks of them: the highest bit of each byte.
#[derive(Clone, Copy)]
pub struct Lanes(__m128i);

impl Lanes {
    #[inline(always)]
    pub fn new(low: u64, high: u64) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_set_epi64x(high as i64, low as i64) })
    }

    /// The bytes without these bits.
    #[inline(always)]
    pub fn without(self, bits: u8) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_and_si128(self.0, each(!bits)) })
    }

    /// Marks the bytes that equal `byte`.
    #[inline(always)]
    pub fn equal(self, byte: u8) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_cmpeq_epi8(self.0, each(byte)) })
    }

    /// Marks the bytes that are at most `byte`, which must be ASCII.
    #[inline(always)]
    pub fn at_most(self, byte: u8) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_cmpeq_epi8(_mm_min_epu8(self.0, each(byte)), self.0) })
    }

    /// The marks of both.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        // SAFETY: see above.
        Self(unsafe { _mm_or_si128(self.0, other.0) })
    }

    /// The marks, one bit for each byte.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        // SAFETY: see above.
        (unsafe { _mm_movemask_epi8(self.0) }) as u32
    }
}

#[inline(always)]
fn each(byte: u8) -> __m128i {
    // SAFETY: see above.
    unsafe { _mm_set1_epi8(byte as i8) }
}
