//! What checks draw objects from.

use hubgen_kubernetes::machinery::reflect::{Reflect, SlotMut};

/// Bytes to draw from, the same ones for the same seed. The more of them are
/// zero, the emptier the object: from almost empty to almost full.
pub fn bytes(seed: u64) -> Vec<u8> {
    // SplitMix64.
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let zeros = next() % 200;
    let len = 50 + next() % 1500;
    let byte = |random: u64| if random >> 8 & 0xff < zeros { 0 } else { random.to_le_bytes()[0] };
    (0..len).map(|_| byte(next())).collect()
}

/// Clears the fields that have no number in protobuf: `kind` and `apiVersion`
/// of objects, which their envelope says, and the few that upstream took away
/// before it numbered them.
pub fn only_numbered(object: &mut dyn Reflect) {
    for (index, field) in object.descriptor().fields.iter().enumerate() {
        if field.number.is_empty() {
            object.write(index).clear();
        } else {
            only_numbered_in(object.write(index));
        }
    }
}

fn only_numbered_in(slot: SlotMut<'_>) {
    match slot {
        SlotMut::Struct(object) => only_numbered(object),
        SlotMut::Optional(value) if value.is_present() => only_numbered_in(value.insert()),
        SlotMut::List(list) => (0..list.len()).for_each(|index| only_numbered_in(list.get_mut(index))),
        SlotMut::Map(map) => map.visit_mut(&mut |_, value| only_numbered_in(value)),
        _ => {}
    }
}
