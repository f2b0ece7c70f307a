//! What wakes a watch besides changes: its deadline, the end of the server, and the time of a bookmark.
//!
//! A write may wake thousands of watches. So what wakes them otherwise is set up once, and not touched with each change.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use futures_util::future::select;
use hubgen_serve::Drain;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::catalog::{Look, Span};

/// What ends a watch, whatever happens to objects.
pub(crate) struct Until {
    /// When it ends at the latest.
    pub(crate) deadline: Instant,
    /// The end of the server.
    pub(crate) drain: Drain,
    /// How long the kind is served as it is, if that is not as long as the server runs.
    pub(crate) span: Option<Span>,
}

/// What a wait ended with.
pub(super) enum Waited<T> {
    /// With what was waited for.
    Done(T),
    /// With the time of a bookmark.
    Due,
    /// The watch is over.
    Over,
}

pub(super) struct Alarm {
    deadline: Instant,
    drain: Drain,
    sleep: Pin<Box<Sleep>>,
    /// The end of the server, or of the kind.
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
    span: Option<Span>,
    /// Whom these wake.
    waker: Waker,
}

impl Alarm {
    pub(super) fn new(Until { deadline, drain, span }: Until) -> Self {
        let (mut drained, of_kind) = (drain.clone(), span.clone());
        let end = async move {
            match of_kind {
                Some(span) => {
                    select(pin!(drained.begun()), pin!(span.end())).await;
                }
                None => drained.begun().await,
            }
        };
        Self {
            deadline,
            drain,
            sleep: Box::pin(sleep_until(deadline)),
            end: Box::pin(end),
            span,
            waker: Waker::noop().clone(),
        }
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Waits for something, but not beyond the end of the watch, nor beyond the time of a bookmark.
    pub(super) fn wait<T>(
        &mut self,
        bookmark: Option<Instant>,
        mut work: Pin<&mut impl Future<Output = T>>,
    ) -> impl Future<Output = Waited<T>> {
        std::future::poll_fn(move |context| {
            if self.is_over() {
                return Poll::Ready(Waited::Over);
            }
            if bookmark.is_some_and(|due| due <= Instant::now()) {
                return Poll::Ready(Waited::Due);
            }
            let polled = work.as_mut().poll(context).map(Waited::Done);
            if polled.is_pending() {
                self.set(bookmark, context);
            }
            polled
        })
    }

    /// Whether the watch has to end now.
    pub(super) fn is_over(&mut self) -> bool {
        match self.span.as_mut().map_or(Look::Same, Span::look) {
            Look::Same => {}
            // Who was woken by that has to be set up again.
            Look::Lasts => self.waker = Waker::noop().clone(),
            Look::Over => self.deadline = Instant::now(),
        }
        self.deadline <= Instant::now() || self.drain.has_begun()
    }

    /// Makes sure that the task is woken in time.
    fn set(&mut self, bookmark: Option<Instant>, context: &mut Context<'_>) {
        let next = bookmark.map_or(self.deadline, |due| due.min(self.deadline));
        if self.sleep.deadline() == next && self.waker.will_wake(context.waker()) {
            return;
        }
        if self.sleep.deadline() != next {
            self.sleep.as_mut().reset(next);
        }
        let is_over = self.end.as_mut().poll(context).is_ready();
        if self.sleep.as_mut().poll(context).is_ready() || is_over {
            // It has come meanwhile.
            context.waker().wake_by_ref();
        } else {
            self.waker.clone_from(context.waker());
        }
    }
}
