//! Pods end gracefully: one that a node runs stays until its kubelet has ended it and deletes it again, then without grace.
//!
//! The rules are those of upstream's `BeforeDelete`, and of the strategy of pods.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::{Reflect, Slot};
use hubgen_machinery::scalar::Time;
use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;
use jiff::{SignedDuration, Timestamp};

use super::Objects;
use super::hub::Hub;
use super::pods;
use crate::fields::value_of;
use crate::objectmeta;

/// Phases of pods that have ended.
const OVER: [&str; 2] = ["Succeeded", "Failed"];

/// How an object goes when it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// At once, unless finalizers keep it.
    AtOnce,
    /// At a time, which comes in so many seconds or does not come sooner than that after the deletion began. Somebody else has to
    /// delete it then, unless it is now.
    At(Time, i64),
    /// As it goes already.
    Pending,
}

impl Objects {
    /// How an object goes when it is deleted with these options.
    pub(super) fn pace(&self, entry: &KindEntry, object: &dyn Reflect, options: &DeleteOptions) -> Pace {
        if self.backing.ends_pods || !pods::are(entry) {
            return Pace::AtOnce;
        }
        let now = self.backing.environment.now();
        let asked = options.grace_period_seconds.map(positive);
        match meta::time(object, "deletionTimestamp") {
            None => {
                let seconds = begun(object, asked);
                Pace::At(after(now, seconds), seconds)
            }
            Some(time) => shortened(time, period(object), asked, now),
        }
    }

    /// Whether an object that is being deleted goes as soon as no finalizer keeps it.
    pub(super) fn has_no_period(&self, object: &dyn Reflect) -> bool {
        self.backing.ends_pods || period(object) == 0
    }

    /// An object that goes at a time.
    pub(super) fn going(&self, mut hub: Hub, (time, seconds): (Time, i64)) -> Hub {
        if !objectmeta::is_being_deleted(&*hub.value) {
            hub = self.marked(hub);
        }
        meta::set_time(&mut *hub.value, "deletionTimestamp", Some(time));
        objectmeta::set_grace_period(&mut *hub.value, seconds);
        hub
    }
}

/// The seconds that a pod gets whose deletion begins: none if nobody runs it.
fn begun(pod: &dyn Reflect, asked: Option<i64>) -> i64 {
    let spec = value_of(pod, "spec");
    let is_scheduled = spec["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    let is_over = value_of(pod, "status")["phase"].as_str().is_some_and(|phase| OVER.contains(&phase));
    if !is_scheduled || is_over {
        return 0;
    }
    asked.unwrap_or_else(|| positive(spec["terminationGracePeriodSeconds"].as_i64().unwrap_or_default()))
}

/// How an object goes that is being deleted already: a period can only become shorter.
fn shortened(time: Time, period: i64, asked: Option<i64>, now: Time) -> Pace {
    if period == 0 {
        return Pace::AtOnce;
    }
    match asked.filter(|seconds| *seconds < period) {
        None => Pace::Pending,
        Some(seconds) => {
            let sooner = after(time, seconds - period);
            if sooner >= now {
                return Pace::At(sooner, seconds);
            }
            // It is over, and whoever ends the object is still to see that.
            Pace::At(now, seconds.min(1))
        }
    }
}

/// The period of an object that is being deleted, in seconds.
fn period(object: &dyn Reflect) -> i64 {
    match meta::metadata(object).and_then(|metadata| metadata.field("deletionGracePeriodSeconds")) {
        Some(Slot::Int64(seconds)) => positive(seconds),
        _ => 0,
    }
}

/// A period of less than nothing is one second.
fn positive(seconds: i64) -> i64 {
    if seconds < 0 { 1 } else { seconds }
}

fn after(time: Time, seconds: i64) -> Time {
    Time(time.0.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time(Timestamp::from_second(second).unwrap())
    }

    #[test]
    fn a_period_only_becomes_shorter() {
        // Deleted at 100 with 30 seconds.
        let again = |asked| shortened(at(130), 30, asked, at(105));
        assert_eq!(again(None), Pace::Pending);
        assert_eq!(again(Some(30)), Pace::Pending);
        assert_eq!(again(Some(10)), Pace::At(at(110), 10));
        // What would be over is over now, and only 0 leaves nothing to do for a kubelet.
        assert_eq!(again(Some(2)), Pace::At(at(105), 1));
        assert_eq!(again(Some(0)), Pace::At(at(105), 0));
        assert_eq!(shortened(at(100), 0, None, at(105)), Pace::AtOnce);
    }

    #[test]
    fn a_time_out_of_range_is_the_last_one() {
        assert_eq!(after(at(0), i64::MAX), Time(Timestamp::MAX));
    }
}
