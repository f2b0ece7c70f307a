//! Defaults of taints.

use std::any::Any;

use super::access::{get_mut, is_absent};
use hubgen_machinery::defaults::Context;
use hubgen_machinery::reflect::{Reflect, SlotMut};
use hubgen_machinery::scalar::Time;

/// `timeAdded` defaults to the current time.
pub fn time_added(taint: &mut dyn Reflect, context: &Context) {
    if is_absent(taint, "timeAdded")
        && let Some(SlotMut::Scalar(slot)) = get_mut(taint, "timeAdded")
        && let Some(time) = (slot as &mut dyn Any).downcast_mut::<Time>()
    {
        // Objects store whole seconds.
        *time = Time::from(context.now.0);
    }
}
