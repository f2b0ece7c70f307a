//! Defaults of volumes.

use super::access::get_mut;
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, Slot};

/// A volume without any source is an `emptyDir`.
pub fn empty_dir(volume: &mut dyn Reflect, _: &Context) {
    let is_sourceless =
        volume.fields().iter().all(|(field, slot)| !field.pointer || matches!(slot, Slot::Absent));
    if is_sourceless {
        let _ = get_mut(volume, "emptyDir");
    }
}
