//! Defaults of volumes.

use super::access::get_mut;
use crate::defaults::Context;
use crate::reflect::{Reflect, Slot};

/// A volume without any source is an `emptyDir`.
pub fn empty_dir(volume: &mut dyn Reflect, _: &Context) {
    let is_sourceless =
        volume.fields().iter().all(|(field, slot)| !field.pointer || matches!(slot, Slot::Absent));
    if is_sourceless {
        let _ = get_mut(volume, "emptyDir");
    }
}
