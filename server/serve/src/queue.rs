//! Queues of requests: how many of a sort are under way, how many are worked on at a time, and how much memory they
//! take.
//!
//! A handler sorts its requests, reading and writing ones for example, and has a queue for each sort, so that no sort
//! takes from the others. Dropping a permit makes room for the next request.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use thiserror::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;
use tracing::{Instrument, Span};

/// There is no room for a request now. It should be answered with status 429 and the header
/// [`Retry-After`](TooMany::RETRY_AFTER), on which clients of Kubernetes try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("Too many requests, please try again later.")]
pub struct TooMany;

impl TooMany {
    /// The number of seconds after which a client should try again.
    pub const RETRY_AFTER: u16 = 1;
}

/// Why [`Lane::work`] has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WorkError {
    /// Its turn did not come in time.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The work panicked.
    #[error("the handler of the request panicked")]
    Panicked,
}

/// The room that one request has in an [`InFlight`]. Dropping it makes room.
#[derive(Debug)]
pub struct Permit(#[expect(dead_code, reason = "dropping it makes room")] OwnedSemaphorePermit);

/// Limits how many requests of a sort are under way, those that wait for their turn included.
#[derive(Clone, Debug)]
pub struct InFlight {
    free: Arc<Semaphore>,
    most: usize,
}

impl InFlight {
    /// At most this many, and at least one.
    pub fn new(most: usize) -> Self {
        let most = permits(most);
        Self { free: Arc::new(Semaphore::new(most)), most }
    }

    /// Enters a request. It is under way until the permit is dropped.
    ///
    /// # Errors
    /// If there are too many already.
    pub fn enter(&self) -> Result<Permit, TooMany> {
        Arc::clone(&self.free).try_acquire_owned().map(Permit).map_err(|_| TooMany)
    }

    /// How many are under way now.
    pub fn count(&self) -> usize {
        self.most - self.free.available_permits()
    }
}

/// The turn of one request in a [`Lane`]. It ends when all of its clones are dropped.
#[derive(Clone, Debug)]
pub struct Turn(Arc<Place>);

#[derive(Debug)]
struct Place {
    lane: Arc<Semaphore>,
    /// Whether the work is done on a thread of its own, or has to be from now on.
    is_apart: AtomicBool,
    /// `None` while the request steps aside.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Turn {
    fn new(lane: Arc<Semaphore>, permit: OwnedSemaphorePermit, is_apart: bool) -> Self {
        Self(Arc::new(Place { lane, is_apart: AtomicBool::new(is_apart), permit: Mutex::new(Some(permit)) }))
    }

    /// Makes the rest of the work be done on a separate thread, where it is not yet: as soon as it is known that it is
    /// [not small](Lane::small).
    pub async fn apart(&self) {
        let mut is_apart = self.0.is_apart.swap(true, Ordering::Relaxed);
        // The lane polls again.
        poll_fn(|_| if std::mem::replace(&mut is_apart, true) { Poll::Ready(()) } else { Poll::Pending })
            .await;
    }

    fn is_apart(&self) -> bool {
        self.0.is_apart.load(Ordering::Relaxed)
    }

    /// Waits for something that others do, such as the answer of a webhook. Unless it is ready at once, the next
    /// request has its turn meanwhile, and this one goes on when there is room again.
    pub async fn aside<T>(&self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        let at_once = poll_fn(|context| Poll::Ready(other.as_mut().poll(context))).await;
        if let Poll::Ready(done) = at_once {
            return done;
        }
        drop(self.exchange(None));
        let done = other.await;
        let permit = Arc::clone(&self.0.lane).acquire_owned().await.expect("nobody closes a lane");
        self.exchange(Some(permit));
        done
    }

    fn exchange(&self, permit: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        let mut place = self.0.permit.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, permit)
    }
}

/// Limits how many requests of a sort are worked on at a time. The others wait for their turn, in the order in which
/// they ask.
///
/// Work is done on threads of its own, so that the few threads that serve connections are always available. Only
/// [small](Self::small) work is done on these. Where one request comes after the other, it begins on the thread that asks,
/// and another one serves the connections meanwhile: then no thread needs to be woken for it, nor for its result.
#[derive(Clone, Debug)]
pub struct Lane {
    free: Arc<Semaphore>,
    at_a_time: usize,
    patience: Duration,
    /// How many requests have to be alone before one begins where it asks.
    crowded: Arc<AtomicU32>,
}

/// How many requests have to be alone after two were at work at a time. To hand connections over to another thread costs
/// more than it saves where many clients ask.
const ALONE: u32 = 64;

impl Lane {
    /// Works on at most this many at a time, at least one. The others wait for at most `patience`.
    pub fn new(at_a_time: usize, patience: Duration) -> Self {
        let at_a_time = permits(at_a_time);
        let crowded = Arc::new(AtomicU32::new(0));
        Self { free: Arc::new(Semaphore::new(at_a_time)), at_a_time, patience, crowded }
    }

    /// Works on a separate thread when the turn comes. Returns the result together with the turn, which the caller can
    /// keep for further work.
    ///
    /// If the caller stops waiting for the result, the work ends at its next `await`; it keeps its turn until then.
    ///
    /// # Errors
    /// If the turn does not come in time, or if the work panics.
    pub async fn work<T, W>(&self, work: impl FnOnce(Turn) -> W) -> Result<(T, Turn), WorkError>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let turn = self.turn(true).await?;
        let mut work = Box::pin(work(turn.clone()).instrument(Span::current()));
        if let Some(answer) = self.begun_here(work.as_mut()) {
            return answer.map(|answer| (answer, turn));
        }
        apart(work, turn).await
    }

    /// Does work that is small, as far as is known, where it is asked for: it takes less time than to wake a thread. It
    /// is for the work to say when it [is not](Turn::apart).
    ///
    /// # Errors
    /// As [`work`](Self::work).
    pub async fn small<T, W>(&self, work: impl FnOnce(Turn) -> W) -> Result<(T, Turn), WorkError>
    where
        T: Send + 'static,
        W: Future<Output = T> + Send + 'static,
    {
        let turn = self.turn(false).await?;
        let mut work = Box::pin(work(turn.clone()).instrument(Span::current()));
        if let Some(answer) = self.begun_here(work.as_mut()) {
            return answer.map(|answer| (answer, turn));
        }
        let here = poll_fn(|context| {
            if turn.is_apart() {
                return Poll::Ready(None);
            }
            match caught(work.as_mut(), context) {
                Poll::Pending if turn.is_apart() => Poll::Ready(None),
                polled => polled.map(Some),
            }
        });
        match here.await {
            Some(answer) => answer.map(|answer| (answer, turn)),
            None => apart(work, turn).await,
        }
    }

    async fn turn(&self, is_apart: bool) -> Result<Turn, TooMany> {
        let permit = timeout(self.patience, Arc::clone(&self.free).acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(TooMany) };
        Ok(Turn::new(Arc::clone(&self.free), permit, is_apart))
    }

    /// Whether nobody else is at work, nor was lately.
    fn is_alone(&self) -> bool {
        if self.free.available_permits() + 1 < self.at_a_time {
            self.crowded.store(ALONE, Ordering::Relaxed);
            return false;
        }
        // Two at a time may both count one: it only has to end.
        let crowded = self.crowded.load(Ordering::Relaxed);
        self.crowded.store(crowded.saturating_sub(1), Ordering::Relaxed);
        crowded == 0
    }

    /// The result, if nobody else is at work, and the work waits for nothing but the disk.
    fn begun_here<T>(&self, work: Pin<&mut impl Future<Output = T>>) -> Option<Result<T, WorkError>> {
        if !self.is_alone() || Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
            return None;
        }
        // Work that has to wait is polled again by whoever goes on with it.
        let mut context = Context::from_waker(Waker::noop());
        match tokio::task::block_in_place(|| caught(work, &mut context)) {
            Poll::Ready(answer) => Some(answer),
            Poll::Pending => None,
        }
    }
}

/// Polls work, whose panic is an error.
fn caught<T>(
    work: Pin<&mut impl Future<Output = T>>,
    context: &mut Context<'_>,
) -> Poll<Result<T, WorkError>> {
    let polled = catch_unwind(AssertUnwindSafe(|| work.poll(context)));
    polled.map_or(Poll::Ready(Err(WorkError::Panicked)), |polled| polled.map(Ok))
}

/// Works on a separate thread.
async fn apart<T, W>(work: W, turn: Turn) -> Result<(T, Turn), WorkError>
where
    T: Send + 'static,
    W: Future<Output = T> + Send + 'static,
{
    let runtime = Handle::current();
    let (mut waiting, waits) = oneshot::channel::<()>();
    let worked = tokio::task::spawn_blocking(move || {
        runtime.block_on(async move {
            tokio::select! {
                biased;
                () = waiting.closed() => None,
                answer = work => Some((answer, turn)),
            }
        })
    });
    let worked = worked.await;
    drop(waits);
    match worked {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) | Err(_) => Err(WorkError::Panicked),
    }
}

fn permits(number: usize) -> usize {
    number.clamp(1, Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests {
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn who_steps_aside_lets_the_next_one_pass() {
        let lane = Lane::new(1, Duration::from_secs(60));
        let (inside, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let first = tokio::spawn({
            let (lane, inside, release) = (lane.clone(), Arc::clone(&inside), Arc::clone(&release));
            async move {
                lane.work(|turn| async move {
                    turn.aside(async {
                        inside.notify_one();
                        release.notified().await;
                    })
                    .await;
                })
                .await
            }
        });
        inside.notified().await;
        let (passed, second) = lane.work(|_| async { "passed" }).await.unwrap();
        assert_eq!(passed, "passed");
        // The first one goes on, and has to wait until there is room.
        release.notify_one();
        tokio::task::yield_now().await;
        assert!(!first.is_finished());
        drop(second);
        let ((), turn) = first.await.unwrap().unwrap();
        assert_eq!(lane.free.available_permits(), 0);
        drop(turn);
        assert_eq!(lane.free.available_permits(), 1);
    }

    #[tokio::test]
    async fn what_is_ready_keeps_its_turn() {
        let lane = Lane::new(1, Duration::ZERO);
        let free = Arc::clone(&lane.free);
        let work = |turn: Turn| async move {
            turn.aside(async {}).await;
            free.available_permits()
        };
        assert_eq!(lane.work(work).await.unwrap().0, 0);
    }

    /// On which thread work is.
    fn thread() -> std::thread::ThreadId {
        std::thread::current().id()
    }

    #[tokio::test]
    async fn small_work_is_done_where_it_is_asked_for() {
        let (lane, here) = (Lane::new(1, Duration::ZERO), thread());
        let waits = |_| async {
            tokio::task::yield_now().await;
            thread()
        };
        assert_eq!(lane.small(waits).await.unwrap().0, here);
        assert_ne!(lane.work(waits).await.unwrap().0, here);
        // Until it says that it is not small.
        let grows = |turn: Turn| async move {
            let before = thread();
            turn.apart().await;
            turn.apart().await;
            (before, thread())
        };
        let ((before, after), turn) = lane.small(grows).await.unwrap();
        assert_eq!(before, here);
        assert_ne!(after, here);
        assert!(matches!(lane.small(waits).await, Err(WorkError::TooMany(_))));
        drop(turn);
        let panics = lane.small(|_| async { panic!("as it is meant to") }).await;
        assert_eq!(panics.map(|((), _)| ()), Err(WorkError::Panicked));
        assert_eq!(lane.free.available_permits(), 1);
    }

    /// Whether the work is polled by who asks for it: only there nothing can wake it.
    async fn is_here() -> bool {
        poll_fn(|context| Poll::Ready(context.waker().will_wake(Waker::noop()))).await
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_is_alone_begins_where_it_asks() {
        let lane = Lane::new(2, Duration::ZERO);
        let begins_here = || async { lane.work(|_| is_here()).await.unwrap().0 };
        assert!(begins_here().await);
        // What has to wait ends on another thread.
        let waits = |_| async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            is_here().await
        };
        let (ends_here, turn) = lane.work(waits).await.unwrap();
        assert!(!ends_here);
        // Somebody else has a turn.
        assert!(!begins_here().await);
        drop(turn);
        for _ in 0..ALONE {
            assert!(!begins_here().await);
        }
        assert!(begins_here().await);
        let panicked = lane.work(|_| async { panic!("as it is meant to") }).await;
        assert_eq!(panicked.map(|((), _)| ()), Err(WorkError::Panicked));
        assert_eq!(lane.free.available_permits(), 2);
    }
}
