//! Compares a store with a simple model: a map for every revision.

use super::*;

/// A small pseudo-random number generator (xorshift). Failures are reproducible by their seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// Performs the same random steps on both, and compares every result.
pub(super) async fn compare(store: &dyn Store, seed: u64, steps: u32) {
    let mut dice = Dice(seed);
    let mut revision = list(store, "").await.revision;
    let mut oldest = revision;
    let mut snapshots = BTreeMap::from([(revision, BTreeMap::<Vec<u8>, KeyValue>::new())]);
    for step in 0..steps {
        let key = format!("{}/{}", dice.roll(3), dice.roll(8)).into_bytes();
        let value = vec![step as u8; dice.roll(2_000) as usize];
        let now = snapshots[&revision].clone();
        let expected = now.get(&key).map(|current| current.mod_revision);
        match dice.roll(10) {
            action @ 0..=6 => {
                // Sometimes the expected revision is outdated.
                let expected = if dice.roll(8) == 0 { Some(oldest) } else { expected };
                let answer = match (action, expected) {
                    (0..=4, None) => store.create(key.clone(), value.clone()).await,
                    (0..=4, Some(expected)) => store.update(key.clone(), value.clone(), expected).await,
                    (_, expected) => store.delete(key.clone(), expected.unwrap_or(revision)).await,
                };
                let is_expected = now.get(&key).map(|current| current.mod_revision) == expected;
                if !is_expected || (action > 4 && expected.is_none()) {
                    let Err(Error::Conflict { current }) = answer else { panic!("{answer:?}") };
                    assert_eq!(current.as_deref(), now.get(&key));
                    continue;
                }
                revision += 1;
                assert_eq!(answer.unwrap(), revision);
                let mut next = now.clone();
                if action <= 4 {
                    let create_revision = now.get(&key).map_or(revision, |current| current.create_revision);
                    let item = KeyValue { key: key.clone(), value, create_revision, mod_revision: revision };
                    next.insert(key, item);
                } else {
                    next.remove(&key);
                }
                snapshots.insert(revision, next);
            }
            7 => assert_eq!(store.get(&key).await.unwrap().as_ref(), now.get(&key)),
            8 => {
                let at = oldest + dice.roll(revision - oldest + 1);
                let prefix = format!("{}/", dice.roll(4)).into_bytes();
                let mut request = ListRequest {
                    prefix: prefix.clone(),
                    revision: Some(at),
                    limit: Some(1 + dice.roll(4) as usize),
                    bytes: (dice.roll(2) == 0).then(|| 1 + dice.roll(20) as usize),
                    start: None,
                    count: true,
                };
                let expected = snapshots[&at].values().filter(|item| item.key.starts_with(&prefix));
                let expected = expected.cloned().collect::<Vec<_>>();
                let mut items = Vec::new();
                loop {
                    let page = store.list(request.clone()).await.unwrap();
                    items.extend(page.items);
                    assert_eq!(items.len() as u64 + page.remaining.unwrap(), expected.len() as u64);
                    let Some(next) = page.next else { break };
                    request.start = Some(next);
                }
                assert_eq!(items, expected);
            }
            _ if dice.roll(4) == 0 => {
                oldest += dice.roll(revision - oldest + 1) / 2;
                store.compact(oldest).await.unwrap();
            }
            _ => {
                let after = oldest + dice.roll(revision - oldest + 1);
                for (event, at) in events(store, after).await.iter().zip(after + 1..) {
                    assert_eq!(event.revision, at);
                    assert_eq!(event.current.as_ref(), snapshots[&at].get(&event.key));
                    assert_eq!(event.previous.as_ref(), snapshots[&(at - 1)].get(&event.key));
                    assert_ne!(event.current, event.previous);
                }
            }
        }
    }
    assert!(
        oldest > 1 && revision > u64::from(steps) / 3,
        "the steps must contain many writes and a compaction"
    );
}
