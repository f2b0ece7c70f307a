//! Keeps the policy what the store has.
//!
//! A task reads what is stored of the four kinds, and then every change. A write of this server is told, too
//! ([`Told`](super::told::Told)): who asks afterwards waits until the change has been read, which takes less time than to
//! answer the write.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use futures_util::future::join_all;
use hubgen_machinery::Str;
use hubgen_machinery::reflect::Reflect;
use hubgen_machinery::scheme::Scheme;
use hubgen_rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::warn;

use super::policy::{self, Binding, Policy};
use crate::catalog::Served;
use crate::follow::{Follow, Followers, follow};
use crate::store::{self, Error, Event, KeyValue, Store};

/// The group of the four kinds.
pub(super) const GROUP: &str = "rbac.authorization.k8s.io";
/// The version at which the server reads them, which is their hub.
pub(super) const VERSION: &str = "v1";
/// How many objects are read at a time.
const PAGE: usize = 500;

/// One of the four kinds.
struct Family {
    kind: &'static str,
    /// The prefix of the keys of its objects.
    prefix: String,
    /// The revision of the last write of this server.
    told: AtomicU64,
    /// Up to which revision the policy has all changes; `None` if there will be no more.
    seen: watch::Sender<Option<u64>>,
}

/// The policy that the store has.
pub(super) struct Followed {
    policy: RwLock<Policy>,
    families: Vec<Family>,
    served: Served,
}

const KINDS: [&str; 4] = ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"];

impl Followed {
    /// A policy of the kinds that a server serves, which is empty; `None` if it does not serve them.
    pub(super) fn new(served: &Served) -> Option<Arc<Self>> {
        let scheme = &served.current().scheme;
        let family = |kind: &'static str| {
            let prefix = scheme.storage_prefix(scheme.kind(GROUP, VERSION, kind)?);
            let (seen, _) = watch::channel(Some(0));
            Some(Family { kind, prefix, told: AtomicU64::new(0), seen })
        };
        let families = KINDS.into_iter().map(family).collect::<Option<Vec<_>>>()?;
        Some(Arc::new(Self { policy: RwLock::default(), families, served: served.clone() }))
    }

    /// Reads what is stored, and follows the changes from then on, until the store is closed.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) async fn start(
        self: &Arc<Self>,
        store: &Arc<dyn Store>,
        followers: &Followers,
        tasks: &mut JoinSet<()>,
    ) -> Result<(), Error> {
        let mut all = Vec::new();
        for (index, family) in self.families.iter().enumerate() {
            let mut following = Following { followed: Arc::clone(self), index };
            let revision = following.read(&**store).await?;
            let (store, prefix) = (Arc::clone(store), family.prefix.clone());
            all.push(follow(following, store, prefix, Some(revision), followers.join()));
        }
        // One task, because a write wakes all of them.
        tasks.spawn(async { drop(join_all(all).await) });
        Ok(())
    }

    /// Notes a write of this server.
    pub(super) fn tell(&self, key: &[u8], revision: u64) {
        if let Some(family) = self.families.iter().find(|family| key.starts_with(family.prefix.as_bytes())) {
            family.told.fetch_max(revision, Ordering::AcqRel);
        }
    }

    /// The policy, with all writes that this server has answered.
    ///
    /// # Errors
    /// If the store is closed, so that nobody knows.
    pub(super) async fn current(&self) -> Result<RwLockReadGuard<'_, Policy>, Closed> {
        for family in &self.families {
            let told = family.told.load(Ordering::Acquire);
            let has_seen = |seen: &Option<u64>| seen.is_none_or(|seen| seen >= told);
            if !has_seen(&family.seen.borrow()) {
                let mut seen = family.seen.subscribe();
                seen.wait_for(has_seen).await.map_err(|_| Closed)?;
            }
            if family.seen.borrow().is_none() {
                return Err(Closed);
            }
        }
        Ok(self.read())
    }

    /// The policy, as far as it has been read.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Policy> {
        // Every change of it is whole.
        self.policy.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for changes of roles of the cluster.
    pub(super) fn changes_of_cluster_roles(&self) -> Option<watch::Receiver<Option<u64>>> {
        let family = self.families.iter().find(|family| family.kind == "ClusterRole")?;
        Some(family.seen.subscribe())
    }
}

/// Who keeps the policy what the store has of one kind.
struct Following {
    followed: Arc<Followed>,
    index: usize,
}

impl Following {
    fn family(&self) -> &Family {
        &self.followed.families[self.index]
    }
}

impl Follow for Following {
    async fn read(&mut self, store: &dyn Store) -> Result<u64, Error> {
        let family = self.family();
        let (found, revision) = store::read_all(store, &family.prefix, PAGE).await?;
        let scheme = &self.followed.served.current().scheme;
        let mut policy = self.followed.policy.write().unwrap_or_else(PoisonError::into_inner);
        family.forget_all(&mut policy);
        for item in &found {
            family.set(&mut policy, scheme, &item.key, Some(item));
        }
        drop(policy);
        family.seen.send_replace(Some(revision));
        Ok(revision)
    }

    fn take(&mut self, events: Vec<Event>) {
        let Some(last) = events.last().map(|event| event.revision) else { return };
        let family = self.family();
        let scheme = &self.followed.served.current().scheme;
        let mut policy = self.followed.policy.write().unwrap_or_else(PoisonError::into_inner);
        for Event { key, current, .. } in &events {
            family.set(&mut policy, scheme, key, current.as_ref());
        }
        drop(policy);
        family.seen.send_replace(Some(last));
    }

    /// Everything is done as soon as it is known.
    async fn work(&mut self) -> Option<Duration> {
        None
    }
}

impl Drop for Following {
    /// There will be no more changes.
    fn drop(&mut self) {
        self.family().seen.send_replace(None);
    }
}

/// The store is closed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed;

impl Family {
    /// Takes a value of the store into the policy, or its absence.
    fn set(&self, policy: &mut Policy, scheme: &Scheme, key: &[u8], value: Option<&KeyValue>) {
        let Some(place) = str::from_utf8(key).ok().and_then(|key| key.strip_prefix(&self.prefix)) else {
            return;
        };
        let (namespace, name) = place.split_once('/').unwrap_or(("", place));
        let object = value.and_then(|value| match at_hub(scheme, &value.value) {
            Ok(object) => Some(object),
            Err(why) => {
                warn!("{}{place} cannot be read, and allows nothing: {why}", self.prefix);
                None
            }
        });
        let object = object.as_deref();
        if self.is_of_roles() {
            policy.set_role(namespace, name, object.and_then(role));
        } else {
            policy.set_binding(namespace, name, object.and_then(|object| binding(name, object)));
        }
    }

    fn is_of_roles(&self) -> bool {
        matches!(self.kind, "Role" | "ClusterRole")
    }

    fn forget_all(&self, policy: &mut Policy) {
        policy.forget_all(self.is_of_roles(), self.kind.starts_with("Cluster"));
    }
}

/// A stored object at its hub.
fn at_hub(scheme: &Scheme, value: &[u8]) -> Result<Box<dyn Reflect>, String> {
    let object = scheme.decode_stored(value).map_err(|error| error.to_string())?;
    object.copy_at_hub().map_err(|error| error.to_string())
}

fn role(object: &dyn Reflect) -> Option<policy::Role> {
    if let Some(Role { rules, .. }) = object.downcast_ref::<Role>() {
        return Some(policy::Role { rules: rules.clone(), ..policy::Role::default() });
    }
    let ClusterRole { metadata, rules, aggregation_rule } = object.downcast_ref::<ClusterRole>()?;
    let labels = metadata.labels.iter().map(|(name, value)| (Str::from(name), value.clone())).collect();
    Some(policy::Role {
        rules: rules.clone(),
        labels,
        selectors: aggregation_rule.as_ref().map(|rule| rule.cluster_role_selectors.clone()),
    })
}

fn binding(name: &str, object: &dyn Reflect) -> Option<Binding> {
    let (subjects, role) = match object.downcast_ref::<RoleBinding>() {
        Some(RoleBinding { subjects, role_ref, .. }) => (subjects, role_ref),
        None => {
            let ClusterRoleBinding { subjects, role_ref, .. } = object.downcast_ref()?;
            (subjects, role_ref)
        }
    };
    Some(Binding { name: name.into(), subjects: subjects.clone(), role: role.clone() })
}
