//! The task that tells loops of all changes, and lets them do what follows.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::Settings;
use super::controllers::Controller;
use super::expiry::Expiry;
use super::garbage::Garbage;
use super::namespaces::{Emptying, Furnishing};
use super::record::{Change, Record};
use super::stand_ins::StandIns;
use super::tokens::Tokens;
use crate::environment::Alarm;
use crate::follow::Follow;
use crate::own::Own;
use crate::store::{Error, Event, ListRequest, Store};

/// How many objects are read at a time, and how many bytes of them.
const PAGE: (usize, usize) = (500, 1 << 20);
/// After how long something that has failed is tried again, at first and at most.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// All loops that want to know of all changes.
pub(super) struct Keeper {
    own: Own,
    garbage: Option<Garbage>,
    emptying: Option<Emptying>,
    furnishing: Option<Furnishing>,
    tokens: Option<Tokens>,
    expiry: Option<Expiry>,
    stand_ins: Option<StandIns>,
    /// Waits for times of the server's clock.
    alarm: Alarm,
    /// Tells that other kinds are served.
    kinds: watch::Receiver<()>,
    /// When something that has failed is tried again.
    again: Option<Instant>,
    /// After how long something is tried again that fails now.
    pause: Duration,
}

impl Keeper {
    /// The loops that are switched on, and whose kinds there are; `None` if there is none.
    pub(super) fn new(own: &Own, settings: &Settings, port: u16) -> Option<Self> {
        let has = |one| settings.controllers.has(one);
        let keeper = Self {
            own: own.clone(),
            garbage: has(Controller::Garbage).then(|| Garbage::new(own.clone())),
            emptying: Emptying::new(own).filter(|_| has(Controller::Namespaces)),
            furnishing: Furnishing::new(own, settings, port),
            tokens: has(Controller::Tokens).then(|| Tokens::new(own, settings)).flatten(),
            expiry: has(Controller::Expiry).then(|| Expiry::new(own, settings.time_to_live)),
            stand_ins: StandIns::new(own, &settings.stand_ins),
            alarm: Alarm::new(&own.backing.environment),
            kinds: own.served.changes(),
            again: None,
            pause: AGAIN[0],
        };
        let Self { garbage, emptying, furnishing, tokens, expiry, stand_ins, .. } = &keeper;
        let is_any = garbage.is_some()
            || emptying.is_some()
            || furnishing.is_some()
            || tokens.is_some()
            || expiry.is_some()
            || stand_ins.is_some();
        is_any.then_some(keeper)
    }

    /// Tells all loops of a change. What is `new_to_us` was there before.
    fn note(&mut self, change: &Change, new_to_us: bool) {
        let scheme = &self.own.served.current().scheme;
        if let Some(garbage) = &mut self.garbage {
            garbage.note(scheme, change, new_to_us);
        }
        if let Some(emptying) = &mut self.emptying {
            emptying.note(change);
        }
        if let Some(furnishing) = &mut self.furnishing {
            furnishing.note(change);
        }
        if let Some(tokens) = &mut self.tokens {
            tokens.note(change);
        }
        if let Some(expiry) = &mut self.expiry {
            expiry.note(scheme, change, new_to_us);
        }
        if let Some(stand_ins) = &mut self.stand_ins {
            stand_ins.note(scheme, change);
        }
    }

    fn try_again(&mut self) {
        let Self { garbage, emptying, furnishing, tokens, stand_ins, .. } = self;
        garbage.iter_mut().for_each(Garbage::try_again);
        emptying.iter_mut().for_each(Emptying::try_again);
        furnishing.iter_mut().for_each(Furnishing::try_again);
        tokens.iter_mut().for_each(Tokens::try_again);
        stand_ins.iter_mut().for_each(StandIns::try_again);
    }

    fn forget(&mut self) {
        let Self { garbage, emptying, furnishing, tokens, expiry, stand_ins, .. } = self;
        garbage.iter_mut().for_each(Garbage::forget);
        emptying.iter_mut().for_each(Emptying::forget);
        furnishing.iter_mut().for_each(Furnishing::forget);
        tokens.iter_mut().for_each(Tokens::forget);
        expiry.iter_mut().for_each(Expiry::forget);
        stand_ins.iter_mut().for_each(StandIns::forget);
    }
}

impl Follow for Keeper {
    async fn read(&mut self, store: &dyn Store) -> Result<u64, Error> {
        self.forget();
        let (limit, bytes) = PAGE;
        let mut request = ListRequest { limit: Some(limit), bytes: Some(bytes), ..ListRequest::default() };
        loop {
            let page = store.list(request.clone()).await?;
            for item in &page.items {
                if let Some(new) = Record::read(item) {
                    let change = Change { key: new.key.clone(), old: None, new: Some(new) };
                    self.note(&change, true);
                }
            }
            let Some(next) = page.next else {
                self.garbage.iter_mut().for_each(|garbage| garbage.reach(page.revision));
                return Ok(page.revision);
            };
            request = ListRequest { start: Some(next), revision: Some(page.revision), ..request };
            // Others want to be served meanwhile.
            tokio::task::yield_now().await;
        }
    }

    fn take(&mut self, events: Vec<Event>) {
        let Some(last) = events.last().map(|event| event.revision) else { return };
        for Event { key, current, previous, .. } in events {
            let [old, new] = [previous, current].map(|side| side.as_ref().and_then(Record::read));
            self.note(&Change { key: key.as_slice().into(), old, new }, false);
        }
        self.garbage.iter_mut().for_each(|garbage| garbage.reach(last));
    }

    async fn work(&mut self) -> Option<Duration> {
        self.kinds.mark_unchanged();
        if self.again.is_some_and(|again| again <= Instant::now()) {
            self.again = None;
            self.try_again();
        }
        let mut is_done = true;
        if let Some(garbage) = &mut self.garbage {
            is_done &= garbage.work().await;
        }
        if let Some(emptying) = &mut self.emptying {
            is_done &= emptying.work().await;
        }
        if let Some(furnishing) = &mut self.furnishing {
            is_done &= furnishing.work().await;
        }
        if let Some(tokens) = &mut self.tokens {
            is_done &= tokens.work().await;
        }
        // When there will be more to do by the clock of the server.
        let mut next = [None, None];
        if let Some(stand_ins) = &mut self.stand_ins {
            is_done &= stand_ins.work().await;
            next[0] = stand_ins.next();
        }
        if let Some(expiry) = &mut self.expiry {
            let has_expired = expiry.work().await;
            is_done &= has_expired;
            next[1] = expiry.next().filter(|_| has_expired);
        }
        if is_done {
            (self.again, self.pause) = (None, AGAIN[0]);
        } else if self.again.is_none() {
            self.again = Some(Instant::now() + self.pause);
            self.pause = AGAIN[1].min(self.pause * 2);
        }
        let again = self.again.map(|again| again.saturating_duration_since(Instant::now()));
        let next = next.into_iter().flatten().min().and_then(|next| self.alarm.until(next));
        [next, again].into_iter().flatten().min()
    }

    /// Waits for other kinds, and for another time.
    async fn woken(&mut self) {
        let Self { kinds, alarm, .. } = self;
        let changed = async {
            if kinds.changed().await.is_err() {
                std::future::pending::<()>().await
            }
        };
        tokio::select! {
            () = changed => {}
            () = alarm.set() => {}
        }
    }
}
