//! What a deletion means for dependents: finalizers keep the object until the garbage collector has done it.

use hubgen_machinery::meta;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::KindEntry;
use hubgen_meta::v1::DeleteOptions;
use serde_json::Value;

use super::Objects;
use super::hub::Hub;
use crate::fields::value_of;
use crate::objectmeta;

/// Keeps an owner until its dependents are deleted.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// Keeps an owner until its dependents are no longer its own.
pub(crate) const ORPHAN: &str = "orphan";

/// What becomes of dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Policy {
    /// They are deleted after the object.
    Background,
    /// They are deleted before the object.
    Foreground,
    /// They stay.
    Orphan,
}

impl Policy {
    /// The finalizer that keeps the object until this is done.
    fn finalizer(self) -> Option<&'static str> {
        match self {
            Self::Background => None,
            Self::Foreground => Some(FOREGROUND),
            Self::Orphan => Some(ORPHAN),
        }
    }

    /// What the options say.
    fn asked(options: &DeleteOptions) -> Option<Self> {
        match (options.orphan_dependents, options.propagation_policy.as_deref()) {
            (Some(true), _) | (None, Some("Orphan")) => Some(Self::Orphan),
            (None, Some("Foreground")) => Some(Self::Foreground),
            (Some(false), _) | (None, Some("Background")) => Some(Self::Background),
            (None, _) => None,
        }
    }

    /// What the finalizers say that the object has already.
    fn noted(finalizers: &[Value]) -> Option<Self> {
        finalizers.iter().find_map(|finalizer| match finalizer.as_str() {
            Some(ORPHAN) => Some(Self::Orphan),
            Some(FOREGROUND) => Some(Self::Foreground),
            _ => None,
        })
    }
}

impl Objects {
    /// An object that is deleted, with the finalizers that the deletion means; `None` if it has them, or if nobody would ever
    /// remove them.
    pub(super) fn with_policy(&self, entry: &KindEntry, old: &Hub, options: &DeleteOptions) -> Option<Hub> {
        if !self.backing.collects_garbage {
            return None;
        }
        let finalizers =
            value_of(&*old.value, "metadata")["finalizers"].as_array().cloned().unwrap_or_default();
        // As upstream's Events, what goes by itself has no dependents.
        let policy = if entry.behaviour.time_to_live.is_some() {
            Policy::Background
        } else {
            let usual = if entry.behaviour.orphans_dependents { Policy::Orphan } else { Policy::Background };
            Policy::asked(options).or_else(|| Policy::noted(&finalizers)).unwrap_or(usual)
        };
        let wanted = policy.finalizer();
        let is_ours = |finalizer: &Value| *finalizer == FOREGROUND || *finalizer == ORPHAN;
        let has: Vec<&Value> = finalizers.iter().filter(|finalizer| is_ours(finalizer)).collect();
        if has == wanted.iter().collect::<Vec<_>>() {
            return None;
        }
        let others = finalizers.iter().filter(|finalizer| !is_ours(finalizer)).cloned();
        let new = others.chain(wanted.map(Value::from)).collect();
        let mut hub = old.clone();
        set_finalizers(&mut *hub.value, &new);
        Some(hub)
    }
}

fn set_finalizers(object: &mut dyn Reflect, finalizers: &Value) {
    if meta::metadata(object).is_some() {
        objectmeta::clear(object, "finalizers");
        objectmeta::set_json(object, "finalizers", finalizers.to_string().as_bytes());
    }
}
