//! Defaults of volumes.

use super::access::get_mut;
use crate::defaults::Context;
use crate::reflect::{Reflect, Slot};

/// A volume without any source is an `emptyDir`.
pub fn empty_dir(volume: &mut dyn Reflect, _: &Context) {
    let fields = &volume.descriptor().fields;
    let mut is_sourceless = true;
    volume.read(&mut |slots| {
        let sources = fields.iter().zip(slots).filter(|(field, _)| field.pointer);
        is_sourceless = sources.into_iter().all(|(_, slot)| matches!(slot, Slot::Absent));
    });
    if is_sourceless {
        let _ = get_mut(volume, "emptyDir");
    }
}
