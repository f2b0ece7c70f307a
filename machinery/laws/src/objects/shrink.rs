//! Bytes to generate objects from, and how to shrink them.

/// An infinite sequence of pseudo-random numbers (SplitMix64), the same for the same seed.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Up to a thousand pseudo-random bytes, the same for the same seed.
pub fn bytes(seed: u64) -> Vec<u8> {
    let mut next = random(seed);
    let len = next() % 1000;
    (0..len).map(|_| next().to_le_bytes()[0]).collect()
}

/// The maximum number of attempts of [`shrink`].
const TRIES: usize = 600;

/// Finds fewer and smaller bytes that still fail. It removes runs of bytes, ever shorter ones, and
/// replaces them by zeros. Makes a few hundred attempts.
pub fn shrink(bytes: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = bytes.to_vec();
    let mut tries = 0;
    let mut fails = |bytes: &[u8]| {
        tries += 1;
        tries < TRIES && fails(bytes)
    };
    loop {
        let before = best.clone();
        let mut run = best.len();
        while run > 0 {
            let mut at = best.len();
            while at > 0 {
                at = at.saturating_sub(run);
                let end = (at + run).min(best.len());
                let mut without = best.clone();
                without.drain(at..end);
                let mut zeroed = best.clone();
                zeroed[at..end].fill(0);
                if fails(&without) {
                    best = without;
                } else if zeroed != best && fails(&zeroed) {
                    best = zeroed;
                }
            }
            run /= 2;
        }
        if best == before {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_leaves_only_what_fails() {
        let fails = |bytes: &[u8]| bytes.iter().filter(|byte| **byte > 200).count() >= 2;
        let all = (0..100).map(bytes).find(|bytes| fails(bytes)).unwrap();
        let left = shrink(&all, fails);
        assert_eq!(left.len(), 2, "{left:?}");
    }

    #[test]
    fn a_seed_generates_the_same_bytes() {
        assert_eq!(bytes(7), bytes(7));
        assert_ne!(bytes(7), bytes(8));
    }
}
