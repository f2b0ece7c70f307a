//! Sixteen bytes in two words, for any processor.

const EACH: u64 = u64::MAX / 0xFF;
const HIGHEST: u64 = EACH << 7;

/// Sixteen bytes, or marks of them: the highest bit of each byte.
#[derive(Clone, Copy)]
pub struct Lanes(u64, u64);

impl Lanes {
    #[inline(always)]
    pub fn new(low: u64, high: u64) -> Self {
        Self(low, high)
    }

    #[inline(always)]
    fn map(self, map: impl Fn(u64) -> u64) -> Self {
        Self(map(self.0), map(self.1))
    }

    /// The bytes without these bits.
    #[inline(always)]
    pub fn without(self, bits: u8) -> Self {
        self.map(|word| word & !each(bits))
    }

    /// Marks the bytes that equal `byte`.
    #[inline(always)]
    pub fn equal(self, byte: u8) -> Self {
        self.map(|word| word ^ each(byte)).at_most(0)
    }

    /// Marks the bytes that are at most `byte`, which must be ASCII.
    #[inline(always)]
    pub fn at_most(self, byte: u8) -> Self {
        // The addition sets the highest bit of the bytes that are larger. No
        // byte overflows, because the highest bits are left out.
        self.map(|word| !(((word & !HIGHEST) + each(0x7F - byte)) | word))
    }

    /// The marks of both.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0, self.1 | other.1)
    }

    /// The marks, one bit for each byte.
    #[inline(always)]
    pub fn mask(self) -> u32 {
        // The multiplication moves the lowest bit of each byte to the top.
        let gathered = |word: u64| ((word & HIGHEST) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (gathered(self.0) | gathered(self.1) << 8) as u32
    }
}

#[inline(always)]
fn each(byte: u8) -> u64 {
    EACH * u64::from(byte)
}
